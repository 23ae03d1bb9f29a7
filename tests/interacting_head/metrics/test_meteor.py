"""METEOR against its published formula and against what the papers' tool printed."""

import functools
import gzip
import json
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from interacting_head.metrics import Options, meteor
from interacting_head.metrics.lines import read_lines
from interacting_head.metrics.meteor import Meteor, MeteorProgram
from tests import skip_reasons
from tests.interacting_head.metrics.examples import result, with_meteor

ORACLE = Path(__file__).parents[4] / "shared" / "oracle" / "metrics"
ORACLE_CASES = {
    "m30k_en_tok": "en",
    "m30k_en_raw": "en",
    "m30k_en_multiref": "en",
    "m30k_de_tok": "de",
    "m30k_cs_raw": "cs",
    "edge_cases": "en",
}
with_oracle = pytest.mark.skipif(not ORACLE.exists(), reason=skip_reasons.ORACLE)


def ask(command, *requests):
    """The answers of the program itself to lines of text."""
    text = "".join(request + "\n" for request in requests)
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


# With the program


@pytest.fixture(scope="module", autouse=True)
def started():
    """The program has read its tables: what comes first need not wait for that."""
    if not with_meteor.args[0]:
        result(["a"], ["a"])


@with_meteor
def test_equal_sentences_score_100_in_any_case_and_empty_ones_0():
    scores = result(["The cat sat .", "the CAT sat.", ""], ["The cat sat .", "The cat sat .", "A dog ."])
    assert scores.sentence_scores == pytest.approx([100, 100, 0])


def made_up_statistics(matchers, generator):
    """Statistics of a text: each matcher finds up to 9 content and function words on both sides, others match none."""
    matches = np.zeros((4, 2, 2))
    matches[:matchers] = generator.integers(1, 10, (matchers, 2, 2))
    content, function = matches.sum(axis=0) + generator.integers(0, 10, (2, 2))
    totals = matches.sum(axis=(0, 1))
    return np.concatenate(
        [content + function, function, matches.ravel(), [generator.integers(2, totals.min())], totals]
    )


@with_meteor
@pytest.mark.parametrize("language", ["en", "cs", "de", "es", "fr", "ru", "sv", "other"])  # others are as "sv"
def test_the_formula_gives_the_program_score(language, tmp_path):
    formula, generator = meteor.FORMULAS[language], np.random.default_rng(1)
    rows = [made_up_statistics(len(formula.weights), generator) for _ in range(20)]
    table = tmp_path / "empty.gz"  # the statistics are there already
    table.write_bytes(gzip.compress(b""))
    command = [meteor.find_java(), *meteor.LOCALE, "-jar", str(meteor.find_archive()), "-", "-", "-stdio"]
    command += ["-l", language, "-m", " ".join(formula.weights), "-a", str(table)]
    printed = ask(command, *(f"EVAL ||| {' '.join(map(repr, row.tolist()))}" for row in rows))
    expected = [100 * float(line) for line in printed[::2]]  # the second line repeats the score of a single row
    assert [formula.score(row) for row in rows] == pytest.approx(expected, abs=1e-9)


@with_meteor
def test_the_corpus_score_is_of_the_summed_statistics():
    hypotheses = ["a big dog is running on the shore", "she read two books", "he rides a bike slowly"]
    references = ["a large dog runs along the shore", "she reads a book", "he is riding a bicycle , slowly"]
    metric = Meteor(Options())
    statistics = metric.statistics(hypotheses, [references])
    assert statistics.shape == (3, 23)
    formula = Meteor.score_function(Options())
    scores = metric.result(statistics, 1)
    assert scores.score == formula(statistics.sum(axis=0))
    assert scores.sentence_scores == [formula(row) for row in statistics]
    assert scores.score != pytest.approx(np.mean(scores.sentence_scores), abs=0.1)


def test_statistics_are_scored_without_the_program(monkeypatch):
    monkeypatch.setattr(meteor, "find_archive", None)
    score, statistics = Meteor.score_function(Options()), np.zeros(23)
    assert score(statistics) == 0
    statistics[:2] = 3
    assert score(statistics) == 0
    statistics[4:6] = statistics[21:] = 3
    assert score(statistics) == 100


@with_meteor
def test_an_equal_sentence_adds_no_chunk_to_the_corpus():
    hypotheses, references = ["a dog barks", "a cat sleeps here"], ["a dog barks", "a cat sleeps"]
    metric = Meteor(Options(meteor_language="other"))
    scores = metric.result(metric.statistics(hypotheses, [references]), 1)
    pairs = zip(references, hypotheses, strict=True)
    first, second = ask(metric.command, *(f"SCORE ||| {reference} ||| {hypothesis}" for reference, hypothesis in pairs))
    expected = [100 * float(line) for line in ask(metric.command, f"EVAL ||| {first} ||| {second}")]
    assert [*scores.sentence_scores, scores.score] == pytest.approx(expected, abs=1e-9)


