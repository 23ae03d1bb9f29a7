"""Beam search and sampling, as pure functions of logits.

Shapes: `B` sentences, `N` hypotheses of each, `L` largest target length, `V` vocabulary.

A search is a loop with the condition `unfinished`. Its body, by the caller, computes the logits `(B, N, V)` that follow
the tokens of a `Search`, not necessarily normalised, and returns `extended`. `parents` says which hypothesis of the
previous step each one continues: the caller reorders its state itself, any nested structure of tensors, to move no more
than it must.
"""

from collections import namedtuple

from keras import KerasTensor, ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search.constraints import Limits, constrained, forbid_repeats, keep_top_p, prefix_tokens
from interacting_head.search.options import IMPOSSIBLE, SearchOptions


class Search(namedtuple("Search", "position tokens parents scores finished done links totals ids state")):
    """A search between two steps.

    `tokens`, `parents`, `scores`: `(B, N)`, last token, previous hypothesis and log-probability of the unfinished
    hypotheses. `finished (B, n)`: the best penalised scores of finished ones. `done (B,)`: true for sentences whose
    search is over. `ids (B, N, L)`: the tokens if n-grams must not repeat, else `(B, N, 0)`. History by position:
    `links (B, 3, L, N)`, tokens, parents, and the hypothesis before an end symbol; `totals (B, 2, L, N)`,
    log-probabilities with the token, and with the end symbol instead.
    """

    __slots__ = ()


class Choice(namedtuple("Choice", "tokens parents scores end_parents end_scores")):
    """The choice of a step, `(B, N)` each: continuations, and hypotheses that end here (`IMPOSSIBLE`: none)."""

    __slots__ = ()


def pick(values: KerasTensor, index: KerasTensor) -> KerasTensor:
    """Return the `values (B, M, …)` at `index (B, K)`: `(B, K, …)`."""
    B, M, *rest = ops.shape(values)
    rows = index + ops.expand_dims(ops.arange(B, dtype="int32") * M, 1)
    return ops.take(ops.reshape(values, (B * M, *rest)), rows, axis=0)


def write_at(buffer: KerasTensor, values: KerasTensor, position: KerasTensor) -> KerasTensor:
    """Return the `buffer (…, L)` with `values (…)` at a position."""
    return ops.where(ops.arange(ops.shape(buffer)[-1]) == position, ops.expand_dims(values, -1), buffer)


def start(state: object, limits: Limits, options: SearchOptions, length: int | KerasTensor) -> Search:
    """Return the `Search` before the first step; `length` is L, at least the largest of `max_lengths`."""
    B, N = ops.shape(limits["max_lengths"])[0], options.hypotheses
    first = ops.arange(N) == 0
    # In beam search all hypotheses start equal: all but the first are switched off.
    scores = ops.zeros((B, N)) + (0.0 if options.sampling else ops.where(first, 0.0, IMPOSSIBLE))
    return Search(
        position=ops.zeros((), dtype="int32"),
        tokens=ops.full((B, N), BEGIN, dtype="int32"),
        parents=ops.zeros((B, N), dtype="int32") + ops.arange(N, dtype="int32"),
        scores=scores,
        finished=ops.full((B, options.n_best), 2 * IMPOSSIBLE, dtype="float32"),
        done=ops.zeros((B,), dtype="bool"),
        links=ops.zeros((B, 3, length, N), dtype="int32"),
        totals=ops.full((B, 2, length, N), 2 * IMPOSSIBLE, dtype="float32"),
        ids=ops.full((B, N, length if options.no_repeat_ngram else 0), PAD, dtype="int32"),
        state=state,
    )


def unfinished(search: Search, until: int | KerasTensor, most_unfinished: int | KerasTensor = 0) -> KerasTensor:
    """Return whether a search goes on: below position `until`, with more than `most_unfinished` sentences not done."""
    count = ops.sum(ops.cast(ops.logical_not(search.done), "int32"))
    return ops.logical_and(search.position < until, count > most_unfinished)


