"""What a search knows between two steps, and pieces of steps.

Letters for shapes: `B` sentences, `N` hypotheses of each, `L` largest target length, `V` vocabulary.
"""

from typing import NamedTuple

from keras import ops

IMPOSSIBLE = -1e9


class Limits(NamedTuple):
    """What holds for each sentence; `()` where nothing is asked for.

    `max_lengths (B,)` counts the end symbol, `min_lengths (B,)` does not. `prefixes (B, F)`, of which
    `prefix_lengths (B,)` tokens count (fewer than `max_lengths`), are what hypotheses begin with. `draws (B, L, N)` are
    numbers in [0, 1), for sampling.
    """

    max_lengths: object
    min_lengths: object = ()
    prefixes: object = ()
    prefix_lengths: object = ()
    draws: object = ()


class Search(NamedTuple):
    """A search between two steps.

    `tokens`, `parents`, `scores`: `(B, N)`, of the unfinished hypotheses: last token, hypothesis before it,
    log-probability. `finished (B, n)`: the best penalised scores of finished ones; `ended (B,)`: how many have ended.
    `done (B,)`: whether the sentence's search is over. `ids (B, N, L)`: the tokens, where n-grams must not repeat.
    The history says for each position what was chosen: `links (B, 3, L, N)` are tokens, parents, and the hypothesis
    before an end symbol; `totals (B, 2, L, N)` the log-probabilities with the token, and with the end symbol instead.
    """

    position: object
    tokens: object
    parents: object
    scores: object
    finished: object
    ended: object
    done: object
    links: object
    totals: object
    ids: object
    state: object


class Choice(NamedTuple):
    """What a step chooses, `(B, N)` each: continuations, and the hypotheses that end here (`IMPOSSIBLE`: none)."""

    tokens: object
    parents: object
    scores: object
    end_parents: object
    end_scores: object


def pick(values, index):
    """Of `values (B, M, …)` those at `index (B, K)`: `(B, K, …)`."""
    B, M, *rest = ops.shape(values)
    rows = index + ops.expand_dims(ops.arange(B, dtype="int32") * M, 1)
    return ops.take(ops.reshape(values, (B * M, *rest)), rows, axis=0)


def written(buffer, values, position):
    """The `buffer (…, L)` with `values (…)` at a position."""
    return ops.where(ops.arange(ops.shape(buffer)[-1]) == position, ops.expand_dims(values, -1), buffer)


def is_given(limit):
    """Whether a field of `Limits` is asked for."""
    return not isinstance(limit, tuple)


def forced_words(limits, position):
    """Whether the prefix of each sentence reaches the position, and its token there, `(B,)` each."""
    last = ops.shape(limits.prefixes)[1] - 1
    return position < limits.prefix_lengths, ops.take(limits.prefixes, ops.minimum(position, last), axis=1)
