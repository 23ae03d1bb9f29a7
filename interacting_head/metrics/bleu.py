"""BLEU in the two forms that papers report, both computed by sacrebleu.

Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation; Post (2018), A call
for clarity in reporting BLEU scores.

A sentence score is BLEU of that sentence alone. Four-grams rarely match there, so both metrics smooth it
exponentially (the k-th n-gram order without a match counts 1/2^k matches) and use the effective order (a
sentence shorter than four words is scored by the n-grams that it has). An empty hypothesis, or one without
any common word, scores 0.
"""

from sacrebleu.metrics import BLEU

from interacting_head.metrics.report import Result


class SacrebleuMetric:
    """What the metrics that sacrebleu computes share.

    A subclass sets `corpus_metric` and `sentence_metric`, both sacrebleu's `Metric`, and `definition`.
    """

    def __call__(self, hypotheses, references):
        """Scores a list of strings against a list of references, each a list of strings."""
        score = self.corpus_metric.corpus_score(hypotheses, references).score
        sentence_scores = [
            self.sentence_metric.sentence_score(hypothesis, sentence_references).score
            for hypothesis, sentence_references in zip(hypotheses, zip(*references, strict=True), strict=True)
        ]
        return Result(score, sentence_scores, str(self.corpus_metric.get_signature()), self.definition)


class MultiBleu(SacrebleuMetric):
    """`bleu`: what multi-bleu.perl of Moses prints (`-lc` with `lowercase`), to the digit.

    Args:
        lowercase: lowercase both sides, ASCII letters only, as the script does.
        tokenized: has no effect: the script never tokenises.
    """

    def __init__(self, lowercase=False, tokenized=False):
        options = {"tokenize": "none", "lowercase": lowercase, "force": True}
        self.corpus_metric = _BytesBLEU(smooth_method="none", **options)
        self.sentence_metric = _BytesBLEU(smooth_method="exp", effective_order=True, **options)
        self.definition = (
            "BLEU-4 as multi-bleu.perl: words as given, split at ASCII white space; "
            f"{'ASCII letters lowercased' if lowercase else 'case kept'}; no smoothing; "
            "closest reference length; sentence scores: exponential smoothing, effective order"
        )


class SacreBleu(SacrebleuMetric):
    """`sacrebleu`: sacrebleu's default BLEU, to be reported with its signature.

    Args:
        lowercase: lowercase both sides.
        tokenized: the text is tokenised already: do not apply the 13a tokenisation.
    """

    def __init__(self, lowercase=False, tokenized=False):
        options = {"tokenize": "none" if tokenized else "13a", "lowercase": lowercase, "force": True}
        self.corpus_metric = BLEU(**options)
        self.sentence_metric = BLEU(effective_order=True, **options)
        self.definition = (
            f"BLEU-4 of sacrebleu: {'words as given' if tokenized else '13a tokenisation'}; "
            f"{'lowercased' if lowercase else 'case kept'}; exponential smoothing; closest reference length; "
            "sentence scores: effective order"
        )


class _BytesBLEU(BLEU):
    """sacrebleu's BLEU over the bytes of a line.

    Perl reads bytes: it splits words at ASCII white space and lowercases ASCII letters only, exactly as
    Python's `bytes.split` and `bytes.lower` do. `str.split` and `str.lower` know all of Unicode: a no-break
    space would split a word, and lowercased BLEU of German or Czech would come out higher.
    """

    def _preprocess_segment(self, sent):
        line = sent.encode("utf-8")
        return line.lower() if self.lowercase else line

    def get_signature(self):
        signature = super().get_signature()
        if self.lowercase:
            signature.update("case", "lc-ascii")
        return signature
