"""Statistics of scores over seeds and over sentences.

A contrast is a weighted sum of mean scores of cells: a difference of two cells, or a difference of differences.
"""

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from interacting_head.metrics import METRICS, Options
from interacting_head.metrics.significance import Resampling, p_value, resampled_scores

CONFIDENCE = 0.95
LOSS = "loss"
"""The metric of validation losses, see `scored.Losses`."""
CellName = tuple[str, str]
"""Row and column."""


def sign_of(metric: str) -> int:
    """Return −1 for error rates and losses, 1 for other metrics and measures of an analysis."""
    if metric in METRICS:
        return 1 if METRICS[metric].higher_is_better else -1
    return -1 if metric == LOSS else 1


@dataclasses.dataclass(frozen=True)
class Summary:
    """Mean, standard deviation (None for a single seed) and number of seeds."""

    mean: float
    deviation: float | None
    seeds: int

    def __str__(self):
        return f"{self.mean:.2f}" + (f" ± {self.deviation:.2f} ({self.seeds})" if self.deviation is not None else "")


def summary(values: Sequence[float]) -> Summary | None:
    """Return the `Summary` of scores, or None without scores."""
    if not values:
        return None
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return Summary(statistics.fmean(values), deviation, len(values))


class Contrast(NamedTuple):
    """Cells that are compared."""

    label: str  # a short name in reports
    terms: tuple[tuple[int, CellName], ...]  # cells with weights, positive for the side that is claimed to be better
    bound: float = 0.0  # the number that the sum is compared with


def pair(better: CellName, other: CellName, label: str = "") -> Contrast:
    """Return the `Contrast` of two cells; the default label names what differs."""
    (row, column), (other_row, other_column) = better, other
    if not label:
        if row == other_row:
            label = f"{row}, {column} over {other_column}"
        elif column == other_column:
            label = f"{row} over {other_row}, {column}"
        else:
            label = f"{row}, {column} over {other_row}, {other_column}"
    return Contrast(label, ((1, better), (-1, other)))


