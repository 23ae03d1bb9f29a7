"""Sources of YiSi-1's vectors: word-vector files in word2vec's two formats, transformers, and custom embedders."""

import abc
import contextlib
import functools
import gzip
import io
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.errors import InputError
from data.files import check_plain
from data.text.parallel_text import open_text_file
from interacting_head.metrics.metric import MetricUnavailable

UNKNOWN = b"<unk>"
MOST_DIMENSIONS, MOST_WORDS = 100_000, 10**12
LONGEST_WORD = 4096  # bytes
BATCH = 32  # lines that a transformer embeds at a time


def split_words(line: str) -> list[bytes]:
    """Return the words of a line as UTF-8 bytes, split at spaces only, as in YiSi's program."""
    return [word for word in line.encode("utf-8", errors="replace").split(b" ") if word]


class Embedder(abc.ABC):
    """Split lines into units and give each a vector."""

    name: str  # in the signature of a score
    description: str  # in the definition of a score
    same_words_are_equal = False  # whether units that differ at most in the case of ASCII letters have similarity 1

    def prepare(self, lines: Iterable[str]) -> None:  # noqa: B027 (may be left out)
        """Prepare for all lines, before any of them is embedded."""

    @abc.abstractmethod
    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        """Return the units of each line."""

    @abc.abstractmethod
    def vectors(self, lines: Sequence[str]) -> list[np.ndarray]:
        """Return the vectors of the units of each line, (units, D), not normalised."""


class WordVectors(Embedder):
    """Word vectors from a text or binary file in word2vec's format, plain or gzipped.

    The first line has the numbers of words and dimensions; each word is followed by a space and its vector, in decimal
    numbers up to the end of the line or in 4-byte floats. A word without a vector gets the vector of its lowercase form
    (ASCII letters), or else of `<unk>`, or else is similar only to itself. Raises `MetricUnavailable` here and by
    `prepare`, if the file does not have that format.
    """

    same_words_are_equal = True

    def __init__(self, path: Path):
        self.path = path
        self.name = path.name
        self.description = f"word vectors ({path.name}); words that differ only in ASCII case have 1"
        self._vectors = {}
        self._looked_for = set()
        with self._open() as file:
            header = file.readline(100).split()
            if len(header) != 2 or not all(field.isdigit() and int(field) for field in header):
                raise self._broken("line 1 must be two whole numbers, the counts of words and dimensions")
            self._number, self.dimensions = map(int, header)
            if self.dimensions > MOST_DIMENSIONS or self._number > MOST_WORDS:
                raise self._broken(f"line 1 states more than {MOST_DIMENSIONS:,} dimensions or {MOST_WORDS:,} words")
            self._longest = LONGEST_WORD + 64 * self.dimensions  # bytes of a line of text
            self._is_text = self._is_number_line(file.read(self._longest).split(b"\n")[0])

    def prepare(self, lines: Iterable[str]) -> None:
        """Read the vectors of the words in these lines, in one pass over the file."""
        words = {form for line in lines for word in split_words(line) for form in (word, word.lower())} | {UNKNOWN}
        if words <= self._looked_for:
            return
        missing = words - self._looked_for
        progress = tqdm(self._records(), desc=self.name, total=self._number, unit="word", leave=False, disable=None)
        for number, (word, numbers) in enumerate(progress, start=1):
            if word in missing:
                self._vectors[word] = self._vector(numbers, number)
        self._looked_for |= words

    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        return list(map(split_words, lines))

    def vectors(self, lines: Sequence[str]) -> list[np.ndarray]:
        unknown = self._vectors.get(UNKNOWN, np.zeros(self.dimensions))
        found = []
        for words in self.units(lines):
            vectors = [self._vectors.get(word, self._vectors.get(word.lower(), unknown)) for word in words]
            found.append(np.array(vectors, dtype=np.float64).reshape(len(words), self.dimensions))
        return found

    def _records(self):
        """Yield each word and the bytes of its vector."""
        with self._open() as file:
            file.readline()
            for number in range(self._number):
                word, numbers = self._text_record(file) if self._is_text else self._binary_record(file, number)
                if numbers is None:
                    raise self._broken(f"it ends after {number:,} of {self._number:,} words")
                yield word, numbers

    def _text_record(self, file):
        line = file.readline(self._longest)
        word, _, numbers = line.partition(b" ")
        return word, numbers if line else None

    def _binary_record(self, file, number):
        word = bytearray()
        while (letter := file.read(1)) not in (b" ", b""):
            word += letter
            if len(word) > LONGEST_WORD:
                raise self._broken(f"word {number + 1:,} has more than {LONGEST_WORD:,} bytes")
        numbers = file.read(4 * self.dimensions)
        is_whole = len(numbers) == 4 * self.dimensions
        return bytes(word).strip(), numbers if is_whole else None  # some programs end a vector with a line break

    def _vector(self, numbers, number):
        if not self._is_text:
            vector = np.frombuffer(numbers, dtype="<f4")
        elif self._is_number_line(b"word " + numbers):
            with np.errstate(over="ignore"):  # refused below
                vector = np.array([float(field) for field in numbers.split()], dtype=np.float32)
        else:
            raise self._broken(f"line {number + 1} must be a word and {self.dimensions} numbers")
        if not np.all(np.isfinite(vector)):
            raise self._broken(f"the vector of word {number} is not finite")
        return vector

    def _is_number_line(self, line):
        fields = line.split()
        try:
            return len([float(field) for field in fields[1:]]) == self.dimensions
        except ValueError:
            return False

    @contextlib.contextmanager
    def _open(self):
        try:
            with open_text_file(self.path) as file, io.BufferedReader(file, 1 << 20) as buffered:
                yield buffered
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self._broken("the gzip file is truncated or damaged") from error
        except OSError as error:
            raise self._broken(error.strerror or error) from error
        except InputError as error:
            raise MetricUnavailable(str(error)) from error

    def _broken(self, what):
        return MetricUnavailable(f"{self.path} is not a word-vector file in word2vec's format: {what}")


