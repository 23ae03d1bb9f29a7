"""The numbers behind YiSi: weights of units, similarities of units, and coverage of n-grams."""

import collections
import functools
import itertools
import math

import numpy as np


class InverseFrequencies:
    """Weights of units: log2(1 + (N + 1) / (c + 1)), with c of the N reference sentences containing it.

    A unit that is in no reference counts as its lowercase form (ASCII letters), like in YiSi's program.

    Args:
        sentences: the units of each reference sentence, lists of byte strings.
    """

    def __init__(self, sentences):
        self._number = 0
        self._counts = collections.Counter()
        for units in sentences:
            self._number += 1
            self._counts.update(set(units))
        self._weights = {}

    def __call__(self, units):
        """Return the weights of units, an array of the same length."""
        return np.array([self._weights.get(unit) or self._weight(unit) for unit in units], dtype=np.float64)

    def _weight(self, unit):
        count = self._counts.get(unit) or self._counts.get(unit.lower(), 0)
        weight = self._weights[unit] = math.log2(1 + (self._number + 1) / (count + 1))
        return weight


class SubstringSimilarity:
    """YiSi-0: twice the longest common substring of two words over the sum of their lengths, in bytes.

    Attributes:
        name: its name in the signature of a score.
        description: its name in the definition of a score.
    """

    name = "substring"
    description = "YiSi-0: longest common substring of words, in bytes"

    def prepare(self, lines):
        """Do nothing: no vectors have to be read."""

    def units(self, lines):
        """Return the words of each line, which spaces divide, as byte strings."""
        return [split_words(line) for line in lines]

    def represent(self, lines):
        """Return the form of each line that `matrices` compares: its words."""
        return self.units(lines)

    def matrices(self, references, hypotheses):
        """Return the similarities of the words of each sentence.

        Args:
            references: B references, as `represent` gives them.
            hypotheses: likewise, B hypotheses.

        Returns:
            B arrays of shape (words of the reference, words of the hypothesis).
        """
        return [
            np.array([_similarity(*pair) for pair in itertools.product(*words)]).reshape(*map(len, words))
            for words in zip(references, hypotheses, strict=True)
        ]


@functools.lru_cache(maxsize=2**16)
def _similarity(first, second):
    return 2 * longest_common_substring(first, second) / (len(first) + len(second))


def longest_common_substring(first, second):
    """Return the length of the longest common substring of two strings."""
    longest = 0
    for start in range(len(first)):
        # Of those that begin here, only one longer than all before matters.
        while start + longest < len(first) and first[start : start + longest + 1] in second:
            longest += 1
    return longest


class VectorSimilarity:
    """YiSi-1: the cosine of the vectors of two units, and 0 where it is negative.

    Args:
        embedder: an `Embedder`.
    """

    def __init__(self, embedder):
        self._embedder = embedder
        self.name = embedder.name
        self.description = f"YiSi-1: cosine of {embedder.description}, at least 0"
        self.prepare = embedder.prepare
        self.units = embedder.units

    def represent(self, lines):
        """Return the form of each line that `matrices` compares: (units, vectors)."""
        return list(zip(self._embedder.units(lines), self._embedder.vectors(lines), strict=True))

    def matrices(self, references, hypotheses):
        """Return B arrays, as `SubstringSimilarity.matrices`, of what `represent` gives."""
        return [self._matrix(*pair) for pair in zip(references, hypotheses, strict=True)]

    def _matrix(self, reference, hypothesis):
        (reference_units, reference_vectors), (hypothesis_units, hypothesis_vectors) = reference, hypothesis
        if not reference_units or not hypothesis_units:
            return np.zeros((len(reference_units), len(hypothesis_units)))
        similarities = np.maximum(_unit_length(reference_vectors) @ _unit_length(hypothesis_vectors).T, 0)
        if self._embedder.same_words_are_equal:
            rows = np.array([unit.lower() for unit in reference_units], dtype=object)
            columns = np.array([unit.lower() for unit in hypothesis_units], dtype=object)
            similarities[rows[:, None] == columns] = 1
        return similarities


def split_words(line):
    """Return the words of a line as UTF-8 bytes, split at spaces only, as YiSi's program does."""
    return [word for word in line.encode("utf-8", errors="replace").split(b" ") if word]


def precision_and_recall(similarities, reference_weights, hypothesis_weights, n):
    """Return how well the n-grams of a hypothesis are found in a reference, and the other way round.

    Args:
        similarities: array of shape (R, H).
        reference_weights: array of shape (R,).
        hypothesis_weights: array of shape (H,).
        n: length of the n-grams; shorter sentences are compared whole.

    Returns:
        (precision, recall), both 0 when a side is empty.
    """
    n = min(n, *similarities.shape)
    if not n:
        return 0.0, 0.0
    return _coverage(similarities.T, hypothesis_weights, n), _coverage(similarities, reference_weights, n)


def _coverage(similarities, weights, n):
    # For n-gram i of one side: the best n-gram of the other, by the weighted mean of the similarities of units
    # in the same place. Their mean, weighted by the weights of the n-grams, has the weights once only:
    # what an n-gram's mean is divided by is what the n-gram then counts.
    rows, columns = (length - n + 1 for length in similarities.shape)
    weighted = weights[:, None] * similarities
    ngrams = sum(weighted[place : place + rows, place : place + columns] for place in range(n))
    totals = sum(weights[place : place + rows] for place in range(n))
    return float(ngrams.max(axis=1).sum() / totals.sum())


def _unit_length(vectors):
    vectors = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
