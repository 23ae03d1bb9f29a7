"""The search itself, in small random language models."""

import numpy as np
import pytest
from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search import options as search_options
from interacting_head.search.beam_search import _top_k, collect, start
from interacting_head.search.constraints import Limits
from tests.interacting_head.search import languages
from tests.interacting_head.search.languages import (
    PENALTIES,
    WORDS,
    EarlyEnds,
    Language,
    V,
    assert_same,
    enumerate_all,
    options,
    search,
    search_in_lists,
)
from tests.layers.backend import array

CASES = 60
every_penalty = pytest.mark.parametrize(("kind", "alpha"), PENALTIES)


@every_penalty
def test_the_length_penalty_is_its_formula(kind, alpha):
    lengths = np.arange(1, 30)
    expected = [languages.penalty(length, alpha, kind) for length in lengths.tolist()]
    found = search_options.LENGTH_PENALTIES[kind](lengths.astype("float32"), alpha)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@every_penalty
def test_a_wide_beam_finds_every_hypothesis_there_is_in_order(kind, alpha):
    cases, chosen = [Language((1, case)) for case in range(CASES)], options(40, kind, alpha)
    max_lengths = [1 + case % 4 for case in range(CASES)]  # 1 + 3 + 9 + 27 hypotheses of at most four tokens
    for language, length, found in zip(cases, max_lengths, search(cases, max_lengths, chosen), strict=True):
        expected = enumerate_all(language, length, chosen)
        assert len(expected) == sum(3**k for k in range(length))
        assert_same(found, expected)


@every_penalty
def test_the_best_hypothesis_is_found_when_no_other_is_asked_for(kind, alpha):
    cases, chosen = [Language((6, case)) for case in range(CASES)], options(40, kind, alpha, n_best=1)
    for language, found in zip(cases, search(cases, [4] * CASES, chosen), strict=True):
        assert_same(found[:1], enumerate_all(language, 4, chosen)[:1])


@every_penalty
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_narrow_beam_finds_what_a_search_in_lists_finds(beam_size, kind, alpha):
    cases, chosen = [Language((2, case)) for case in range(CASES)], options(beam_size, kind, alpha)
    max_lengths = [1 + case % 7 for case in range(CASES)]
    best_only = search(cases, max_lengths, options(beam_size, kind, alpha, n_best=1))
    for language, length, found, best in zip(
        cases, max_lengths, search(cases, max_lengths, chosen), best_only, strict=True
    ):
        expected = search_in_lists(language, length, chosen, most_finished=1 if beam_size == 1 else None)
        assert_same(found, expected[:beam_size])
        assert_same(best[:1], found[:1])


@every_penalty
def test_hypotheses_that_end_early_and_badly_do_not_end_the_search(kind, alpha):
    cases, chosen = [EarlyEnds((11, case)) for case in range(CASES)], options(2, kind, alpha, n_best=1)
    for language, found in zip(cases, search(cases, [6] * CASES, chosen), strict=True):
        best = enumerate_all(language, 6, chosen)[:1]
        assert_same(found[:1], best)
        # A search that ends with the second finished hypothesis misses it.
        early = search_in_lists(language, 6, chosen, most_finished=2)
        assert early[0][0] < best[0][0] - 0.1


@every_penalty
def test_a_beam_is_below_greedy_search_only_if_it_pruned_the_greedy_path(kind, alpha):
    cases, chosen = [Language((12, case)) for case in range(CASES)], options(2, kind, alpha, n_best=1)
    below = 0
    greedy = search(cases, [8] * CASES, options(1, kind, alpha))
    for language, [(least, words)], [(score, _), *_] in zip(
        cases, greedy, search(cases, [8] * CASES, chosen), strict=True
    ):
        if score < least - 1e-5:
            below += 1
            assert words not in [found for _, found in search_in_lists(language, 8, chosen)]
    assert below < CASES / 10


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_n_best_list_is_sorted_distinct_and_within_the_largest_length(beam_size):
    cases = [Language((3, case)) for case in range(CASES)]
    max_lengths = [1 + case % 9 for case in range(CASES)]
    for length, found in zip(max_lengths, search(cases, max_lengths, options(beam_size)), strict=True):
        scores, words = zip(*found, strict=True)
        assert list(scores) == sorted(scores, reverse=True)
        assert len(set(words)) == len(words)
        assert max(map(len, words)) <= length
        assert not {PAD, BEGIN} & set(sum(words, ()))


