"""BLEU against hand-computed values, and what all metrics share."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.metrics import METRICS, MetricUnavailable, evaluate
from interacting_head.metrics.lines import read_lines

ROOT = Path(__file__).parents[3]
OWN = ["bleu", "sacrebleu", "chrf", "ter", "wer", "wer_paper", "rouge_l", "cider"]
BLEUS = ["bleu", "sacrebleu"]
ERROR_RATES = ["ter", "wer", "wer_paper"]


def score(metric, hypotheses, references, **options):
    return evaluate(hypotheses, references, [metric], **options)[metric].score


# BLEU, hand-computed


@pytest.mark.parametrize("metric", BLEUS)
def test_bleu_is_the_geometric_mean_of_the_four_precisions(metric):
    # "the" counts once of twice: 5/6, 3/5, 2/4, 1/3, whose product is 1/12
    value = score(metric, ["the cat sat on the mat"], ["the cat sat on a mat"])
    assert value == pytest.approx(100 * (1 / 12) ** (1 / 4))


@pytest.mark.parametrize("metric", BLEUS)
def test_a_short_hypothesis_pays_the_brevity_penalty(metric):
    assert score(metric, ["a b c d"], ["a b c d e"]) == pytest.approx(100 * math.exp(1 - 5 / 4))


@pytest.mark.parametrize("metric", BLEUS)
def test_the_closest_reference_length_counts_and_of_two_the_shorter(metric):
    # Lengths 3 and 5 are equally close to 4; with 3 there is no penalty, with 5 there were one.
    assert score(metric, ["a b c d"], [["a b c d e"], ["a b c"]]) == pytest.approx(100)


@pytest.mark.parametrize("metric", BLEUS)
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


def test_only_ascii_white_space_splits_words_for_bleu():
    # A separator of information, which str.split takes for white space, is none for Perl.
    assert score("bleu", ["a\x1cb c d e"], ["a b c d e"]) == 0
    assert score("bleu", ["a\tb\x0bc  d "], ["a b c d"]) == pytest.approx(100)


# All metrics


@pytest.mark.parametrize("metric", OWN)
def test_empty_hypotheses_have_no_match_and_are_all_error(metric):
    # Of error rates, wer_paper too: as many edits as words.
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


def test_importing_the_metrics_imports_nothing_heavy():
    program = "import sys, interacting_head.metrics.evaluation; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    imported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "interacting_head.metrics" in imported
    assert not {"keras", "tensorflow", "nltk", "torch", "transformers", "pycocoevalcap"} & set(imported)
