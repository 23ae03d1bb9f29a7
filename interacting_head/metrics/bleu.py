"""BLEU of sacreBLEU in the two forms that papers report.

Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation; Post (2018), A call
for clarity in reporting BLEU scores.

A sentence score is BLEU of that sentence alone. Four-grams rarely match there, so both metrics smooth it
exponentially (the k-th n-gram order without a match counts 1/2^k matches) and use the effective order (a
sentence shorter than four words is scored by the n-grams that it has). An empty hypothesis, or one without
any common word, scores 0.
"""

from sacrebleu.metrics import BLEU

from interacting_head.metrics.sacrebleu_metric import SacrebleuMetric


class MultiBleu(SacrebleuMetric):
    """`bleu`: the score that multi-bleu.perl of Moses prints (`-lc` with `lowercase`), to the digit.

    `tokenized` has no effect: the script never tokenises.
    """

    def __init__(self, options):
        super().__init__(options)
        shared = {"tokenize": "none", "lowercase": options.lowercase, "force": True}
        self.corpus_tool = BLEU(smooth_method="none", **shared)
        self.sentence_tool = BLEU(smooth_method="exp", effective_order=True, **shared)
        self.definition = (
            "BLEU-4 as multi-bleu.perl: words as given, split at ASCII white space; "
            f"{'ASCII letters lowercased' if options.lowercase else 'case kept'}; no smoothing; "
            "closest reference length; sentence scores: exponential smoothing, effective order"
        )

    def statistics(self, hypotheses, references):
        """Return sacreBLEU's statistics of the words that Perl finds: shape (N, K)."""
        hypotheses, *references = [list(map(self._words_of_perl, text)) for text in (hypotheses, *references)]
        return super().statistics(hypotheses, references)

    def signature(self, number_of_references):
        """Return sacreBLEU's signature, which says that only ASCII letters are lowercased."""
        return super().signature(number_of_references).replace("|case:lc|", "|case:lc-ascii|")

    def _words_of_perl(self, line):
        # Perl reads bytes: it splits words at ASCII white space and lowercases ASCII letters only, exactly as
        # `bytes.split` and `bytes.lower` do. sacreBLEU's `str.split` and `str.lower` know all of Unicode: a no-break
        # space would split a word, and lowercased BLEU of German or Czech would come out higher. Words in
        # hexadecimal digits hold nothing that they change.
        line = line.encode("utf-8")
        words = (line.lower() if self.options.lowercase else line).split()
        return " ".join(word.hex() for word in words)


class SacreBleu(SacrebleuMetric):
    """`sacrebleu`: sacreBLEU's default BLEU, to be reported with its signature.

    With `tokenized`, the 13a tokenisation is not applied.
    """

    def __init__(self, options):
        super().__init__(options)
        shared = {
            "tokenize": "none" if options.tokenized else "13a",
            "lowercase": options.lowercase,
            "force": True,
        }
        self.corpus_tool = BLEU(**shared)
        self.sentence_tool = BLEU(effective_order=True, **shared)
        self.definition = (
            f"BLEU-4 of sacrebleu: {'words as given' if options.tokenized else '13a tokenisation'}; "
            f"{options.case}; exponential smoothing; closest reference length; sentence scores: effective order"
        )
