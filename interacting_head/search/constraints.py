"""Constraints of a search: pure functions of scores.

Shapes: `B` sentences, `N` hypotheses of each, `K` candidates for the next token of a hypothesis, `L` largest target
length, `V` vocabulary. Each function takes `scores (B, N, K)` of `tokens`, ids that broadcast to the scores, and
returns them with `IMPOSSIBLE` for forbidden tokens.
"""

from typing import NotRequired, TypedDict

from keras import KerasTensor, ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search.options import IMPOSSIBLE


class Limits(TypedDict):
    """Limits of each sentence.

    `max_lengths (B,)` counts the end symbol, `min_lengths (B,)` does not. Hypotheses begin with the first
    `prefix_lengths (B,)` tokens, fewer than `max_lengths`, of `prefixes (B, F)`. `draws (B, L, N)` in [0, 1) are for
    sampling.
    """

    max_lengths: object
    min_lengths: NotRequired[object]
    prefixes: NotRequired[object]
    prefix_lengths: NotRequired[object]
    draws: NotRequired[object]


def constrained(
    scores: KerasTensor, tokens: KerasTensor, position: KerasTensor, limits: Limits, free: KerasTensor | None = None
) -> KerasTensor:
    """Apply all `limits` to scores; tokens of prefixes keep their `free` scores, by default `scores`."""
    free = scores if free is None else free
    scores = forbid_symbols(scores, tokens)
    if "min_lengths" in limits:
        scores = forbid_early_end(scores, tokens, position, limits["min_lengths"])
    scores = force_end(scores, tokens, position, limits["max_lengths"])
    if "prefixes" in limits:
        scores = force_prefix(scores, free, tokens, position, limits["prefixes"], limits["prefix_lengths"])
    return scores


def forbid_symbols(scores: KerasTensor, tokens: KerasTensor) -> KerasTensor:
    """Forbid `PAD` and `BEGIN`, which are not part of translations."""
    return ops.where(ops.logical_or(tokens == PAD, tokens == BEGIN), IMPOSSIBLE, scores)


def forbid_early_end(
    scores: KerasTensor, tokens: KerasTensor, position: KerasTensor, min_lengths: KerasTensor
) -> KerasTensor:
    """Forbid the end symbol before `min_lengths (B,)` tokens."""
    is_short = ops.reshape(position < min_lengths, (-1, 1, 1))
    return ops.where(ops.logical_and(is_short, tokens == END), IMPOSSIBLE, scores)


def force_end(scores: KerasTensor, tokens: KerasTensor, position: KerasTensor, max_lengths: KerasTensor) -> KerasTensor:
    """Forbid all but the end symbol at the last of `max_lengths (B,)` positions."""
    is_last = ops.reshape(position + 1 >= max_lengths, (-1, 1, 1))
    return ops.where(ops.logical_and(is_last, tokens != END), IMPOSSIBLE, scores)


def force_prefix(
    scores: KerasTensor,
    free: KerasTensor,
    tokens: KerasTensor,
    position: KerasTensor,
    prefixes: KerasTensor,
    prefix_lengths: KerasTensor,
) -> KerasTensor:
    """Within a prefix, forbid all tokens but its next one, which has its `free` score; see `prefix_tokens`."""
    is_within, token = (ops.reshape(values, (-1, 1, 1)) for values in prefix_tokens(position, prefixes, prefix_lengths))
    return ops.where(is_within, ops.where(tokens == token, free, IMPOSSIBLE), scores)


def prefix_tokens(position: KerasTensor, prefixes: KerasTensor, prefix_lengths: KerasTensor) -> tuple[KerasTensor, ...]:
    """Return two arrays `(B,)`: true if the prefix of a sentence reaches the position, and its token there."""
    last = ops.shape(prefixes)[1] - 1
    return position < prefix_lengths, ops.take(prefixes, ops.minimum(position, last), axis=1)


def forbid_repeats(scores: KerasTensor, ids: KerasTensor, position: KerasTensor, size: int) -> KerasTensor:
    """Forbid tokens that would repeat an n-gram of this size in the hypothesis `ids (B, N, L)`; K = V."""
    B, N, V = ops.shape(scores)
    L = ops.shape(ids)[2]
    starts = ops.arange(L)  # of the n-grams; only n-grams that end before the position count
    repeats = ops.broadcast_to(starts + size <= position, (B, N, L))
    for offset in range(size - 1):
        last = ops.take(ids, ops.maximum(position - size + 1 + offset, 0), axis=2)
        repeats = ops.logical_and(
            repeats, ops.take(ids, ops.minimum(starts + offset, L - 1), axis=2) == ops.expand_dims(last, 2)
        )
    # Everything else is written to a token that is never chosen.
    tokens = ops.where(repeats, ops.take(ids, ops.minimum(starts + size - 1, L - 1), axis=2), PAD)
    rows = ops.reshape(ops.arange(B * N, dtype="int32") * V, (B, N, 1))
    places = ops.reshape(rows + tokens, (-1, 1))
    forbidden = ops.full((ops.shape(places)[0],), IMPOSSIBLE, dtype=scores.dtype)
    return ops.reshape(ops.scatter_update(ops.reshape(scores, (-1,)), places, forbidden), (B, N, V))


def keep_top_p(probabilities: KerasTensor, top_p: float) -> KerasTensor:
    """Set probabilities, in descending order, to 0 after their sum has reached `top_p`."""
    before = ops.cumsum(probabilities, axis=-1) - probabilities
    return ops.where(before < top_p, probabilities, 0.0)
