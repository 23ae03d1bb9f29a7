"""ROUGE-L and CIDEr-D against hand-computed values."""

import math

import pytest

from interacting_head.metrics import evaluate
from interacting_head.metrics.captioning import rouge_l


def test_rouge_l_weighs_recall_with_the_square_of_1_2():
    # Common subsequence a c d of 4 and of 5 words
    precision, recall = 3 / 4, 3 / 5
    expected = 2.44 * precision * recall / (recall + 1.44 * precision)
    assert rouge_l("a x c d", ["a b c d e"]) == pytest.approx(expected)
    assert evaluate(["a x c d", "q"], ["a b c d e", "r"], ["rouge_l"])["rouge_l"].score == pytest.approx(
        100 * expected / 2
    )


def test_rouge_l_takes_precision_and_recall_of_different_references():
    # Precision 2/2 from the first, recall 1/1 from the second
    assert rouge_l("a b", ["a b c d", "a"]) == pytest.approx(1)


def test_rouge_l_splits_at_single_spaces_and_nowhere_else():
    assert rouge_l("a  b", ["a b"]) < 1  # with an empty word between
    assert rouge_l("a\tb", ["a b"]) == 0
    assert rouge_l("  a b\u00a0", ["a b"]) == 1  # white space at the ends does not count
    assert rouge_l("", ["a  b"]) > 0  # the empty word is common, as in the original


def cider(hypotheses, references):
    return evaluate(hypotheses, references, ["cider"])["cider"].score


def test_cider_weighs_n_grams_by_the_references_that_have_them():
    # "a" is in the references of both sentences and weighs nothing; b and c weigh log 2.
    # b against c: no n-gram in common but "a".
    assert cider(["a b", "a b"], ["a b", "a c"]) == pytest.approx((10 * (1 + 1) / 4 + 0) / 2)


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


def test_cider_of_a_single_sentence_is_zero():
    assert cider(["a b c d"], ["a b c d"]) == 0