def test_greedy_search_takes_the_best_token_of_each_step():
    cases, expected = [Language((4, case)) for case in range(CASES)], []
    for language in cases:
        h, words = language.h, [BEGIN]
        while words[-1] != END:
            log_p, h = language.step(words[-1], len(words) - 1, h)
            words.append(END if len(words) == 9 else max([*WORDS, END], key=lambda word: log_p[word]))
        expected.append(tuple(words[1:]))
    for kind, alpha in PENALTIES[1:3]:
        assert [words for [(_, words)] in search(cases, [9] * CASES, options(1, kind, alpha))] == expected


def test_a_search_does_not_depend_on_other_sentences_of_the_batch():
    cases, lengths = [Language((5, case)) for case in range(4)], [7, 2, 5, 1]
    together = search(cases, lengths, options(3, "average", 1.0))
    for language, length, found in zip(cases, lengths, together, strict=True):
        assert_same(search([language], [length], options(3, "average", 1.0))[0], found)


def test_a_search_in_several_steps_gives_the_same_result():
    cases, chosen = [Language((7, case)) for case in range(5)], options(3)
    state = {name: np.stack([getattr(x, name) for x in cases]) for name in ("h", "A", "C", "E")}
    state = {name: ops.convert_to_tensor(np.repeat(value[:, None], 3, axis=1)) for name, value in state.items()}
    limits = Limits(max_lengths=ops.convert_to_tensor(np.array([8, 7, 6, 8, 8], "int32")))
    expected = languages.beam_search(languages.tensor_step, state, limits, chosen, 8)
    pieces = start(state, limits, chosen, 8)
    for until in (1, 4, 5, 8):
        pieces = languages.advance(languages.tensor_step, pieces, limits, chosen, until)
    for found, whole in zip(collect(pieces.links, pieces.totals, chosen), expected, strict=True):
        np.testing.assert_allclose(array(found), array(whole), rtol=1e-5)  # pieces may be compiled in another way


@pytest.mark.parametrize("size", [7, 640, 641])
def test_the_largest_logits_are_found_in_order(size):
    logits = np.random.default_rng(size).normal(size=(9, size)).astype("float32")
    values, words = map(array, _top_k(ops.convert_to_tensor(logits), 5))
    np.testing.assert_array_equal(words, np.argsort(-logits, axis=1)[:, :5])
    np.testing.assert_array_equal(values, np.take_along_axis(logits, words, axis=1))


@every_penalty
def test_the_smallest_length_and_a_prefix_hold(kind, alpha):
    cases, chosen = [Language((8, case)) for case in range(CASES)], options(40, kind, alpha, min_length=2)
    shortest = np.array([case % 4 for case in range(CASES)], "int32")
    draw = np.random.default_rng(8)
    lengths = draw.integers(0, 3, CASES).astype("int32")
    prefixes = draw.choice(WORDS, (CASES, 2)).astype("int32")
    n_best = search(cases, [4] * CASES, chosen, min_lengths=shortest, prefixes=prefixes, prefix_lengths=lengths)
    for language, found, least, prefix, length in zip(cases, n_best, shortest, prefixes, lengths, strict=True):
        start_of_all = tuple(prefix[:length].tolist())

        def admitted(words, start_of_all=start_of_all, least=least):
            return len(words) >= least and words[: len(start_of_all)] == start_of_all

        assert_same(found, enumerate_all(language, 4, chosen, admitted))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_n_gram_occurs_twice(size, monkeypatch):
    for name in ("beam_size", "n_best"):
        monkeypatch.setitem(search_options.LIMITS, name, (1, 121))  # as many as exist
    cases, chosen = [Language((9, case)) for case in range(CASES)], options(121, no_repeat_ngram=size)

    def admitted(words):
        n_grams = [words[i : i + size] for i in range(len(words) - size + 1)]
        return len(set(n_grams)) == len(n_grams)

    some = False
    for language, found in zip(cases, search(cases, [5] * CASES, chosen), strict=True):
        expected = enumerate_all(language, 5, chosen, admitted)
        some |= len(expected) < 121
        assert_same(found, expected)
    assert some


