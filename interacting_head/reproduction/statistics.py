"""Statistics of scores over seeds and over sentences."""

import dataclasses
import math
import statistics

import numpy as np
from scipy.stats import ttest_rel

from interacting_head.metrics import METRICS, Options
from interacting_head.metrics.significance import Resampling, p_value, resampled_scores


@dataclasses.dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and number of seeds; no deviation for one seed."""

    mean: float
    deviation: float | None
    seeds: int

    def __str__(self):
        return f"{self.mean:.2f}" + (f" ± {self.deviation:.2f} ({self.seeds})" if self.deviation is not None else "")


def summary(values):
    """Return the `Summary` of scores, or None of none."""
    if not values:
        return None
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return Summary(statistics.fmean(values), deviation, len(values))


@dataclasses.dataclass(frozen=True)
class Difference:
    """The gain of one experiment over another.

    Attributes:
        label: names the pair.
        gain: difference of the means, positive where the first is better.
        bootstrap: two-sided p-value of paired resamples of sentences; None where no statistics of sentences are kept.
        paired_t: two-sided p-value of Student's t over seeds; None for a single seed.
    """

    label: str
    gain: float
    bootstrap: float | None
    paired_t: float | None

    @property
    def p_value(self):
        """The larger of the two p-values; 1 for a single seed, since nothing then tells how much seeds differ."""
        return 1.0 if self.paired_t is None else max(self.paired_t, self.bootstrap or 0.0)

    def __str__(self):
        p_values = ("p sentences", self.bootstrap), ("p seeds", self.paired_t)
        words = [f"{name} {p:.3f}" for name, p in p_values if p is not None]
        return f"{self.label}: {self.gain:+.2f}" + (f" ({', '.join(words)})" if words else "")


def difference(table, runs, test, metric, label):
    """Return the `Difference` of two experiments.

    Args:
        table: a `report.Scored`.
        runs: names of the runs of both, with the same seeds in the same order.
        test, metric: which scores.
        label: of the difference.
    """
    sign = 1 if METRICS[metric](Options()).higher_is_better else -1
    ours, theirs = ([table.score(name, test, metric) for name in names] for names in runs)
    gain = sign * (statistics.fmean(ours) - statistics.fmean(theirs))
    return Difference(label, gain, bootstrap(table, runs, test, metric), paired_t(ours, theirs))


def paired_t(ours, theirs):
    """Return the two-sided p-value of Student's t of the differences, pair by pair; None for a single pair."""
    if len(ours) < 2:
        return None
    p = float(ttest_rel(ours, theirs).pvalue)
    return 1.0 if math.isnan(p) else p


def bootstrap(table, runs, test, metric):
    """Return the two-sided p-value of the difference of mean scores over seeds, in paired resamples of sentences."""
    rows = [[table.statistics(name).get((test, metric)) for name in names] for names in runs]
    if any(one is None for side in rows for one in side):
        return None
    scorer, systems, seeds = METRICS[metric](Options()), rows[0] + rows[1], len(rows[0])
    resampled = resampled_scores(scorer, systems, Resampling())
    observed = np.array([scorer.score(system.sum(axis=0)) for system in systems])

    def gain(scores):
        return scores[:seeds].mean(axis=0) - scores[seeds:].mean(axis=0)

    return p_value(gain(resampled), gain(observed))
