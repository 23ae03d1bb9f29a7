"""Beam search and sampling, as pure functions over a step function.

Letters for shapes: `B` sentences, `N` hypotheses of each, `L` largest target length, `V` vocabulary.

A step function is `step(tokens (B, N), parents (B, N), position (), state) → (logits (B, N, V), state)`. `tokens` are
the last ones of the hypotheses (`BEGIN` at first), and `parents` says which hypothesis of the step before each of them
continues: the step function reorders what it keeps for each hypothesis itself, so that nothing is moved that need not
be. The state is any nested structure of tensors. Logits need not be normalised.
"""

from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search.options import IMPOSSIBLE
from interacting_head.search.sampling import draw
from interacting_head.search.state import Choice, Search, forced_words, pick, written


def beam_search(step, state, limits, options, length):
    """Find the best hypotheses of each sentence under the penalised score log p / penalty(length).

    A hypothesis ends where its end symbol is among the N best continuations of its sentence. The search of a sentence
    ends when no unfinished hypothesis can still enter the `n_best`, or at the largest length, where only the end symbol
    is allowed. How many hypotheses have ended does not matter: the first N may all be poor ones. Greedy search (N = 1)
    ends with its first hypothesis. What else is in the batch has no influence.

    Args:
        step, state: the step function, and its state before the first step.
        limits: `Limits`.
        options: `SearchOptions`.
        length: L, at least the largest of `max_lengths`.

    Returns:
        As `collect`.
    """
    search = advance(step, start(state, limits, options, length), limits, options, length, 0)
    return collect(search.links, search.totals, options)


def start(state, limits, options, length):
    """Return the `Search` before the first step; arguments as of `beam_search`."""
    B, N = ops.shape(limits["max_lengths"])[0], options.hypotheses
    first = ops.arange(N) == 0
    # Hypotheses that are searched for start equal: all but the first are switched off.
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


def advance(step, search, limits, options, until, most_unfinished):
    """Continue a search up to the position `until`, or until at most `most_unfinished` sentences are not done."""
    largest_penalty = options.penalty(ops.cast(limits["max_lengths"], "float32"))

    def unfinished(*search):
        search = Search(*search)
        count = ops.sum(ops.cast(ops.logical_not(search.done), "int32"))
        return ops.logical_and(search.position < until, count > most_unfinished)

    def extend(*search):
        return tuple(_extend(step, Search(*search), limits, options, largest_penalty))

    return Search(*ops.while_loop(unfinished, extend, tuple(search)))


