"""Sub-word vocabularies: byte-pair encoding by SentencePiece."""

import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from data.errors import InputError
from data.files import atomic_write, check_plain

LONGEST = 4192  # bytes; SentencePiece ignores longer lines
PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
SPECIAL_PIECES = ("<pad>", "<unk>", "<s>", "</s>")


def train_subwords(
    lines: Iterable[str], vocabulary_size: int, model_path: str | Path, *, max_lines: int = 2_000_000
) -> None:
    """Learn a byte-pair encoding of exactly `vocabulary_size` pieces and write it to `model_path`, reproducibly.

    The pieces are the four special ones, 256 bytes, characters and merges. Characters beyond the most frequent 99.99 %
    of the text are spelled in bytes: stray characters take no pieces, and the embeddings of the bytes, which stand for
    unseen characters, are trained. If a text has more than `max_lines` lines (a number above 100), a fixed random
    sample of that many is used. Long lines are learnt from in parts.

    Raises `InputError` if the vocabulary has 2³¹ pieces or more, there is no text, or the text has too few different
    pieces or too many characters.
    """
    if vocabulary_size >= 2**31:
        raise InputError(f"a vocabulary of {vocabulary_size} is too large; it must be below {2**31}")
    model = io.BytesIO()
    failure = None

    def watched_lines():
        nonlocal failure
        try:
            for line in lines:
                yield from _parts(line)
        except (Exception, KeyboardInterrupt) as error:
            failure = error
            raise

    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=watched_lines(),
            model_writer=model,
            model_type="bpe",
            # With fewer than the special pieces, the C++ code would end with an error of its own.
            vocab_size=max(vocabulary_size, len(SPECIAL_PIECES)),
            # The size is checked below: for a small text the C++ code would print its own message.
            hard_vocab_limit=False,
            character_coverage=0.9999,
            byte_fallback=True,
            # Text is translated as written; a profile has already normalised it if it should be.
            normalization_rule_name="identity",
            input_sentence_size=max_lines,
            shuffle_input_sentence=True,
            **{f"{name}_id": number for number, name in enumerate(("pad", "unk", "bos", "eos"))},
            **{
                f"{name}_piece": piece for name, piece in zip(("pad", "unk", "bos", "eos"), SPECIAL_PIECES, strict=True)
            },
            # Stored in the model file: fixed, so that the file does not depend on the machine.
            num_threads=4,
            minloglevel=2,
        )
    except RuntimeError as error:
        # SentencePiece turns whatever reading the lines raised into a RuntimeError.
        if failure is not None:
            raise failure from None
        if re.search(r"sentences_\.empty\(\)|all_chars_count\) > ", str(error)):
            raise InputError("no text to learn sub-words from: every line is empty") from error
        if too_small := re.search(r"smaller than required_chars\. \d+ vs (\d+)", str(error)):
            raise InputError(
                f"a vocabulary of {vocabulary_size} is too small for the characters of this text; "
                f"set data.vocabulary_size (--vocabulary-size) to at least {too_small[1]}"
            ) from error
        raise
    size = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).get_piece_size()
    if size < vocabulary_size:
        raise InputError(
            f"a vocabulary of {vocabulary_size} is too large for this text, which has only {size} different "
            f"sub-words; set data.vocabulary_size (--vocabulary-size) to at most {size}"
        )
    with atomic_write(model_path, "wb", parents=True) as file:
        file.write(model.getvalue())


def _parts(line):
    """Yield a line, or parts of a long one, cut at blanks, which sub-words do not cross."""
    start, width = 0, LONGEST // 4  # a character has at most four bytes
    if len(line.encode()) > LONGEST:
        while len(line) - start > width:
            blank = line.rfind(" ", start + 1, start + width)
            end = start + width if blank < 0 else blank
            yield line[start:end]
            start = end
    yield line[start:]


class Subwords:
    """A trained sub-word model: lines of text to ids and back.

    Runs of blanks collapse and outer blanks are dropped; tabs, no-break spaces and control characters are kept. Text
    that spells a special piece, such as `"<s>"`, is encoded as ordinary characters.

    `digest` is the SHA-256 of the file. Raises `InputError` if the file is missing, corrupt, does not match an expected
    `digest`, or has other special ids.
    """

    def __init__(self, path: str | Path, digest: str | None = None):
        self.path = Path(path)
        check_plain(self.path)
        try:
            model = self.path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the sub-word model {path}: {error.strerror}; check the name") from error
        self.digest = hashlib.sha256(model).hexdigest()
        if digest not in (None, self.digest):
            raise InputError(f"the sub-word model {path} is damaged or not the expected one; copy it again")
        try:
            self._processor = processor = sentencepiece.SentencePieceProcessor(model_proto=model)
            ids = list(range(processor.get_piece_size()))
            # These raise if a piece, or the text for unknown ones, is not UTF-8.
            processor.id_to_piece(ids)
            processor.decode(ids)
        except (RuntimeError, UnicodeDecodeError) as error:
            raise InputError(
                f"{path} is not a sub-word model or is damaged; train it again or copy it again"
            ) from error
        special_ids = (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id())
        if special_ids != (PAD, UNKNOWN, BEGIN, END):
            raise InputError(
                f"the sub-word model {path} has the ids {special_ids} for <pad>, <unk>, <s>, </s>, expected "
                f"{(PAD, UNKNOWN, BEGIN, END)}; use a model that this project trained"
            )
        self.vocabulary_size = len(ids)
        while processor.is_unused(self.vocabulary_size - 1):  # see `data.text.vocabularies`
            self.vocabulary_size -= 1

    def encode(self, lines: Sequence[str]) -> list[list[int]]:
        """Return the ids of each line, without `BEGIN` and `END`; an empty line gives an empty list."""
        return self._processor.encode(list(lines))

    def encode_as_pieces(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the sub-words of each line as text, `▁` for a blank."""
        return self._processor.encode(list(lines), out_type=str)

    def decode(self, sentences: Iterable[Iterable[int]]) -> list[str]:
        """Return the text of each list of ids without `PAD`, `BEGIN` and `END`, as one line each."""
        # SentencePiece treats these three as control symbols without text. A model may produce the byte of a line
        # break.
        ids = [[int(i) for i in sentence] for sentence in sentences]
        return [re.sub(r"[\r\n]+", " ", line) for line in self._processor.decode(ids)] if ids else []

    def pieces(self) -> list[str]:
        """Return all sub-words as text, in the order of their ids."""
        return self._processor.id_to_piece(list(range(self.vocabulary_size)))

    def piece(self, piece_id: int) -> str:
        """Return the sub-word of an id as text."""
        return self._processor.id_to_piece(int(piece_id))
