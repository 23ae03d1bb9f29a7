"""The metrics YiSi-0 and YiSi-1.

Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different
levels of available resources. Without semantic roles, like its program with `--beta 0`.
"""

import abc
import collections
import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from tqdm import tqdm

from interacting_head.metrics.metric import MeanMetric, MetricUnavailable, Options
from interacting_head.metrics.yisi.embedders import load_embedder, split_words

BLOCK = 256  # sentences that are embedded and compared at a time


class YiSi(MeanMetric):
    """Base of both metrics: n-grams of similar units, weighted by the units' rarity in the references.

    The score of a sentence is PR / (αP + (1 − α)R), where precision P and recall R are each the greatest over the
    references; the corpus score is the mean. `tokenized` has no effect, because words are split at spaces only. `name`
    and `description` are for the similarity of units.
    """

    def __init__(self, options: Options, name: str, description: str, n: int = 3, alpha: float = 0.8):
        super().__init__(options)
        self.n, self.alpha = n, alpha
        self.settings = f"similarity:{name}|n:{n}|alpha:{alpha}"
        self.definition = (
            f"{description}; {options.case}; {n}-grams weighted by their inverse frequency in the "
            f"references; PR / (αP + (1 − α)R) with α = {alpha}; mean over sentences"
        )

    def prepare(self, lines: Sequence[str]) -> None:
        """Prepare for all lines, before any of them is compared."""

    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        """Return the units of each line."""
        return list(map(split_words, lines))

    def represent(self, lines: Sequence[str]) -> list:
        """Return the form of each line that `similarities` compares."""
        return self.units(lines)

    @abc.abstractmethod
    def similarities(self, reference: object, hypothesis: object) -> np.ndarray:
        """Return the similarities of the units of two sentences, (units of the reference, units of the hypothesis)."""

    def values(self, sentences: list) -> list[float]:
        hypotheses = [hypothesis for hypothesis, _ in sentences]
        references = list(map(list, zip(*(references for _, references in sentences), strict=True)))
        self.prepare([*hypotheses, *itertools.chain(*references)])
        reference_units = [self.units(reference) for reference in references]
        weights = inverse_frequencies(list(itertools.chain(*reference_units)))
        best = [(0.0, 0.0)] * len(hypotheses)
        with tqdm(total=len(hypotheses), desc="YiSi", unit="sentence", leave=False, disable=None) as progress:
            for start in range(0, len(hypotheses), BLOCK):
                block = slice(start, start + BLOCK)
                numbers = range(len(hypotheses))[block]
                of_hypotheses = self.represent(hypotheses[block])
                hypothesis_weights = list(map(weights, self.units(hypotheses[block])))
                for reference, units in zip(references, reference_units, strict=True):
                    pairs = zip(self.represent(reference[block]), of_hypotheses, strict=True)
                    for number, pair, of_hypothesis in zip(numbers, pairs, hypothesis_weights, strict=True):
                        matrix = self.similarities(*pair)
                        found = precision_and_recall(matrix, weights(units[number]), of_hypothesis, self.n)
                        best[number] = tuple(map(max, best[number], found))
                progress.update(len(numbers))
        return [100 * (P * R / (self.alpha * P + (1 - self.alpha) * R)) if P and R else 0.0 for P, R in best]


class YiSi0(YiSi):
    """`yisi0`: the similarity of words is the relative length of their longest common substring."""

    def __init__(self, options: Options, **kwargs: float):
        super().__init__(options, "substring", "YiSi-0: longest common substring of words, in bytes", **kwargs)

    def similarities(self, reference: list[bytes], hypothesis: list[bytes]) -> np.ndarray:
        similarities = [substring_similarity(*pair) for pair in itertools.product(reference, hypothesis)]
        return np.array(similarities).reshape(len(reference), len(hypothesis))


