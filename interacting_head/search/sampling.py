"""Drawing of continuations at random, for `beam_search`. Letters for shapes as there."""

from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search.options import IMPOSSIBLE
from interacting_head.search.state import Choice, forced_words


def draw(logits, ranked, search, limits, options):
    """Choose one continuation of each hypothesis, drawn by `limits["draws"]`; arguments as of `beam_search._choose`."""
    (B, N, V), t = ops.shape(logits), search.position
    words = ops.arange(V, dtype="int32")
    is_end = words == END
    blocked = ops.logical_or(ops.logical_or(words == PAD, words == BEGIN), ranked <= IMPOSSIBLE / 2)  # (B, N, V)
    if "min_lengths" in limits:
        blocked = ops.logical_or(blocked, ops.logical_and(ops.reshape(t < limits["min_lengths"], (-1, 1, 1)), is_end))
    closed = ops.reshape(t + 1 >= limits["max_lengths"], (-1, 1, 1))
    blocked = ops.where(closed, ~is_end, blocked)
    if "prefixes" in limits:
        forced, word = forced_words(limits, t)
        blocked = ops.where(ops.reshape(forced, (-1, 1, 1)), words != ops.reshape(word, (-1, 1, 1)), blocked)
    scaled = ops.where(blocked, IMPOSSIBLE, ranked / options.temperature)
    tokens = likeliest(scaled, ops.take(limits["draws"], t, axis=1), options.top_k, options.top_p)
    log_p = ops.squeeze(ops.take_along_axis(ops.log_softmax(logits, axis=-1), ops.expand_dims(tokens, 2), axis=2), 2)
    # A hypothesis that has ended goes on as an impossible one.
    scores = search.scores + log_p
    ends = tokens == END
    places = ops.broadcast_to(ops.arange(N, dtype="int32"), (B, N))
    return Choice(
        tokens=tokens,
        parents=places,
        scores=ops.where(ends, IMPOSSIBLE, scores),
        end_parents=places,
        end_scores=ops.where(ends, scores, 2 * IMPOSSIBLE),
    )


def likeliest(logits, draws, top_k=0, top_p=1.0):
    """Return words `(B, N)` by inversion: the first at which the cumulative probability exceeds the draw.

    Args:
        logits: `(B, N, V)`.
        draws: `(B, N)`, in [0, 1).
        top_k, top_p: as in `SearchOptions`.
    """
    V = logits.shape[-1]
    words = None
    if top_k or top_p < 1:
        logits, words = ops.top_k(logits, min(top_k, V) or V)
    probabilities = ops.softmax(logits, axis=-1)
    if top_p < 1:
        before = ops.cumsum(probabilities, axis=-1) - probabilities
        probabilities = ops.where(before < top_p, probabilities, 0.0)
    cumulative = ops.cumsum(probabilities, axis=-1)
    # Rounding must not reach beyond the last word that has a probability.
    target = ops.expand_dims(draws, 2) * cumulative[:, :, -1:] * (1 - 1e-6)
    chosen = ops.argmax(ops.cast(cumulative > target, "int32"), axis=-1)
    if words is not None:
        chosen = ops.squeeze(ops.take_along_axis(words, ops.expand_dims(chosen, 2), axis=2), 2)
    return ops.cast(chosen, "int32")
