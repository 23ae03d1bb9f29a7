"""TER and WER against hand-computed values, and WER against pyter."""

import random

import pyter
import pytest

from interacting_head.metrics import evaluate
from interacting_head.metrics.wer import edits_and_length
from tests.interacting_head.metrics.metric_oracle import random_pair


def edits(hypothesis, reference):
    return edits_and_length(" ".join(hypothesis), " ".join(reference))[0]


def test_a_shift_of_several_words_is_one_edit():
    result = evaluate(["c d e a b"], ["a b c d e"], ["ter", "wer"])
    assert result["ter"].score == pytest.approx(20)
    assert result["wer"].score == pytest.approx(20)


def test_ter_weighs_sentences_by_their_length_and_wer_gives_both_means():
    hypotheses, references = ["b a", "x"], ["a b", "c d e f"]
    result = evaluate(hypotheses, references, ["ter", "wer", "wer_paper"])
    # One shift for two words; three deletions and a substitution for four.
    assert result["ter"].score == pytest.approx(100 * 5 / 6)
    assert result["wer"].sentence_scores == pytest.approx([50, 100])
    assert result["wer"].score == pytest.approx(75)
    assert result["wer"].details == pytest.approx({"length_weighted": 100 * 5 / 6})
    assert result["wer_paper"].sentence_scores == [0, 100]
    assert result["wer_paper"].score == pytest.approx(50)


def test_repeated_words_cost_more_edits_than_the_reference_has_words():
    result = evaluate(["a " * 9], ["a b"], ["ter", "wer", "wer_paper"])
    assert [result[name].score for name in result] == pytest.approx([400, 400, 400])


def test_wer_uses_the_first_reference():
    references = [["a b"], ["x y"]]
    assert evaluate(["x y"], references, ["wer"])["wer"].score == pytest.approx(100)


def test_wer_makes_the_edits_of_pyter_on_random_sentences():
    generator = random.Random(1)
    for _ in range(60):
        hypothesis, reference = random_pair(generator, longest=20)
        # pyter divides: what it divided by gives back the whole number.
        assert edits(hypothesis, reference) == round(pyter.ter(hypothesis, reference) * len(reference)), (
            hypothesis,
            reference,
        )


def test_wer_chooses_among_equally_good_shifts_as_pyter_does():
    generator = random.Random(2)
    for _ in range(60):
        reference = generator.choices("aÄz☺", k=8)
        hypothesis = generator.sample(reference, k=8)
        assert edits(hypothesis, reference) == round(8 * pyter.ter(hypothesis, reference))
