"""CIDEr-D against hand-computed values."""

import math

import pytest

from interacting_head.metrics import evaluate


def score(hypotheses, references):
    return evaluate(hypotheses, references, ["cider"])["cider"].score


def test_cider_weighs_n_grams_by_the_references_that_have_them():
    # Of two sentences, "a" is in both references and weighs nothing; b and c weigh log 2.
    # b against c: no n-gram in common but "a".
    assert score(["a b", "a b"], ["a b", "a c"]) == pytest.approx((10 * (1 + 1) / 4 + 0) / 2)


def test_cider_clips_counts_and_lowers_the_score_of_other_lengths():
    # Word vectors (3, 0) · log 2 and (1, 1) · log 2: clipped product 1, norms 3 and √2. "b b" is no bigram of
    # the reference. Two bigrams against one.
    cosine = 1 / (3 * math.sqrt(2))
    expected = 10 * cosine / 4 * math.exp(-1 / 72)
    values = evaluate(["b b b", "x"], ["b c", "y"], ["cider"])["cider"].sentence_scores
    assert values == pytest.approx([expected, 0])


def test_cider_is_the_mean_over_references():
    values = evaluate(["b c d e", "x"], [["b c d e", "y"], ["q r s t", "y"]], ["cider"])["cider"].sentence_scores
    assert values == pytest.approx([5, 0])


def test_cider_of_a_single_sentence_is_zero_as_no_n_gram_tells_it_from_others():
    assert score(["a b c d"], ["a b c d"]) == 0
