"""`evaluate`, and the properties that all metrics share."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.metrics import METRICS, MetricUnavailable, evaluate

ROOT = Path(__file__).parents[3]
OWN = ["bleu", "sacrebleu", "chrf", "ter", "wer", "wer_paper", "rouge_l", "cider"]
ERROR_RATES = ["ter", "wer", "wer_paper"]


def score(metric, hypotheses, references, **options):
    return evaluate(hypotheses, references, [metric], **options)[metric].score


@pytest.mark.parametrize("metric", OWN)
def test_empty_hypotheses_have_no_match_and_are_all_error(metric):
    # The error rates, including wer_paper: as many edits as words.
    worst = 100 if metric in ERROR_RATES else 0
    result = evaluate(["", " "], ["a b c d", "e"], [metric])[metric]
    assert result.score == worst
    assert result.sentence_scores == [worst, worst]


@pytest.mark.parametrize("metric", OWN)
def test_identical_text_is_perfect_and_the_sentences_are_in_order(metric):
    lines = ["one two three four five", "six seven eight nine ten", "a b c d e f"]
    perfect = 0 if metric in ERROR_RATES else 10 if metric == "cider" else 100
    result = evaluate([*lines[:2], "x"], lines, [metric])[metric]
    assert result.sentence_scores[:2] == pytest.approx([perfect, perfect])
    assert result.sentence_scores[2] != pytest.approx(perfect)
    assert score(metric, lines, lines) == pytest.approx(perfect)


@pytest.mark.parametrize("metric", ["wer", "wer_paper", "rouge_l", "cider", "chrf"])
def test_case_counts_unless_it_is_ignored(metric):
    hypotheses, references = ["ÄPFEL und Birnen", "x y"], ["äpfel und birnen", "x y"]
    perfect = score(metric, references, references)
    assert score(metric, hypotheses, references, lowercase=True) == pytest.approx(perfect)
    if metric != "wer_paper":
        assert score(metric, hypotheses, references) != pytest.approx(perfect)


def test_a_result_says_what_it_is():
    results = evaluate(["a b c d"], [["a b c d"], ["a b"]], OWN, lowercase=True)
    assert list(results) == OWN
    assert re.fullmatch(r"nrefs:2\|case:lc-ascii\|eff:no\|tok:none\|smooth:none\|version:.+", results["bleu"].signature)
    assert re.fullmatch(r"nrefs:2\|case:lc\|eff:no\|tok:13a\|smooth:exp\|version:.+", results["sacrebleu"].signature)
    assert "ASCII letters lowercased" in results["bleu"].definition
    assert "13a" in results["sacrebleu"].definition
    for name, result in results.items():
        # pyter knows one reference only.
        assert result.signature.startswith("nrefs:1|" if "wer" in name else "nrefs:2|")
        assert "|case:lc" in result.signature
        assert "lowercased" in result.definition


def test_one_name_may_be_given_as_a_string_and_doubles_count_once():
    assert list(evaluate(["a"], ["a"], "bleu")) == ["bleu"]
    assert list(evaluate(iter(["a"]), iter(["a"]), ["ter", "bleu", "ter"])) == ["ter", "bleu"]


def test_a_metric_that_is_unavailable_is_an_error_of_the_library(monkeypatch):
    class Absent(METRICS["bleu"]):
        def statistics(self, hypotheses, references):
            raise MetricUnavailable("its tool is not installed; install it")

    monkeypatch.setitem(METRICS, "absent", Absent)
    with pytest.raises(InputError, match="its tool is not installed"):
        evaluate(["a"], ["a"], ["absent"])


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a", "b", "c"], ["a", "b"], "has 3 lines, but reference 1 has 2 lines"),
        (["a"], [["a"], ["a", "b"]], "has 1 line, but reference 2 has 2 lines"),
        ([], [], "the list of hypotheses is empty"),
        (["a"], [], "no reference"),
        (["a", "b"], ["a", " "], "reference 1, line 2: empty reference"),
    ],
)
def test_lines_that_do_not_belong_together_are_an_error(hypotheses, references, message):
    with pytest.raises(InputError, match=message):
        evaluate(hypotheses, references, ["bleu"])


def test_an_unknown_metric_is_an_error_that_names_the_nearest():
    with pytest.raises(InputError, match=r"unknown metric 'SacreBLUE'; did you mean 'sacrebleu'\?"):
        evaluate(["a"], ["a"], ["bleu", "SacreBLUE"])


def test_importing_the_metrics_imports_nothing_heavy():
    program = "import sys, interacting_head.metrics.evaluation; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    imported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "interacting_head.metrics" in imported
    assert not {"keras", "tensorflow", "nltk", "torch", "transformers", "pycocoevalcap"} & set(imported)
