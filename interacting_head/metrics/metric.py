"""Base of all metrics: statistics of each sentence, and a score of their sum.

Scores of the whole corpus, of some of its sentences and of bootstrap resamples all come from such sums, so that the
text is read once only.
"""

import abc
import dataclasses

import numpy as np

from data.errors import InputError
from interacting_head import __version__


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of all metrics; each metric reads those that concern it.

    Attributes:
        lowercase: ignore case.
        tokenized: the text is tokenised already.
        language: code of the language of the text; None where it is not said.
        meteor_language: code of the language whose parameters, stemmer and paraphrases METEOR uses.
        embedder: the source of YiSi-1's vectors: a path, or an `Embedder`.
    """

    lowercase: bool = False
    tokenized: bool = False
    language: str | None = None
    meteor_language: str = "en"
    embedder: object = None

    @property
    def case(self):
        """The treatment of capital letters, in the words of a definition."""
        return "lowercased" if self.lowercase else "case kept"

    def cased(self, lines):
        """Return the lines as they are compared: a list, lowercased where case is ignored."""
        return [line.lower() for line in lines] if self.lowercase else list(lines)


@dataclasses.dataclass(frozen=True)
class Result:
    """The score of a set of translations by one metric.

    Attributes:
        score: the corpus score on the papers' scale (per cent; CIDEr 0 to 10).
        sentence_scores: one score a sentence, as the metric defines it.
        signature: everything that must be equal for two scores to be comparable.
        definition: the same in words.
        details: further figures of the corpus by name, such as a second way to average.
    """

    score: float
    sentence_scores: list[float]
    signature: str
    definition: str
    details: dict[str, float] = dataclasses.field(default_factory=dict)


class MetricUnavailable(InputError):  # noqa: N818 (a state of the machine rather than an error)
    """Error of a metric whose tool or embedder is missing or unusable; its message says what to do."""


class Metric(abc.ABC):
    """Base of all metrics.

    A subclass sets `definition` and `settings` in `__init__`, and gives `statistics` and `score`; one that a tool with
    a version of its own computes gives `signature` instead of `settings`. `__init__` or `statistics` raises
    `MetricUnavailable` where an optional package or program is missing.

    Args:
        options: an `Options`.

    Attributes:
        definition: in words, how the score is computed.
        settings: `{key: value}` of the signature, of all that the score depends on beside case and references.
        higher_is_better: False for error rates.
        waits_for: what it does for a while before the first sentence, or nothing.
    """

    definition: str
    settings: dict
    higher_is_better = True
    waits_for = ""

    def __init__(self, options):
        self.options = options

    @abc.abstractmethod
    def statistics(self, hypotheses, references):
        """Return the statistics of each sentence: a float64 array of shape (number of sentences, K).

        Args:
            hypotheses: list of N strings.
            references: list of references, each a list of N strings, none of them blank.
        """

    @abc.abstractmethod
    def score(self, sums):
        """Return the corpus score, a float, from `sums` of shape (K,): the statistics' sum over sentences."""

    def sentence_score(self, row):
        """Return the score of one sentence from its row of `statistics`."""
        return self.score(row)

    def details(self, sums):
        """Return further figures of the corpus, `{name: float}`."""
        return {}

    def signature(self, number_of_references):
        """Return `nrefs:…|case:…|key:value|…|version:…`: what must be equal for two scores to be comparable."""
        case = "lc" if self.options.lowercase else "mixed"
        items = {"nrefs": number_of_references, "case": case, **self.settings}
        items["version"] = f"interacting-head-{__version__}"
        return "|".join(f"{key}:{value}" for key, value in items.items())

    def result(self, statistics, number_of_references):
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
    """A metric whose corpus score is the mean of its sentence scores: a subclass gives these by `values`."""

    @abc.abstractmethod
    def values(self, hypotheses, references):
        """Return the score of each sentence, N numbers; arguments as of `statistics`."""

    def statistics(self, hypotheses, references):
        """Return the score of each sentence and 1: shape (N, 2)."""
        values = np.asarray(self.values(hypotheses, references), dtype=np.float64)
        return np.stack([values, np.ones_like(values)], axis=1)

    def score(self, sums):
        """Return the mean."""
        return float(sums[0] / sums[1])