def collect(links, totals, options):
    """Return the finished hypotheses of a history (see `Search`).

    Returns:
        ids `(B, N, L)`, the end symbol included, padded; scores `(B, N)`, penalised, in descending order; and the
        log-probability of each token `(B, N, L)`. Where fewer than N hypotheses have ended, the rest has scores
        below `IMPOSSIBLE` and no ids.
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
            written(ids, token, position),
            written(sums, score, position),
        )

    variables = (
        ops.convert_to_tensor(L - 1, dtype="int32"),
        hypothesis,
        ops.full((B, N, L), PAD, dtype="int32"),
        ops.zeros((B, N, L), dtype="float32"),
    )
    _, _, ids, sums = ops.while_loop(lambda position, *_: position >= 0, back, variables)
    log_p = sums - ops.pad(sums[:, :, :-1], ((0, 0), (0, 0), (1, 0)))
    return ids, best, ops.where(ops.arange(L) <= ops.expand_dims(ends, 2), log_p, 0.0)


def _extend(step, search, limits, options, largest_penalty):
    """Return the search one step later."""
    t = search.position
    logits, state = step(search.tokens, search.parents, t, search.state)
    ranked = _without_repeats(logits, search.ids, t, options.no_repeat_ngram) if options.no_repeat_ngram else logits
    choice = (draw if options.sampling else _choose)(logits, ranked, search, limits, options)

    here = ops.logical_and(choice.end_scores > IMPOSSIBLE / 2, ~ops.expand_dims(search.done, 1))  # (B, N)
    end_scores = ops.where(here, choice.end_scores, 2 * IMPOSSIBLE)
    penalised = choice.end_scores / options.penalty(ops.cast(t + 1, "float32"))
    penalised = ops.where(here, penalised, 2 * IMPOSSIBLE)
    finished, _ = ops.top_k(ops.concatenate([search.finished, penalised], axis=1), options.n_best)
    if options.sampling or options.hypotheses == 1:
        done = finished[:, -1] > IMPOSSIBLE
    else:
        # Log-probabilities only fall and penalties only grow, so no unfinished hypothesis can reach more than this.
        reachable = ops.max(choice.scores, axis=1) / largest_penalty
        done = reachable <= finished[:, -1]
    done = ops.logical_or(done, t + 1 >= limits["max_lengths"])

    ids = search.ids
    if options.no_repeat_ngram:
        ids = written(pick(ids, choice.parents), choice.tokens, t)
    L = ops.shape(search.links)[2]
    at = ops.expand_dims(ops.arange(L) == t, 1)  # (L, 1)
    links = ops.expand_dims(ops.stack([choice.tokens, choice.parents, choice.end_parents], axis=1), 2)
    totals = ops.expand_dims(ops.stack([choice.scores, end_scores], axis=1), 2)
    return Search(
        t + 1,
        choice.tokens,
        choice.parents,
        choice.scores,
        finished,
        ops.logical_or(search.done, done),
        ops.where(at, links, search.links),
        ops.where(at, totals, search.totals),
        ids,
        state,
    )


def _choose(logits, ranked, search, limits, options):
    """The N best continuations of each sentence; `ranked` are the logits with what must not follow blocked."""
    (B, N, V), t = ops.shape(logits), search.position
    # At least 2N words beside the three symbols that are none: of 2N candidates at most N end here, so N continue.
    M = min(2 * N + 3, V)
    values, words = _top_k(ops.reshape(ranked, (-1, V)), M)
    # The normaliser is logit − log p at any word. With the likeliest it is exact, and takes one pass over the logits.
    flat = ops.reshape(logits, (-1, V))
    likeliest = words[:, :1] if ranked is logits else ops.argmax(flat, axis=-1, keepdims=True)
    log_z = pick(flat, likeliest) - ops.log(pick(ops.softmax(flat, axis=-1), likeliest))
    log_z = ops.reshape(log_z, (-1, N, 1))
    values, words = ops.reshape(values, (-1, N, M)), ops.reshape(words, (-1, N, M))
    closed = t + 1 >= limits["max_lengths"]
    end = logits[:, :, END : END + 1]  # one further candidate of each hypothesis
    words = ops.pad(words, ((0, 0), (0, 0), (0, 1)), constant_values=END)
    symbols = ops.logical_or(words == PAD, ops.logical_or(words == BEGIN, words == END))
    log_p = ops.concatenate([values, end], axis=-1) - log_z
    is_last = ops.arange(M + 1) == M
    blocked = ops.logical_or(symbols, ops.reshape(closed, (-1, 1, 1)))
    blocked = ops.logical_and(blocked, ~is_last)
    if "min_lengths" in limits:
        short = ops.reshape(t < limits["min_lengths"], (-1, 1, 1))
        blocked = ops.logical_or(blocked, ops.logical_and(short, is_last))
    forced = None
    if "prefixes" in limits:
        forced, word = forced_words(limits, t)
        here = ops.reshape(forced, (-1, 1, 1))
        score = pick(flat, ops.reshape(ops.repeat(word, N), (-1, 1)))
        one = ops.logical_and(here, is_last)
        log_p = ops.where(one, ops.reshape(score, (-1, N, 1)) - log_z, log_p)
        words = ops.where(one, ops.reshape(word, (-1, 1, 1)), words)
        blocked = ops.where(here, ~is_last, blocked)
    totals = ops.expand_dims(search.scores, 2) + ops.where(blocked, IMPOSSIBLE, log_p)
    best, places = ops.top_k(ops.reshape(totals, (B, N * (M + 1))), 2 * N)
    ends = places % (M + 1) == M
    if forced is not None:
        ends = ops.logical_and(ends, ~ops.expand_dims(forced, 1))
    scores, order = ops.top_k(ops.where(ends, 2 * IMPOSSIBLE, best), N)
    places_on = pick(places, order)
    return Choice(
        tokens=pick(ops.reshape(words, (B, N * (M + 1))), places_on),
        parents=places_on // (M + 1),
        scores=scores,
        # Only end symbols among the top N finish a hypothesis; lower ones would crowd out better continuations.
        end_parents=places[:, :N] // (M + 1),
        end_scores=ops.where(ends[:, :N], best[:, :N], 2 * IMPOSSIBLE),
    )


def _top_k(logits, k):
    """The k largest logits of each row of `(rows, V)`, in descending order, and where they stand.

    They lie in the k blocks with the largest maxima: to look through the maxima and through these blocks takes a
    fraction of the time of looking through all.
    """
    V = logits.shape[1]
    size = next((size for size in range(64, 15, -1) if V % size == 0), V)
    if V // size <= 2 * k:
        return ops.top_k(logits, k)
    blocks = ops.reshape(logits, (-1, V // size, size))
    _, which = ops.top_k(ops.max(blocks, axis=-1), k)  # (rows, k)
    values, places = ops.top_k(ops.reshape(pick(blocks, which), (-1, k * size)), k)
    return values, pick(which, places // size) * size + places % size


def _without_repeats(logits, ids, position, size):
    """Logits, `IMPOSSIBLE` for words that would complete an n-gram which the hypothesis `ids (B, N, L)` holds."""
    B, N, V = ops.shape(logits)
    L = ops.shape(ids)[2]
    starts = ops.arange(L)  # of the n-grams; those that do not end before the position do not count
    repeats = ops.broadcast_to(starts + size <= position, (B, N, L))
    for offset in range(size - 1):
        last = ops.take(ids, ops.maximum(position - size + 1 + offset, 0), axis=2)
        repeats = ops.logical_and(
            repeats, ops.take(ids, ops.minimum(starts + offset, L - 1), axis=2) == ops.expand_dims(last, 2)
        )
    # What is not to be blocked goes to a place that is never chosen.
    words = ops.where(repeats, ops.take(ids, ops.minimum(starts + size - 1, L - 1), axis=2), PAD)
    rows = ops.reshape(ops.arange(B * N, dtype="int32") * V, (B, N, 1))
    places = ops.reshape(rows + words, (-1, 1))
    blocked = ops.full((ops.shape(places)[0],), IMPOSSIBLE, dtype=logits.dtype)
    return ops.reshape(ops.scatter_update(ops.reshape(logits, (-1,)), places, blocked), (B, N, V))
