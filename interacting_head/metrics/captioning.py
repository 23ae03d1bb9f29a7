"""ROUGE-L and CIDEr-D as the captioning tools nlg-eval and pycocoevalcap compute them.

Lin (2004), ROUGE: a package for automatic evaluation of summaries. Vedantam et al. (2015), CIDEr: consensus-based image
description evaluation. Sums and products follow nlg-eval's order, so scores agree to the last bit.
"""

import collections
import math
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import LCSseq

from interacting_head.metrics.metric import MeanMetric

BETA = 1.2
ORDER = 4
SIGMA = 6.0


class RougeL(MeanMetric):
    """`rouge_l`: nlg-eval's ROUGE_L in per cent. `tokenized` has no effect: it never tokenises."""

    settings = f"tok:none|beta:{BETA}"
    definition = (
        "ROUGE-L as nlg-eval: F-score (β = 1.2) of the longest common subsequence of words split at single spaces; "
        "{case}; best precision and best recall of all references; mean over sentences"
    )

    def values(self, sentences: list) -> list[float]:
        return [100 * rouge_l(hypothesis, references) for hypothesis, references in sentences]


def rouge_l(hypothesis: str, references: Sequence[str]) -> float:
    """Return ROUGE-L of one sentence, from 0 to 1; best precision and best recall may be of different references.

    Outer white space is ignored. Two spaces in a row enclose an empty word; an empty hypothesis is one empty word.
    """
    hypothesis, *references = [line.strip().split(" ") for line in (hypothesis, *references)]
    common = [LCSseq.similarity(hypothesis, reference) for reference in references]
    precision = max(common) / len(hypothesis)
    recall = max(length / len(reference) for length, reference in zip(common, references, strict=True))
    if not precision:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


class Cider(MeanMetric):
    """`cider`: CIDEr-D, which nlg-eval calls CIDEr, from 0 to 10. `tokenized` has no effect: it never tokenises.

    CIDEr-D clips n-gram counts to the reference's and penalises different lengths. The weight of an n-gram depends on
    the number of sentences whose references contain it; resamples and subsets use the frequencies of the whole set.
    """

    settings = f"tok:none|n:{ORDER}|sigma:{SIGMA}|idf:references"
    definition = (
        "CIDEr-D as nlg-eval: 10 · cosine of tf-idf vectors of n-grams, clipped, mean over n = 1 to 4 and over "
        "references, times a Gaussian (σ = 6) of the difference of lengths; words split at white space; {case}; "
        "document frequencies of the scored references; mean over sentences, from 0 to 10"
    )

    def values(self, sentences: list) -> list[float]:
        frequencies = collections.Counter()
        for _, references in sentences:
            frequencies.update({ngram for line in references for counts in _ngrams(line) for ngram in counts})
        unseen = math.log(len(sentences))
        weights = {ngram: unseen - math.log(frequency) for ngram, frequency in frequencies.items()}

        def vectors(line):
            return [{ngram: n * weights.get(ngram, unseen) for ngram, n in counts.items()} for counts in _ngrams(line)]

        values = []
        for hypothesis, references in sentences:
            ours, totals = vectors(hypothesis), np.zeros(ORDER)
            for reference in references:
                penalty = _length_penalty(hypothesis, reference)
                totals += [penalty * _clipped_cosine(*pair) for pair in zip(ours, vectors(reference), strict=True)]
            values.append(10 * (totals.mean() / len(references)))
        return values


def _ngrams(line):
    """Return a `Counter` of the n-grams of words for each n from 1 to `ORDER`."""
    words = line.split()
    return [collections.Counter(zip(*(words[place:] for place in range(n)), strict=False)) for n in range(1, ORDER + 1)]


def _clipped_cosine(one, other):
    product = sum(min(weight, other[ngram]) * other[ngram] for ngram, weight in one.items() if ngram in other)
    norms = math.prod(math.sqrt(sum(weight**2 for weight in vector.values())) for vector in (one, other))
    return product / norms if norms else 0.0


def _length_penalty(*lines):
    # The original uses the number of bigrams as length.
    hypothesis, reference = (max(len(line.split()) - 1, 0) for line in lines)
    return math.e ** (-((hypothesis - reference) ** 2) / (2 * SIGMA**2))
