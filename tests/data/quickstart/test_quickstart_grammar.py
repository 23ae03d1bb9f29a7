"""The quickstart grammar: the inflection of both languages, the order of words and the classes of its lexicon."""

from data.quickstart.clauses import DONE, FUTURE, NOW, ONGOING, SCENE, TOLD, Clause, Phrase
from data.quickstart.lexicon import ADJECTIVE, ADJECTIVES, NOUNS, VERB, VERBS
from data.quickstart.phrases import (
    BARE,
    NO,
    PRONOUN,
    THE,
    THIS,
    WHICH,
    A,
    Name,
    NounPhrase,
    indefinite_article,
    possessive,
    pronoun_for,
    relative_pronoun,
)

NOUN = {noun.lemma: noun for noun in NOUNS}
MY, HER, OUR = (possessive(PRONOUN[name]) for name in ("ich", "sie", "wir"))


def phrase(determiner, adjective, noun, plural=False, degree=0):
    return NounPhrase(NOUN[noun], determiner, ADJECTIVE.get(adjective), plural, degree)


NOUN_PHRASES = [
    (phrase(THE, "alt", "Hund"), "dat", "dem alten Hund", "the old dog"),
    (phrase(A, "gut", "Freund"), "acc", "einen guten Freund", "a good friend"),
    (phrase(BARE, "gut", "Wein"), "nom", "guter Wein", "good wine"),
    (phrase(BARE, "kalt", "Bier"), "dat", "kaltem Bier", "cold beer"),
    (phrase(BARE, "kalt", "Milch"), "dat", "kalter Milch", "cold milk"),
    (phrase(A, "klein", "Kind"), "nom", "ein kleines Kind", "a small child"),
    (phrase(THE, "klein", "Kind"), "nom", "das kleine Kind", "the small child"),
    (phrase(MY, "jung", "Schwester", degree=1), "dat", "meiner jüngeren Schwester", "my younger sister"),
    (phrase(MY, None, "Bruder"), "gen", "meines Bruders", "my brother"),
    (phrase(THE, "neu", "Nachbar"), "dat", "dem neuen Nachbarn", "the new neighbor"),
    (phrase(THE, None, "Student"), "gen", "des Studenten", "the student"),
    (phrase(OUR, None, "Großeltern"), "dat", "unseren Großeltern", "our grandparents"),
    (phrase(BARE, "reif", "Apfel", plural=True), "dat", "reifen Äpfeln", "ripe apples"),
    (phrase(THE, "rot", "Schuhe"), "nom", "die roten Schuhe", "the red shoes"),
    (phrase(NO, "teuer", "Armbanduhr"), "acc", "keine teure Armbanduhr", "an expensive wristwatch"),
    (phrase(NO, None, "Reis"), "acc", "keinen Reis", "any rice"),
    (phrase(THIS, None, "Kind", plural=True), "dat", "diesen Kindern", "these children"),
    (phrase(WHICH, None, "Buch"), "acc", "welches Buch", "which book"),
    (phrase(A, "hoch", "Turm"), "acc", "einen hohen Turm", "a tall tower"),
    (phrase(THE, "hoch", "Turm", degree=2), "nom", "der höchste Turm", "the tallest tower"),
    (phrase(A, "ehrlich", "Mann"), "nom", "ein ehrlicher Mann", "an honest man"),
    (phrase(HER, "blau", "Schal"), "acc", "ihren blauen Schal", "her blue scarf"),
    (phrase(THE, None, "Sofa", plural=True), "dat", "den Sofas", "the sofas"),
    (phrase(THE, None, "Frühstück"), "acc", "das Frühstück", "breakfast"),
]


def test_noun_phrases_are_inflected():
    said = [(phrase, case, phrase.german(case), phrase.english(case)) for phrase, case, _, _ in NOUN_PHRASES]
    assert said == NOUN_PHRASES


def test_prepositions_contract_with_the_article_alone():
    garden, cinema, doctor = phrase(THE, None, "Garten"), phrase(THE, "gut", "Kino"), phrase(A, None, "Arzt")
    assert garden.prepositional("in", "dat") == "im Garten"
    assert garden.prepositional("in", "acc") == "in den Garten"
    assert cinema.prepositional("in", "acc") == "ins gute Kino"
    assert phrase(THE, None, "Universität").prepositional("zu", "dat") == "zur Universität"
    assert doctor.prepositional("von", "dat") == "von einem Arzt"


def test_pronouns_take_up_gender_and_names_are_declined():
    assert pronoun_for(phrase(THE, None, "Schlüssel")).sides("acc") == ("ihn", "it")
    assert pronoun_for(phrase(THE, None, "Tasche")).sides("dat") == ("ihr", "it")
    assert pronoun_for(phrase(MY, None, "Schwester")).sides() == ("sie", "she")
    assert pronoun_for(phrase(MY, None, "Eltern")).sides("acc") == ("sie", "them")
    assert (relative_pronoun("dat", "p"), relative_pronoun("acc", "m")) == ("denen", "den")
    assert Name("Herr Weber", "m").sides("dat") == ("Herrn Weber", "Mr. Weber")
    articles = {word: indefinite_article(word) for word in ("apple", "honest", "hour", "university", "book")}
    assert articles == {"apple": "an", "honest": "an", "hour": "an", "university": "a", "book": "a"}


