"""Metrics against hand-computed values and against the output of the original tools."""

import functools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.metrics import METRICS, evaluate
from interacting_head.metrics.lines import read_lines
from interacting_head.metrics.significance import compare

ROOT = Path(__file__).parents[2]
ORACLE = ROOT.parent / "shared" / "oracle" / "metrics"
ORACLE_SETS = ["m30k_en_tok", "m30k_en_raw", "m30k_en_multiref", "m30k_de_tok", "m30k_cs_raw", "edge_cases"]

with_oracle = pytest.mark.skipif(not ORACLE.exists(), reason="the original tools' output is not here")
on_every_set = pytest.mark.parametrize("name", ORACLE_SETS)


@functools.cache
def oracle(name):
    """Returns hypotheses, references and the tools' results of one set."""
    content = json.loads((ORACLE / "scores.json").read_text(encoding="utf-8"))["sets"][name]
    hypotheses = read_lines(ORACLE / "data" / content["files"]["hyp"])
    references = [read_lines(ORACLE / "data" / file) for file in content["files"]["refs"]]
    return hypotheses, references, content["results"]


def score(metric, hypotheses, references, **options):
    return evaluate(hypotheses, references, [metric], **options)[metric].score


# Hand-computed


@pytest.mark.parametrize("metric", METRICS)
def test_bleu_is_the_geometric_mean_of_the_four_precisions(metric):
    # "the" counts once of twice: 5/6, 3/5, 2/4, 1/3, whose product is 1/12
    value = score(metric, ["the cat sat on the mat"], ["the cat sat on a mat"])
    assert value == pytest.approx(100 * (1 / 12) ** (1 / 4))


@pytest.mark.parametrize("metric", METRICS)
def test_a_short_hypothesis_pays_the_brevity_penalty(metric):
    assert score(metric, ["a b c d"], ["a b c d e"]) == pytest.approx(100 * math.exp(1 - 5 / 4))


@pytest.mark.parametrize("metric", METRICS)
def test_the_closest_reference_length_counts_and_of_two_the_shorter(metric):
    # Lengths 3 and 5 are equally close to 4; with 3 there is no penalty, with 5 there were one.
    assert score(metric, ["a b c d"], [["a b c d e"], ["a b c"]]) == pytest.approx(100)


@pytest.mark.parametrize("metric", METRICS)
def test_counts_are_summed_over_the_corpus_before_they_are_divided(metric):
    hypotheses, references = ["a b c d", "v w x y z"], ["a b c d", "v w x q z"]
    # 8 of 9, 5 of 7, 3 of 5, 1 of 3
    assert score(metric, hypotheses, references) == pytest.approx(100 * (8 / 9 * 5 / 7 * 3 / 5 * 1 / 3) ** (1 / 4))


def test_without_a_matching_bigram_bleu_is_zero_and_sacrebleu_is_smoothed():
    # Papineni's example of clipping: 2 of 7 words, then no match among 6, 5 and 4 n-grams
    hypotheses, references = ["the the the the the the the"], ["the cat is on the mat"]
    assert score("bleu", hypotheses, references) == 0
    smoothed = 100 * (2 / 7 * (1 / 2) / 6 * (1 / 4) / 5 * (1 / 8) / 4) ** (1 / 4)
    assert score("sacrebleu", hypotheses, references) == pytest.approx(smoothed)


def test_sentence_scores_are_smoothed_and_use_the_orders_that_the_sentence_has():
    result = evaluate(["a b", "the the the", ""], ["a b", "the cat", "x"], ["bleu"])["bleu"]
    # a b: unigrams and bigram match. the the the: 1/3, then 1/2 of 2 bigrams and 1/4 of 1 trigram.
    smoothed = 100 * (1 / 3 * 1 / 4 * 1 / 4) ** (1 / 3)
    assert result.sentence_scores == pytest.approx([100, smoothed, 0])
    assert result.score == 0  # the corpus has no four-gram and bleu does not smooth


