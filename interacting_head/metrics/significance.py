"""Paired bootstrap resampling, which tests whether a system is better than another, or lucky with this test set.

Koehn (2004), Statistical significance tests for machine translation evaluation; Riezler and Maxwell (2005),
On some pitfalls in automatic evaluation and significance testing for MT.

Sentences are drawn with replacement, the same ones for both systems. Statistics add up over sentences, so resamples are
scored without their text.

The p-value is two-sided: the share of resamples whose difference deviates from the mean difference by at least the
observed one. For equal systems it is uniform. sacrebleu's own p-value compares absolute differences: it never exceeds
0.44 or so, and at 0.05 it finds one in nine pairs of equal systems different. It is also given, for comparability.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from interacting_head.metrics.metric import Metric
from interacting_head.metrics.sacrebleu_metrics import SacrebleuMetric

RESAMPLES = 1000
SEED = 12345
STYLES = ("sacrebleu", "compare-mt")
TIES = 1e-9  # differences of scores below this are rounding


@dataclasses.dataclass(frozen=True)
class Resampling:
    """Method of drawing sentences; both reproduce the numbers of the tool of that name for the same seed.

    "sacrebleu" draws as many sentences as the set has with NumPy's newer generator, "compare-mt" half as many with the
    older one.
    """

    style: str = "sacrebleu"
    seed: int = SEED

    @property
    def is_of_compare_mt(self) -> bool:
        """True for the style of compare-mt."""
        return self.style == "compare-mt"

    @property
    def signature(self) -> str:
        """The resamples' part of a signature."""
        return f"bs:{RESAMPLES}|seed:{self.seed}{'|size:0.5' * self.is_of_compare_mt}"

    def size(self, sentences: int) -> int:
        """Return the number of sentences in a resample."""
        return max(1, sentences // 2) if self.is_of_compare_mt else sentences

    def draws(self, sentences: int) -> Iterator[np.ndarray]:
        """Yield for each resample how often each sentence is drawn, float64 (sentences,)."""
        generator = (np.random.RandomState if self.is_of_compare_mt else np.random.default_rng)(self.seed)
        for _ in range(RESAMPLES):
            drawn = generator.choice(sentences, size=self.size(sentences))
            yield np.bincount(drawn, minlength=sentences).astype(np.float64)

    def interval(self, scores: np.ndarray) -> tuple[float, float]:
        """Return the ends of the 95 % confidence interval; the tools differ in the upper one."""
        ordered, cut = np.sort(scores), len(scores) // 40
        last = int(len(ordered) * 0.975) if self.is_of_compare_mt else len(ordered) - 1 - cut
        return float(ordered[cut]), float(ordered[last])


@dataclasses.dataclass(frozen=True)
class SystemScore:
    """One system in a comparison; figures against the baseline are None for the baseline itself."""

    system: str
    score: float  # of the corpus, on the papers' scale
    mean: float  # of the resamples' scores, as are the next three
    median: float
    lower: float  # of the 95 % confidence interval
    upper: float
    wins: float | None  # share of the resamples in which it is better than the baseline
    losses: float | None  # share in which it is worse
    p_value: float | None  # two-sided, of the difference from the baseline
    p_value_sacrebleu: float | None  # by sacrebleu's `PairedTest`, for its own metrics and resamples only
    signature: str  # the metric's, with the number of resamples and the seed


def compare(
    metric: Metric,
    systems: Sequence[tuple[str, np.ndarray]],
    number_of_references: int,
    resampling: Resampling | None = None,
) -> list[SystemScore]:
    """Compare systems, (name, statistics), with the first of them by paired bootstrap resampling."""
    resampling = resampling or Resampling()
    names, statistics = zip(*systems, strict=True)
    sentences = len(statistics[0])
    resampled = resampled_scores(metric.score, statistics, resampling)
    scores = [metric.score(rows.sum(axis=0)) for rows in statistics]
    shrinkage = np.sqrt(resampling.size(sentences) / sentences)
    signature = metric.signature(number_of_references).replace("|", f"|{resampling.signature}|", 1)
    like_sacrebleu = isinstance(metric, SacrebleuMetric) and not resampling.is_of_compare_mt
    comparison = []
    for name, score, values in zip(names, scores, resampled, strict=True):
        against_baseline = dict.fromkeys(["wins", "losses", "p_value", "p_value_sacrebleu"])
        if comparison:
            differences = values - resampled[0]
            gains = differences if metric.higher_is_better else -differences
            against_baseline |= {
                "wins": float(np.mean(gains > TIES)),
                "losses": float(np.mean(gains < -TIES)),
            }
            if sentences > 1:  # every resample of a single sentence is that sentence
                against_baseline["p_value"] = p_value(differences, score - scores[0], shrinkage)
                if like_sacrebleu:
                    against_baseline["p_value_sacrebleu"] = sacrebleu_p_value(differences, score - scores[0])
        of_resamples = float(values.mean()), float(np.median(values)), *resampling.interval(values)
        comparison.append(SystemScore(name, score, *of_resamples, **against_baseline, signature=signature))
    return comparison


def resampled_scores(
    score: Callable[[np.ndarray], float], statistics: Sequence[np.ndarray], resampling: Resampling
) -> np.ndarray:
    """Return the scores of systems on the same resamples, `(systems, RESAMPLES)`, from statistics `(sentences, K)`."""
    together = np.concatenate(statistics, axis=1)  # side by side: one product a resample
    sums = np.array([draw @ together for draw in resampling.draws(len(together))])
    return np.array([[score(row) for row in rows] for rows in np.split(sums, len(statistics), axis=1)])


def p_value(differences: np.ndarray, observed: float, shrinkage: float = 1.0) -> float:
    """Return the two-sided p-value of a difference observed on the whole set, from the differences of the resamples.

    `shrinkage` is √(size of a resample / size of the set): smaller resamples vary more.
    """
    deviations = np.abs(differences - differences.mean()) * shrinkage
    return float((np.count_nonzero(deviations >= abs(observed) - TIES) + 1) / (len(differences) + 1))


def sacrebleu_p_value(differences: np.ndarray, observed: float) -> float:
    """Return the p-value of sacrebleu's `PairedTest`; arguments as in `p_value`."""
    absolute = np.abs(differences)
    beyond = np.count_nonzero(absolute - absolute.mean() > abs(observed))
    return float((beyond + 1) / (len(differences) + 1))
