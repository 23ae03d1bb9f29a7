"""YiSi-0 and YiSi-1 against hand-computed values, plain loops, and the output of YiSi's program."""

import functools
import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from interacting_head.metrics import Options, evaluate
from interacting_head.metrics.lines import read_lines
from interacting_head.metrics.yisi import Embedder, YiSi0, YiSi1
from interacting_head.metrics.yisi.embedders import split_words
from interacting_head.metrics.yisi.metrics import longest_common_substring
from tests import skip_reasons
from tests.interacting_head.metrics.yisi.loops import loop_score, score

ORACLE = Path(__file__).parents[5] / "shared" / "oracle" / "metrics"
ORACLE_SETS = ["m30k_en_tok", "m30k_en_raw", "m30k_de_tok", "m30k_cs_raw", "edge_cases"]
with_oracle = pytest.mark.skipif(not ORACLE.exists(), reason=skip_reasons.ORACLE)


def common_substring(first, second):
    """The length of the longest common substring, by trying all from the longest on."""
    for length in range(min(len(first), len(second)), 0, -1):
        if any(first[start : start + length] in second for start in range(len(first) - length + 1)):
            return length
    return 0


# YiSi-0


def test_the_similarity_of_words_depends_on_their_common_substring():
    assert score("yisi0", ["night"], ["nacht"]) == pytest.approx(100 * 2 * 2 / 10)  # "ht"


def test_yisi_0_compares_the_bytes_of_letters():
    # Two letters of two bytes each; the first bytes are equal, and so are the second byte of one letter.
    assert score("yisi0", ["ä"], ["ö"]) == pytest.approx(100 * 2 * 1 / 4)


def test_equal_sentences_score_100_and_wholly_different_ones_0():
    hypotheses, references = ["a b c d", "", "xyz"], ["a b c d", "a b", "qq"]
    assert evaluate(hypotheses, references, ["yisi0"])["yisi0"].sentence_scores == pytest.approx([100, 0, 0])
    assert score("yisi0", hypotheses, references) == pytest.approx(100 / 3)


def test_common_substrings_are_found_like_by_trying_all():
    generator = random.Random(3)
    words = [bytes(generator.choices(b"ab\xc3\xa4", k=generator.choice([1, 2, 3, 7, 20, 60]))) for _ in range(60)] + [
        b"x" * 300,
        b"y" + b"x" * 299,
        b"x" * 255,
    ]
    for pair in itertools.product(words, repeat=2):
        assert longest_common_substring(*pair) == common_substring(*pair), pair


@pytest.mark.parametrize(("n", "alpha"), [(1, 0.5), (2, 0.7), (3, 0.8), (9, 0.8)])
def test_yisi_0_equals_the_loops_of_its_definition(n, alpha):
    generator = random.Random(n)
    words = ["ab", "abc", "bcd", "d", "cdab", "x"]
    lines = [[generator.choices(words, k=generator.randrange(1, 8)) for _ in range(12)] for _ in range(2)]
    hypotheses, references = ([" ".join(line) for line in side] for side in lines)
    result = YiSi0(Options(), n=n, alpha=alpha).statistics(hypotheses, [references])[:, 0]
    expected = []
    for hypothesis, reference in zip(*lines, strict=True):
        matrix = [[2 * common_substring(r, h) / (len(r) + len(h)) for h in hypothesis] for r in reference]
        expected.append(100 * loop_score(matrix, reference, hypothesis, lines[1], n, alpha))
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_the_best_precision_and_the_best_recall_of_any_reference_count():
    # All of the second reference is found, and all of the hypothesis is in the first.
    hypothesis, first, second = ["a b c d"], ["a b c d x y z"], ["a b"]
    both = score("yisi0", hypothesis, [first, second])
    assert both == pytest.approx(100)
    assert both > max(score("yisi0", hypothesis, first), score("yisi0", hypothesis, second))


def test_scores_do_not_depend_on_the_number_of_sentences_at_a_time(monkeypatch):
    hypotheses, references = ["a b", "cat sat", "dogs", "x"], ["a c", "cats sat", "dog", "xy"]
    expected = evaluate(hypotheses, references, ["yisi0"])["yisi0"].sentence_scores
    monkeypatch.setattr("interacting_head.metrics.yisi.metrics.BLOCK", 2)
    assert evaluate(hypotheses, references, ["yisi0"])["yisi0"].sentence_scores == pytest.approx(expected)


def test_case_counts_unless_lowercase_is_asked_for():
    assert score("yisi0", ["Über"], ["über"]) < 100
    assert score("yisi0", ["Über"], ["über"], lowercase=True) == pytest.approx(100)


def test_words_are_split_at_spaces_only():
    assert split_words("a\u00a0b\tc  d ") == ["a\u00a0b\tc".encode(), b"d"]


# Against YiSi's program


@functools.cache
def oracle():
    return json.loads((ORACLE / "scores.json").read_text(encoding="utf-8"))


class Stored(Embedder):
    """The vectors that the oracle gives for its lines."""

    name = "stored"
    description = "stored vectors"

    def __init__(self):
        self._known = {}
        for side in ("hyp", "ref"):
            units = read_lines(ORACLE / "data" / f"uemb_en.{side}.units")
            blocks = (ORACLE / "data" / f"uemb_en.{side}.idemb").read_text().strip("\n").split("\n\n")
            for line, block in zip(units, blocks, strict=True):
                rows = [row.split("\t")[2].split() for row in block.split("\n")]
                self._known[line] = np.array(rows, dtype=np.float64)

    def units(self, lines):
        return [split_words(line) for line in lines]

    def vectors(self, lines):
        return [self._known[line] for line in lines]


def assert_agrees(metric, hypotheses, references, expected):
    """Compare in the six digits that the program prints."""
    result = metric.result(metric.statistics(hypotheses, references), len(references))
    np.testing.assert_allclose(np.array(result.sentence_scores) / 100, expected["sentence"], rtol=1e-6, atol=5.1e-7)
    np.testing.assert_allclose(result.score / 100, expected["corpus"], rtol=1e-6, atol=5.1e-7)


@with_oracle
@pytest.mark.parametrize("name", ORACLE_SETS)
@pytest.mark.parametrize(("tool", "n", "alpha"), [("yisi-0 n3 a0.8", 3, 0.8), ("yisi-0 n1 a0.5", 1, 0.5)])
def test_yisi_0_equals_the_original_program(name, tool, n, alpha):
    content = oracle()["sets"][name]
    hypotheses = read_lines(ORACLE / "data" / content["files"]["hyp"])
    references = [read_lines(ORACLE / "data" / file) for file in content["files"]["refs"]]
    assert_agrees(YiSi0(Options(), n=n, alpha=alpha), hypotheses, references, content["results"][tool])


@with_oracle
@pytest.mark.parametrize(
    ("tool", "n", "alpha"),
    [("yisi-1 uemb n3 a0.8", 3, 0.8), ("yisi-1 uemb n2 a0.5", 2, 0.5), ("yisi-1 uemb n1 a0.8", 1, 0.8)],
)
def test_yisi_1_with_contextual_vectors_equals_the_original_program(tool, n, alpha):
    hypotheses, reference = (read_lines(ORACLE / "data" / f"uemb_en.{side}.units") for side in ("hyp", "ref"))
    metric = YiSi1(Options(embedder=Stored()), n=n, alpha=alpha)
    assert_agrees(metric, hypotheses, [reference], oracle()["extra"]["yisi_uemb"]["results"][tool])
