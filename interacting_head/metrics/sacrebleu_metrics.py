"""The metrics that sacreBLEU computes: BLEU in the two forms that papers report, chrF and TER.

Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation; Post (2018), A call for clarity
in reporting BLEU scores; Popović (2015), chrF: character n-gram F-score for automatic MT evaluation; Snover et al.
(2006), A study of translation edit rate with targeted human annotation.

Sentence BLEU is smoothed exponentially (the k-th n-gram order without a match counts 1/2^k matches) with the effective
order (a sentence shorter than four words is scored by the n-grams it has).

Resamples and subsets are scored from sentence statistics, for which sacreBLEU has no public interface: they come from
`_extract_corpus_statistics` and `_compute_score_from_stats`, on which its own paired test is built.
tests/interacting_head/metrics/test_sacrebleu_metrics.py says what to do if a version changes them.
"""

from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric as ToolMetric
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer
from tqdm import tqdm

from data.text.languages import base_language
from interacting_head.metrics.metric import Metric, Options

CHUNK = 100  # sentences between two updates of the progress bar


class SacrebleuMetric(Metric):
    """Base of the metrics of sacreBLEU; `sentence_tool` scores single sentences, by default as the corpus."""

    def __init__(self, options: Options, corpus_tool: ToolMetric, sentence_tool: ToolMetric | None = None):
        super().__init__(options)
        self.corpus_tool, self.sentence_tool = corpus_tool, sentence_tool or corpus_tool

    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        rows = []
        # TER of long reordered sentences takes a while; work of less than two seconds shows no bar.
        with tqdm(total=len(hypotheses), unit=" sentences", disable=None, leave=False, delay=2) as progress:
            for start in range(0, len(hypotheses), CHUNK):
                part = slice(start, start + CHUNK)
                references_of_part = [reference[part] for reference in references]
                rows += self.corpus_tool._extract_corpus_statistics(hypotheses[part], references_of_part)
                progress.update(len(hypotheses[part]))
        # sacreBLEU's tokenisers cache 65,536 lines each, and a training scores many times.
        for tokenizer in BaseTokenizer.__subclasses__():
            if hasattr(tokenizer.__call__, "cache_clear"):
                tokenizer.__call__.cache_clear()
        return np.array(rows, dtype=np.float64)

    def score(self, sums: np.ndarray) -> float:
        return float(self.corpus_tool._compute_score_from_stats(sums.tolist()).score)

    def sentence_score(self, row: np.ndarray) -> float:
        return float(self.sentence_tool._compute_score_from_stats(row.tolist()).score)

    def signature(self, number_of_references: int) -> str:
        """Return sacreBLEU's signature."""
        self.corpus_tool.num_refs = number_of_references
        return str(self.corpus_tool.get_signature())


class MultiBleu(SacrebleuMetric):
    """`bleu`: exactly the score of Moses' multi-bleu.perl (`-lc` with `lowercase`), which never tokenises."""

    definition = (
        "BLEU-4 as multi-bleu.perl: words as given, split at ASCII white space; {case}; no smoothing; closest "
        "reference length; sentence scores: exponential smoothing, effective order"
    )

    def __init__(self, options: Options):
        shared = {"tokenize": "none", "lowercase": options.lowercase, "force": True}
        sentence_tool = BLEU(smooth_method="exp", effective_order=True, **shared)
        super().__init__(options, BLEU(smooth_method="none", **shared), sentence_tool)
        self.definition = self.definition.replace("lowercased", "ASCII letters lowercased")

    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return sacreBLEU's statistics of the words as split by Perl, (N, K)."""
        hypotheses, *references = [list(map(self._words_of_perl, text)) for text in (hypotheses, *references)]
        return super().statistics(hypotheses, references)

    def signature(self, number_of_references: int) -> str:
        """Return sacreBLEU's signature, which says that only ASCII letters are lowercased."""
        return super().signature(number_of_references).replace("|case:lc|", "|case:lc-ascii|")

    def _words_of_perl(self, line):
        # Perl reads bytes: like `bytes.split` and `bytes.lower`, it handles only ASCII white space and letters. With
        # sacreBLEU's `str.split` and `str.lower` a no-break space would split a word, and lowercased BLEU of German or
        # Czech would be higher. Words in hexadecimal digits pass through them unchanged.
        line = line.encode("utf-8")
        words = (line.lower() if self.options.lowercase else line).split()
        return " ".join(word.hex() for word in words)


UNSPACED = {"zh": "zh", **dict.fromkeys(("ja", "km", "lo", "my", "th"), "char")}
"""Language without blanks between words → a tokeniser of sacreBLEU that needs no other package."""


def tokenizer_for(language: str | None) -> str:
    """Return the name of sacreBLEU's tokeniser for text in a language, such as `zh` or `zh_TW`; usually `13a`."""
    return UNSPACED.get(base_language(language or ""), "13a")


class SacreBleu(SacrebleuMetric):
    """`sacrebleu`: sacreBLEU's default BLEU, with a tokeniser for the language; with `tokenized`, there is none."""

    definition = (
        "BLEU-4 of sacrebleu: 13a tokenisation; {case}; exponential smoothing; closest reference length; sentence "
        "scores: effective order"
    )

    def __init__(self, options: Options):
        tokenizer = "none" if options.tokenized else tokenizer_for(options.language)
        shared = {"tokenize": tokenizer, "lowercase": options.lowercase, "force": True}
        super().__init__(options, BLEU(**shared), BLEU(effective_order=True, **shared))
        words = "words as given" if options.tokenized else f"{tokenizer} tokenisation"
        self.definition = self.definition.replace("13a tokenisation", words)


class ChrF(SacrebleuMetric):
    """`chrf`: sacreBLEU's default, chrF2. `tokenized` has no effect: white space does not count."""

    definition = (
        "chrF2 of sacrebleu: F-score, in which recall counts twice, of character n-grams, n = 1 to 6, without white "
        "space; {case}; best-scoring reference"
    )

    def __init__(self, options: Options):
        super().__init__(options, CHRF(lowercase=options.lowercase))


class TranslationEditRate(SacrebleuMetric):
    """`ter`: sacreBLEU's default TER, which always lowercases and never tokenises."""

    higher_is_better = False
    definition = (
        "TER of sacrebleu, as tercom: 100 · (shifts + insertions + deletions + substitutions) / words of the "
        "reference, summed over sentences; lowercased; fewest edits and mean length over references"
    )

    def __init__(self, options: Options):
        super().__init__(options, TER())