def growth(first: Sequence[CellName], second: Sequence[CellName], label: str) -> Contrast:
    """Return the `Contrast` of one gain over another; each is a pair `(better, other)`."""
    return Contrast(label, ((1, first[0]), (-1, first[1]), (-1, second[0]), (1, second[1])))


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The estimate of a `Contrast`; `interval` and `paired_t` are None for a single seed.

    The bootstrap's p-value and interval are None without stored statistics of sentences.
    """

    label: str
    gain: float  # weighted sum of mean scores, positive if the side that is claimed to be better is better
    interval: tuple[float, float] | None  # 95 % by Student's t over seeds
    seeds: int  # number of seeds that all cells share
    bootstrap: float | None  # p-value of paired resamples of sentences
    paired_t: float | None  # p-value of Student's t over seeds
    converged: bool = True  # whether each side has converged, see `scored.Scored.have_converged`
    reversible: bool = False  # whether the worse side might catch up if it learned on, see `scored.Scored.catch_up`
    of_sentences: tuple[float, float] | None = None  # 95 % interval by paired resamples of sentences

    @property
    def p_value(self) -> float:
        """The larger of the two p-values; 1 for a single seed, because the variance over seeds is unknown."""
        return 1.0 if self.paired_t is None else max(self.paired_t, self.bootstrap or 0.0)

    @property
    def span(self) -> tuple[float, float]:
        """The smallest interval that contains both intervals; everything for a single seed."""
        if self.interval is None:
            return -math.inf, math.inf
        lows, highs = zip(*filter(None, (self.interval, self.of_sentences)), strict=True)
        return min(lows), max(highs)

    def __str__(self):
        p_values = ("p sentences", self.bootstrap), ("p seeds", self.paired_t)
        words = [f"{self.seeds} seed{'s' * (self.seeds > 1)}"]
        words += [f"{name} {p:.3f}" for name, p in p_values if p is not None]
        interval = " [{:+.2f}, {:+.2f}]".format(*self.interval) if self.interval else ""
        if self.interval and self.of_sentences:
            interval += " over seeds, [{:+.2f}, {:+.2f}] over sentences".format(*self.of_sentences)
        return f"{self.label}: {self.gain:+.2f}{interval} ({', '.join(words)})"


def estimate(table: Any, contrast: Contrast, test: str, metric: str) -> Estimate | None:
    """Return the `Estimate` of a contrast in a `scored.Scored`, over the seeds that all cells share, or None."""
    by_seed = [
        {table.seed_of(run): run for run in table.runs_of(*cell) if table.score(run, test, metric) is not None}
        for _, cell in contrast.terms
    ]
    seeds = sorted(set.intersection(*map(set, by_seed)))
    if not seeds:
        return None
    weights = [sign_of(metric) * weight for weight, _ in contrast.terms]
    runs = [[side[seed] for seed in seeds] for side in by_seed]
    gains = [
        math.fsum(weight * table.score(run, test, metric) for weight, run in zip(weights, column, strict=True))
        - contrast.bound
        for column in zip(*runs, strict=True)
    ]
    gain = statistics.fmean(gains)
    converged = all(map(table.have_converged, runs))
    if len(contrast.terms) == 2 and not contrast.bound:
        worse, better = runs if gain < 0 else runs[::-1]
        reversible = not table.have_converged(worse) and table.catch_up(worse, better)
    else:
        reversible = not converged
    p_value, half = bootstrap(table, weights, runs, test, metric) or (None, None)
    return Estimate(
        contrast.label,
        gain,
        t_interval(gains),
        len(seeds),
        p_value,
        t_over_seeds(gains),
        converged,
        reversible,
        None if half is None else (gain - half, gain + half),
    )


def t_over_seeds(gains: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Student's t for the gains of seeds against 0; None for a single seed."""
    if len(gains) < 2:
        return None
    if np.ptp(gains) == 0:
        return 1.0 if gains[0] == 0 else 0.0
    return float(stats.ttest_1samp(gains, 0.0).pvalue)


def t_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of values by Student's t, `(low, high)`; None for a single value."""
    if len(values) < 2:
        return None
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    mean = statistics.fmean(values)
    return float(mean - half), float(mean + half)


def bootstrap(
    table: Any, weights: Sequence[float], runs: Sequence[Sequence], test: str, metric: str
) -> tuple[float, float] | None:
    """Return what paired resamples of sentences say about a weighted sum of mean scores over seeds.

    `weights` and `runs` have one entry for each cell. The two numbers are the two-sided p-value and half the width of
    the 95 % interval. None without stored statistics of sentences.
    """
    rows = [[table.statistics(name).get((test, metric)) for name in names] for names in runs]
    if any(one is None for side in rows for one in side):
        return None
    score = METRICS[metric].score_function(Options())
    systems = [one for side in rows for one in side]
    resampled = resampled_scores(score, systems, Resampling())
    observed = np.array([score(system.sum(axis=0)) for system in systems])
    seeds = len(rows[0])

    def gain(scores):
        means = scores.reshape(len(weights), seeds, -1).mean(axis=1)
        return np.tensordot(weights, means, axes=1)

    gains = gain(resampled)
    half = np.quantile(np.abs(gains - gains.mean()), CONFIDENCE)
    return p_value(gains, gain(observed)[0]), float(half)


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The ratio of two times with its 95 % interval over turns, None without stored turns."""

    value: float
    low: float | None
    high: float | None

    def __str__(self):
        return f"{self.value:.2f}" + (f" [{self.low:.2f}, {self.high:.2f}]" if self.low is not None else "")


def ratio(value: float, ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Return the `Ratio` of times, with the interval from the times of alternating turns."""
    logarithms = [math.log(one / other) for one, other in zip(ours, theirs, strict=True)]
    interval = t_interval(logarithms)
    return Ratio(value, *(map(math.exp, interval) if interval else (None, None)))
