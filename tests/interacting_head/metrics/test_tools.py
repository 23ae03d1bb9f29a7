"""Scores against the output of the original tools, of whole sets and of each sentence."""

import numpy as np
import pytest

from interacting_head.metrics import evaluate
from tests.interacting_head.metrics.metric_oracle import on_every_set, oracle, with_oracle

pytestmark = [with_oracle]


@on_every_set
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_equals_the_output_of_multi_bleu(name, lowercase):
    hypotheses, references, results = oracle(name)
    printed = results["multi-bleu.perl -lc" if lowercase else "multi-bleu.perl"]["bleu"]
    result = evaluate(hypotheses, references, ["bleu"], lowercase=lowercase)["bleu"]
    assert round(result.score, 2) == printed


@on_every_set
@pytest.mark.parametrize(
    ("metric", "tool", "options"),
    [
        ("sacrebleu", "sacrebleu.BLEU 13a exp", {}),
        ("sacrebleu", "sacrebleu.BLEU 13a lc", {"lowercase": True}),
        ("chrf", "sacrebleu.CHRF", {}),
        ("ter", "sacrebleu.TER", {}),
    ],
)
def test_sacrebleu_metrics_equal_the_tool(name, metric, tool, options):
    hypotheses, references, results = oracle(name)
    result = evaluate(hypotheses, references, [metric], **options)[metric]
    # Up to the last bits, in which the exponential differs between processors.
    assert result.score == pytest.approx(results[tool]["corpus"], rel=1e-12)
    assert result.sentence_scores == pytest.approx(results[tool]["sentence"], rel=1e-12)
    assert result.signature == results[tool]["signature"]


@on_every_set
def test_sentence_bleu_equals_sacrebleu_without_tokenisation(name):
    hypotheses, references, results = oracle(name)
    result = evaluate(hypotheses, references, ["bleu"])["bleu"]
    expected = results["sacrebleu.BLEU none/none"]["sentence"]
    # Where a no-break space stands, bleu follows multi-bleu.perl and sacrebleu does not.
    lines = [number for number, line in enumerate(hypotheses) if "\u00a0" not in line]
    assert len(lines) >= len(hypotheses) - 1
    found = [result.sentence_scores[number] for number in lines]
    assert found == pytest.approx([expected[number] for number in lines], rel=1e-12)
    assert result.signature == results["sacrebleu.BLEU none/none"]["signature"]


@on_every_set
def test_both_word_error_rates_equal_pyter(name):
    hypotheses, references, results = oracle(name)
    expected = results["pyter3.ter"]
    result = evaluate(hypotheses, references, ["wer", "wer_paper"])
    # pyter was not run on lines that would have taken it hours.
    lines = [number for number, value in enumerate(expected["sentence"]) if value is not None]
    scores = np.array(result["wer"].sentence_scores)[lines] / 100
    assert scores == pytest.approx(np.array(expected["sentence"])[lines].astype(float), abs=1e-9)
    assert scores.mean() == pytest.approx(expected["mean"], abs=1e-9)
    floored = np.array(result["wer_paper"].sentence_scores)[lines]
    assert floored.mean() == pytest.approx(expected["mean_floor_x100"], abs=1e-9)
    if len(lines) == len(hypotheses):
        assert result["wer"].score / 100 == pytest.approx(expected["mean"], abs=1e-9)
        assert result["wer"].details["length_weighted"] / 100 == pytest.approx(expected["corpus_weighted"], abs=1e-9)
        assert result["wer_paper"].score == pytest.approx(expected["mean_floor_x100"], abs=1e-9)


@on_every_set
@pytest.mark.parametrize(("metric", "tool", "scale"), [("rouge_l", "ROUGE_L", 100), ("cider", "CIDEr", 1)])
def test_rouge_l_and_cider_equal_nlg_eval(name, metric, tool, scale):
    hypotheses, references, results = oracle(name)
    result = evaluate(hypotheses, references, [metric])[metric]
    expected = results["nlg-eval"]
    assert result.score / scale == pytest.approx(expected["corpus"][tool], abs=1e-9)
    assert np.array(result.sentence_scores) / scale == pytest.approx(np.array(expected["sentence"][tool]), abs=1e-9)
