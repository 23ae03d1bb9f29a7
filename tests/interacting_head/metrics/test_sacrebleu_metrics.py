"""BLEU, chrF and TER against hand-computed values, and the private methods of sacreBLEU that give their statistics."""

import math
import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

from interacting_head.metrics import METRICS, Options, evaluate

PUBLIC = {
    # sacreBLEU and Perl split the words below alike, for they stand between single spaces.
    "bleu": (BLEU(tokenize="none", smooth_method="none", force=True), BLEU(tokenize="none", effective_order=True)),
    "sacrebleu": (BLEU(force=True), BLEU(effective_order=True)),
    "chrf": (CHRF(), CHRF()),
    "ter": (TER(), TER()),
}
BLEUS = ["bleu", "sacrebleu"]
HINT = """sacreBLEU's private methods have changed.

Look how the new version's own paired test (`sacrebleu.significance`) comes from hypotheses to statistics and from their
sum to a score, and do likewise in the one place that uses these methods,
`interacting_head/metrics/sacrebleu_metrics.py`.
"""


def score(metric, hypotheses, references, **options):
    return evaluate(hypotheses, references, [metric], **options)[metric].score


@pytest.mark.parametrize("tool", [BLEU, CHRF, TER])
@pytest.mark.parametrize("name", ["_extract_corpus_statistics", "_compute_score_from_stats"])
def test_the_private_methods_of_sacrebleu_are_there(tool, name):
    assert callable(getattr(tool, name, None)), HINT


@pytest.mark.parametrize("name", PUBLIC)
def test_statistics_give_the_scores_of_the_corpus_and_each_sentence(name):
    generator = random.Random(1)
    hypotheses, *references = [
        [" ".join(generator.choices(["a", "ä", "cd,", "e."], k=generator.randint(1, 12))) for _ in range(50)]
        for _ in range(4)
    ]
    hypotheses[:2] = ["", "f"]
    metric = METRICS[name](Options())
    statistics = metric.statistics(hypotheses, references)
    assert statistics.dtype == np.float64, HINT
    corpus_tool, sentence_tool = PUBLIC[name]
    assert metric.score(statistics.sum(axis=0)) == corpus_tool.corpus_score(hypotheses, references).score, HINT
    sentences = zip(hypotheses, zip(*references, strict=True), strict=True)
    expected = [sentence_tool.sentence_score(*sentence).score for sentence in sentences]
    assert [metric.sentence_score(row) for row in statistics] == expected, HINT
    assert metric.signature(len(references)) == str(corpus_tool.get_signature()), HINT


@pytest.mark.parametrize("metric", BLEUS)
def test_bleu_is_the_geometric_mean_of_the_four_precisions(metric):
    # "the" counts once of twice: 5/6, 3/5, 2/4, 1/3, whose product is 1/12
    value = score(metric, ["the cat sat on the mat"], ["the cat sat on a mat"])
    assert value == pytest.approx(100 * (1 / 12) ** (1 / 4))


@pytest.mark.parametrize("metric", BLEUS)
def test_a_short_hypothesis_pays_the_brevity_penalty(metric):
    assert score(metric, ["a b c d"], ["a b c d e"]) == pytest.approx(100 * math.exp(1 - 5 / 4))


@pytest.mark.parametrize("metric", BLEUS)
def test_the_closest_reference_length_counts_or_the_shorter_of_two(metric):
    # Lengths 3 and 5 are equally close to 4; with 3 there is no penalty, with 5 there were one.
    assert score(metric, ["a b c d"], [["a b c d e"], ["a b c"]]) == pytest.approx(100)


@pytest.mark.parametrize("metric", BLEUS)
def test_counts_are_summed_over_the_corpus_before_they_are_divided(metric):
    hypotheses, references = ["a b c d", "v w x y z"], ["a b c d", "v w x q z"]
    # 8 of 9, 5 of 7, 3 of 5, 1 of 3
    assert score(metric, hypotheses, references) == pytest.approx(100 * (8 / 9 * 5 / 7 * 3 / 5 * 1 / 3) ** (1 / 4))


def test_bleu_without_a_matching_bigram_is_zero_and_sacrebleu_smoothed():
    # Papineni's example of clipping: 2 of 7 words, then no match among 6, 5 and 4 n-grams
    hypotheses, references = ["the the the the the the the"], ["the cat is on the mat"]
    assert score("bleu", hypotheses, references) == 0
    smoothed = 100 * (2 / 7 * (1 / 2) / 6 * (1 / 4) / 5 * (1 / 8) / 4) ** (1 / 4)
    assert score("sacrebleu", hypotheses, references) == pytest.approx(smoothed)


def test_sentence_bleu_is_smoothed_up_to_the_length_of_the_sentence():
    result = evaluate(["a b", "the the the", ""], ["a b", "the cat", "x"], ["bleu"])["bleu"]
    # a b: unigrams and bigram match. the the the: 1/3, then 1/2 of 2 bigrams and 1/4 of 1 trigram.
    smoothed = 100 * (1 / 3 * 1 / 4 * 1 / 4) ** (1 / 3)
    assert result.sentence_scores == pytest.approx([100, smoothed, 0])
    assert result.score == 0  # the corpus has no four-gram and bleu does not smooth


def test_only_sacrebleu_tokenises_and_only_untokenised_text():
    hypotheses, references = ["we saw it, didn't we?"], ["we saw it , didn't we ?"]
    assert score("sacrebleu", hypotheses, references) == pytest.approx(100)
    assert score("sacrebleu", hypotheses, references, tokenized=True) < 50
    assert score("bleu", hypotheses, references) == 0


@pytest.mark.parametrize(("language", "tokenizer"), {"zh": "zh", "zh_TW": "zh", "th": "char", "de": "13a"}.items())
def test_languages_without_blanks_have_a_tokeniser(language, tokenizer):
    found = evaluate(["我爱你。"], ["我也爱你。"], "sacrebleu", language=language)["sacrebleu"]
    assert f"|tok:{tokenizer}|" in found.signature
    assert f"{tokenizer} tokenisation" in found.definition
    assert (found.score > 20) == (tokenizer != "13a")


def test_bleu_lowercases_only_ascii_letters_and_sacrebleu_all():
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


def test_chrf_is_the_f_score_of_the_orders_that_the_text_has():
    # One of two characters and none of one bigram: precision and recall are 1/4 both.
    assert score("chrf", ["a b"], ["ac"]) == pytest.approx(25)
    # Precision (1 + 1) / 2, recall (2/3 + 1/2) / 2 = 7/12, which counts twice: 5 · P · R / (4 · P + R)
    assert score("chrf", ["ab"], ["abc"]) == pytest.approx(100 * 5 * (7 / 12) / (4 + 7 / 12))


def test_chrf_takes_the_best_reference():
    assert score("chrf", ["abc"], [["xyz"], ["a b c"]]) == pytest.approx(100)


def test_ter_ignores_case_and_uses_the_best_reference_and_mean_length():
    result = evaluate(["THE cat"], [["the cat sat"], ["a cat"]], ["ter"])["ter"]
    assert result.score == pytest.approx(100 * 1 / 2.5)


@pytest.mark.parametrize("name", PUBLIC)
def test_no_lines_are_kept_when_they_are_scored(name):
    METRICS[name](Options()).statistics(["a b c d"] * 300, [["a b c e"] * 300])
    caches = [getattr(tokenizer.__call__, "cache_info", None) for tokenizer in BaseTokenizer.__subclasses__()]
    assert not any(cache().currsize for cache in caches if cache)
