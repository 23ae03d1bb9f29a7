"""Scores of short and of long sentences."""

import contextlib
import io

import pytest

from interacting_head.metrics import METRICS, Options, evaluate
from interacting_head.metrics.evaluation import by_source_length, evaluate_systems
from interacting_head.metrics.significance import Resampling
from tests.interacting_head.metrics.examples import SENTENCES, WORSE


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


class Terminal(io.StringIO):
    """The text that a terminal is shown."""

    def isatty(self):
        return True


def test_a_terminal_is_shown_what_an_evaluation_waits_for(monkeypatch):
    slow = type("Slow", (METRICS["wer"],), {"waits_for": "starting Java"})
    monkeypatch.setitem(METRICS, "slow", slow)
    systems = [("first", WORSE[:2]), ("second", SENTENCES[:2])]
    with contextlib.redirect_stderr(Terminal()) as screen:
        evaluate_systems(systems, [SENTENCES[:2]], ["bleu", "slow"], Options(), Resampling())
    shown = [bar.split(":")[0].strip() for bar in screen.getvalue().split("\r")]
    in_order = list(dict.fromkeys(text for text in shown if text.startswith(("bleu", "slow"))))
    assert in_order == ["bleu", "slow, starting Java", "bleu, resampling", "slow, resampling"]
    assert "1/2" in screen.getvalue()  # while the second is resampled


@pytest.mark.parametrize("name", ["meteor", "meteor_nltk", "yisi1"])
def test_metrics_that_load_programs_or_models_say_so(name):
    assert METRICS[name].waits_for
