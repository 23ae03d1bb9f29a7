import pytest

from data.cleaning import CleaningRules
from data.errors import InputError
from data.profiles import RAW_TEXT, TextForm, cleaning_rules, tokenize
from data.truecasing import Truecaser, count_forms

LINES = ["Der Hund sieht den Mann.", "Heute sieht der Mann den Hund!", "„Ja“, sagt er."]


@pytest.fixture(scope="module")
def paper():
    return TextForm("paper", "de", Truecaser(count_forms(tokenize("de", line) for line in LINES)))


def test_raw_text_stays_as_it_is():
    for line in ("  Über\u2028 a\t`", ""):
        assert RAW_TEXT.forward(line) == RAW_TEXT.recase(line) == RAW_TEXT.backward(line) == line


def test_text_of_the_papers_is_normalised_tokenised_and_truecased(paper):
    assert paper.forward("Der Hund – sieht's!") == "der Hund - sieht &apos; s !"
    assert paper.forward("„Der Mann“") == "&quot; der Mann &quot;"
    assert paper.forward("") == paper.forward(" \x07 ") == ""


def test_recasing_keeps_the_tokens(paper):
    assert paper.recase("der Hund . &quot; der Mann &quot;") == "Der Hund . &quot; Der Mann &quot;"


def test_going_back_undoes_going_forward(paper):
    assert [paper.backward(paper.forward(line)) for line in LINES[:2]] == LINES[:2]
    assert paper.backward(paper.forward(LINES[2])) == '"Ja", sagt er.'  # normalisation stays


def test_rules_not_given_are_those_usual_with_the_profile():
    assert cleaning_rules("raw") == CleaningRules()
    assert cleaning_rules("paper") == CleaningRules(max_words=80, max_ratio=9)
    assert cleaning_rules("paper", 100, None, True) == CleaningRules(100, 9, True)
    assert cleaning_rules("raw", max_ratio=2) == CleaningRules(max_ratio=2)


def test_an_unknown_profile_is_an_error():
    with pytest.raises(InputError, match="unknown profile 'moses'; it is one of raw, paper"):
        TextForm("moses", "de")
    with pytest.raises(InputError, match="unknown profile"):
        cleaning_rules("Raw")
