"""Small random language models, and searches in them by enumeration and by lists."""

import itertools

import numpy as np
from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search.beam_search import Search, collect, extended, pick, start, unfinished
from interacting_head.search.constraints import Limits
from interacting_head.search.options import IMPOSSIBLE, SearchOptions
from tests.layers.backend import array

PENALTIES = [("gnmt", 0.6), ("gnmt", 1.5), ("average", 1.0), ("average", 0.5), ("none", 0.6)]
D, V = 3, 6
WORDS = [word for word in range(V) if word not in (PAD, BEGIN, END)]


class Language:
    """A random language model: next = softmax(C h), h' = tanh(A h + E[token] + position), with its own A, C, E."""

    def __init__(self, seed):
        draw = np.random.default_rng(seed)
        self.h, self.A, self.C, self.E = (
            draw.normal(size=shape).astype("float32") for shape in [(D,), (D, D), (V, D), (V, D)]
        )
        self.C *= 2
        self.C[END] -= draw.uniform(0, 2)  # some end late

    def step(self, token, position, h):
        """Log-probabilities of the next token and the next state, in float64."""
        h = np.tanh(self.A.astype("float64") @ h + self.E[token] + 0.1 * position)
        logits = self.C @ h
        return logits - np.log(np.exp(logits).sum()), h


class EarlyEnds(Language):
    """A language whose end symbol is the second likeliest token from the first position on, and the likeliest late."""

    def __init__(self, seed):
        super().__init__(seed)
        # States are (a number that grows from 0 to 1 with the position, about 1, about 0), whatever the tokens are.
        self.h[:], self.A[:], self.E[:] = (0, 1, 0), np.diag([1, 3, 0]), 0
        self.C *= 0.05
        self.C[WORDS[0]] += (0, 4, 0)
        self.C[END] += (6, 2, 0)


def tensor_step(tokens, parents, position, state):
    """`Language.step` for `beam_search`: each hypothesis carries its language, so a wrong order would show."""
    state = {name: pick(value, parents) for name, value in state.items()}
    h = ops.einsum("bnij,bnj->bni", state["A"], state["h"])
    h = h + ops.einsum("bnv,bnvd->bnd", ops.one_hot(tokens, V), state["E"])
    h = ops.tanh(h + 0.1 * ops.cast(position, "float32"))
    return ops.einsum("bnvi,bni->bnv", state["C"], h) + 7, {**state, "h": h}


def advance(step, search, limits, options, until):
    """Continue a search up to the position `until`.

    The function `step(tokens (B, N), parents (B, N), position (), state)` returns logits `(B, N, V)` and its state.
    """

    def body(*search):
        search = Search(*search)
        logits, state = step(search.tokens, search.parents, search.position, search.state)
        return extended(search, logits, state, limits, options)

    return Search(*ops.while_loop(lambda *search: unfinished(Search(*search), until), body, search))


def beam_search(step, state, limits, options, length):
    """Search from the beginning to the end; returns as `collect`."""
    search = advance(step, start(state, limits, options, length), limits, options, length)
    return collect(search.links, search.totals, options)


def search(languages, max_lengths, options, **limits):
    """The n-best list [(score, ids), …] of each language; every token's score is checked."""
    N = options.hypotheses
    state = {name: np.stack([getattr(x, name) for x in languages]) for name in ("h", "A", "C", "E")}
    state = {name: ops.convert_to_tensor(np.repeat(value[:, None], N, axis=1)) for name, value in state.items()}
    limits = {"max_lengths": np.array(max_lengths, "int32"), **limits}
    limits = Limits(**{name: ops.convert_to_tensor(value) for name, value in limits.items()})
    found = beam_search(tensor_step, state, limits, options, max(max_lengths))
    ids, scores, token_scores = map(array, found)
    n_best = as_lists(ids, scores)
    for language, hypotheses, log_p in zip(languages, n_best, token_scores, strict=True):
        for (_, words), found_log_p in zip(hypotheses, log_p, strict=False):
            np.testing.assert_allclose(found_log_p[: len(words)], token_log_p(language, words), rtol=1e-3, atol=1e-4)
            assert (found_log_p[len(words) :] == 0).all()
    return n_best


def as_lists(ids, scores):
    """The n-best list [(score, ids), …] of each sentence."""
    return [
        [(float(score), strip(row)) for row, score in zip(*sentence, strict=True) if score > IMPOSSIBLE]
        for sentence in zip(ids, scores, strict=True)
    ]


def strip(row):
    """The ids up to the end symbol, after which there is padding only."""
    row = row.tolist()
    end = row.index(END) + 1
    assert set(row[end:]) <= {PAD}
    return tuple(row[:end])


def penalty(length, alpha, kind):
    return {"gnmt": ((5 + length) / 6) ** alpha, "average": length**alpha, "none": 1.0}[kind]


def token_log_p(language, words):
    """The log-probability of each word of a hypothesis."""
    h, previous, found = language.h, BEGIN, []
    for position, token in enumerate(words):
        log_p, h = language.step(previous, position, h)
        found.append(log_p[token])
        previous = token
    return found


def enumerate_all(language, max_length, options, admitted=lambda words: True):
    """Every admitted hypothesis of a language with its score, best first."""
    found = []
    for length in range(max_length):
        for words in itertools.product(WORDS, repeat=length):
            if admitted(words):
                words = (*words, END)
                total = sum(token_log_p(language, words))
                found.append((total / penalty(length + 1, options.length_penalty, options.length_penalty_type), words))
    return sorted(found, reverse=True)


def search_in_lists(language, max_length, options, most_finished=None):
    """All that a beam search in lists finds, best first.

    It takes all steps up to the largest length, or ends when `most_finished` hypotheses have ended.
    """
    N, alive, finished = options.beam_size, [(0.0, (), language.h)], []
    for position in range(max_length):
        candidates = []
        for total, words, h in alive:
            log_p, after = language.step(words[-1] if words else BEGIN, position, h)
            allowed = [END] if position + 1 == max_length else [*WORDS, END]
            candidates += [(total + log_p[token], (*words, token), after) for token in allowed]
        candidates = sorted(candidates, key=lambda candidate: candidate[0], reverse=True)[: 2 * N]
        finished += [
            (total / penalty(position + 1, options.length_penalty, options.length_penalty_type), words)
            for total, words, _ in candidates[:N]
            if words[-1] == END
        ]
        if most_finished and len(finished) >= most_finished:
            break
        alive = [candidate for candidate in candidates if candidate[1][-1] != END][:N]
    return sorted(finished, reverse=True)


def options(beam_size, kind="gnmt", alpha=0.6, **others):
    """`SearchOptions` for all hypotheses of the beam."""
    return SearchOptions(
        **{"beam_size": beam_size, "n_best": beam_size, "length_penalty": alpha, "length_penalty_type": kind, **others}
    )


def assert_same(found, expected):
    """Check that two lists of hypotheses have the same words and, up to roundoff, the same scores.

    The nearest decisions of the random models are further apart than the error of float32: the same hypotheses are
    found with random numbers of up to 5e-6 added to all logits.
    """
    assert [words for _, words in found] == [words for _, words in expected]
    np.testing.assert_allclose([s for s, _ in found], [s for s, _ in expected], rtol=1e-4, atol=1e-5)
