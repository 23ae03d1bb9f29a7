"""Sentences that are searched together: how many, and which."""

from typing import NamedTuple

LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more RAM
VERY_LONG = 512  # tokens; of longer ones the number falls with the square, as the RAM of attention to a source grows
WIDE = 1024  # hypotheses of a batch at most, fewer of longer sentences: each has places in caches


class Piece(NamedTuple):
    """The index of a line, the number of a piece of it, from 0, and the number of all its pieces."""

    line: int
    number: int
    count: int


class Batch(NamedTuple):
    """`Sentence`s that are searched together, the `Piece`s that they are, and the most rows of such a batch."""

    pieces: list
    sentences: list
    rows: int


class Window:
    """Lines that are sorted by length together.

    Attributes:
        results: an n-best list for each of them, at first that of an empty line.
        unfinished: number of batches that have yet to be searched.
        incomplete: see `pieces.completed`.
    """

    def __init__(self, results, unfinished):
        self.results, self.unfinished, self.incomplete = results, unfinished, {}


def rows_together(width, hypotheses, batch_size, batch_tokens=None):
    """Return the number of sentences of so many tokens that are searched together.

    Args:
        width: tokens of the longest, the end symbol counted.
        hypotheses: of each sentence.
        batch_size: sentences at most.
        batch_tokens: tokens at most, in the place of `batch_size`; None without.
    """
    long = max(width, LONG)
    rows = batch_size * LONG // long if batch_tokens is None else batch_tokens // width
    rows = min(rows, WIDE * LONG // (hypotheses * long))
    return max(1, rows * VERY_LONG // max(width, VERY_LONG))


def planned(lengths, rows, engine):
    """Yield the indices of each batch of sentences of like lengths, and the most rows of it.

    Args:
        lengths: of the sentences, in tokens; those of 0 are left out.
        rows: function of a width, see `rows_together`.
        engine: an `Engine`.
    """
    order = sorted((i for i, length in enumerate(lengths) if length), key=lambda i: lengths[i], reverse=True)
    share = -(-len(order) // engine.calls_at_a_time)  # so that few sentences are work for all calls
    while order:
        most = rows(engine.padded_width(lengths[order[0]]))
        most = min(most, share) if engine.calls_at_a_time > 1 else most
        batch, order = order[:most], order[most:]
        yield batch, most


def batch_in_words(lengths, hypotheses):
    """Return the description of a batch for messages.

    Args:
        lengths: for each of its sentences its tokens and the number of its line, from 0.
        hypotheses: of each sentence.
    """
    longest, number = max(lengths)
    return (
        f"a batch of {len(lengths)} × {longest} (sentences × sub-words of the longest, in line {number + 1:,}), with "
        f"{hypotheses} hypothes{'is' if hypotheses == 1 else 'es'} of each"
    )
