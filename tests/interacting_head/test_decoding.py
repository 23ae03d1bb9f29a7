import itertools

import numpy as np
import pytest
from keras import ops

from data.subwords import BEGIN, END, PAD
from interacting_head.decoding import IMPOSSIBLE, BeamSearch, Scorer, beam_search, length_limit, length_penalty
from tests.interacting_head import tiny
from tests.layers.backend import array

PENALTIES = [("gnmt", 0.6), ("gnmt", 1.5), ("average", 1.0), ("average", 0.5), ("none", 0.6)]
D, V = 3, 4
CASES = 40


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


def tensor_step(ids, position, state):
    """`Language.step` for `beam_search`: each row carries its own language, so a wrong order would show."""
    h = ops.einsum("bij,bj->bi", state["A"], state["h"])
    h = h + ops.squeeze(ops.take_along_axis(state["E"], ops.reshape(ids, (-1, 1, 1)), axis=1), 1)
    h = ops.tanh(h + 0.1 * ops.cast(position, "float32"))
    return ops.log_softmax(ops.einsum("bvi,bi->bv", state["C"], h), axis=-1), {**state, "h": h}


def penalty(length, alpha, kind):
    return {"gnmt": ((5 + length) / 6) ** alpha, "average": length**alpha, "none": 1.0}[kind]


def search(languages, max_lengths, beam_size, kind, alpha):
    """The n-best list [(score, ids), …] of each language."""
    state = {name: np.stack([getattr(x, name) for x in languages]) for name in ("h", "A", "C", "E")}
    state = {name: ops.convert_to_tensor(np.repeat(value, beam_size, axis=0)) for name, value in state.items()}
    ids, scores = beam_search(
        tensor_step, state, ops.convert_to_tensor(max_lengths), beam_size, max(max_lengths), alpha, kind
    )
    return as_lists(array(ids), array(scores))


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


def enumerate_all(language, max_length, kind, alpha):
    """Every hypothesis of a language with its score, best first."""
    found = []
    for length in range(max_length):
        for words in itertools.product([token for token in range(V) if token != END], repeat=length):
            total, h, previous = 0.0, language.h, BEGIN
            for position, token in enumerate([*words, END]):
                log_p, h = language.step(previous, position, h)
                total, previous = total + log_p[token], token
            found.append((total / penalty(length + 1, alpha, kind), (*words, END)))
    return sorted(found, reverse=True)


def search_to_the_end(language, max_length, beam_size, kind, alpha):
    """Beam search in lists, without stopping early; greedy search where the beam is 1."""
    alive, finished = [(0.0, (), language.h)], []
    for position in range(max_length):
        candidates = []
        for total, words, h in alive:
            log_p, after = language.step(words[-1] if words else BEGIN, position, h)
            allowed = [END] if position + 1 == max_length else range(V)
            candidates += [(total + log_p[token], (*words, token), after) for token in allowed]
        candidates = sorted(candidates, key=lambda candidate: candidate[0], reverse=True)[: 2 * beam_size]
        finished += [
            (total / penalty(position + 1, alpha, kind), words)
            for total, words, _ in candidates[:beam_size]
            if words[-1] == END
        ]
        if beam_size == 1 and finished:
            break
        alive = [candidate for candidate in candidates if candidate[1][-1] != END][:beam_size]
    return sorted(finished, reverse=True)[:beam_size]


def assert_same(found, expected):
    assert [words for _, words in found] == [words for _, words in expected]
    np.testing.assert_allclose([s for s, _ in found], [s for s, _ in expected], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "alpha"), PENALTIES)
def test_the_length_penalty_is_its_formula(kind, alpha):
    lengths = np.arange(1, 30)
    expected = [penalty(length, alpha, kind) for length in lengths.tolist()]
    np.testing.assert_allclose(array(length_penalty(lengths, alpha, kind)), expected, rtol=1e-6)


@pytest.mark.parametrize(("kind", "alpha"), PENALTIES)
def test_a_wide_beam_finds_every_hypothesis_there_is_in_order(kind, alpha):
    languages = [Language((1, case)) for case in range(CASES)]
    max_lengths = [1 + case % 4 for case in range(CASES)]
    # 1 + 3 + 9 + 27 hypotheses of at most four tokens
    for language, length, found in zip(
        languages, max_lengths, search(languages, max_lengths, 40, kind, alpha), strict=True
    ):
        expected = enumerate_all(language, length, kind, alpha)
        assert len(expected) == sum(3**k for k in range(length))
        assert_same(found, expected)


@pytest.mark.parametrize(("kind", "alpha"), PENALTIES)
@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_a_narrow_beam_finds_what_a_search_without_early_stopping_finds(beam_size, kind, alpha):
    languages = [Language((2, case)) for case in range(CASES)]
    max_lengths = [1 + case % 8 for case in range(CASES)]
    n_best = search(languages, max_lengths, beam_size, kind, alpha)
    for language, length, found in zip(languages, max_lengths, n_best, strict=True):
        assert_same(found, search_to_the_end(language, length, beam_size, kind, alpha))


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_n_best_list_is_sorted_distinct_and_within_the_largest_length(beam_size):
    languages = [Language((3, case)) for case in range(CASES)]
    max_lengths = [1 + case % 9 for case in range(CASES)]
    for length, found in zip(max_lengths, search(languages, max_lengths, beam_size, "gnmt", 0.6), strict=True):
        scores, words = zip(*found, strict=True)
        assert list(scores) == sorted(scores, reverse=True)
        assert len(set(words)) == len(words)
        assert max(map(len, words)) <= length


