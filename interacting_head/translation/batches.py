"""Batches of sentences: how many, and which, are searched together."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from data.text.subwords import PAD
from interacting_head.translation.engines.engine import Engine, Sentence

LONG = 128  # sub-words; batches of longer sentences are smaller, because they take more RAM
VERY_LONG = 512  # tokens; above, batches shrink with the square, as the RAM of attention grows
WIDE = 1024  # most hypotheses of a batch, fewer of longer sentences, because of their caches


class Batch(NamedTuple):
    """Sentences that are searched or scored together, and the most rows of such a batch."""

    sentences: list[Sentence]
    rows: int

    @property
    def is_scored(self) -> bool:
        """True if the sentences have given translations."""
        return self.sentences[0].text is not None

    def in_words(self, hypotheses: int) -> str:
        """Describe the batch for messages."""
        hypotheses = 1 if self.is_scored else hypotheses
        sizes = [(width(one) if self.is_scored else len(one.source) + 1, one.number) for one in self.sentences]
        longest, number = max(sizes)
        return (
            f"a batch of {len(sizes)} × {longest} (sentences × sub-words of the longest, line {number + 1:,}), "
            f"with {hypotheses} hypothes{'is' if hypotheses == 1 else 'es'} each"
        )


def width(sentence: Sentence) -> int:
    """Return the number of tokens of a sentence's source or prefix, whichever is longer, with the end symbol."""
    return max(len(sentence.source), len(sentence.prefix or ())) + 1


def rows_together(width: int, hypotheses: int, batch_size: int, batch_tokens: int | None = None) -> int:
    """Return the size of a batch whose longest sentence has `width` tokens; `batch_tokens` replaces `batch_size`."""
    long = max(width, LONG)
    rows = batch_size * LONG // long if batch_tokens is None else batch_tokens // width
    rows = min(rows, WIDE * LONG // (hypotheses * long))
    return max(1, rows * VERY_LONG // max(width, VERY_LONG))


def planned(sentences: list[Sentence], rows: Callable[[int], int], engine: Engine) -> Iterator[Batch]:
    """Yield batches of sentences of similar lengths; `rows` is a function of a width, see `rows_together`."""
    sentences = sorted(sentences, key=width, reverse=True)
    share = -(-len(sentences) // engine.calls_at_a_time)  # so that few sentences keep all calls busy
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
