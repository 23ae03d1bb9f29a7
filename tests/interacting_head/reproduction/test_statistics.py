"""Statistics of scores over seeds and sentences, against the metrics' own comparison, SciPy and closed forms."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from interacting_head.metrics import METRICS, Options
from interacting_head.metrics.significance import RESAMPLES, compare
from interacting_head.reproduction.statistics import Difference, Summary, bootstrap, difference, paired_t, summary
from tests.interacting_head.reproduction.stand_ins import StandIn, noisy

SHARES = {"good-1": 0.1, "good-2": 0.12, "good-3": 0.11, "bad-1": 0.2, "bad-2": 0.15, "bad-3": 0.17}
GOOD, BAD = (tuple(f"{name}-{seed}" for seed in (1, 2, 3)) for name in ("good", "bad"))


@pytest.fixture(scope="module")
def table():
    return StandIn({run: noisy(share, seed) for seed, (run, share) in enumerate(SHARES.items())})


@pytest.mark.parametrize("metric", ["sacrebleu", "wer"])
@pytest.mark.parametrize("runs", [("good-1", "bad-1"), ("bad-2", "good-2"), ("good-1", "good-3")])
def test_for_one_seed_the_bootstrap_is_that_of_two_systems(table, runs, metric):
    systems = [(run, table.statistics(run)["test", metric]) for run in reversed(runs)]
    _, ours = compare(METRICS[metric](Options()), systems, 1)
    p = bootstrap(table, [[run] for run in runs], "test", metric)
    assert p == pytest.approx(ours.p_value)
    assert 0 < p <= 1


def test_between_a_run_and_itself_nothing_is_significant(table):
    same = difference(table, (GOOD, GOOD), "test", "sacrebleu", "same")
    assert (same.gain, same.bootstrap, same.paired_t, same.p_value) == (0, 1, 1, 1)
    assert bootstrap(table, (["bad-1"], ["bad-1"]), "test", "sacrebleu") == 1


@pytest.mark.parametrize("sides", [(GOOD, BAD), (GOOD[:2], BAD[:2])])
def test_for_several_seeds_the_sides_may_be_exchanged(table, sides):
    there = difference(table, sides, "test", "sacrebleu", "there")
    back = difference(table, sides[::-1], "test", "sacrebleu", "back")
    assert there.gain == -back.gain > 0
    assert there.bootstrap == pytest.approx(back.bootstrap)
    assert there.paired_t == pytest.approx(back.paired_t)


def test_for_several_seeds_the_bootstrap_is_of_their_mean_score(table):
    draw = np.random.default_rng(12345)
    metric = METRICS["sacrebleu"](Options())
    rows = {run: table.statistics(run)["test", "sacrebleu"] for run in SHARES}

    def gain(chosen):
        scores = [[metric.score(rows[run][chosen].sum(axis=0)) for run in side] for side in (GOOD, BAD)]
        return np.mean(scores[0]) - np.mean(scores[1])

    count = len(rows["good-1"])
    gains = np.array([gain(draw.choice(count, size=count)) for _ in range(RESAMPLES)])
    beyond = np.count_nonzero(np.abs(gains - gains.mean()) >= abs(gain(slice(None))) - 1e-9)
    p = bootstrap(table, (GOOD, BAD), "test", "sacrebleu")
    assert p == pytest.approx((beyond + 1) / (RESAMPLES + 1))


def test_without_statistics_of_sentences_there_is_no_bootstrap_and_seeds_alone_decide():
    lines = {run: noisy(share, seed) for seed, (run, share) in enumerate(SHARES.items())}
    table = StandIn(lines)
    table.statistics = lambda run: {}
    found = difference(table, (GOOD, BAD), "test", "sacrebleu", "x")
    assert found.bootstrap is None
    assert found.p_value == found.paired_t < 1


def test_the_gain_of_an_error_rate_is_positive_where_the_rate_is_lower(table):
    rates, scores = ([table.score(run, "test", name) for run in ("good-1", "bad-1")] for name in ("wer", "sacrebleu"))
    assert rates[0] < rates[1]
    of_rates = difference(table, (["good-1"], ["bad-1"]), "test", "wer", "")
    of_scores = difference(table, (["good-1"], ["bad-1"]), "test", "sacrebleu", "")
    assert of_rates.gain == pytest.approx(rates[1] - rates[0])
    assert of_scores.gain == pytest.approx(scores[0] - scores[1])
    assert difference(table, (["bad-1"], ["good-1"]), "test", "wer", "").gain == -of_rates.gain


def test_a_summary_is_mean_sample_deviation_and_seeds():
    assert summary([]) is None
    assert summary([3.0]) == Summary(3.0, None, 1)
    assert summary([1.0, 3.0]) == Summary(2.0, pytest.approx(2**0.5), 2)
    assert summary([1.0, 2.0, 3.0]) == Summary(2.0, pytest.approx(1.0), 3)
    assert str(summary([3.0])) == "3.00"
    assert str(summary([1.0, 3.0])) == "2.00 ± 1.41 (2)"


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_t_over_seeds_is_that_of_scipy_and_of_the_closed_form_of_three_pairs():
    ours, theirs = [30.1, 30.4, 29.8, 31.0], [28.0, 29.9, 28.7, 28.8]
    assert paired_t(ours, theirs) == pytest.approx(ttest_rel(ours, theirs).pvalue)
    # Differences 1, 2, 3 with mean 2 and variance 1: t = 2 / √(1 / 3) of 2 degrees of freedom, for which
    # p = 1 − t / √(t² + 2).
    t = 2 / (1 / 3) ** 0.5
    assert paired_t([3.0, 5.0, 9.0], [2.0, 3.0, 6.0]) == pytest.approx(1 - t / (t**2 + 2) ** 0.5)
    assert paired_t([1.0, 1.0], [1.0, 1.0]) == 1
    assert paired_t([1.0], [2.0]) is None


def test_the_larger_of_two_p_values_counts_and_a_single_seed_proves_nothing():
    assert Difference("x", 1.0, 0.01, 0.2).p_value == 0.2
    assert Difference("x", 1.0, 0.3, 0.02).p_value == 0.3
    assert Difference("x", 1.0, 0.001, None).p_value == 1
    assert str(Difference("h = 4", -1.0, 0.001, None)) == "h = 4: -1.00 (p sentences 0.001)"
    assert str(Difference("h = 4", 1.234, 0.01, 0.2)) == "h = 4: +1.23 (p sentences 0.010, p seeds 0.200)"
    assert str(Difference("h = 4", 1.0, None, None)) == "h = 4: +1.00"