class TransformerEmbedder(Embedder):
    """The hidden states of one layer of a transformer encoder, for the sub-words of its tokeniser.

    Added tokens such as [CLS] are excluded. Lines that are too long for the transformer are truncated.

    Args:
        folder: as written by `save_pretrained`. Nothing is downloaded.
        layer: from 1; default: three quarters of the way up, 9 of the 12 of multilingual BERT.

    Raises `MetricUnavailable` if `transformers` or `torch` is not installed, or the folder cannot be loaded.
    """

    def __init__(self, folder: str | Path, layer: int | None = None):
        folder = Path(folder)
        try:
            import transformers

            transformers.utils.logging.set_verbosity_error()
            transformers.utils.logging.disable_progress_bar()
            # By default, a folder with code of its own asks the user to run it.
            safely = {"local_files_only": True, "trust_remote_code": False}
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safely)
            self._model = transformers.AutoModel.from_pretrained(folder, **safely)
            layers = self._model.config.num_hidden_layers  # models of several towers have none
        except ImportError as error:
            raise MetricUnavailable(
                f"a transformer as embedder needs the packages transformers and torch ({_first_line(error)}); "
                "install them, or name a word-vector file"
            ) from error
        except Exception as error:  # a damaged file can raise anything
            raise MetricUnavailable(
                f"cannot load a transformer from {folder}: {_first_line(error)}; name the folder of an encoder of text"
            ) from error
        self.layer = round(0.75 * layers) if layer is None else layer
        if not 1 <= self.layer <= layers:
            raise MetricUnavailable(f"the transformer in {folder} has no layer {layer}; choose one from 1 to {layers}")
        self._model.eval()
        self._model.requires_grad_(False)
        positions = getattr(self._model.config, "max_position_embeddings", None) or self._tokenizer.model_max_length
        self._longest = min(self._tokenizer.model_max_length, positions - _unused_positions(self._model))
        try:
            self.vectors(["a", "a b"])
        except Exception as error:
            raise MetricUnavailable(
                f"the transformer in {folder} gives no vectors ({_first_line(error)}); choose an encoder, such as a "
                "multilingual BERT"
            ) from error
        self.name = f"{folder.name}-layer{self.layer}"
        self.description = f"sub-words' hidden states (layer {self.layer} of {layers} of {folder.name})"

    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        encoded = self._encode(lines)
        units = []
        for ids, added in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            tokens = self._tokenizer.convert_ids_to_tokens(ids)
            units.append([token.encode() for token, is_added in zip(tokens, added, strict=True) if not is_added])
        return units

    def vectors(self, lines: Sequence[str]) -> list[np.ndarray]:
        found = [None] * len(lines)
        # Lines of about equal length together need little padding.
        order = sorted(range(len(lines)), key=lambda number: len(lines[number]))
        for start in range(0, len(lines), BATCH):
            numbers = order[start : start + BATCH]
            encoded = self._encode([lines[number] for number in numbers], padding=True, return_tensors="pt")
            added = encoded.pop("special_tokens_mask").numpy().astype(bool)
            states = self._model(**encoded, output_hidden_states=True).hidden_states[self.layer]
            units = ~added & encoded["attention_mask"].numpy().astype(bool)
            for number, vectors, kept in zip(numbers, states.float().numpy(), units, strict=True):
                found[number] = vectors[kept]
        return found

    def _encode(self, lines, **kwargs):
        kwargs |= {"truncation": True, "max_length": self._longest, "return_special_tokens_mask": True}
        return self._tokenizer(lines, **kwargs)


def _unused_positions(model):
    """Return how many positions no token takes: RoBERTa and its kind begin after the position of padding."""
    embeddings = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    return 0 if padding is None else padding + 1


def _first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def load_embedder(source: object) -> Embedder:
    """Return the `Embedder` of a word-vector file or a transformer's folder; an `Embedder` is returned unchanged.

    Raises:
        MetricUnavailable: if it is unusable.
        InputError: if it is missing, or a pipe, which cannot be read twice.
    """
    if isinstance(source, Embedder):
        return source
    path = Path(source)
    check_plain(path)
    if not path.exists():
        raise InputError(f"the embedder {path} does not exist; name a word-vector file or a transformer's folder")
    return _load(path.resolve(), path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _load(path, time_of_change):
    # Kept, so that all systems of a comparison share it.
    return TransformerEmbedder(path) if path.is_dir() else WordVectors(path)
