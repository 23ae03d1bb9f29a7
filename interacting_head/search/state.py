"""The state of a search between two steps, and pieces of steps.

Letters for shapes: `B` sentences, `N` hypotheses of each, `L` largest target length, `V` vocabulary.
"""

from typing import NamedTuple, NotRequired, TypedDict

from keras import ops


class Limits(TypedDict):
    """Limits of each sentence; a limit that is not asked for is left out.

    `max_lengths (B,)` counts the end symbol, `min_lengths (B,)` does not. Hypotheses begin with `prefixes (B, F)`, of
    which `prefix_lengths (B,)` tokens count (fewer than `max_lengths`). `draws (B, L, N)` are numbers in [0, 1), for
    sampling.
    """

    max_lengths: object
    min_lengths: NotRequired[object]
    prefixes: NotRequired[object]
    prefix_lengths: NotRequired[object]
    draws: NotRequired[object]


class Search(NamedTuple):
    """A search between two steps.

    `tokens`, `parents`, `scores`: `(B, N)`, of the unfinished hypotheses: last token, hypothesis before it,
    log-probability. `finished (B, n)`: the best penalised scores of finished ones. `done (B,)`: true for sentences
    whose search is over. `ids (B, N, L)`: the tokens, where n-grams must not repeat, or else `(B, N, 0)`.
    The history holds the choices at each position: `links (B, 3, L, N)` are tokens, parents, and the hypothesis
    before an end symbol; `totals (B, 2, L, N)` the log-probabilities with the token, and with the end symbol instead.
    """

    position: object
    tokens: object
    parents: object
    scores: object
    finished: object
    done: object
    links: object
    totals: object
    ids: object
    state: object


class Choice(NamedTuple):
    """The choice of a step, `(B, N)` each: continuations, and the hypotheses that end here (`IMPOSSIBLE`: none)."""

    tokens: object
    parents: object
    scores: object
    end_parents: object
    end_scores: object


def pick(values, index):
    """Return the `values (B, M, …)` at `index (B, K)`: `(B, K, …)`."""
    B, M, *rest = ops.shape(values)
    rows = index + ops.expand_dims(ops.arange(B, dtype="int32") * M, 1)
    return ops.take(ops.reshape(values, (B * M, *rest)), rows, axis=0)


def written(buffer, values, position):
    """Return the `buffer (…, L)` with `values (…)` at a position."""
    return ops.where(ops.arange(ops.shape(buffer)[-1]) == position, ops.expand_dims(values, -1), buffer)


def forced_words(limits, position):
    """Return two arrays `(B,)`: true where the prefix of a sentence reaches the position, and its token there."""
    last = ops.shape(limits["prefixes"])[1] - 1
    return position < limits["prefix_lengths"], ops.take(limits["prefixes"], ops.minimum(position, last), axis=1)
