"""Statistics of scores over seeds and sentences, against the metrics' own comparison, SciPy and closed forms."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from interacting_head.metrics import METRICS, Options
from interacting_head.metrics.significance import RESAMPLES, compare
from interacting_head.reproduction.statistics import (
    Estimate,
    Summary,
    bootstrap,
    estimate,
    growth,
    pair,
    ratio,
    summary,
    t_interval,
    t_over_seeds,
)
from tests.interacting_head.reproduction.stand_ins import StandIn, noisy

SHARES = {"good-1": 0.1, "good-2": 0.12, "good-3": 0.11, "bad-1": 0.2, "bad-2": 0.15, "bad-3": 0.17}
GOOD, BAD = (tuple(f"{name}-{seed}" for seed in (1, 2, 3)) for name in ("good", "bad"))


LINES = {run: noisy(share, seed) for seed, (run, share) in enumerate(SHARES.items())}


def scored(*sides):
    """A table with a cell for each of several lists of runs: `("0", "c")`, `("1", "c")`, …"""
    return StandIn(LINES, {(str(number), "c"): list(runs) for number, runs in enumerate(sides)})


def found(*sides, metric="sacrebleu"):
    """The `Estimate` of the first side over the second."""
    return estimate(scored(*sides), pair(("0", "c"), ("1", "c")), "test", metric)


@pytest.fixture(scope="module")
def table():
    return scored(GOOD, BAD)


@pytest.mark.parametrize("metric", ["sacrebleu", "wer"])
@pytest.mark.parametrize("runs", [("good-1", "bad-1"), ("bad-2", "good-2"), ("good-1", "good-3")])
def test_the_bootstrap_of_one_seed_equals_a_comparison_of_two_systems(table, runs, metric):
    systems = [(run, table.statistics(run)["test", metric]) for run in reversed(runs)]
    _, ours = compare(METRICS[metric](Options()), systems, 1)
    p, _ = bootstrap(table, [1, -1], [[run] for run in runs], "test", metric)
    assert p == pytest.approx(ours.p_value)
    assert 0 < p <= 1


def test_no_difference_between_a_run_and_itself_is_significant(table):
    same = found(GOOD, GOOD)
    assert (same.gain, same.bootstrap, same.paired_t, same.p_value, same.interval) == (0, 1, 1, 1, (0, 0))
    assert same.of_sentences == (0, 0)
    assert bootstrap(table, [1, -1], (["bad-1"], ["bad-1"]), "test", "sacrebleu") == (1, 0)


@pytest.mark.parametrize("sides", [(GOOD, BAD), (GOOD[:2], BAD[:2])])
def test_sides_with_several_seeds_may_be_exchanged(sides):
    there, back = found(*sides), found(*sides[::-1])
    assert there.gain == pytest.approx(-back.gain)
    assert there.gain > 0
    assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert there.of_sentences == pytest.approx((-back.of_sentences[1], -back.of_sentences[0]))
    assert there.bootstrap == pytest.approx(back.bootstrap)
    assert there.paired_t == pytest.approx(back.paired_t)


def test_the_bootstrap_of_several_seeds_uses_their_mean_score(table):
    draw = np.random.default_rng(12345)
    metric = METRICS["sacrebleu"](Options())
    rows = {run: table.statistics(run)["test", "sacrebleu"] for run in SHARES}

    def gain(chosen):
        scores = [[metric.score(rows[run][chosen].sum(axis=0)) for run in side] for side in (GOOD, BAD)]
        return np.mean(scores[0]) - np.mean(scores[1])

    count = len(rows["good-1"])
    gains = np.array([gain(draw.choice(count, size=count)) for _ in range(RESAMPLES)])
    beyond = np.count_nonzero(np.abs(gains - gains.mean()) >= abs(gain(slice(None))) - 1e-9)
    p, half = bootstrap(table, [1, -1], (GOOD, BAD), "test", "sacrebleu")
    assert p == pytest.approx((beyond + 1) / (RESAMPLES + 1))
    assert np.mean(np.abs(gains - gains.mean()) <= half) == pytest.approx(0.95)
    one = found(GOOD, BAD)
    assert one.of_sentences == pytest.approx((one.gain - half, one.gain + half))


def test_a_difference_of_differences_is_a_difference_of_gains():
    sides = GOOD, BAD, GOOD[::-1], GOOD
    cells = [(str(number), "c") for number in range(4)]
    one = estimate(scored(*sides), growth(cells[:2], cells[2:], "x"), "test", "sacrebleu")
    first, second = found(*sides[:2]), found(*sides[2:])
    assert one.gain == pytest.approx(first.gain - second.gain)
    assert one.bootstrap == pytest.approx(first.bootstrap)  # the second gain is 0 in each resample


def test_claims_without_sentence_statistics_are_decided_by_seeds():
    table = scored(GOOD, BAD)
    table.statistics = lambda run: {}
    one = estimate(table, pair(("0", "c"), ("1", "c")), "test", "sacrebleu")
    assert one.bootstrap is None
    assert one.p_value == one.paired_t < 1


def test_the_gain_of_an_error_rate_is_positive_where_the_rate_is_lower(table):
    rates, scores = ([table.score(run, "test", name) for run in ("good-1", "bad-1")] for name in ("wer", "sacrebleu"))
    assert rates[0] < rates[1]
    assert found(["good-1"], ["bad-1"], metric="wer").gain == pytest.approx(rates[1] - rates[0])
    assert found(["good-1"], ["bad-1"]).gain == pytest.approx(scores[0] - scores[1])
    assert found(["bad-1"], ["good-1"], metric="wer").gain == pytest.approx(rates[0] - rates[1])


def test_an_estimate_has_converged_where_both_sides_have():
    table = StandIn(LINES, {("0", "c"): list(GOOD), ("1", "c"): list(BAD)}, learning=["bad-2"])
    assert not estimate(table, pair(("0", "c"), ("1", "c")), "test", "sacrebleu").converged
    assert found(GOOD, BAD).converged


def test_a_summary_is_mean_sample_deviation_and_seeds():
    assert summary([]) is None
    assert summary([3.0]) == Summary(3.0, None, 1)
    assert summary([1.0, 3.0]) == Summary(2.0, pytest.approx(2**0.5), 2)
    assert summary([1.0, 2.0, 3.0]) == Summary(2.0, pytest.approx(1.0), 3)
    assert str(summary([3.0])) == "3.00"
    assert str(summary([1.0, 3.0])) == "2.00 ± 1.41 (2)"


def test_t_over_seeds_equals_scipy_and_the_closed_form():
    gains = [2.1, 0.5, 1.1, 2.2]
    assert t_over_seeds(gains) == pytest.approx(stats.ttest_1samp(gains, 0).pvalue)
    # Gains 1, 2, 3 with mean 2 and variance 1: t = 2 / √(1 / 3) of 2 degrees of freedom, for which
    # p = 1 − t / √(t² + 2).
    t = 2 / (1 / 3) ** 0.5
    assert t_over_seeds([1.0, 2.0, 3.0]) == pytest.approx(1 - t / (t**2 + 2) ** 0.5)
    assert t_over_seeds([0.0, 0.0]) == 1
    assert t_over_seeds([1.0, 1.0]) == 0
    assert t_over_seeds([1.0]) is None


def test_the_t_test_rejects_what_lies_outside_the_interval():
    gains = [1.0, 2.0, 3.0]
    assert t_interval(gains) == pytest.approx((2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5), rel=1e-4)  # t of 2 degrees
    for end in t_interval(gains):
        assert stats.ttest_1samp(gains, end).pvalue == pytest.approx(0.05)
    assert t_interval([1.0]) is None


def test_the_larger_p_value_counts_and_one_seed_decides_nothing():
    assert Estimate("x", 1.0, (0, 2), 3, 0.01, 0.2).p_value == 0.2
    assert Estimate("x", 1.0, (0, 2), 3, 0.3, 0.02).p_value == 0.3
    assert Estimate("x", 1.0, None, 1, 0.001, None).p_value == 1
    assert str(Estimate("h = 4", -1.0, None, 1, 0.001, None)) == "h = 4: -1.00 (1 seed, p sentences 0.001)"
    words = "h = 4: +1.23 [-0.10, +2.57] (3 seeds, p sentences 0.010, p seeds 0.200)"
    one = Estimate("h = 4", 1.234, (-0.1, 2.568), 3, 0.01, 0.2)
    assert str(one) == words
    assert one.span == (-0.1, 2.568)
    both = dataclasses.replace(one, of_sentences=(0.234, 3.0))
    assert str(both) == words.replace(" (3", " over seeds, [+0.23, +3.00] over sentences (3")
    assert both.span == (-0.1, 3.0)
    assert Estimate("x", 1.0, None, 1, 0.001, None, of_sentences=(0.9, 1.1)).span == (-math.inf, math.inf)


def test_the_interval_of_a_ratio_comes_from_its_paired_repetitions():
    one = ratio(2.0, [2.0, 4.0, 2.0], [1.0, 2.0, 1.0])
    assert (one.low, one.high) == pytest.approx((2.0, 2.0))
    wide = ratio(2.0, [1.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    assert wide.low < 1 < 2 < wide.high
    assert wide.low * wide.high == pytest.approx(4.0)  # symmetric on a logarithmic scale
    assert str(ratio(2.0, [], [])) == "2.00"
