"""chrF of sacreBLEU.

Popović (2015), chrF: character n-gram F-score for automatic MT evaluation.
"""

from sacrebleu.metrics import CHRF

from interacting_head.metrics.sacrebleu_metric import SacrebleuMetric


class ChrF(SacrebleuMetric):
    """`chrf`: sacreBLEU's default, chrF2. `tokenized` has no effect: white space does not count."""

    def __init__(self, options):
        super().__init__(options)
        self.corpus_tool = CHRF(lowercase=options.lowercase)
        self.definition = (
            "chrF2 of sacrebleu: F-score, in which recall counts twice, of character n-grams, n = 1 to 6, "
            f"without white space; {options.case}; of several references the one with the best score"
        )