def extended(search: Search, logits: KerasTensor, state: object, limits: Limits, options: SearchOptions) -> Search:
    """Return the search one step later: its N best hypotheses under the penalised score log p / penalty(length).

    A hypothesis ends if its end symbol is among the N best continuations of its sentence. The search of a sentence ends
    when no unfinished hypothesis can still enter the `n_best`, or at the largest length. The number of ended hypotheses
    does not matter: the first N may all be poor. Greedy search (N = 1) ends with its first hypothesis. Sentences of a
    batch do not influence each other.

    `logits` `(B, N, V)` are for the next tokens; `state` is the caller's after this step.
    """
    t = search.position
    choice = (_sampled if options.sampling else _best)(logits, search, limits, options)

    here = ops.logical_and(choice.end_scores > IMPOSSIBLE / 2, ~ops.expand_dims(search.done, 1))  # (B, N)
    end_scores = ops.where(here, choice.end_scores, 2 * IMPOSSIBLE)
    penalised = choice.end_scores / options.penalty(ops.cast(t + 1, "float32"))
    penalised = ops.where(here, penalised, 2 * IMPOSSIBLE)
    finished, _ = ops.top_k(ops.concatenate([search.finished, penalised], axis=1), options.n_best)
    if options.sampling or options.hypotheses == 1:
        done = finished[:, -1] > IMPOSSIBLE
    else:
        # Log-probabilities only fall and penalties only grow, so no unfinished hypothesis can reach more than this.
        largest_penalty = options.penalty(ops.cast(limits["max_lengths"], "float32"))
        reachable = ops.max(choice.scores, axis=1) / largest_penalty
        done = reachable <= finished[:, -1]
    done = ops.logical_or(done, t + 1 >= limits["max_lengths"])

    ids = search.ids
    if options.no_repeat_ngram:
        ids = write_at(pick(ids, choice.parents), choice.tokens, t)
    L = ops.shape(search.links)[2]
    at = ops.expand_dims(ops.arange(L) == t, 1)  # (L, 1)
    links = ops.expand_dims(ops.stack([choice.tokens, choice.parents, choice.end_parents], axis=1), 2)
    totals = ops.expand_dims(ops.stack([choice.scores, end_scores], axis=1), 2)
    return Search(
        position=t + 1,
        tokens=choice.tokens,
        parents=choice.parents,
        scores=choice.scores,
        finished=finished,
        done=ops.logical_or(search.done, done),
        links=ops.where(at, links, search.links),
        totals=ops.where(at, totals, search.totals),
        ids=ids,
        state=state,
    )


