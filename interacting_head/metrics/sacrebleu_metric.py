"""Base of the metrics that sacreBLEU computes.

Resamples and parts of the sentences are scored from the statistics of single sentences. sacreBLEU has no public name
for them: the result of chrF, for one, is a mere score. The two private methods of its metrics that its own paired
test is built on give them: `_extract_corpus_statistics` and `_compute_score_from_stats`. No other file uses a private
name of sacreBLEU; tests/interacting_head/test_metrics_of_sacrebleu.py says what to do when a version changes them.
"""

import numpy as np
from tqdm import tqdm

from interacting_head.metrics.metric import Metric

CHUNK = 100  # sentences between two updates of the progress bar


class SacrebleuMetric(Metric):
    """A metric of sacreBLEU, which gives the statistics of sentences and the score of their sum.

    A subclass sets `definition`, `corpus_tool`, a sacreBLEU `Metric`, and `sentence_tool` where sentences are
    scored in another way than the corpus.
    """

    sentence_tool = None

    def statistics(self, hypotheses, references):
        """Return the statistics that sacreBLEU sums: shape (N, K)."""
        rows = []
        # TER of long sentences in another order takes a while; whatever is done within two seconds shows no bar.
        with tqdm(total=len(hypotheses), unit=" sentences", disable=None, leave=False, delay=2) as progress:
            for start in range(0, len(hypotheses), CHUNK):
                part = slice(start, start + CHUNK)
                references_of_part = [reference[part] for reference in references]
                rows += self.corpus_tool._extract_corpus_statistics(hypotheses[part], references_of_part)
                progress.update(len(hypotheses[part]))
        return np.array(rows, dtype=np.float64)

    def score(self, sums):
        """Return sacreBLEU's score of summed statistics."""
        return _score(self.corpus_tool, sums)

    def sentence_score(self, row):
        """Return sacreBLEU's score of one sentence."""
        return _score(self.sentence_tool or self.corpus_tool, row)

    def signature(self, number_of_references):
        """Return sacreBLEU's signature."""
        self.corpus_tool.num_refs = number_of_references
        return str(self.corpus_tool.get_signature())


def _score(tool, statistics):
    return float(tool._compute_score_from_stats(statistics.tolist()).score)