def test_only_sacrebleu_tokenises_and_not_text_that_is_tokenised_already():
    hypotheses, references = ["we saw it, didn't we?"], ["we saw it , didn't we ?"]
    assert score("sacrebleu", hypotheses, references) == pytest.approx(100)
    assert score("sacrebleu", hypotheses, references, tokenized=True) < 50
    assert score("bleu", hypotheses, references) == 0


def test_lowercasing_is_of_ascii_letters_as_in_perl_for_bleu_and_of_all_letters_for_sacrebleu():
    hypotheses, references = ["ÄPFEL SIND GUT HEUTE ABEND"], ["äpfel sind gut heute abend"]
    assert score("sacrebleu", hypotheses, references) == 0
    assert score("sacrebleu", hypotheses, references, lowercase=True) == pytest.approx(100)
    # Äpfel is not äpfel: 4/5, 3/4, 2/3, 1/2
    assert score("bleu", hypotheses, references, lowercase=True) == pytest.approx(100 * (1 / 5) ** (1 / 4))


def test_a_no_break_space_does_not_split_words_for_bleu():
    assert score("bleu", ["a b\u00a0c d e f"], ["a b\u00a0c d e f"]) == pytest.approx(100)
    # a, d, e, f of 5; d e, e f of 4; d e f of 3; no four-gram
    hypotheses, references = ["a b\u00a0c d e f"], ["a b c d e f"]
    assert score("bleu", hypotheses, references) == 0


@pytest.mark.parametrize("metric", METRICS)
def test_empty_hypotheses_score_zero(metric):
    result = evaluate(["", ""], ["a b c d", "e"], [metric])[metric]
    assert result.score == 0
    assert result.sentence_scores == [0, 0]


def test_a_result_says_what_it_is():
    results = evaluate(["a b c d"], [["a b c d"], ["a b"]], METRICS, lowercase=True)
    assert list(results) == list(METRICS)
    assert re.fullmatch(r"nrefs:2\|case:lc-ascii\|eff:no\|tok:none\|smooth:none\|version:.+", results["bleu"].signature)
    assert re.fullmatch(r"nrefs:2\|case:lc\|eff:no\|tok:13a\|smooth:exp\|version:.+", results["sacrebleu"].signature)
    assert "ASCII letters lowercased" in results["bleu"].definition
    assert "13a" in results["sacrebleu"].definition


# Lines


