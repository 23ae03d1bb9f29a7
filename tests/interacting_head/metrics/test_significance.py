"""Comparisons of systems."""

import numpy as np
import pytest
from sacrebleu.significance import PairedTest
from scipy.stats import kstest

from interacting_head.metrics import METRICS, Options, evaluate
from interacting_head.metrics.evaluation import evaluate_systems
from interacting_head.metrics.metric import MeanMetric
from interacting_head.metrics.significance import RESAMPLES, Resampling, compare
from tests.interacting_head.metrics.examples import SENTENCES, WORSE
from tests.interacting_head.reproduction.stand_ins import noisy

METRIC_NAMES = ["bleu", "sacrebleu", "chrf", "ter", "wer", "wer_paper", "rouge_l", "cider"]
ALMOST_EQUAL = [*SENTENCES[:-1], WORSE[-1]]


def comparison(metric, systems, references=(SENTENCES,), resampling=None):
    evaluation = evaluate_systems(systems, list(references), [metric], Options(), resampling or Resampling())
    return evaluation.comparisons[metric]


class Numbers(MeanMetric):
    """The metric whose sentence scores are the numbers that the hypotheses are."""

    definition = "the mean of the numbers"

    def values(self, sentences):
        return [hypothesis for hypothesis, _ in sentences]

    def signature(self, number_of_references):
        return "nrefs:1|version:0"


def compare_numbers(first, second, **resampling):
    metric = Numbers(Options())
    systems = [("first", metric.statistics(first, [first])), ("second", metric.statistics(second, [second]))]
    return compare(metric, systems, 1, Resampling(**resampling))


@pytest.mark.parametrize("metric", ["bleu", "sacrebleu", "chrf", "ter", "wer", "rouge_l", "cider"])
def test_many_worse_lines_are_significant_and_one_bad_line_is_not(metric):
    systems = [("baseline", SENTENCES), ("worse", WORSE), ("almost", ALMOST_EQUAL)]
    baseline, worse, almost = comparison(metric, systems)
    assert (baseline.p_value, baseline.wins, baseline.losses) == (None, None, None)
    assert worse.p_value == pytest.approx(1 / (RESAMPLES + 1))  # no resample beyond it
    assert (worse.wins, worse.losses) == (0, 1)
    assert almost.p_value > 0.05
    assert almost.wins == 0 < almost.losses < 1
    assert abs(worse.score - baseline.score) > abs(almost.score - baseline.score) > 0
    assert "nrefs:1|bs:1000|seed:12345|" in worse.signature


@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_a_system_does_not_differ_from_itself(metric):
    _, same = comparison(metric, [("a", WORSE), ("a", WORSE)])
    assert (same.p_value, same.wins, same.losses) == (1, 0, 0)


@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_compared_scores_equal_the_evaluation_and_lie_in_the_interval(metric):
    lines = noisy(0.3, 1, SENTENCES)
    _, system = comparison(metric, [("baseline", SENTENCES), ("noisy", lines)])
    assert system.score == evaluate(lines, SENTENCES, [metric])[metric].score
    assert system.lower <= system.median <= system.upper
    assert system.lower <= system.score <= system.upper


def test_comparing_twice_gives_the_same_numbers_and_another_seed_others():
    systems = [("a", noisy(0.3, 1, SENTENCES)), ("b", noisy(0.3, 2, SENTENCES))]
    assert comparison("bleu", systems) == comparison("bleu", systems)
    other = comparison("bleu", systems, resampling=Resampling(seed=1))
    assert other[1].mean != comparison("bleu", systems)[1].mean
    assert "bs:1000|seed:1|" in other[1].signature


