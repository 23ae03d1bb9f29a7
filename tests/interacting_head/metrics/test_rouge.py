"""ROUGE-L against hand-computed values."""

import pytest

from interacting_head.metrics import evaluate
from interacting_head.metrics.rouge import rouge_l


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