def sample(language, rows, top_k=0, top_p=1.0, temperature=1.0, limits=None, max_length=3):
    """The hypotheses that are drawn `rows` times from a language."""
    chosen = options(1, n_best=1, sampling=True, top_k=top_k, top_p=top_p, temperature=temperature)
    draws = np.random.default_rng(1).random((rows, max_length, 1), "float32")
    found = search([language] * rows, [max_length] * rows, chosen, draws=draws, **(limits or {}))
    return [words for [(_, words)] in found]


def test_samples_are_as_frequent_as_they_are_probable():
    language, rows = Language((10, 1)), 4000
    found = sample(language, rows)
    # What is no word cannot be drawn, and at the largest length only the end is: both are renormalised.
    words, h = [*WORDS, END], language.h
    first, _ = language.step(BEGIN, 0, h)
    expected = np.exp(first[words]) / np.exp(first[words]).sum()
    counts = np.array([sum(sampled[0] == word for sampled in found) for word in words])
    deviation = np.sqrt(rows * expected * (1 - expected))
    assert (np.abs(counts - rows * expected) < 4 * deviation + 1).all()
    assert sample(language, rows) == found


def test_samples_are_among_the_likeliest_tokens():
    language = Language((10, 2))
    first, _ = language.step(BEGIN, 0, language.h)
    words = sorted([*WORDS, END], key=lambda word: first[word], reverse=True)
    p = np.exp(first[words]) / np.exp(first[words]).sum()
    assert {sampled[0] for sampled in sample(language, 300, top_k=2)} == set(words[:2])
    assert {sampled[0] for sampled in sample(language, 300, top_p=float(p[0] + p[1] / 2))} == set(words[:2])
    assert {sampled[0] for sampled in sample(language, 300, top_p=1e-6)} == {words[0]}
    [greedy] = search([language], [3], options(1))
    for temperature in (1e-3, 1e-6):
        assert set(sample(language, 50, temperature=temperature)) == {greedy[0][1]}
    assert set(sample(language, 50, top_k=1)) == {greedy[0][1]}


def test_samples_heed_prefixes_and_lengths():
    rows = 30
    limits = {
        "min_lengths": np.full(rows, 2, "int32"),
        "prefixes": np.full((rows, 1), WORDS[1], "int32"),
        "prefix_lengths": np.ones(rows, "int32"),
    }
    found = sample(Language((10, 3)), rows, limits=limits, max_length=4)
    assert {words[0] for words in found} == {WORDS[1]}
    assert {len(words) for words in found} == {3, 4}
    assert all(words[-1] == END and not {PAD, BEGIN} & set(words) for words in found)
    assert V == 6


def test_samples_begin_with_prefixes_that_repeat_n_grams():
    rows, word = 30, WORDS[1]
    draws = np.random.default_rng(2).random((rows, 6, 1), "float32")
    limits = {"prefixes": np.full((rows, 3), word, "int32"), "prefix_lengths": np.full(rows, 3, "int32")}
    chosen = options(1, n_best=1, sampling=True, no_repeat_ngram=1)
    for [(_, words)] in search([Language((10, 4))] * rows, [6] * rows, chosen, draws=draws, **limits):
        assert words[:3] == (word,) * 3
        assert word not in words[3:]