@pytest.mark.parametrize("metric", ["bleu", "sacrebleu", "chrf", "ter"])
def test_scores_intervals_and_p_values_equal_sacrebleus_paired_test(metric):
    systems = [
        ("baseline", noisy(0.3, 1, SENTENCES)),
        ("noisy", noisy(0.32, 2, SENTENCES)),
        ("worse", noisy(0.4, 3, SENTENCES)),
    ]
    tool = METRICS[metric](Options()).corpus_tool
    signatures, columns = PairedTest(systems, {metric: tool}, [SENTENCES], test_type="bs", n_samples=1000)()
    expected = next(column for title, column in columns.items() if title != "System")
    found = comparison(metric, systems)
    assert found[0].signature == str(next(iter(signatures.values())))
    for system, score in zip(found, expected, strict=True):
        # sacrebleu computes in float32.
        confidence = (system.upper - system.lower) / 2
        assert [system.score, system.mean, confidence] == pytest.approx([score.score, score.mean, score.ci], abs=1e-4)
        if score.p_value is not None:
            assert system.p_value_sacrebleu == pytest.approx(score.p_value, abs=0.0011)


def test_only_metrics_of_sacrebleu_have_its_p_value():
    assert comparison("wer", [("a", SENTENCES), ("b", WORSE)])[1].p_value_sacrebleu is None


def test_p_values_of_equal_systems_are_uniform():
    generator = np.random.default_rng(1)
    pairs = [generator.normal(size=(2, 40)) for _ in range(100)]
    p_values = [compare_numbers(*pair)[1].p_value for pair in pairs]
    assert kstest(p_values, "uniform").pvalue > 0.05


def test_the_p_value_of_a_normal_difference_is_right():
    # The mean difference of n standard normal pairs that is 1.96 standard errors from zero has p = 0.05.
    first = np.random.default_rng(2).normal(size=2000)
    shift = 1.96 * first.std() / np.sqrt(len(first))
    _, second = compare_numbers(first - first.mean() + shift, np.zeros_like(first))
    assert second.p_value == pytest.approx(0.05, abs=0.02)


def test_half_resamples_give_the_same_p_value_but_wider_intervals():
    first, second = np.random.default_rng(3).normal(size=(2, 500))
    _, full = compare_numbers(first, second)
    _, half = compare_numbers(first, second, style="compare-mt", seed=1234)
    assert half.p_value == pytest.approx(full.p_value, abs=0.05)
    assert (half.upper - half.lower) / (full.upper - full.lower) == pytest.approx(np.sqrt(2), rel=0.15)
    assert half.signature == "nrefs:1|bs:1000|seed:1234|size:0.5|version:0"


def test_half_resamples_equal_the_draws_of_compare_mt():
    first, second = np.random.default_rng(4).integers(0, 5, size=(2, 41)).astype(float)
    _, system = compare_numbers(first, second, style="compare-mt", seed=1234)
    draw = np.random.RandomState(1234)
    scores = []
    for _ in range(1000):
        drawn = draw.choice(list(range(41)), size=20, replace=True)
        scores.append([first[drawn].mean(), second[drawn].mean()])
    baseline, other = np.array(scores).T
    assert (system.wins, system.losses) == (np.mean(other > baseline), np.mean(other < baseline))
    ordered = np.sort(other)
    expected = [other.mean(), np.median(other), ordered[25], ordered[975]]
    assert [system.mean, system.median, system.lower, system.upper] == pytest.approx(expected)


def test_error_rates_win_where_they_are_lower():
    _, worse = comparison("wer", [("baseline", SENTENCES), ("worse", WORSE)])
    assert worse.score > 0
    assert (worse.wins, worse.losses) == (0, 1)


def test_cider_keeps_the_document_frequencies_of_the_whole_set():
    metric = METRICS["cider"](Options())
    statistics = metric.statistics(WORSE, [SENTENCES])
    sentence_scores = metric.result(statistics, 1).sentence_scores
    assert metric.score(statistics[:5].sum(axis=0)) == pytest.approx(np.mean(sentence_scores[:5]))


def test_a_single_sentence_has_no_p_value():
    systems = [("first", SENTENCES[:1]), ("second", WORSE[:1])]
    evaluation = evaluate_systems(systems, [SENTENCES[:1]], ["sacrebleu"], Options(), Resampling())
    [_, second] = evaluation.comparisons["sacrebleu"]
    assert (second.p_value, second.p_value_sacrebleu) == (None, None)
