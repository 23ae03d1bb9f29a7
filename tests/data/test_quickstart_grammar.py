"""The quickstart grammar: the inflection of both languages and the classes of its lexicon."""

import pytest

from data.quickstart.lexicon import ACTIVITIES, ADJECTIVE, ADJECTIVES, NOUN, NOUNS, OTHER, PLACES
from data.quickstart.patterns import verb_named
from data.quickstart.phrases import (
    BARE,
    MANY,
    NO,
    POSSESSIVE,
    THE,
    THIS,
    WHICH,
    A,
    Name,
    NounPhrase,
    german_prepositional,
    indefinite_article,
    relative_pronoun,
)


def phrase(determiner, adjective, noun, plural=False, degree="positive"):
    adjectives = (ADJECTIVE[adjective],) if adjective else ()
    return NounPhrase(NOUN[noun], determiner, adjectives, plural, degree)


MY, HER, OUR = POSSESSIVE["my"], POSSESSIVE["her"], POSSESSIVE["our"]


@pytest.mark.parametrize(
    ("noun_phrase", "case", "german", "english"),
    [
        (phrase(THE, "alt", "Hund"), "dat", "dem alten Hund", "the old dog"),
        (phrase(A, "gut", "Freund"), "acc", "einen guten Freund", "a good friend"),
        (phrase(BARE, "gut", "Wein"), "nom", "guter Wein", "good wine"),
        (phrase(BARE, "kalt", "Bier"), "dat", "kaltem Bier", "cold beer"),
        (phrase(BARE, "frisch", "Milch"), "dat", "frischer Milch", "fresh milk"),
        (phrase(A, "klein", "Kind"), "nom", "ein kleines Kind", "a small child"),
        (phrase(THE, "klein", "Kind"), "nom", "das kleine Kind", "the small child"),
        (phrase(MY, "jung", "Schwester", degree="comparative"), "dat", "meiner jüngeren Schwester", None),
        (phrase(MY, None, "Bruder"), "gen", "meines Bruders", "my brother"),
        (phrase(THE, None, "Junge"), "acc", "den Jungen", "the boy"),
        (phrase(THE, "neu", "Nachbar"), "dat", "dem neuen Nachbarn", "the new neighbor"),
        (phrase(THE, None, "Student"), "gen", "des Studenten", "the student"),
        (phrase(OUR, None, "Großeltern"), "dat", "unseren Großeltern", "our grandparents"),
        (phrase(BARE, "reif", "Apfel", plural=True), "acc", "reife Äpfel", "ripe apples"),
        (phrase(BARE, "reif", "Apfel", plural=True), "dat", "reifen Äpfeln", "ripe apples"),
        (phrase(THE, "rot", "Schuh", plural=True), "nom", "die roten Schuhe", "the red shoes"),
        (phrase(NO, "teuer", "Armbanduhr"), "acc", "keine teure Armbanduhr", None),
        (phrase(NO, None, "Auto", plural=True), "acc", "keine Autos", "any cars"),
        (phrase(NO, None, "Reis"), "acc", "keinen Reis", "any rice"),
        (phrase(THIS, "dunkel", "Wald"), "nom", "dieser dunkle Wald", "this dark forest"),
        (phrase(THIS, None, "Fisch"), "nom", "dieser Fisch", "this fish"),
        (phrase(THIS, None, "Kind", plural=True), "dat", "diesen Kindern", "these children"),
        (phrase(WHICH, None, "Buch"), "acc", "welches Buch", "which book"),
        (phrase(A, "hoch", "Turm"), "acc", "einen hohen Turm", "a tall tower"),
        (phrase(THE, "hoch", "Turm", degree="superlative"), "nom", "der höchste Turm", "the tallest tower"),
        (phrase(A, "teuer", "Sofa", degree="comparative"), "acc", "ein teureres Sofa", "a more expensive sofa"),
        (phrase(THE, "müde", "Frau"), "nom", "die müde Frau", "the tired woman"),
        (phrase(A, "ehrlich", "Mann"), "nom", "ein ehrlicher Mann", "an honest man"),
        (phrase(A, None, "Universität"), "dat", "einer Universität", "a university"),
        (phrase(A, None, "Regenschirm"), "acc", "einen Regenschirm", "an umbrella"),
        (phrase(MANY, "alt", "Haus", plural=True), "acc", "viele alte Häuser", "many old houses"),
        (phrase(HER, "bunt", "Schal"), "acc", "ihren bunten Schal", "her colorful scarf"),
        (phrase(THE, None, "Haustürschlüssel", plural=True), "dat", "den Haustürschlüsseln", "the front door keys"),
        (phrase(THE, None, "Frau", plural=True), "dat", "den Frauen", "the women"),
        (phrase(THE, None, "Sofa", plural=True), "dat", "den Sofas", "the sofas"),
        (phrase(THE, None, "Frühstück"), "acc", "das Frühstück", "breakfast"),
    ],
)
def test_noun_phrases_are_inflected(noun_phrase, case, german, english):
    assert noun_phrase.german(case) == german
    assert english is None or noun_phrase.english() == english


