"""Beam search and forced scoring, as pure functions over a step function, and as Keras models around them.

Letters for shapes: `B` batch, `N` hypotheses (beam), `L` largest target length, `V` vocabulary.
"""

from collections import namedtuple

import keras
from keras import ops

from data.subwords import BEGIN, END, PAD
from interacting_head.losses import token_cross_entropy

IMPOSSIBLE = -1e9

Search = namedtuple("Search", "position ids scores finished_ids finished_scores state")


def length_penalty(length, alpha, kind):
    """What the log-probability of a hypothesis of `length` tokens, the end symbol counted, is divided by.

    `gnmt`: ((5 + n) / 6)^α (Wu et al. 2016, equation (14)); `average`: n^α; `none`: 1.
    """
    length = ops.cast(length, "float32")
    if kind == "gnmt":
        return ops.power((5.0 + length) / 6.0, alpha)
    return ops.power(length, alpha) if kind == "average" else ops.ones_like(length)


def beam_search(step, state, max_lengths, beam_size, length_limit, alpha=0.6, kind="gnmt"):
    """The best finished hypotheses of each sentence under the penalised score log p / penalty(length).

    A hypothesis ends where its end symbol is among the N best continuations of its sentence. The search of a
    sentence ends when no unfinished hypothesis can still enter its n-best list; greedy search at the first end.
    At a sentence's largest length only the end symbol is allowed.

    Args:
        step: `step(ids (B·N,), position, state) → (log-probabilities (B·N, V), state)`. The state is a nested
            structure of tensors with leading axis B·N, reordered with the hypotheses.
        state: the state before the first step.
        max_lengths: `(B,)`, largest number of tokens of each hypothesis, the end symbol counted.
        beam_size: N. 1 is greedy search: the penalty does not matter for what is found.
        length_limit: L, at least the largest of `max_lengths`.
        alpha, kind: of `length_penalty`.

    Returns:
        ids `(B, N, L)`, the end symbol included, padded; scores `(B, N)`, in descending order. Where fewer than
        N hypotheses exist the rest has scores below `IMPOSSIBLE`.
    """
    N, L, B = beam_size, length_limit, ops.shape(max_lengths)[0]
    largest_penalty = ops.expand_dims(length_penalty(max_lengths, alpha, kind), 1)  # (B, 1)

    def unfinished(search):
        # Log-probabilities only fall, so this is the most that an unfinished hypothesis can still reach.
        reachable = ops.max(search.scores, axis=1) / ops.squeeze(largest_penalty, 1)
        return ops.logical_and(
            ops.less(search.position, ops.max(max_lengths)),
            ops.any(ops.greater(reachable, ops.min(search.finished_scores, axis=1))),
        )

    def extend(search):
        t = search.position
        previous = ops.where(t > 0, ops.take(search.ids, ops.maximum(t - 1, 0), axis=2), BEGIN)  # (B, N)
        log_probabilities, state = step(ops.reshape(previous, (B * N,)), t, search.state)
        V = log_probabilities.shape[-1]
        log_probabilities = ops.reshape(log_probabilities, (B, N, V))
        is_end = ops.arange(V) == END
        last = ops.reshape(t + 1 >= max_lengths, (B, 1, 1))
        log_probabilities = ops.where(ops.logical_and(last, ~is_end), IMPOSSIBLE, log_probabilities)
        totals = ops.reshape(ops.expand_dims(search.scores, 2) + log_probabilities, (B, N * V))

        # 2N candidates: at most N of them end here, so N unfinished ones remain.
        candidate_scores, flat = ops.top_k(totals, min(2 * N, N * V))
        parents, tokens = flat // V, flat % V  # (B, 2N)
        ids = ops.take_along_axis(search.ids, ops.expand_dims(parents, 2), axis=1)  # (B, 2N, L)
        here = ops.reshape(ops.arange(L) == t, (1, 1, L))
        ids = ops.where(here, ops.cast(ops.expand_dims(tokens, 2), ids.dtype), ids)
        ends = tokens == END

        penalised = candidate_scores / length_penalty(t + 1, alpha, kind)
        # Further down the end symbol would cut off hypotheses that go on with better ones.
        finishes = ops.logical_and(ends, ops.arange(ends.shape[1]) < N)
        finishes = ops.logical_and(finishes, candidate_scores > IMPOSSIBLE / 2)
        penalised = ops.where(finishes, penalised, 2 * IMPOSSIBLE)
        all_scores = ops.concatenate([search.finished_scores, penalised], axis=1)
        finished_scores, best = ops.top_k(all_scores, N)
        all_ids = ops.concatenate([search.finished_ids, ids], axis=1)
        finished_ids = ops.take_along_axis(all_ids, ops.expand_dims(best, 2), axis=1)

        goes_on = ~ends if N > 1 else ops.logical_and(~ends, finished_scores < IMPOSSIBLE)
        scores, best = ops.top_k(ops.where(goes_on, candidate_scores, 2 * IMPOSSIBLE), N)
        ids = ops.take_along_axis(ids, ops.expand_dims(best, 2), axis=1)
        parents = ops.take_along_axis(parents, best, axis=1)  # (B, N)
        rows = ops.reshape(ops.expand_dims(ops.arange(B) * N, 1) + ops.cast(parents, "int32"), (B * N,))
        state = keras.tree.map_structure(lambda tensor: reorder(tensor, rows), state)
        return Search(
            t + 1,
            ops.reshape(ids, (B, N, L)),
            ops.reshape(scores, (B, N)),
            ops.reshape(finished_ids, (B, N, L)),
            ops.reshape(finished_scores, (B, N)),
            state,
        )

    # The N hypotheses start equal: all but the first are switched off.
    first = ops.where(ops.expand_dims(ops.arange(N), 0) == 0, 0.0, IMPOSSIBLE)
    search = Search(
        position=ops.zeros((), dtype="int32"),
        ids=ops.full((B, N, L), PAD, dtype="int32"),
        scores=ops.broadcast_to(first, (B, N)),
        finished_ids=ops.full((B, N, L), PAD, dtype="int32"),
        finished_scores=ops.full((B, N), 2 * IMPOSSIBLE, dtype="float32"),
        state=state,
    )
    search = ops.while_loop(
        lambda *search: unfinished(Search(*search)),
        lambda *search: tuple(extend(Search(*search))),
        tuple(search),
        maximum_iterations=L,
    )
    search = Search(*search)
    return search.finished_ids, search.finished_scores


