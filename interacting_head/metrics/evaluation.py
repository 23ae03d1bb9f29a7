"""Evaluation of several systems: scores, comparisons, and scores by sentence length."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from interacting_head.metrics import METRICS
from interacting_head.metrics.metric import Metric, MetricUnavailable, Options, Result
from interacting_head.metrics.significance import Resampling, SystemScore, compare

# As in Figure 3 of the paper on multi-layer multi-head attention, which counts sub-words.
GROUPS = {
    "<10": (0, 10),
    "10-20": (10, 20),
    "20-30": (20, 30),
    "30-40": (30, 40),
    "40-50": (40, 51),
    ">50": (51, math.inf),
}


@dataclasses.dataclass(frozen=True)
class LengthGroup:
    """The sentences with a source length within a range."""

    length: str  # the range: `10-20` begins at 10 and ends before 20; 50 belongs to `40-50`
    sentences: int
    scores: list[tuple[str, float | None]]  # (system, score of these sentences); None where there are none


@dataclasses.dataclass
class Evaluation:
    """Scores of a system and its comparison with others, by metric."""

    results: dict[str, Result] = dataclasses.field(default_factory=dict)  # of the first system
    unavailable: dict[str, str] = dataclasses.field(default_factory=dict)  # why a metric cannot be computed here
    comparisons: dict[str, list[SystemScore]] = dataclasses.field(default_factory=dict)  # empty for one system
    source_lengths: dict[str, list[LengthGroup]] = dataclasses.field(default_factory=dict)  # empty without a source


def evaluate_systems(
    systems: Sequence[tuple[str, list[str]]],
    references: Sequence[list[str]],
    names: Sequence[str],
    options: Options,
    resampling: Resampling,
    sources: Sequence[str] | None = None,
) -> Evaluation:
    """Score systems, (name, hypotheses) with the baseline first, with each available metric."""
    evaluation, metrics = Evaluation(), {}
    with tqdm(total=len(names), unit="metric", disable=None, leave=False) as progress:

        def show(name):
            waits_for = METRICS[name].waits_for
            progress.set_description(f"{name}, {waits_for}" if waits_for else name)

        for name in names:  # all, before the first one scores: an unusable option is an error
            show(name)
            try:
                metrics[name] = METRICS[name](options)
            except MetricUnavailable as error:
                evaluation.unavailable[name] = str(error)
                progress.update()
        for name, metric in metrics.items():
            show(name)
            try:
                statistics = [(system, metric.statistics(lines, references)) for system, lines in systems]
            except MetricUnavailable as error:
                evaluation.unavailable[name] = str(error)
                progress.update()
                continue
            evaluation.results[name] = metric.result(statistics[0][1], len(references))
            if len(systems) > 1:
                progress.set_description(f"{name}, resampling")
                evaluation.comparisons[name] = compare(metric, statistics, len(references), resampling)
            if sources is not None:
                evaluation.source_lengths[name] = by_source_length(metric, statistics, sources)
            progress.update()
    return evaluation


def by_source_length(
    metric: Metric, systems: Sequence[tuple[str, np.ndarray]], sources: Sequence[str]
) -> list[LengthGroup]:
    """Score systems, (name, statistics), on each of the `GROUPS` of source lengths in words."""
    lengths = np.array([len(line.split()) for line in sources])
    groups = []
    for label, (first, end) in GROUPS.items():
        chosen = (lengths >= first) & (lengths < end)
        sums = [(name, statistics[chosen].sum(axis=0)) for name, statistics in systems]
        scores = [(name, metric.score(one) if chosen.any() else None) for name, one in sums]
        groups.append(LengthGroup(label, int(chosen.sum()), scores))
    return groups
