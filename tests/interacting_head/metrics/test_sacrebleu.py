"""sacreBLEU's statistics of sentences, which its private methods give: what to do when a version changes them.

Where a test here fails, look how the new version's own paired test (`sacrebleu.significance`) comes from hypotheses to
statistics and from their sum to a score, and do likewise in the one place that uses these methods,
`interacting_head/metrics/sacrebleu_metric.py`.
"""

import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from interacting_head.metrics import METRICS, Options

PUBLIC = {
    # sacreBLEU and Perl split the words below alike, for they stand between single spaces.
    "bleu": (BLEU(tokenize="none", smooth_method="none", force=True), BLEU(tokenize="none", effective_order=True)),
    "sacrebleu": (BLEU(force=True), BLEU(effective_order=True)),
    "chrf": (CHRF(), CHRF()),
    "ter": (TER(), TER()),
}


@pytest.mark.parametrize("tool", [BLEU, CHRF, TER])
@pytest.mark.parametrize("name", ["_extract_corpus_statistics", "_compute_score_from_stats"])
def test_the_private_methods_of_sacrebleu_are_there(tool, name):
    assert callable(getattr(tool, name, None)), __doc__


@pytest.mark.parametrize("name", PUBLIC)
def test_summed_statistics_give_the_score_of_the_corpus_and_a_row_that_of_the_sentence(name):
    generator = random.Random(1)
    hypotheses, *references = [
        [" ".join(generator.choices(["a", "ä", "cd,", "e."], k=generator.randint(1, 12))) for _ in range(50)]
        for _ in range(4)
    ]
    hypotheses[:2] = ["", "f"]
    metric = METRICS[name](Options())
    statistics = metric.statistics(hypotheses, references)
    assert statistics.dtype == np.float64, __doc__
    corpus_tool, sentence_tool = PUBLIC[name]
    assert metric.score(statistics.sum(axis=0)) == corpus_tool.corpus_score(hypotheses, references).score, __doc__
    sentences = zip(hypotheses, zip(*references, strict=True), strict=True)
    expected = [sentence_tool.sentence_score(*sentence).score for sentence in sentences]
    assert [metric.sentence_score(row) for row in statistics] == expected, __doc__
    assert metric.signature(len(references)) == str(corpus_tool.get_signature()), __doc__