def collect(links: KerasTensor, totals: KerasTensor, options: SearchOptions) -> tuple[KerasTensor, ...]:
    """Return the finished hypotheses of a history (see `Search`), best first.

    These are padded ids `(B, N, L)` with the end symbol, penalised scores `(B, N)`, and the log-probability of each
    token `(B, N, L)`. If fewer than N hypotheses have ended, the others have scores below `IMPOSSIBLE` and no ids.
    """
    B, _, L, N = ops.shape(links)
    tokens, parents, end_parents = ops.unstack(links, 3, axis=1)  # (B, L, N)
    scores, end_scores = ops.unstack(totals, 2, axis=1)
    penalties = options.penalty(ops.cast(ops.arange(1, L + 1), "float32"))
    penalised = ops.where(end_scores > IMPOSSIBLE / 2, end_scores / ops.expand_dims(penalties, 1), 2 * IMPOSSIBLE)
    best, ends = ops.top_k(ops.reshape(penalised, (B, L * N)), N)
    hypothesis = pick(ops.reshape(end_parents, (B, L * N)), ends)
    total = pick(ops.reshape(end_scores, (B, L * N)), ends)
    ends = ops.where(best > IMPOSSIBLE, ends // N, -1)  # the position of the end symbol

    def back(position, hypothesis, ids, sums):
        at_end, before = ops.equal(position, ends), ops.less(position, ends)

        def earlier(history):
            return pick(ops.take(history, position, axis=1), hypothesis)

        token = ops.where(at_end, END, ops.where(before, earlier(tokens), PAD))
        score = ops.where(at_end, total, ops.where(before, earlier(scores), 0.0))
        return (
            position - 1,
            ops.where(before, earlier(parents), hypothesis),
            write_at(ids, token, position),
            write_at(sums, score, position),
        )

    variables = (
        ops.max(ends),  # nothing comes later
        hypothesis,
        ops.full((B, N, L), PAD, dtype="int32"),
        ops.zeros((B, N, L), dtype="float32"),
    )
    _, _, ids, sums = ops.while_loop(lambda position, *_: position >= 0, back, variables)
    log_p = sums - ops.pad(sums[:, :, :-1], ((0, 0), (0, 0), (1, 0)))
    return ids, best, ops.where(ops.arange(L) <= ops.expand_dims(ends, 2), log_p, 0.0)


def _best(logits, search, limits, options):
    """Return the N best continuations of each sentence as a `Choice`."""
    (B, N, V), t = ops.shape(logits), search.position
    flat = ops.reshape(logits, (-1, V))
    ranked = flat
    if options.no_repeat_ngram:
        ranked = ops.reshape(forbid_repeats(logits, search.ids, t, options.no_repeat_ngram), (-1, V))
    # At least 2N sub-words next to `PAD`, `BEGIN` and `END`: of 2N candidates at most N end here, so N continue.
    M = min(2 * N + 3, V)
    values, tokens = _top_k(ranked, M)
    # The normaliser is logit − log p at any token. At the likeliest it is exact, and takes one pass over the logits.
    likeliest = tokens[:, :1] if ranked is flat else ops.argmax(flat, axis=-1, keepdims=True)
    log_z = pick(flat, likeliest) - ops.log(pick(ops.softmax(flat, axis=-1), likeliest))
    log_z = ops.reshape(log_z, (-1, N, 1))
    values, tokens = ops.reshape(values, (-1, N, M)), ops.reshape(tokens, (-1, N, M))

    # One further candidate of each hypothesis, always present: its end symbol, or the next token of its prefix.
    ends_here, further = ops.ones((B,), dtype="bool"), ops.full((B,), END, dtype="int32")
    if "prefixes" in limits:
        is_within, token = prefix_tokens(t, limits["prefixes"], limits["prefix_lengths"])
        ends_here, further = ~is_within, ops.where(is_within, token, END)
    further = ops.reshape(ops.repeat(further, N), (-1, N, 1))
    logit = ops.reshape(pick(flat, ops.reshape(further, (-1, 1))), (-1, N, 1))
    log_p = ops.where(tokens == further, IMPOSSIBLE, values - log_z)  # each token is a candidate once
    log_p = ops.concatenate([log_p, logit - log_z], axis=-1)
    tokens = ops.concatenate([tokens, further], axis=-1)  # (B, N, M + 1)

    totals = ops.expand_dims(search.scores, 2) + constrained(log_p, tokens, t, limits)
    best, places = ops.top_k(ops.reshape(totals, (B, N * (M + 1))), 2 * N)
    ends = ops.logical_and(places % (M + 1) == M, ops.expand_dims(ends_here, 1))
    scores, order = ops.top_k(ops.where(ends, 2 * IMPOSSIBLE, best), N)
    places_on = pick(places, order)
    return Choice(
        tokens=pick(ops.reshape(tokens, (B, N * (M + 1))), places_on),
        parents=places_on // (M + 1),
        scores=scores,
        # Only end symbols among the top N finish a hypothesis; lower ones would crowd out better continuations.
        end_parents=places[:, :N] // (M + 1),
        end_scores=ops.where(ends[:, :N], best[:, :N], 2 * IMPOSSIBLE),
    )


def _sampled(logits, search, limits, options):
    """Return one continuation of each hypothesis, drawn by `limits["draws"]`, as a `Choice`."""
    (B, N, V), t = ops.shape(logits), search.position
    scores = logits
    if options.no_repeat_ngram:
        scores = forbid_repeats(scores, search.ids, t, options.no_repeat_ngram)
    scores = constrained(scores, ops.arange(V, dtype="int32"), t, limits, free=logits)
    # From the largest, which becomes 0: a low temperature would take all scores below the forbidden ones.
    scaled = (scores - ops.max(scores, axis=-1, keepdims=True)) / options.temperature
    scores = ops.where(scores > IMPOSSIBLE / 2, scaled, IMPOSSIBLE)
    tokens = sample_tokens(scores, ops.take(limits["draws"], t, axis=1), options.top_k, options.top_p)
    log_p = ops.squeeze(ops.take_along_axis(ops.log_softmax(logits, axis=-1), ops.expand_dims(tokens, 2), axis=2), 2)
    # A hypothesis that has ended continues as an impossible one.
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


def sample_tokens(logits: KerasTensor, draws: KerasTensor, top_k: int = 0, top_p: float = 1.0) -> KerasTensor:
    """Return token ids `(B, N)`, drawn by inversion sampling from logits `(B, N, V)` and draws `(B, N)` in [0, 1)."""
    V = logits.shape[-1]
    tokens = None
    if top_k or top_p < 1:
        logits, tokens = ops.top_k(logits, min(top_k, V) or V)
    probabilities = ops.softmax(logits, axis=-1)
    if top_p < 1:
        probabilities = keep_top_p(probabilities, top_p)
    cumulative = ops.cumsum(probabilities, axis=-1)
    # Rounding must not reach beyond the last token that has a probability.
    target = ops.expand_dims(draws, 2) * cumulative[:, :, -1:] * (1 - 1e-6)
    chosen = ops.argmax(ops.cast(cumulative > target, "int32"), axis=-1)
    if tokens is not None:
        chosen = ops.squeeze(ops.take_along_axis(tokens, ops.expand_dims(chosen, 2), axis=2), 2)
    return ops.cast(chosen, "int32")


def _top_k(logits, k):
    """Return the k largest logits of each row of `(rows, V)`, in descending order, and their indices.

    They are in the k blocks with the largest maxima: searching the maxima and these blocks takes less time.
    """
    V = logits.shape[1]
    size = next((size for size in range(64, 15, -1) if V % size == 0), V)
    if V // size <= 2 * k:
        return ops.top_k(logits, k)
    blocks = ops.reshape(logits, (-1, V // size, size))
    _, which = ops.top_k(ops.max(blocks, axis=-1), k)  # (rows, k)
    values, places = ops.top_k(ops.reshape(pick(blocks, which), (-1, k * size)), k)
    return values, pick(which, places // size) * size + places % size