def test_only_a_line_feed_ends_a_line_and_one_carriage_return_before_it_is_dropped(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a\u2028b\u0085c\x0cd\r\n\n e\r\r\nlast".encode())
    assert read_lines(path) == ["a\u2028b\u0085c\x0cd", "", " e\r", "last"]


def test_a_last_line_feed_begins_no_further_line_but_an_empty_line_is_one(tmp_path):
    path = tmp_path / "text"
    for content, lines in [("", []), ("\n", [""]), ("a\n", ["a"]), ("a\n\n", ["a", ""])]:
        path.write_text(content, encoding="utf-8")
        assert read_lines(path) == lines


# Bad input


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
    with pytest.raises(InputError, match="unknown metric 'SacreBLUE'; the nearest is 'sacrebleu'"):
        evaluate(["a"], ["a"], ["bleu", "SacreBLUE"])


def test_importing_the_metrics_does_not_import_keras_or_tensorflow():
    program = "import sys, interacting_head.metrics.significance; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    imported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "interacting_head.metrics" in imported
    assert not {"keras", "tensorflow"} & set(imported)


# The original tools


@with_oracle
@on_every_set
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_is_what_multi_bleu_prints(name, lowercase):
    hypotheses, references, results = oracle(name)
    printed = results["multi-bleu.perl -lc" if lowercase else "multi-bleu.perl"]["bleu"]
    assert round(score("bleu", hypotheses, references, lowercase=lowercase), 2) == printed


@with_oracle
@on_every_set
@pytest.mark.parametrize(
    ("tool", "options"),
    [("sacrebleu.BLEU 13a exp", {}), ("sacrebleu.BLEU 13a lc", {"lowercase": True})],
)
def test_sacrebleu_and_its_sentence_scores_are_exactly_those_of_the_tool(name, tool, options):
    hypotheses, references, results = oracle(name)
    result = evaluate(hypotheses, references, ["sacrebleu"], **options)["sacrebleu"]
    assert result.score == results[tool]["corpus"]
    assert result.sentence_scores == results[tool]["sentence"]
    assert result.signature == results[tool]["signature"]


@with_oracle
@on_every_set
def test_sentence_scores_of_bleu_are_those_of_sacrebleu_without_tokenisation(name):
    hypotheses, references, results = oracle(name)
    result = evaluate(hypotheses, references, ["bleu"])["bleu"]
    expected = results["sacrebleu.BLEU none/none"]["sentence"]
    # Where a no-break space stands, bleu follows multi-bleu.perl and sacrebleu does not.
    lines = [number for number, line in enumerate(hypotheses) if "\u00a0" not in line]
    assert len(lines) >= len(hypotheses) - 1
    assert [result.sentence_scores[number] for number in lines] == [expected[number] for number in lines]
    assert result.signature == results["sacrebleu.BLEU none/none"]["signature"]


# Significance

SENTENCES = [f"sentence {number} of the test set is about item {number * 7} here" for number in range(60)]
WORSE = [line.replace("test set is", "set") for line in SENTENCES]
ALMOST_EQUAL = [*SENTENCES[:-1], WORSE[-1]]


@pytest.mark.parametrize("metric", METRICS)
def test_a_system_that_is_worse_everywhere_is_significantly_worse_and_one_bad_line_is_not(metric):
    systems = [("baseline", SENTENCES), ("worse", WORSE), ("almost", ALMOST_EQUAL)]
    baseline, worse, almost = compare(systems, [SENTENCES], [metric])[metric]
    assert baseline.p_value is None
    assert worse.p_value == pytest.approx(1 / 1001)  # no resample beyond it
    assert almost.p_value > 0.05
    assert worse.score < almost.score < baseline.score == pytest.approx(100)
    assert "bs:1000|seed:12345" in worse.signature


@pytest.mark.parametrize("metric", METRICS)
def test_a_system_does_not_differ_from_itself(metric):
    _, same = compare([("a", WORSE), ("b", WORSE)], [SENTENCES], [metric])[metric]
    assert same.p_value == 1


def test_comparing_twice_gives_the_same_numbers_and_both_bleus_keep_apart():
    systems = [("a", [line + " ." for line in SENTENCES]), ("b", [line + "." for line in ALMOST_EQUAL])]
    references = [[line + " ." for line in SENTENCES]]
    comparisons = compare(systems, references, METRICS)
    assert comparisons == compare(systems, references, METRICS)
    assert comparisons["bleu"][1].score < 95 < comparisons["sacrebleu"][1].score
    for name, scores in comparisons.items():
        assert scores[1].score == score(name, systems[1][1], references)


def test_the_confidence_interval_of_equal_sentences_is_empty_and_covers_the_score_otherwise():
    constant, varying = compare([("a", SENTENCES), ("b", WORSE[:30] + SENTENCES[30:])], [SENTENCES], ["bleu"])["bleu"]
    assert constant.confidence == 0
    assert abs(varying.score - varying.mean) < varying.confidence < 10


@with_oracle
def test_the_paired_bootstrap_is_that_of_the_sacrebleu_command():
    data = ORACLE / "data"
    files = [str(data / "m30k_en_raw.hyp"), str(data / "m30k_en_tok.hyp")]
    reference = str(data / "m30k_en_raw.ref0")
    command = [sys.executable, "-m", "sacrebleu", reference, "-i", *files, "-m", "bleu", "--paired-bs"]
    printed = subprocess.run([*command, "-f", "json"], capture_output=True, text=True, check=True).stdout
    expected = json.loads(printed)[1]["BLEU"]
    systems = [(file, read_lines(file)) for file in files]
    other = compare(systems, [read_lines(reference)], ["sacrebleu"])["sacrebleu"][1]
    assert [other.score, other.p_value, other.mean, other.confidence] == pytest.approx(
        [expected[key] for key in ("score", "p_value", "mean", "ci")], abs=1e-4
    )
