"""The state of a search between two steps, and the choice of a step.

Letters for shapes: `B` sentences, `N` hypotheses of each, `L` largest target length, `V` vocabulary.
"""

from collections import namedtuple
from typing import NotRequired, TypedDict

from keras import ops


class Limits(TypedDict):
    """Limits of each sentence, some of them optional.

    `max_lengths (B,)` counts the end symbol, `min_lengths (B,)` does not. Hypotheses begin with the first
    `prefix_lengths (B,)` tokens, fewer than `max_lengths`, of `prefixes (B, F)`. `draws (B, L, N)` are numbers in
    [0, 1), for sampling.
    """

    max_lengths: object
    min_lengths: NotRequired[object]
    prefixes: NotRequired[object]
    prefix_lengths: NotRequired[object]
    draws: NotRequired[object]


class Search(namedtuple("Search", "position tokens parents scores finished done links totals ids state")):
    """A search between two steps.

    `tokens`, `parents`, `scores`: `(B, N)`, of the unfinished hypotheses: last token, hypothesis before it,
    log-probability. `finished (B, n)`: the best penalised scores of finished ones. `done (B,)`: true for sentences
    whose search is over. `ids (B, N, L)`: the tokens if n-grams must not repeat, or else `(B, N, 0)`. The history
    holds the choices at each position: `links (B, 3, L, N)` are tokens, parents, and the hypothesis before an end
    symbol; `totals (B, 2, L, N)` the log-probabilities with the token, and with the end symbol instead.
    """

    __slots__ = ()


class Choice(namedtuple("Choice", "tokens parents scores end_parents end_scores")):
    """The choice of a step, `(B, N)` each: continuations, and the hypotheses that end here (`IMPOSSIBLE`: none)."""

    __slots__ = ()


def pick(values, index):
    """Return the `values (B, M, …)` at `index (B, K)`: `(B, K, …)`."""
    B, M, *rest = ops.shape(values)
    rows = index + ops.expand_dims(ops.arange(B, dtype="int32") * M, 1)
    return ops.take(ops.reshape(values, (B * M, *rest)), rows, axis=0)


def written(buffer, values, position):
    """Return the `buffer (…, L)` with `values (…)` at a position."""
    return ops.where(ops.arange(ops.shape(buffer)[-1]) == position, ops.expand_dims(values, -1), buffer)