class YiSi1(YiSi):
    """`yisi1`: the similarity of units is the cosine of their vectors; raises `MetricUnavailable` without a usable one.

    The vectors come from an `Embedder`.
    """

    waits_for = "loading the embedder"

    def __init__(self, options: Options, **kwargs: float):
        if not options.embedder:
            raise MetricUnavailable(
                "yisi1 needs an embedder; name a word-vector file (word2vec's format) or the folder of a transformer "
                "with --embedder, or choose yisi0, which needs none"
            )
        self.embedder = load_embedder(options.embedder)
        description = f"YiSi-1: cosine of {self.embedder.description}, at least 0"
        super().__init__(options, self.embedder.name, description, **kwargs)

    def prepare(self, lines: Sequence[str]) -> None:
        self.embedder.prepare(lines)

    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        return self.embedder.units(lines)

    def represent(self, lines: Sequence[str]) -> list[tuple]:
        return list(zip(self.units(lines), self.embedder.vectors(lines), strict=True))

    def similarities(self, reference: tuple, hypothesis: tuple) -> np.ndarray:
        return cosines(reference, hypothesis, self.embedder.same_words_are_equal)


def inverse_frequencies(sentences: list[list[bytes]]) -> Callable[[list[bytes]], np.ndarray]:
    """Return a function that gives the weights of units: log2(1 + (N + 1) / (c + 1)), where c of N sentences have it.

    A unit in none of them counts as its lowercase form (ASCII letters), as in YiSi's program.
    """
    counts = collections.Counter(unit for units in sentences for unit in set(units))

    @functools.cache
    def weight(unit):
        return math.log2(1 + (len(sentences) + 1) / ((counts[unit] or counts[unit.lower()]) + 1))

    return lambda units: np.array(list(map(weight, units)), dtype=np.float64)


@functools.lru_cache(maxsize=2**16)
def substring_similarity(first: bytes, second: bytes) -> float:
    """Return twice the length of the longest common substring of two words over the sum of their lengths, in bytes."""
    return 2 * longest_common_substring(first, second) / (len(first) + len(second))


def longest_common_substring(first: bytes, second: bytes) -> int:
    """Return the length of the longest common substring."""
    longest = 0
    for start in range(len(first)):
        # Only a substring longer than all before matters.
        while start + longest < len(first) and first[start : start + longest + 1] in second:
            longest += 1
    return longest


def cosines(reference: tuple, hypothesis: tuple, same_words_are_equal: bool) -> np.ndarray:
    """Return the cosines, at least 0, between the units of two sentences, each a tuple of units and their vectors.

    With `same_words_are_equal`, units that differ at most in the case of ASCII letters have 1.
    """
    (reference_units, reference_vectors), (hypothesis_units, hypothesis_vectors) = reference, hypothesis
    if not reference_units or not hypothesis_units:
        return np.zeros((len(reference_units), len(hypothesis_units)))
    similarities = np.maximum(_unit_length(reference_vectors) @ _unit_length(hypothesis_vectors).T, 0)
    if same_words_are_equal:
        rows = np.array([unit.lower() for unit in reference_units], dtype=object)
        columns = np.array([unit.lower() for unit in hypothesis_units], dtype=object)
        similarities[rows[:, None] == columns] = 1
    return similarities


def _unit_length(vectors):
    vectors = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def precision_and_recall(
    similarities: np.ndarray, reference_weights: np.ndarray, hypothesis_weights: np.ndarray, n: int
) -> tuple[float, float]:
    """Return how well the n-grams of a hypothesis are covered by a reference, and vice versa; 0 of nothing.

    Similarities are `(R, H)`, for R weights of the reference's units and H of the hypothesis's. Sentences of fewer than
    n units are compared whole.
    """
    n = min(n, *similarities.shape)
    if not n:
        return 0.0, 0.0
    return _coverage(similarities.T, hypothesis_weights, n), _coverage(similarities, reference_weights, n)


def _coverage(similarities, weights, n):
    # For each n-gram of one side the best of the other, by the weighted mean of the similarities of units in the same
    # place. In the mean over n-grams, weighted by their weights, the weight that divides an n-gram's mean cancels.
    rows, columns = (length - n + 1 for length in similarities.shape)
    weighted = weights[:, None] * similarities
    ngrams = sum(weighted[place : place + rows, place : place + columns] for place in range(n))
    totals = sum(weights[place : place + rows] for place in range(n))
    return float(ngrams.max(axis=1).sum() / totals.sum())
