"""Evaluation of a set of systems: scores, comparisons and scores by source length."""

import dataclasses

from interacting_head.metrics import METRICS
from interacting_head.metrics.metric import MetricUnavailable, Result
from interacting_head.metrics.significance import SystemScore, compare
from interacting_head.metrics.source_lengths import LengthGroup, by_source_length


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
    for name in names:
        try:
            metric = METRICS[name](options)
            statistics = [(system, metric.statistics(lines, references)) for system, lines in systems]
        except MetricUnavailable as error:
            evaluation.unavailable[name] = str(error)
            continue
        evaluation.results[name] = metric.result(statistics[0][1], len(references))
        if len(systems) > 1:
            evaluation.comparisons[name] = compare(metric, statistics, len(references), resampling)
        if sources is not None:
            evaluation.source_lengths[name] = by_source_length(metric, statistics, sources)
    return evaluation
