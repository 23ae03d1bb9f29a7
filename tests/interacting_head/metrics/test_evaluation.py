"""Scores of short and of long sentences."""

import pytest

from interacting_head.metrics import METRICS, Options, evaluate
from interacting_head.metrics.evaluation import by_source_length
from tests.interacting_head.metrics.test_significance import SENTENCES, WORSE


def test_sentences_are_grouped_by_the_words_of_their_source():
    lengths = [0, 9, 10, 19, 20, 50, 51, 300]
    sources = ["w " * length for length in lengths]
    metric = METRICS["bleu"](Options())
    statistics = metric.statistics(WORSE[:8], [SENTENCES[:8]])
    groups = by_source_length(metric, [("system", statistics)], sources)
    assert [group.length for group in groups] == ["<10", "10-20", "20-30", "30-40", "40-50", ">50"]
    assert [group.sentences for group in groups] == [2, 2, 1, 0, 1, 2]
    assert groups[3].scores == [("system", None)]
    expected = evaluate(WORSE[2:4], SENTENCES[2:4], ["bleu"])["bleu"].score
    assert groups[1].scores == [("system", pytest.approx(expected))]
