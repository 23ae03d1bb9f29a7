"""The numbers behind YiSi: weights of units, similarities of units, and coverage of n-grams."""

import collections
import functools
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np


class InverseFrequencies:
    """Weights of units: log2(1 + (N + 1) / (c + 1)), with c of the N reference sentences containing it.

    A unit that is in no reference counts as its lowercase form (ASCII letters), as in YiSi's program.
    """

    def __init__(self, sentences: Iterable[Sequence[bytes]]):
        self._number = 0
        self._counts = collections.Counter()
        for units in sentences:
            self._number += 1
            self._counts.update(set(units))
        self._weights = {}

    def __call__(self, units: Sequence[bytes]) -> np.ndarray:
        """Return the weight of each unit."""
        return np.array([self._weights.get(unit) or self._weight(unit) for unit in units], dtype=np.float64)

    def _weight(self, unit):
        count = self._counts.get(unit) or self._counts.get(unit.lower(), 0)
        weight = self._weights[unit] = math.log2(1 + (self._number + 1) / (count + 1))
        return weight


def substring_similarities(reference: Sequence[bytes], hypothesis: Sequence[bytes]) -> np.ndarray:
    """Return twice the longest common substring of two words over the sum of their lengths, in bytes."""
    similarities = [_substring_similarity(*pair) for pair in itertools.product(reference, hypothesis)]
    return np.array(similarities).reshape(len(reference), len(hypothesis))


@functools.lru_cache(maxsize=2**16)
def _substring_similarity(first, second):
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
    """Return the cosines of the vectors of two sentences, 0 where they are negative.

    Args:
        reference, hypothesis: units, and their vectors.
        same_words_are_equal: whether units that differ at most in the case of ASCII letters have 1.
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


def split_words(line: str) -> list[bytes]:
    """Return the words of a line as UTF-8 bytes, split at spaces only, as YiSi's program does."""
    return [word for word in line.encode("utf-8", errors="replace").split(b" ") if word]


def precision_and_recall(
    similarities: np.ndarray, reference_weights: np.ndarray, hypothesis_weights: np.ndarray, n: int
) -> tuple[float, float]:
    """Return how well the n-grams of a hypothesis are found in a reference, and the other way round; 0 of nothing.

    Args:
        similarities: of shape (R, H), for R weights of the reference's units and H of the hypothesis's.
        n: length of the n-grams; shorter sentences are compared whole.
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
