import pytest

from data.errors import InputError
from data.text.profiles import PROFILES, RAW_TEXT, Preprocessor, tokenize
from data.text.truecasing import Truecaser, count_forms

LINES = ["Der Hund sieht den Mann.", "Heute sieht der Mann den Hund!", "„Ja“, sagt er."]


@pytest.fixture(scope="module")
def paper():
    return Preprocessor("truecased", "de", Truecaser(count_forms(tokenize("de", line) for line in LINES)))


def test_raw_text_is_not_changed():
    for line in ("  Über\u2028 a\t`", ""):
        assert RAW_TEXT.preprocess(line) == RAW_TEXT.postprocess(line) == RAW_TEXT.expected(line) == line


def test_text_of_the_papers_is_normalised_tokenised_and_truecased(paper):
    assert paper.preprocess("Der Hund – sieht's!") == "der Hund - sieht &apos; s !"
    assert paper.preprocess("„Der Mann“") == "&quot; der Mann &quot;"
    assert paper.preprocess("") == paper.preprocess(" \x07 ") == ""


def test_postprocessing_undoes_preprocessing(paper):
    assert [paper.postprocess(paper.preprocess(line)) for line in LINES[:2]] == LINES[:2]
    assert paper.postprocess(paper.preprocess(LINES[2])) == '"Ja", sagt er.'  # normalisation stays


@pytest.mark.parametrize(
    ("profile", "forward", "backward"),
    [
        ("lowercased", "heute sieht der mann den hund !", "heute sieht der mann den hund!"),
        ("tokenized", "Heute sieht der Mann den Hund !", "Heute sieht der Mann den Hund!"),
    ],
)
def test_text_can_be_tokenised_in_small_letters_and_in_its_own(profile, forward, backward):
    form = Preprocessor(profile, "de")
    assert form.preprocess(LINES[1]) == forward
    assert form.postprocess(forward) == form.expected(LINES[1]) == backward
    assert form.is_tokenized


@pytest.mark.parametrize("profile", PROFILES)
def test_a_form_applied_to_its_own_result_in_tokens_changes_no_case(profile, paper):
    form = paper if profile == "truecased" else Preprocessor(profile, "de")
    once = form.preprocess(LINES[1])
    assert form.preprocess(once) == once


def test_an_unknown_profile_is_an_error():
    with pytest.raises(
        InputError, match="unknown profile 'moses'; choose one of raw, truecased, lowercased, tokenized"
    ):
        Preprocessor("moses", "de")
