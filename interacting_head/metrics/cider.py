"""CIDEr-D, which captioning tools call CIDEr.

Vedantam et al. (2015), CIDEr: consensus-based image description evaluation. CIDEr-D counts an n-gram no more
often than the reference has it, and lowers the score where the lengths differ. Sums and products are in the order of
nlg-eval's, so that scores agree to the last bit.
"""

import collections
import math

import numpy as np

from interacting_head.metrics.metric import MeanMetric

ORDER = 4
SIGMA = 6.0


class Cider(MeanMetric):
    """`cider`: the score that nlg-eval calls CIDEr, from 0 to 10. `tokenized` has no effect: it never tokenises.

    How much an n-gram weighs depends on the number of sentences whose references have it. In a resample or a
    part of the sentences, these frequencies stay those of the whole set.
    """

    def __init__(self, options):
        super().__init__(options)
        self.settings = {"tok": "none", "n": ORDER, "sigma": SIGMA, "idf": "references"}
        self.definition = (
            "CIDEr-D as nlg-eval: 10 · cosine of tf-idf vectors of n-grams, clipped, mean over n = 1 to 4 and over "
            "references, times a Gaussian (σ = 6) of the difference of lengths; words split at white space; "
            f"{options.case}; document frequencies of the scored references; mean over sentences, from 0 to 10"
        )

    def values(self, hypotheses, references):
        """Return CIDEr-D of each sentence."""
        hypotheses, *references = [
            [line.split() for line in self.options.cased(text)] for text in (hypotheses, *references)
        ]
        sentences = list(zip(hypotheses, zip(*references, strict=True), strict=True))
        frequencies = collections.Counter()
        for _, of_sentence in sentences:
            frequencies.update({ngram for words in of_sentence for counts in _ngrams(words) for ngram in counts})
        unseen = math.log(len(sentences))
        weights = {ngram: unseen - math.log(frequency) for ngram, frequency in frequencies.items()}

        def vectors(words):
            return [
                {ngram: count * weights.get(ngram, unseen) for ngram, count in counts.items()}
                for counts in _ngrams(words)
            ]

        values = []
        for hypothesis, of_sentence in sentences:
            ours, totals = vectors(hypothesis), np.zeros(ORDER)
            for reference in of_sentence:
                penalty = _length_penalty(len(hypothesis), len(reference))
                totals += [penalty * _clipped_cosine(*pair) for pair in zip(ours, vectors(reference), strict=True)]
            values.append(10 * (totals.mean() / len(references)))
        return values


def _ngrams(words):
    """Return how often which n-grams are among the words, a `Counter` for each n from 1 to `ORDER`."""
    return [collections.Counter(zip(*(words[place:] for place in range(n)), strict=False)) for n in range(1, ORDER + 1)]


def _clipped_cosine(one, other):
    product = sum(min(weight, other[ngram]) * other[ngram] for ngram, weight in one.items() if ngram in other)
    norms = math.prod(math.sqrt(sum(weight**2 for weight in vector.values())) for vector in (one, other))
    return product / norms if norms else 0.0


def _length_penalty(*words):
    # The original takes the number of bigrams for the length.
    hypothesis, reference = (max(number - 1, 0) for number in words)
    return math.e ** (-((hypothesis - reference) ** 2) / (2 * SIGMA**2))
