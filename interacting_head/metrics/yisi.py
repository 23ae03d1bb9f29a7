"""YiSi-0 and YiSi-1.

Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different
levels of available resources. Without semantic roles, like its program with `--beta 0`.
"""

import abc
import functools
import itertools
from pathlib import Path

from tqdm import tqdm

from interacting_head.metrics.embedders import Embedder
from interacting_head.metrics.metric import MeanMetric, MetricUnavailable, own_signature
from interacting_head.metrics.transformer_embedder import TransformerEmbedder
from interacting_head.metrics.word_vectors import WordVectors
from interacting_head.metrics.yisi_similarity import (
    InverseFrequencies,
    SubstringSimilarity,
    VectorSimilarity,
    precision_and_recall,
)

BLOCK = 256  # sentences that are compared, and embedded, at a time


class YiSi(MeanMetric):
    """Base of both: n-grams of similar units, weighted by the units' rarity in the references.

    The score of a sentence is PR / (αP + (1 − α)R), where precision P and recall R are each the greatest over
    the references; the corpus score is the mean.

    Args:
        options: `lowercase` lowercases both sides; `tokenized` has no effect, for words are split at spaces only.
        n: length of the n-grams.
        alpha: α.
    """

    def __init__(self, options, n=3, alpha=0.8):
        super().__init__(options)
        self.n = n
        self.alpha = alpha

    @abc.abstractmethod
    def similarity(self):
        """Return the model of similarity, which has the methods of `SubstringSimilarity`."""

    def values(self, hypotheses, references):
        """Return the scores of the sentences, in per cent."""
        hypotheses, *references = map(self.options.cased, (hypotheses, *references))
        similarity = self.similarity()
        similarity.prepare([*hypotheses, *itertools.chain(*references)])
        reference_units = [similarity.units(reference) for reference in references]
        weights = InverseFrequencies(itertools.chain(*reference_units))
        best = [(0.0, 0.0)] * len(hypotheses)
        with tqdm(total=len(hypotheses), desc="YiSi", unit="sentence", leave=False, disable=None) as progress:
            for start in range(0, len(hypotheses), BLOCK):
                block = slice(start, start + BLOCK)
                numbers = range(len(hypotheses))[block]
                of_hypotheses = similarity.represent(hypotheses[block])
                hypothesis_weights = [weights(units) for units in similarity.units(hypotheses[block])]
                for reference, units in zip(references, reference_units, strict=True):
                    matrices = similarity.matrices(similarity.represent(reference[block]), of_hypotheses)
                    for number, matrix, of_hypothesis in zip(numbers, matrices, hypothesis_weights, strict=True):
                        found = precision_and_recall(matrix, weights(units[number]), of_hypothesis, self.n)
                        best[number] = tuple(map(max, best[number], found))
                progress.update(len(numbers))
        return [100 * self._harmonic_mean(*pair) for pair in best]

    def _harmonic_mean(self, precision, recall):
        if not precision or not recall:
            return 0.0
        return precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)

    def _signature(self, number_of_references, similarity):
        return own_signature(number_of_references, self.options, similarity=similarity, n=self.n, alpha=self.alpha)

    def _definition(self, similarity):
        return (
            f"{similarity}; {self.options.case}; {self.n}-grams weighted by their inverse frequency in the references; "
            f"PR / (αP + (1 − α)R) with α = {self.alpha}; mean over sentences"
        )


class YiSi0(YiSi):
    """`yisi0`: words are as similar as their longest common substring is long."""

    def __init__(self, options, **kwargs):
        super().__init__(options, **kwargs)
        self.definition = self._definition("YiSi-0: longest common substring of words, in bytes")

    def similarity(self):
        """Return the model of similarity."""
        return SubstringSimilarity()

    def signature(self, number_of_references):
        """Return the signature."""
        return self._signature(number_of_references, "substring")


class YiSi1(YiSi):
    """`yisi1`: units are as similar as their vectors are.

    Args:
        options: `embedder` is a file of word vectors, the folder of a transformer, or an `Embedder`.

    Raises:
        MetricUnavailable: without an embedder, or with one that cannot be read.
    """

    def __init__(self, options, **kwargs):
        super().__init__(options, **kwargs)
        if not options.embedder:
            raise MetricUnavailable(
                "yisi1 needs an embedder; name a file of word vectors (word2vec's format) or the folder of a "
                "transformer with --embedder, or choose yisi0, which needs none"
            )
        self._embedder = load_embedder(options.embedder)
        self.definition = self._definition(f"YiSi-1: cosine of {self._embedder.description}, at least 0")

    def similarity(self):
        """Return the model of similarity."""
        return VectorSimilarity(self._embedder)

    def signature(self, number_of_references):
        """Return the signature."""
        return self._signature(number_of_references, self._embedder.name)


def load_embedder(source):
    """Return an `Embedder` for a file of word vectors or for the folder of a transformer.

    Args:
        source: a path; or an `Embedder`, which is returned.

    Raises:
        MetricUnavailable: when there is nothing of that name, or nothing usable.
    """
    if isinstance(source, Embedder):
        return source
    path = Path(source)
    if not path.exists():
        raise MetricUnavailable(f"there is no embedder {path}; name a file of word vectors or a transformer's folder")
    return _load(path.resolve(), path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _load(path, time_of_change):
    # Kept, so that all systems of a comparison share it.
    return TransformerEmbedder(path) if path.is_dir() else WordVectors(path)
