"""The metrics YiSi-0 and YiSi-1.

Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different
levels of available resources. Without semantic roles, like its program with `--beta 0`.
"""

import functools
import itertools
from pathlib import Path

from tqdm import tqdm

from data.files import check_plain
from interacting_head.metrics.metric import MeanMetric, MetricUnavailable
from interacting_head.metrics.yisi.embedders import Embedder
from interacting_head.metrics.yisi.similarity import (
    InverseFrequencies,
    SubstringSimilarity,
    VectorSimilarity,
    precision_and_recall,
)
from interacting_head.metrics.yisi.transformer_embedder import TransformerEmbedder
from interacting_head.metrics.yisi.word_vectors import WordVectors

BLOCK = 256  # sentences that are compared, and embedded, at a time


class YiSi(MeanMetric):
    """Base of both metrics: n-grams of similar units, weighted by the units' rarity in the references.

    The score of a sentence is PR / (αP + (1 − α)R), where precision P and recall R are each the greatest over
    the references; the corpus score is the mean.

    Args:
        options: `lowercase` lowercases both sides; `tokenized` has no effect, for words are split at spaces only.
        similarity: a `SubstringSimilarity` or `VectorSimilarity`.
        n: length of the n-grams.
        alpha: α.
    """

    def __init__(self, options, similarity, n=3, alpha=0.8):
        super().__init__(options)
        self.similarity, self.n, self.alpha = similarity, n, alpha
        self.settings = {"similarity": similarity.name, "n": n, "alpha": alpha}
        self.definition = (
            f"{similarity.description}; {options.case}; {n}-grams weighted by their inverse frequency in the "
            f"references; PR / (αP + (1 − α)R) with α = {alpha}; mean over sentences"
        )

    def values(self, hypotheses, references):
        """Return the scores of the sentences, in per cent."""
        hypotheses, *references = map(self.options.cased, (hypotheses, *references))
        similarity = self.similarity
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


class YiSi0(YiSi):
    """`yisi0`: words are as similar as their longest common substring is long."""

    def __init__(self, options, **kwargs):
        super().__init__(options, SubstringSimilarity(), **kwargs)


class YiSi1(YiSi):
    """`yisi1`: units are as similar as their vectors are.

    Args:
        options: `embedder` is a file of word vectors, the folder of a transformer, or an `Embedder`.

    Raises:
        MetricUnavailable: without an embedder, or with one that cannot be read.
    """

    waits_for = "loading the embedder"

    def __init__(self, options, **kwargs):
        if not options.embedder:
            raise MetricUnavailable(
                "yisi1 needs an embedder; name a file of word vectors (word2vec's format) or the folder of a "
                "transformer with --embedder, or choose yisi0, which needs none"
            )
        super().__init__(options, VectorSimilarity(load_embedder(options.embedder)), **kwargs)


def load_embedder(source):
    """Return an `Embedder` for a file of word vectors or for the folder of a transformer.

    Args:
        source: a path; or an `Embedder`, which is returned.

    Raises:
        MetricUnavailable: when there is nothing of that name, or nothing usable.
        InputError: for a pipe, which cannot be read twice.
    """
    if isinstance(source, Embedder):
        return source
    path = Path(source)
    check_plain(path)
    if not path.exists():
        raise MetricUnavailable(f"there is no embedder {path}; name a file of word vectors or a transformer's folder")
    return _load(path.resolve(), path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _load(path, time_of_change):
    # Kept, so that all systems of a comparison share it.
    return TransformerEmbedder(path) if path.is_dir() else WordVectors(path)
