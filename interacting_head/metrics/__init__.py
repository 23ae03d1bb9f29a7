"""Metrics of translation quality: lists of hypotheses and references in, scores with signatures out.

Start at `evaluate`; the verb `evaluate` calls `evaluation.evaluate_systems`, which also compares systems. To add a
metric, subclass `metric.Metric` and add a line to `METRICS`. docs/metrics.md defines each metric.
"""

from collections.abc import Iterable

from data.errors import InputError, nearest_names
from interacting_head.metrics.captioning import Cider, RougeL
from interacting_head.metrics.lines import check_lines
from interacting_head.metrics.meteor import Meteor, MeteorNltk
from interacting_head.metrics.metric import MetricUnavailable, Options, Result
from interacting_head.metrics.sacrebleu_metrics import ChrF, MultiBleu, SacreBleu, TranslationEditRate
from interacting_head.metrics.wer import FlooredWordErrorRate, WordErrorRate
from interacting_head.metrics.yisi import YiSi0, YiSi1

__all__ = ["METRICS", "MetricUnavailable", "Options", "Result", "check_names", "evaluate"]

METRICS = {
    "bleu": MultiBleu,
    "sacrebleu": SacreBleu,
    "chrf": ChrF,
    "ter": TranslationEditRate,
    "wer": WordErrorRate,
    "wer_paper": FlooredWordErrorRate,
    "meteor": Meteor,
    "meteor_nltk": MeteorNltk,
    "rouge_l": RougeL,
    "cider": Cider,
    "yisi0": YiSi0,
    "yisi1": YiSi1,
}


def evaluate(
    hypotheses: Iterable[str], references: Iterable, names: str | Iterable[str], **options: object
) -> dict[str, Result]:
    """Score hypotheses with each of the named metrics.

    Args:
        hypotheses: one string per sentence; an empty string is an empty translation.
        references: strings, or several lists of strings.
        names: keys of `METRICS`.
        **options: attributes of `Options`.

    Raises:
        InputError: for an unknown metric, unequal numbers of lines or an empty reference.
        MetricUnavailable: for a metric whose tool is missing.

    Example:
        >>> evaluate(["the cat sat on the mat"], ["the cat sat on a mat"], ["bleu"])["bleu"].score
        53.7284...
    """
    names = check_names([names] if isinstance(names, str) else names)
    hypotheses, references = list(hypotheses), list(references)
    references = [references] if references and isinstance(references[0], str) else references
    references = [list(reference) for reference in references]
    check_lines(hypotheses, references)
    metrics = {name: METRICS[name](Options(**options)) for name in names}  # all, before the first one scores
    return {
        name: metric.result(metric.statistics(hypotheses, references), len(references))
        for name, metric in metrics.items()
    }


def check_names(names: Iterable[str]) -> list[str]:
    """Return the distinct names of metrics; raise `InputError`, with the closest name, for an unknown one."""
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in METRICS:
            [nearest] = nearest_names(name.lower(), METRICS, cutoff=0)
            raise InputError(f"unknown metric '{name}'; did you mean '{nearest}'? (known: {', '.join(METRICS)})")
    return names
