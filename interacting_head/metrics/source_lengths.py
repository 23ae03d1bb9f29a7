"""Scores of short and of long sentences, by the length of the source."""

import dataclasses
import math

import numpy as np

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
