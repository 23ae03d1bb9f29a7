"""Splitting of lines that are too long for a model, and joining of the translated pieces."""

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator

from data.text.profiles import Preprocessor
from data.text.subwords import END, Subwords
from interacting_head.translation.engines.engine import Sentence

CHARACTERS = 16  # per sub-word: a line with more of them is above the limit, without encoding it

BLANKS = re.compile(" {2,}")
SENTENCES = re.compile(
    # A full stop after a single letter is an abbreviation's.
    r"(?:(?<=[.!?…؟।॥۔])(?<!\b\w\.)|(?<=[.!?…][\"'”’»)\]]))\s+|"
    r"(?:(?<=[。！？．])(?![”’」』）])|(?<=[。！？．][”’」』）]))\s*"
)
CLAUSES = re.compile(r"(?<=[,;:،؛–—])\s+|(?<=[，、；：])\s*")
WORDS = re.compile(r"\s+")


def encoded_pieces(
    subwords: Subwords, form: Preprocessor, lines: list[str], limit: int, longest: int
) -> list[list[list[int]]]:
    """Return for each line the ids of its pieces: usually one, none for a line without sub-words.

    A line of more than `limit` sub-words is split into pieces of at most `longest`, near the middle: at the end of a
    sentence, else of a clause, else between words; a longer word between characters, a longer character between
    sub-words. A line of more than `CHARACTERS · limit` characters is split before encoding.
    """

    def cut(text):
        [ids] = encoded(subwords, form, [text])
        if len(ids) <= longest:
            return [ids] if ids else []
        if len(text) == 1:
            return [ids[i : i + longest] for i in range(0, len(ids), longest)]
        start, end = boundary(text, len(text) // 2)
        return cut(text[:start]) + cut(text[end:])

    def pieces(line, ids):
        if ids is None:
            return [piece for block in blocks(line, CHARACTERS * longest) for piece in cut(block)]
        return [ids] if ids else []

    return list(map(pieces, lines, encoded(subwords, form, lines, limit)))


def encoded(
    subwords: Subwords, form: Preprocessor, lines: list[str], limit: float = math.inf
) -> list[list[int] | None]:
    """Return the ids of each line, None for lines above a limit, see `encoded_pieces`."""
    most = CHARACTERS * limit
    read = [len(line) <= most or len(_without_blanks(line)) <= most for line in lines]
    found = iter(subwords.encode([form.preprocess(line) for line, is_read in zip(lines, read, strict=True) if is_read]))
    found = [next(found) if is_read else None for is_read in read]
    return [None if ids is None or len(ids) > limit else ids for ids in found]


def blocks(line: str, size: int) -> Iterator[str]:
    """Yield blocks of a line of at most `size` characters, in time proportional to the line's length."""
    line, at = _without_blanks(line), 0
    while len(line) - at > size:
        start, end = boundary(line[at : at + size], size)
        yield line[at : at + start]
        at += end
    yield line[at:]


def boundary(text: str, wanted: int) -> tuple[int, int]:
    """Return the end of one part of a text of at least two characters and the start of the next, without blanks.

    The boundary is the sentence end nearest to the index `wanted`, at least 1, else a clause end not far from it, else
    a word end, else `wanted` itself.
    """
    for pattern, distance in ((SENTENCES, len(text)), (CLAUSES, len(text) // 4), (WORDS, len(text))):
        spans = (match.span() for match in pattern.finditer(text))
        spans = (span for span in spans if span[0] > 0 and span[1] < len(text) and abs(span[1] - wanted) <= distance)
        nearest = min(spans, key=lambda span: abs(span[1] - wanted), default=None)
        if nearest is not None:
            return nearest
    return wanted, wanted


def completed(
    sentences: list[Sentence], n_best: list, incomplete: dict, penalty: Callable, seed: int | None = None
) -> Iterator[tuple]:
    """Yield `(number, n-best list)` of each line that a batch completes.

    `n_best` has a list of `Translation`s for each sentence; `incomplete`, initially empty, keeps pieces between calls.
    With a `seed` they are independent draws, which are not joined by rank but at random.
    """
    for sentence, translations in zip(sentences, n_best, strict=True):
        parts = incomplete.setdefault(sentence.number, {})
        parts[sentence.piece] = translations
        if len(parts) == sentence.pieces:
            del incomplete[sentence.number]
            if sentence.pieces == 1:
                yield sentence.number, translations
                continue
            in_order = [parts[number] for number in range(sentence.pieces)]
            if seed is not None:
                for piece, part in enumerate(in_order):
                    random.Random(f"{seed} {sentence.number} {piece}").shuffle(part)
            yield sentence.number, joined(in_order, penalty)


def joined(parts: list[list], penalty: Callable[[int], float]) -> list:
    """Return the n-best list of a line from the n-best lists of its pieces.

    Translations of the same rank (the last of a shorter list) are joined by blanks, and their tokens by end symbols.
    The score is the sum of their log-probabilities, divided by the length penalty of all tokens.
    """
    wholes = []
    for rank in range(max(map(len, parts))):
        chosen = [part[min(rank, len(part) - 1)] for part in parts]
        lengths = [len(one.tokens) + 1 for one in chosen]
        total = sum(one.score * penalty(length) for one, length in zip(chosen, lengths, strict=True))
        scores = [one.token_scores for one in chosen]
        whole = chosen[0]._replace(
            text=" ".join(one.text for one in chosen if one.text),
            score=total / penalty(sum(lengths)),
            tokens=[token for one in chosen for token in (*one.tokens, END)][:-1],
            token_scores=None if None in scores else list(itertools.chain(*scores)),
            pieces=len(chosen),
        )
        wholes.append(whole)
    return sorted(wholes, key=lambda whole: whole.score, reverse=True)


def _without_blanks(line):
    return BLANKS.sub(" ", line).strip(" ")
