"""Base of all metrics: statistics of each sentence, and scores of their sums over a corpus, subset or resample."""

import abc
import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from data.errors import InputError
from interacting_head import __version__


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of all metrics; each metric reads the ones that it needs."""

    lowercase: bool = False  # ignore case
    tokenized: bool = False  # the text is tokenised already
    language: str | None = None  # code of the language of the text, where it is known
    meteor_language: str = "en"  # code of the language whose parameters, stemmer and paraphrases METEOR uses
    embedder: object = None  # source of YiSi-1's vectors: a path, or an `Embedder`

    @property
    def case(self) -> str:
        """The treatment of capital letters, for definitions."""
        return "lowercased" if self.lowercase else "case kept"


@dataclasses.dataclass(frozen=True)
class Result:
    """The score of a set of translations by one metric."""

    score: float  # of the corpus, on the papers' scale: per cent, but CIDEr 0 to 10
    sentence_scores: list[float]
    signature: str  # everything that must be equal for two scores to be comparable
    definition: str  # the same in words
    details: dict[str, float] = dataclasses.field(default_factory=dict)  # further figures of the corpus by name


class MetricUnavailable(InputError):  # noqa: N818 (a state of the machine rather than an error)
    """A metric's tool or embedder is missing or unusable; the message says what to do."""


class Metric(abc.ABC):
    """Base of all metrics; `__init__` or `statistics` raises `MetricUnavailable` if an optional tool is missing."""

    definition = ""  # in words, how the score is computed; `{case}` stands for `Options.case`
    settings = ""  # what the score depends on except case and references, as `key:value|…`, for the signature
    higher_is_better = True  # False for error rates
    waits_for = ""  # slow work before the first sentence, for the progress bar

    def __init__(self, options: Options):
        self.options = options
        self.definition = self.definition.format(case=options.case)

    @abc.abstractmethod
    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the statistics of N sentences, float64 `(N, K)`; each reference has N non-blank lines."""

    @abc.abstractmethod
    def score(self, sums: np.ndarray) -> float:
        """Return the corpus score from the sum of statistics over sentences, (K,)."""

    @classmethod
    def score_function(cls, options: Options) -> Callable[[np.ndarray], float]:
        """Return `score` for these options, where possible without the tools that `statistics` needs."""
        return cls(options).score

    def sentence_score(self, row: np.ndarray) -> float:
        """Return the score of one sentence from its row of `statistics`."""
        return self.score(row)

    def details(self, sums: np.ndarray) -> dict[str, float]:
        """Return further figures of the corpus by name."""
        return {}

    def signature(self, number_of_references: int) -> str:
        """Return `nrefs:…|case:…|key:value|…|version:…`: what must be equal for two scores to be comparable."""
        case = "lc" if self.options.lowercase else "mixed"
        return f"nrefs:{number_of_references}|case:{case}|{self.settings}|version:interacting-head-{__version__}"

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
    def values(self, sentences: list[tuple[str, tuple[str, ...]]]) -> Sequence:
        """Return the score of each sentence (hypothesis, references), perhaps followed by further numbers to sum up."""

    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the `values` of each sentence and 1, (N, 2) or wider."""
        if self.options.lowercase:
            hypotheses, *references = [[line.lower() for line in text] for text in (hypotheses, *references)]
        values = self.values(list(zip(hypotheses, zip(*references, strict=True), strict=True)))
        return np.column_stack([np.asarray(values, "float64"), np.ones(len(values))])

    def score(self, sums: np.ndarray) -> float:
        return float(sums[0] / sums[-1])
