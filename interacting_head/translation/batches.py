"""Sentences that are searched together: how many, and which."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from data.text.subwords import PAD
from interacting_head.translation.engines.engine import Engine, Sentence

LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more RAM
VERY_LONG = 512  # tokens; above, the number falls with the square, as the RAM of attention to a source grows
WIDE = 1024  # hypotheses of a batch at most, fewer of longer sentences: each has places in caches


class Batch(NamedTuple):
    """Sentences that are searched together, or scored, and the most rows of such a batch."""

    sentences: list[Sentence]
    rows: int

    @property
    def is_scored(self) -> bool:
        """True if the sentences have given translations."""
        return self.sentences[0].text is not None

    def in_words(self, hypotheses: int) -> str:
        """Return the description of the batch for messages."""
        hypotheses = 1 if self.is_scored else hypotheses
        sizes = [(width(one) if self.is_scored else len(one.source) + 1, one.number) for one in self.sentences]
        longest, number = max(sizes)
        return (
            f"a batch of {len(sizes)} × {longest} (sentences × sub-words of the longest, in line {number + 1:,}), "
            f"with {hypotheses} hypothes{'is' if hypotheses == 1 else 'es'} of each"
        )


def width(sentence: Sentence) -> int:
    """Return the number of tokens of a sentence's source or prefix, of the longer one, the end symbol counted."""
    return max(len(sentence.source), len(sentence.prefix or ())) + 1


def rows_together(width: int, hypotheses: int, batch_size: int, batch_tokens: int | None = None) -> int:
    """Return the number of sentences that are searched together.

    `width` is the number of tokens of the longest, the end symbol counted; `batch_tokens` replaces `batch_size`.
    """
    long = max(width, LONG)
    rows = batch_size * LONG // long if batch_tokens is None else batch_tokens // width
    rows = min(rows, WIDE * LONG // (hypotheses * long))
    return max(1, rows * VERY_LONG // max(width, VERY_LONG))


def planned(sentences: list[Sentence], rows: Callable[[int], int], engine: Engine) -> Iterator[Batch]:
    """Yield batches of sentences of like lengths; `rows` is a function of a width, see `rows_together`."""
    sentences = sorted(sentences, key=width, reverse=True)
    share = -(-len(sentences) // engine.calls_at_a_time)  # so that few sentences are work for all calls
    while sentences:
        most = rows(engine.padded_width(width(sentences[0])))
        most = min(most, share) if engine.calls_at_a_time > 1 else most
        yield Batch(sentences[:most], most)
        sentences = sentences[most:]


def padded(sentences: list[list[int]], rows: int, width: int) -> np.ndarray:
    """Return ids `(rows, width)` of lists of ids."""
    ids = np.full((rows, width), PAD, "int32")
    for row, sentence in zip(ids, sentences, strict=False):
        row[: len(sentence)] = sentence
    return ids
