"""Each constraint alone, on random scores, against a loop over their words."""

import itertools

import numpy as np
import pytest
from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search import constraints
from interacting_head.search.beam_search import sample_tokens
from interacting_head.search.options import IMPOSSIBLE
from tests.interacting_head.search.languages import WORDS
from tests.layers.backend import array

B, N, V = 3, 2, 8
WORD_IDS = np.arange(V, dtype="int32")


def random_scores(seed=0):
    return np.random.default_rng(seed).normal(size=(B, N, V)).astype("float32")


def assert_forbidden(found, scores, is_forbidden):
    """Assert that scores stay, except where `is_forbidden(sentence, hypothesis, word)`; there they are impossible."""
    expected = scores.copy()
    for place in itertools.product(range(B), range(N), range(V)):
        if is_forbidden(*place):
            expected[place] = IMPOSSIBLE
    np.testing.assert_array_equal(array(found), expected)


def test_symbols_that_are_not_words_are_forbidden():
    scores = random_scores()
    found = constraints.forbid_symbols(ops.convert_to_tensor(scores), WORD_IDS)
    assert_forbidden(found, scores, lambda b, n, word: word in (PAD, BEGIN))


@pytest.mark.parametrize("position", [0, 2, 5])
def test_the_end_symbol_is_forbidden_before_the_least_length(position):
    scores, least = random_scores(), np.array([0, 2, 3], "int32")
    found = constraints.forbid_early_end(ops.convert_to_tensor(scores), WORD_IDS, position, least)
    assert_forbidden(found, scores, lambda b, n, word: word == END and position < least[b])


@pytest.mark.parametrize("position", [0, 2, 5])
def test_only_the_end_symbol_is_allowed_at_the_largest_length(position):
    scores, most = random_scores(), np.array([1, 3, 9], "int32")
    found = constraints.force_end(ops.convert_to_tensor(scores), WORD_IDS, position, most)
    assert_forbidden(found, scores, lambda b, n, word: word != END and position + 1 >= most[b])


@pytest.mark.parametrize("position", [0, 1, 2, 7])
def test_a_prefix_allows_only_its_next_word(position):
    scores, free = random_scores(0), random_scores(1)
    prefixes, lengths = np.array([[5, 6], [7, 0], [0, 0]], "int32"), np.array([2, 1, 0], "int32")
    found = array(
        constraints.force_prefix(
            ops.convert_to_tensor(scores), ops.convert_to_tensor(free), WORD_IDS, position, prefixes, lengths
        )
    )
    for b in range(B):
        if position < lengths[b]:
            word = prefixes[b, position]
            assert (np.delete(found[b], word, axis=1) == IMPOSSIBLE).all()
            np.testing.assert_array_equal(found[b, :, word], free[b, :, word])
        else:
            np.testing.assert_array_equal(found[b], scores[b])


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("position", [0, 1, 4, 6])
def test_words_that_complete_an_n_gram_again_are_forbidden(size, position):
    scores = random_scores()
    ids = np.full((B, N, 7), PAD, "int32")
    ids[:, :, :position] = np.random.default_rng(size).choice([4, 5], (B, N, position))

    def repeats(b, n, word):
        words = [*ids[b, n, :position].tolist(), word]
        n_grams = [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]
        return bool(n_grams) and n_grams[-1] in n_grams[:-1]

    found = array(constraints.forbid_repeats(ops.convert_to_tensor(scores), ops.convert_to_tensor(ids), position, size))
    found, scores = found[:, :, PAD + 1 :], scores[:, :, PAD + 1 :]  # the score of PAD is of no account
    expected = scores.copy()
    for b, n, word in itertools.product(range(B), range(N), range(PAD + 1, V)):
        if repeats(b, n, word):
            expected[b, n, word - PAD - 1] = IMPOSSIBLE
    np.testing.assert_array_equal(found, expected)


def test_limits_apply_together_and_prefixes_take_precedence():
    scores = random_scores()
    limits = {
        "max_lengths": np.array([2, 9, 9], "int32"),
        "min_lengths": np.array([0, 3, 0], "int32"),
        "prefixes": np.array([[5], [6], [END]], "int32"),
        "prefix_lengths": np.array([0, 0, 2], "int32"),
    }
    found = constraints.constrained(ops.convert_to_tensor(scores), WORD_IDS, 1, limits)
    allowed = [{END}, set(range(V)) - {PAD, BEGIN, END}, {END}]
    assert_forbidden(found, scores, lambda b, n, word: word not in allowed[b])


def test_the_likeliest_words_up_to_a_sum_are_kept():
    probabilities = np.array([[[0.5, 0.3, 0.15, 0.05]]], "float32")
    for top_p, count in ((0.2, 1), (0.5, 1), (0.6, 2), (0.9, 3), (0.99, 4)):
        found = array(constraints.keep_top_p(ops.convert_to_tensor(probabilities), top_p))
        np.testing.assert_array_equal(found[0, 0] > 0, np.arange(4) < count)
        np.testing.assert_array_equal(found[0, 0, :count], probabilities[0, 0, :count])


def test_a_forbidden_word_is_never_drawn():
    draws = np.linspace(0, 1, 50, endpoint=False, dtype="float32")[:, None]
    scores = np.full((50, 1, V), IMPOSSIBLE, "float32")
    scores[:, :, WORDS] = 0.0
    drawn = array(sample_tokens(ops.convert_to_tensor(scores), ops.convert_to_tensor(draws)))
    assert set(drawn.flat) == set(WORDS)