@with_meteor
def test_stems_synonyms_and_paraphrases_match():
    references = ["he walks", "a large house", "it took place as a result of this"]
    hypotheses = ["he walking", "a big house", "it happened because of this"]
    others = ["he sings", "a green house", "it slept near this"]
    assert all(
        better > worse
        for better, worse in zip(
            result(hypotheses, references).sentence_scores, result(others, references).sentence_scores, strict=True
        )
    )


@with_meteor
def test_each_sentence_counts_its_best_reference():
    hypotheses, first, second = ["a b c", "d e f"], ["a b c", "x y z"], ["x y z", "d e f"]
    both = result(hypotheses, [first, second])
    assert both.sentence_scores == pytest.approx([100, 100])
    assert both.signature.startswith("nrefs:2|lang:en|tok:norm|match:exact+stem+synonym+paraphrase|version:1.5")


@with_meteor
def test_white_space_and_the_separator_are_not_part_of_a_hypothesis():
    hypotheses = ["a\u00a0cat\u2028sat  here", "a ||| cat sat here", "|||", "a cat\rsat\x85here", "SCORE"]
    scores = result(hypotheses, ["a cat sat here"] * 4 + ["SCORE"])
    assert scores.sentence_scores == pytest.approx([100, 100, 0, 100, 100])


@with_meteor
def test_another_language_is_scored_as_english_unless_said_otherwise():
    hypotheses, references = ["Die Häuser sind groß ."], ["Das Haus ist groß ."]
    as_english = result(hypotheses, references, language="de")
    assert as_english.definition.endswith("; note: the text is 'de', scored as 'en'")
    assert "; note:" not in result(hypotheses, references, language="en_GB").definition
    as_german = result(hypotheses, references, language="de", meteor_language="de")
    assert "|lang:de|tok:norm|match:exact+stem|" in as_german.signature
    assert "note: the papers' tool ran -l en" in as_german.definition
    assert "paraphrase table for this language is missing" in as_german.definition
    assert "note" not in result(hypotheses, references).definition
    assert as_german.score != pytest.approx(as_english.score, abs=0.1)


@with_meteor
@pytest.mark.parametrize("language", ["cs", "no", "ru", "sv", "other"])  # others are called as everywhere
def test_the_program_knows_the_languages_that_are_offered(language):
    metric = Meteor(Options(meteor_language=language))
    (statistics,) = ask(metric.command, "SCORE ||| a b , c ||| A B, d")
    length = "4.0" if language in meteor.FULL else "3.0"  # only there is the comma split off
    assert statistics.split()[:2] == [length, "4.0"]


@with_meteor
def test_one_program_serves_all_calls(monkeypatch):
    result(["a"], ["a"])
    monkeypatch.setattr(subprocess, "Popen", None)
    assert result(["a b"], ["a b"]).score == pytest.approx(100)


@with_meteor
@pytest.mark.slow
def test_an_interrupted_request_leaves_no_reply_behind(monkeypatch):
    def interrupted(program):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(MeteorProgram, "_receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            result(["a b c d"], ["a b c d"])
    assert result(["a b"], ["c d"]).score == 0


@with_meteor
def test_requests_of_several_threads_do_not_mix():
    hypotheses = [f"word{number} " * (number % 7 + 1) for number in range(40)]
    found = {}

    def score(half):
        found[half] = result(hypotheses[half::2], hypotheses[half::2]).sentence_scores

    threads = [threading.Thread(target=score, args=(half,)) for half in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: pytest.approx([100] * 20), 1: pytest.approx([100] * 20)}


@functools.cache
def oracle():
    return json.loads((ORACLE / "scores.json").read_text(encoding="utf-8"))["sets"]


@with_meteor
@with_oracle
@pytest.mark.parametrize(("name", "language"), ORACLE_CASES.items())
def test_scores_equal_the_tool_of_the_papers(name, language):
    content = oracle()[name]
    hypotheses = read_lines(ORACLE / "data" / content["files"]["hyp"])
    references = [read_lines(ORACLE / "data" / file) for file in content["files"]["refs"]]
    tool = f"meteor-1.5.jar -l {language} " + ("-norm" if language == "en" else "no paraphrase")
    expected = content["results"][tool]
    found = result(hypotheses, references, meteor_language=language)
    assert found.score / 100 == pytest.approx(expected["corpus"], abs=1e-9)
    np.testing.assert_allclose(np.array(found.sentence_scores) / 100, expected["sentence"], rtol=0, atol=1e-9)
