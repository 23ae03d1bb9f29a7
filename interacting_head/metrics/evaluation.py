"""Evaluation of several systems: scores, comparisons, and scores of short and of long sentences."""

import dataclasses
import math

import numpy as np
from tqdm import tqdm

from interacting_head.metrics import METRICS
from interacting_head.metrics.metric import MetricUnavailable, Result
from interacting_head.metrics.significance import SystemScore, compare

# As in Figure 3 of the paper on multi-layer multi-head attention, where it counts sub-words.
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
    """The sentences whose source has a length within a range.

    Attributes:
        length: the range: `10-20` begins at 10 and ends before 20; 50 belongs to `40-50`.
        sentences: how many there are.
        scores: the score of these sentences for each (system, score); None where there are none.
    """

    length: str
    sentences: int
    scores: list[tuple[str, float | None]]


@dataclasses.dataclass
class Evaluation:
    """Scores of a system and, where there are others, their comparison.

    Attributes:
        results: `{metric: Result}` of the first system.
        unavailable: `{metric: reason}` of the metrics that cannot be computed here.
        comparisons: `{metric: [SystemScore, …]}`; empty where there is one system.
        source_lengths: `{metric: [LengthGroup, …]}`; empty without a source.
    """

    results: dict[str, Result] = dataclasses.field(default_factory=dict)
    unavailable: dict[str, str] = dataclasses.field(default_factory=dict)
    comparisons: dict[str, list[SystemScore]] = dataclasses.field(default_factory=dict)
    source_lengths: dict[str, list[LengthGroup]] = dataclasses.field(default_factory=dict)


def evaluate_systems(systems, references, names, options, resampling, sources=None):
    """Score systems with each of the named metrics; one that is unavailable here does not hold up the others.

    Args:
        systems: list of (name, hypotheses), the baseline first; hypotheses are lists of N strings.
        references: list of references, each a list of N strings.
        names: keys of `METRICS`.
        options: an `Options`.
        resampling: a `Resampling`, for the comparison.
        sources: list of N strings, or None.

    Returns:
        An `Evaluation`.
    """
    evaluation = Evaluation()
    with tqdm(names, unit="metric", disable=None, leave=False) as progress:
        for name in progress:
            waits_for = METRICS[name].waits_for
            progress.set_description(f"{name}, {waits_for}" if waits_for else name)
            try:
                metric = METRICS[name](options)
                statistics = [(system, metric.statistics(lines, references)) for system, lines in systems]
            except MetricUnavailable as error:
                evaluation.unavailable[name] = str(error)
                continue
            evaluation.results[name] = metric.result(statistics[0][1], len(references))
            if len(systems) > 1:
                progress.set_description(f"{name}, resampling")
                evaluation.comparisons[name] = compare(metric, statistics, len(references), resampling)
            if sources is not None:
                evaluation.source_lengths[name] = by_source_length(metric, statistics, sources)
    return evaluation


def by_source_length(metric, systems, sources):
    """Score the sentences of each range of lengths on their own.

    Args:
        metric: a `Metric`.
        systems: list of (name, statistics).
        sources: list of N strings; their length is their number of words, split at white space.

    Returns:
        A list of `LengthGroup`, one a range in `GROUPS`.
    """
    lengths = np.array([len(line.split()) for line in sources])
    groups = []
    for label, (first, end) in GROUPS.items():
        chosen = (lengths >= first) & (lengths < end)
        scores = [
            (name, metric.score(statistics[chosen].sum(axis=0)) if chosen.any() else None)
            for name, statistics in systems
        ]
        groups.append(LengthGroup(label, int(chosen.sum()), scores))
    return groups