def reorder(tensor, rows):
    """The rows of a tensor in another order; its static shape is kept, as a loop needs it."""
    return ops.reshape(ops.take(tensor, rows, axis=0), ops.shape(tensor))


class BeamSearch(keras.Model):
    """Beam search with a `Transformer`; use `predict_on_batch`, which compiles it on every backend.

    Args:
        model: a `Transformer`.
        beam_size, alpha, kind: as in `beam_search`.

    Call arguments:
        inputs: `{"source_ids": (B, S), "max_lengths": (B,)}`; a largest length above `length_limit(S)` is cut.

    Returns:
        `{"ids": (B, N, L), "scores": (B, N)}`, see `beam_search`.
    """

    def __init__(self, model, beam_size, alpha, kind, **kwargs):
        super().__init__(**kwargs)
        self.model = model
        self.beam_size = beam_size
        self.alpha = alpha
        self.kind = kind

    def call(self, inputs):
        source_ids, max_lengths = inputs["source_ids"], inputs["max_lengths"]
        limit = length_limit(ops.shape(source_ids)[1])
        memories, padding_mask = self.model.encode(source_ids)
        caches = self.model.start_decoding(memories, self.beam_size, limit)
        memories = [cache["cross"] for cache in caches]

        # Symbols that no training example has as a label.
        tokens = ops.arange(self.model.target_vocabulary_size)
        never = ops.where(ops.logical_or(tokens == PAD, tokens == BEGIN), IMPOSSIBLE, 0.0)  # (V,)

        def step(ids, position, self_caches):
            caches = [{"self": own, "cross": cross} for own, cross in zip(self_caches, memories, strict=True)]
            logits, caches = self.model.decode_step(ids, position, padding_mask, caches)
            return ops.log_softmax(logits, axis=-1) + never, [cache["self"] for cache in caches]

        ids, scores = beam_search(
            step,
            [cache["self"] for cache in caches],
            ops.minimum(max_lengths, limit),
            self.beam_size,
            limit,
            self.alpha,
            self.kind,
        )
        return {"ids": ids, "scores": scores}


def length_limit(source_length):
    """The largest number of target tokens for a source of so many tokens, end symbols counted."""
    return 2 * source_length + 10


def compiles_inference():
    """Whether search and scoring are compiled, once for each shape: JAX is slow without, TensorFlow is not."""
    return keras.backend.backend() == "jax"


class Scorer(keras.Model):
    """Scores given translations; use `predict_on_batch`.

    Call arguments:
        inputs: `{"source_ids": (B, S), "target_ids": (B, T), "labels": (B, T)}`.

    Returns:
        `{"log_probabilities": (B, T), "correct": (B, T)}` of the labels; 0 at padding.
    """

    def __init__(self, model, **kwargs):
        super().__init__(**kwargs)
        self.model = model

    def call(self, inputs):
        labels = inputs["labels"]
        logits = self.model({"source_ids": inputs["source_ids"], "target_ids": inputs["target_ids"]}, training=False)
        real = ops.cast(ops.not_equal(labels, PAD), "float32")
        correct = ops.cast(ops.argmax(logits, axis=-1) == ops.cast(labels, "int32"), "float32")
        return {"log_probabilities": -token_cross_entropy(labels, logits) * real, "correct": correct * real}
