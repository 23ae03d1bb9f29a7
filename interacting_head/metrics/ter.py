"""TER of sacreBLEU.

Snover et al. (2006), A study of translation edit rate with targeted human annotation.
"""

from sacrebleu.metrics import TER

from interacting_head.metrics.sacrebleu_metric import SacrebleuMetric


class TranslationEditRate(SacrebleuMetric):
    """`ter`: sacreBLEU's default TER, which always lowercases and never tokenises."""

    higher_is_better = False

    def __init__(self, options):
        super().__init__(options)
        self.corpus_tool = TER()
        self.definition = (
            "TER of sacrebleu, as tercom: 100 · (shifts + insertions + deletions + substitutions) / words of the "
            "reference, summed over sentences; lowercased; of several references the fewest edits, the mean length"
        )