def test_greedy_search_takes_the_best_token_of_each_step():
    languages, expected = [Language((4, case)) for case in range(CASES)], []
    for language in languages:
        h, words = language.h, [BEGIN]
        while words[-1] != END:
            log_p, h = language.step(words[-1], len(words) - 1, h)
            words.append(END if len(words) == 9 else int(np.argmax(log_p)))
        expected.append(tuple(words[1:]))
    for kind, alpha in PENALTIES:
        assert [words for [(_, words)] in search(languages, [9] * CASES, 1, kind, alpha)] == expected


def test_a_search_does_not_depend_on_the_sentences_beside_it():
    languages = [Language((5, case)) for case in range(6)]
    together = search(languages, [8, 2, 5, 8, 1, 7], 3, "average", 1.0)
    for language, length, found in zip(languages, [8, 2, 5, 8, 1, 7], together, strict=True):
        assert_same(search([language], [length], 3, "average", 1.0)[0], found)


# With a Transformer.

LENGTHS = [3, 7, 2, 5]


@pytest.fixture(scope="module", params=["post", "pre"])
def model(request):
    return tiny.transformer(normalization=request.param)


def searcher(model, beam_size=3, kind="gnmt", alpha=0.6):
    found = BeamSearch(model, beam_size, alpha, kind)
    found.compile(jit_compile=False)
    return found


def hypotheses(searcher, source_ids, max_lengths):
    found = searcher.predict_on_batch({"source_ids": source_ids, "max_lengths": np.array(max_lengths, "int32")})
    return as_lists(found["ids"], found["scores"])


def assert_close(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)


def test_translations_depend_neither_on_padding_nor_on_the_batch(model):
    beam, limits = searcher(model), [9, 12, 6, 10]
    expected = hypotheses(beam, tiny.sources(LENGTHS), limits)
    assert_close(hypotheses(beam, tiny.sources(LENGTHS, width=11), limits), expected)
    assert_close(hypotheses(beam, tiny.sources(LENGTHS)[::-1], limits[::-1]), expected[::-1])
    for row, (length, limit) in enumerate(zip(LENGTHS, limits, strict=True)):
        assert_close(hypotheses(beam, tiny.sources([length]), [limit]), expected[row : row + 1])


def test_the_largest_length_holds_for_each_sentence(model):
    limits = [4, 1, 6, 2]
    for (_, best), limit in zip(
        (n_best[0] for n_best in hypotheses(searcher(model), tiny.sources(LENGTHS), limits)), limits, strict=True
    ):
        assert len(best) <= limit


def test_a_largest_length_above_the_limit_is_cut(model):
    [[(_, best), *_]] = hypotheses(searcher(model, kind="average", alpha=3.0), tiny.sources([2]), [1000])
    assert len(best) <= length_limit(2)


@pytest.mark.parametrize(
    ("beam_size", "kind", "alpha"), [(1, "gnmt", 0.6), (4, "gnmt", 0.6), (4, "average", 1.0), (4, "none", 0.6)]
)
def test_the_score_is_that_of_forced_decoding(model, beam_size, kind, alpha):
    source_ids = tiny.sources(LENGTHS)
    scorer = Scorer(model)
    scorer.compile(jit_compile=False)
    n_best = hypotheses(searcher(model, beam_size, kind, alpha), source_ids, [10] * 4)
    for rank in range(beam_size):
        labels = np.zeros((4, 10), "int32")
        for row, found in zip(labels, n_best, strict=True):
            row[: len(found[rank][1])] = found[rank][1]
        target_ids = np.concatenate([np.full((4, 1), BEGIN, "int32"), labels[:, :-1]], axis=1)
        scores = scorer.predict_on_batch({"source_ids": source_ids, "target_ids": target_ids, "labels": labels})
        for found, log_p in zip(n_best, scores["log_probabilities"], strict=True):
            score, words = found[rank]
            assert score == pytest.approx(log_p.sum() / penalty(len(words), alpha, kind), rel=1e-4, abs=1e-5)


def test_symbols_that_are_no_labels_are_never_put_out(model):
    for n_best in hypotheses(searcher(model, beam_size=8), tiny.sources(LENGTHS), [12] * 4):
        for _, words in n_best:
            assert not {PAD, BEGIN} & set(words)


def test_the_scorer_counts_right_tokens_and_leaves_padding_out(model):
    target_ids, labels = tiny.targets([4, 2, 6, 3])
    inputs = {"source_ids": tiny.sources(LENGTHS), "target_ids": target_ids}
    logits = array(model(inputs))
    scorer = Scorer(model)
    scorer.compile(jit_compile=False)
    found = scorer.predict_on_batch({**inputs, "labels": labels})
    real = labels != PAD
    np.testing.assert_array_equal(found["correct"], (logits.argmax(-1) == labels) & real)
    log_p = logits - np.log(np.exp(logits.astype("float64")).sum(-1, keepdims=True))
    expected = np.where(real, np.take_along_axis(log_p, labels[..., None], -1)[..., 0], 0)
    np.testing.assert_allclose(found["log_probabilities"], expected, rtol=1e-4, atol=1e-5)
