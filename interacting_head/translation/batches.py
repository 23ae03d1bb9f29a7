"""Sentences that are searched together: how many, and which."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from interacting_head.translation.engines.engine import Engine, Sentence
from interacting_head.translation.pieces import Piece

LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more RAM
VERY_LONG = 512  # tokens; above, the number falls with the square, as the RAM of attention to a source grows
WIDE = 1024  # hypotheses of a batch at most, fewer of longer sentences: each has places in caches


class Batch(NamedTuple):
    """Sentences that are searched together, their `Piece`s, and the most rows of such a batch.

    `texts` are the given translations of sentences that are scored, with these ids as their prefixes; else None.
    """

    pieces: list[Piece]
    sentences: list[Sentence]
    rows: int
    texts: list[str] | None = None

    def in_words(self, hypotheses: int) -> str:
        """Return the description of the batch for messages."""
        lengths = [(len(sentence.source) + 1, sentence.number) for sentence in self.sentences]
        if self.texts is not None:
            hypotheses = 1
            lengths = [(max(len(one.source), len(one.prefix)) + 1, one.number) for one in self.sentences]
        longest, number = max(lengths)
        return (
            f"a batch of {len(lengths)} × {longest} (sentences × sub-words of the longest, in line {number + 1:,}), "
            f"with {hypotheses} hypothes{'is' if hypotheses == 1 else 'es'} of each"
        )


def rows_together(width: int, hypotheses: int, batch_size: int, batch_tokens: int | None = None) -> int:
    """Return the number of sentences that are searched together.

    `width` is the number of tokens of the longest, the end symbol counted; `batch_tokens` replaces `batch_size`.
    """
    long = max(width, LONG)
    rows = batch_size * LONG // long if batch_tokens is None else batch_tokens // width
    rows = min(rows, WIDE * LONG // (hypotheses * long))
    return max(1, rows * VERY_LONG // max(width, VERY_LONG))


def planned(lengths: list[int], rows: Callable[[int], int], engine: Engine) -> Iterator[tuple[list[int], int]]:
    """Yield the indices of each batch of sentences of like lengths, in tokens, and its most rows.

    `rows` is a function of a width, see `rows_together`.
    """
    order = sorted(range(len(lengths)), key=lambda i: lengths[i], reverse=True)
    share = -(-len(order) // engine.calls_at_a_time)  # so that few sentences are work for all calls
    while order:
        most = rows(engine.padded_width(lengths[order[0]]))
        most = min(most, share) if engine.calls_at_a_time > 1 else most
        batch, order = order[:most], order[most:]
        yield batch, most
