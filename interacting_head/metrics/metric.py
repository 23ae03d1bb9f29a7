"""Base of all metrics: statistics of each sentence, and a score of their sum.

Scores of the corpus, of some of its sentences and of bootstrap resamples all come from such sums, so the text is read
only once.
"""

import abc
import dataclasses
from collections.abc import Sequence

import numpy as np

from data.errors import InputError
from interacting_head import __version__


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of all metrics; each metric reads the ones it needs."""

    lowercase: bool = False  # ignore case
    tokenized: bool = False  # the text is tokenised already
    language: str | None = None  # code of the language of the text, where it is known
    meteor_language: str = "en"  # code of the language whose parameters, stemmer and paraphrases METEOR uses
    embedder: object = None  # source of YiSi-1's vectors: a path, or an `Embedder`

    @property
    def case(self) -> str:
        """The treatment of capital letters, for definitions."""
        return "lowercased" if self.lowercase else "case kept"

    def cased(self, lines: Sequence[str]) -> list[str]:
        """Return the lines as they are compared: lowercased where case is ignored."""
        return [line.lower() for line in lines] if self.lowercase else list(lines)


@dataclasses.dataclass(frozen=True)
class Result:
    """The score of a set of translations by one metric."""

    score: float  # of the corpus, on the papers' scale: per cent, but CIDEr 0 to 10
    sentence_scores: list[float]
    signature: str  # everything that must be equal for two scores to be comparable
    definition: str  # the same in words
    details: dict[str, float] = dataclasses.field(default_factory=dict)  # further figures of the corpus by name


class MetricUnavailable(InputError):  # noqa: N818 (a state of the machine rather than an error)
    """Error of a metric whose tool or embedder is missing or unusable; its message says what to do."""


class Metric(abc.ABC):
    """Base of all metrics.

    A subclass sets `definition` and `settings` in `__init__`, and defines `statistics` and `score`; a metric that
    another tool computes overrides `signature` instead of setting `settings`. `__init__` or `statistics` raises
    `MetricUnavailable` where an optional package or program is missing.

    Attributes:
        definition: in words, how the score is computed.
        settings: all that the score depends on except case and references, for the signature.
        higher_is_better: False for error rates.
        waits_for: what it does for a while before the first sentence, or nothing.
    """

    definition: str
    settings: dict
    higher_is_better = True
    waits_for = ""

    def __init__(self, options: Options):
        self.options = options

    @abc.abstractmethod
    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the statistics of each of N sentences, float64 of shape (N, K).

        Args:
            references: one or more lists of N strings, none of them blank.
        """

    @abc.abstractmethod
    def score(self, sums: np.ndarray) -> float:
        """Return the corpus score from the statistics' sum over sentences, of shape (K,)."""

    def sentence_score(self, row: np.ndarray) -> float:
        """Return the score of one sentence from its row of `statistics`."""
        return self.score(row)

    def details(self, sums: np.ndarray) -> dict[str, float]:
        """Return further figures of the corpus by name."""
        return {}

    def signature(self, number_of_references: int) -> str:
        """Return `nrefs:…|case:…|key:value|…|version:…`: what must be equal for two scores to be comparable."""
        case = "lc" if self.options.lowercase else "mixed"
        items = {"nrefs": number_of_references, "case": case, **self.settings}
        items["version"] = f"interacting-head-{__version__}"
        return "|".join(f"{key}:{value}" for key, value in items.items())

    def result(self, statistics: np.ndarray, number_of_references: int) -> Result:
        """Return the `Result` for the `statistics` of a set of translations."""
        sums = statistics.sum(axis=0)
        return Result(
            self.score(sums),
            [self.sentence_score(row) for row in statistics],
            self.signature(number_of_references),
            self.definition,
            self.details(sums),
        )


class MeanMetric(Metric):
    """A metric whose corpus score is the mean of its sentence scores; a subclass defines `values`."""

    @abc.abstractmethod
    def values(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Sequence[float]:
        """Return the score of each sentence."""

    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the score of each sentence and 1: shape (N, 2)."""
        values = np.asarray(self.values(hypotheses, references), dtype=np.float64)
        return np.stack([values, np.ones_like(values)], axis=1)

    def score(self, sums: np.ndarray) -> float:
        return float(sums[0] / sums[1])
