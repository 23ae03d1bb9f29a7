"""ROUGE-L as captioning tools compute it.

Lin (2004), ROUGE: a package for automatic evaluation of summaries. nlg-eval and pycocoevalcap weigh recall
with β = 1.2, split at single spaces, and take the best precision and the best recall of all references, even
if those are two references.
"""

from rapidfuzz.distance import LCSseq

from interacting_head.metrics.metric import MeanMetric

BETA = 1.2


class RougeL(MeanMetric):
    """`rouge_l`: the score that nlg-eval calls ROUGE_L, in per cent. `tokenized` has no effect: it never tokenises."""

    def __init__(self, options):
        super().__init__(options)
        self.settings = {"tok": "none", "beta": BETA}
        self.definition = (
            "ROUGE-L as nlg-eval: F-score (β = 1.2) of the longest common subsequence of words split at single "
            f"spaces; {options.case}; best precision and best recall of all references; mean over sentences"
        )

    def values(self, hypotheses, references):
        """Return ROUGE-L of each sentence."""
        hypotheses, *references = map(self.options.cased, (hypotheses, *references))
        sentences = zip(hypotheses, zip(*references, strict=True), strict=True)
        return [100 * rouge_l(hypothesis, of_sentence) for hypothesis, of_sentence in sentences]


def rouge_l(hypothesis, references):
    """Return ROUGE-L of one string with a list of reference strings, from 0 to 1.

    White space at the ends does not count. Two spaces in a row enclose an empty word, and so is the only word
    of an empty hypothesis.
    """
    hypothesis, *references = [line.strip().split(" ") for line in (hypothesis, *references)]
    common = [LCSseq.similarity(hypothesis, reference) for reference in references]
    precision = max(common) / len(hypothesis)
    recall = max(length / len(reference) for length, reference in zip(common, references, strict=True))
    if not precision:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)
