"""The metrics YiSi-0 and YiSi-1.

Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different
levels of available resources. Without semantic roles, like its program with `--beta 0`.
"""

import abc
import itertools
from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from interacting_head.metrics.metric import MeanMetric, MetricUnavailable, Options
from interacting_head.metrics.yisi.embedders import load_embedder
from interacting_head.metrics.yisi.similarity import (
    InverseFrequencies,
    cosines,
    precision_and_recall,
    split_words,
    substring_similarities,
)

BLOCK = 256  # sentences that are compared, and embedded, at a time


class YiSi(MeanMetric):
    """Base of both metrics: n-grams of similar units, weighted by the units' rarity in the references.

    The score of a sentence is PR / (αP + (1 − α)R), where precision P and recall R are each the greatest over the
    references; the corpus score is the mean. `tokenized` has no effect, because words are split at spaces only.

    Args:
        name: of the similarity of units, for the signature.
        description: of the similarity of units, for the definition.
        n: length of the n-grams.
        alpha: α.
    """

    def __init__(self, options: Options, name: str, description: str, n: int = 3, alpha: float = 0.8):
        super().__init__(options)
        self.n, self.alpha = n, alpha
        self.settings = {"similarity": name, "n": n, "alpha": alpha}
        self.definition = (
            f"{description}; {options.case}; {n}-grams weighted by their inverse frequency in the "
            f"references; PR / (αP + (1 − α)R) with α = {alpha}; mean over sentences"
        )

    def prepare(self, lines: Sequence[str]) -> None:
        """Make ready for all lines, before any of them is compared."""

    def units(self, lines: Sequence[str]) -> list[list[bytes]]:
        """Return the units of each line."""
        return [split_words(line) for line in lines]

    def represent(self, lines: Sequence[str]) -> list:
        """Return the form of each line that `similarities` compares."""
        return self.units(lines)

    @abc.abstractmethod
    def similarities(self, reference: object, hypothesis: object) -> np.ndarray:
        """Return the similarities of the units of two sentences, (units of the reference, units of the hypothesis)."""

    def values(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
        hypotheses, *references = map(self.options.cased, (hypotheses, *references))
        self.prepare([*hypotheses, *itertools.chain(*references)])
        reference_units = [self.units(reference) for reference in references]
        weights = InverseFrequencies(itertools.chain(*reference_units))
        best = [(0.0, 0.0)] * len(hypotheses)
        with tqdm(total=len(hypotheses), desc="YiSi", unit="sentence", leave=False, disable=None) as progress:
            for start in range(0, len(hypotheses), BLOCK):
                block = slice(start, start + BLOCK)
                numbers = range(len(hypotheses))[block]
                of_hypotheses = self.represent(hypotheses[block])
                hypothesis_weights = [weights(units) for units in self.units(hypotheses[block])]
                for reference, units in zip(references, reference_units, strict=True):
                    pairs = zip(self.represent(reference[block]), of_hypotheses, strict=True)
                    for number, pair, of_hypothesis in zip(numbers, pairs, hypothesis_weights, strict=True):
                        matrix = self.similarities(*pair)
                        found = precision_and_recall(matrix, weights(units[number]), of_hypothesis, self.n)
                        best[number] = tuple(map(max, best[number], found))
                progress.update(len(numbers))
        return [100 * self._harmonic_mean(*pair) for pair in best]

    def _harmonic_mean(self, precision, recall):
        if not precision or not recall:
            return 0.0
        return precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)


class YiSi0(YiSi):
    """`yisi0`: words are as similar as their longest common substring is long."""

    def __init__(self, options: Options, **kwargs: float):
        super().__init__(options, "substring", "YiSi-0: longest common substring of words, in bytes", **kwargs)

    def similarities(self, reference: list[bytes], hypothesis: list[bytes]) -> np.ndarray:
        return substring_similarities(reference, hypothesis)


class YiSi1(YiSi):
    """`yisi1`: units are as similar as the vectors that an `Embedder` gives them.

    Raises:
        MetricUnavailable: without an embedder, or with one that cannot be read.
    """

    waits_for = "loading the embedder"

    def __init__(self, options: Options, **kwargs: float):
        if not options.embedder:
            raise MetricUnavailable(
                "yisi1 needs an embedder; name a file of word vectors (word2vec's format) or the folder of a "
                "transformer with --embedder, or choose yisi0, which needs none"
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
