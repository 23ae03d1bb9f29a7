import numpy as np
import pytest

from data.errors import InputError
from data.text.cleaning import CleaningRules, first_occurrences


def words(count):
    return " ".join(["word"] * count)


@pytest.mark.parametrize(
    ("rules", "source", "target", "reason"),
    [
        (CleaningRules(), "a", "b", None),
        (CleaningRules(), "", "b", "empty"),
        (CleaningRules(), "a", " \t\u00a0", "empty"),
        (CleaningRules(), "a", words(500), None),
        (CleaningRules(max_words=80), words(80), words(80), None),
        (CleaningRules(max_words=80), words(81), words(80), "long"),
        (CleaningRules(max_words=80), words(80), words(81), "long"),
        (CleaningRules(max_ratio=9), words(9), "a", None),
        (CleaningRules(max_ratio=9), words(10), "a", "ratio"),
        (CleaningRules(max_ratio=9), "a b", words(19), "ratio"),
        (CleaningRules(max_ratio=1.5), words(2), words(3), None),
        (CleaningRules(max_ratio=1.5), words(4), words(2), "ratio"),
        (CleaningRules(max_words=3, max_ratio=1), words(4), words(1), "long"),
    ],
)
def test_pairs_are_left_out_by_the_rules(rules, source, target, reason):
    assert rules.reason_to_drop(source, target) == reason


@pytest.mark.parametrize(
    "limit", [{"max_words": 0}, {"max_words": -3}, {"max_ratio": 0.5}, {"max_ratio": float("nan")}]
)
def test_limits_below_one_are_errors(limit):
    with pytest.raises(InputError, match="must be at least 1"):
        CleaningRules(**limit)


def test_the_first_of_equal_pairs_is_kept():
    pairs = [("a", "b"), ("a", "c"), ("a", "b"), ("b", "a"), ("ab", ""), ("a ", "b"), ("", "ab"), ("a", "c")]
    assert first_occurrences(pairs).tolist() == [True, True, False, True, True, False, True, False]


def test_many_pairs_agree_with_a_set():
    draw = np.random.default_rng(1)
    pairs = [(str(a), str(b)) for a, b in draw.integers(0, 40, (3000, 2))]
    seen = set()
    expected = [not (pair in seen or seen.add(pair)) for pair in pairs]
    assert first_occurrences(iter(pairs)).tolist() == expected


def test_no_pairs_have_no_first_occurrences():
    assert first_occurrences([]).tolist() == []