# Infinitive, present tense (ich, du, er, wir), past tense (ich, du, sie), imperative, infinitive with zu.
GERMAN_VERBS = [
    ("lesen", "lese liest liest lesen", "las last lasen", "lies", "zu lesen"),
    (
        "arbeiten",
        "arbeite arbeitest arbeitet arbeiten",
        "arbeitete arbeitetest arbeiteten",
        "arbeite",
        "zu arbeiten",
    ),
    ("einladen", "lade lädst lädt laden", "lud ludst luden", "lade", "einzuladen"),
    (
        "sich unterhalten mit",
        "unterhalte unterhältst unterhält unterhalten",
        "unterhielt unterhieltst unterhielten",
        "unterhalte",
        "zu unterhalten",
    ),
    ("vergessen", "vergesse vergisst vergisst vergessen", "vergaß vergaßt vergaßen", "vergiss", "zu vergessen"),
    ("füttern", "füttere fütterst füttert füttern", "fütterte füttertest fütterten", "füttere", "zu füttern"),
    ("öffnen", "öffne öffnest öffnet öffnen", "öffnete öffnetest öffneten", "öffne", "zu öffnen"),
    ("helfen", "helfe hilfst hilft helfen", "half halfst halfen", "hilf", "zu helfen"),
    ("spazieren gehen", "gehe gehst geht gehen", "ging gingst gingen", "geh", "spazieren zu gehen"),
    ("schließen", "schließe schließt schließt schließen", "schloss schlosst schlossen", "schließ", "zu schließen"),
    ("fernsehen", "sehe siehst sieht sehen", "sah sahst sahen", "sieh", "fernzusehen"),
]


def test_german_verbs_are_conjugated():
    said = []
    for lemma, *_ in GERMAN_VERBS:
        verb = VERB[lemma]
        present = " ".join(map(verb.present_form, ("ich", "du", "er", "wir")))
        past = " ".join(map(verb.past_form, ("ich", "du", "sie")))
        said.append((lemma, present, past, verb.imperative(), verb.zu_infinitive()))
    assert said == GERMAN_VERBS


ENGLISH_VERBS = [
    ("abholen", "present", "er", {}, "picks up"),
    ("abholen", "present", "er", {"split": True}, "does pick up"),
    ("schreiben", "progressive", "ich", {}, "am writing"),
    ("schwimmen", "past progressive", "sie", {}, "were swimming"),
    ("sich interessieren für", "past", "er", {"split": True}, "was interested in"),
    ("weinen", "present", "er", {}, "cries"),
    ("schreiben", "past", "er", {"passive": True}, "was written"),
    ("reparieren", "progressive", "sie", {"passive": True}, "are being repaired"),
]


def test_english_verbs_are_conjugated():
    said = [
        (lemma, tense, person, options, " ".join(VERB[lemma].english.predicate(tense, person, **options)).strip())
        for lemma, tense, person, options, _ in ENGLISH_VERBS
    ]
    assert said == ENGLISH_VERBS


def test_each_language_has_its_order_of_words():
    time = Phrase("morgen", "tomorrow", "time")
    children = Phrase("die Kinder", "the children", "object")
    clause = Clause(Name("Anna", "f"), VERB["abholen"], (children, time))
    said = {
        clause.main(): ("Anna holt morgen die Kinder ab", "Anna picks up the children tomorrow"),
        clause.put(FUTURE).main(time): (
            "morgen wird Anna die Kinder abholen",
            "tomorrow Anna will pick up the children",
        ),
        clause.put(DONE).question(): ("hat Anna morgen die Kinder abgeholt", "did Anna pick up the children tomorrow"),
        clause.put(NOW).final(): ("Anna morgen die Kinder abholt", "Anna picks up the children tomorrow"),
        clause.put(DONE).final(): ("Anna morgen die Kinder abgeholt hat", "Anna picked up the children tomorrow"),
        clause.put(NOW, modal="müssen").main(): (
            "Anna muss morgen die Kinder abholen",
            "Anna has to pick up the children tomorrow",
        ),
        clause.put(TOLD, modal="können", negated=True).main(): (
            "Anna konnte morgen die Kinder abholen",
            "Anna could not pick up the children tomorrow",
        ),
        clause.infinitive(): ("morgen die Kinder abzuholen", "to pick up the children tomorrow"),
    }
    assert list(said) == list(said.values())
    me = Phrase(*PRONOUN["ich"].sides("acc"), "pronoun")
    caller = Clause(Name("Anna", "f"), VERB["wecken"], (me,))
    assert caller.put(SCENE).question() == ("weckte mich Anna", "was Anna waking me up")
    hurry = Clause(PRONOUN["wir"], VERB["sich beeilen"], ())
    assert hurry.put(DONE).main() == ("wir haben uns beeilt", "we hurried")
    assert hurry.put(ONGOING).question() == ("beeilen wir uns", "are we hurrying")
    assert Clause(PRONOUN["du"], VERB["abholen"], (children,)).imperative()[0] == "hol bitte die Kinder ab"


def test_every_class_required_by_verbs_and_adjectives_has_nouns():
    assert len({noun.lemma for noun in NOUNS}) == len(NOUNS)
    classes = {name for noun in NOUNS for name in noun.classes}
    wanted = {name for verb in VERBS for complement in verb.complements for name in complement.classes}
    assert wanted - {"someone"} <= classes
    assert {name for adjective in ADJECTIVES for name in adjective.classes} - {"state"} <= classes
    places = {name for noun in NOUNS if noun.where for name in noun.classes}
    assert {name for verb in VERBS for name in verb.places} <= places
    assert {verb.subject for verb in VERBS} - {"", "person"} <= classes