@pytest.mark.parametrize(
    ("preposition", "noun_phrase", "case", "german"),
    [
        ("in", phrase(THE, None, "Garten"), "acc", "in den Garten"),
        ("in", phrase(THE, None, "Garten"), "dat", "im Garten"),
        ("in", phrase(THE, "neu", "Kino"), "acc", "ins neue Kino"),
        ("zu", phrase(THE, None, "Universität"), "dat", "zur Universität"),
        ("von", phrase(A, None, "Arzt"), "dat", "von einem Arzt"),
        ("auf", phrase(THE, None, "Balkon"), "acc", "auf den Balkon"),
        ("mit", phrase(THE, "alt", "Hund"), "dat", "mit dem alten Hund"),
    ],
)
def test_prepositions_govern_and_contract(preposition, noun_phrase, case, german):
    assert german_prepositional(preposition, noun_phrase, case) == german


@pytest.mark.parametrize(
    ("lemma", "person", "present", "past"),
    [
        ("lesen", "du", "liest", "last"),
        ("lesen", "er", "liest", "las"),
        ("spielen", "ich", "spiele", "spielte"),
        ("angeln", "ich", "angle", "angelte"),
        ("arbeiten", "du", "arbeitest", "arbeitetest"),
        ("sich unterhalten mit", "du", "unterhältst", "unterhieltst"),
        ("abholen", "wir", "holen", "holten"),
        ("einladen", "er", "lädt", "lud"),
        ("vergessen", "du", "vergisst", "vergaßt"),
        ("streichen", "sie", "streichen", "strichen"),
    ],
)
def test_german_verbs_are_conjugated(lemma, person, present, past):
    verb = verb_named(lemma)
    assert verb.present_form(person) == present
    assert verb.past_form(person) == past


@pytest.mark.parametrize(
    ("lemma", "participle", "infinitive", "with_zu"),
    [
        ("abholen", "abgeholt", "abholen", "abzuholen"),
        ("vorbereiten", "vorbereitet", "vorbereiten", "vorzubereiten"),
        ("übersetzen", "übersetzt", "übersetzen", "zu übersetzen"),
        ("spazieren gehen", "spazieren gegangen", "spazieren gehen", "spazieren zu gehen"),
        ("wegwerfen", "weggeworfen", "wegwerfen", "wegzuwerfen"),
    ],
)
def test_separable_verbs_take_ge_and_zu_inside(lemma, participle, infinitive, with_zu):
    verb = verb_named(lemma)
    assert (verb.participle, verb.full_infinitive(), verb.zu_infinitive()) == (participle, infinitive, with_zu)


@pytest.mark.parametrize(
    ("lemma", "tense", "person", "split", "english"),
    [
        ("abholen", "present", "er", False, "picks up"),
        ("abholen", "present", "er", True, "does pick up"),
        ("gießen", "past", "wir", False, "watered"),
        ("anrufen", "present perfect", "er", False, "has called"),
        ("schreiben", "progressive", "ich", False, "am writing"),
        ("schwimmen", "past progressive", "sie", False, "were swimming"),
        ("wegwerfen", "past perfect", "er", False, "had thrown away"),
        ("waschen", "present", "er", False, "washes"),
        ("sich freuen über", "past", "er", True, "was happy about"),
        ("lernen", "perfect progressive", "sie", False, "have been learning"),
        ("weinen", "present", "er", False, "cries"),
        ("tragen", "past", "er", False, "carried"),
    ],
)
def test_english_verbs_are_conjugated(lemma, tense, person, split, english):
    auxiliary, rest = verb_named(lemma).english.predicate(tense, person, split=split)
    assert f"{auxiliary} {rest}".strip() == english


def test_relative_pronouns_and_titles_are_declined():
    assert relative_pronoun("dat", "p") == "denen"
    assert relative_pronoun("gen", "f") == "deren"
    assert Name(("Herr Weber",), "m").german("dat") == "Herrn Weber"
    assert Name(("Frau Weber",), "f").english() == "Mrs. Weber"


@pytest.mark.parametrize(
    ("word", "article"),
    [("apple", "an"), ("book", "a"), ("honest", "an"), ("hour", "an"), ("university", "a"), ("umbrella", "an")],
)
def test_the_indefinite_article_follows_the_sound(word, article):
    assert indefinite_article(word) == article


# The lexicon


def test_every_class_that_a_verb_asks_for_has_nouns():
    tags = {tag for noun in NOUNS for tag in noun.tags} | {"someone"}
    for verb in [*ACTIVITIES, *OTHER.values()]:
        for _, _, classes, _ in verb.governments:
            assert tags.issuperset(classes), verb.lemma


def test_every_class_of_an_adjective_has_nouns():
    tags = {tag for noun in NOUNS for tag in noun.tags}
    for adjective in ADJECTIVES:
        assert tags >= adjective.tags, adjective.lemma


def test_every_class_of_places_that_a_verb_asks_for_has_places():
    tags = {tag for place in PLACES for tag in (*place.tags, place.noun.lemma)}
    for verb in ACTIVITIES:
        assert tags.issuperset(place.strip(">") for place in verb.places), verb.lemma
