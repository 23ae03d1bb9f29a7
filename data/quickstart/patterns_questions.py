"""Questions, requests and commands: inversion in German, do-support and stranded prepositions in English."""

from data.quickstart.clauses import DONE, PLANNED, SIMPLE, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.entries import Verb
from data.quickstart.lexicon import ACTIVITIES, DATIVE, NOUNS, PREPOSITIONAL, TRANSITIVE
from data.quickstart.patterns import (
    CHORES,
    NOTEWORTHY,
    Sides,
    asked_person,
    clause_of,
    negation,
    pattern,
    question,
    sentence,
    verbs_named,
)
from data.quickstart.phrases import (
    BARE,
    POSSESSIVE,
    THE,
    THIS,
    WHICH,
    NounPhrase,
    Pronoun,
    Who,
)

_HABITUAL = [verb for verb in ACTIVITIES if "h" in verb.aspects]
_ABOUT_PEOPLE = [verb for verb in TRANSITIVE if verb.governments[0][2] == ("someone",)]
_ABOUT_PEOPLE_BY_PREPOSITION = [
    verb
    for verb in PREPOSITIONAL
    if verb.governments[0][2] == ("someone",) and "p" in verb.aspects and verb.lemma != "sich verabschieden von"
]
_DONE_SOMEWHERE = verbs_named("kaufen finden verlieren vergessen treffen mieten feiern verstecken fotografieren")
_COMMANDS = verbs_named(
    "öffnen schließen unterschreiben ausfüllen bezahlen übersetzen reparieren einschalten ausschalten "
    "aufräumen putzen gießen füttern zurückgeben anrufen abholen einpacken schneiden beantworten packen"
)

_REQUESTS = [*_COMMANDS, *verbs_named("geben zeigen bringen leihen kaufen", "giving")]
_WARNED_AGAINST = verbs_named(
    "öffnen schließen einschalten ausschalten füttern unterschreiben gießen schneiden wegwerfen streicheln vergessen"
)


def _asked_event(draw: Draw, aspect: str, verbs: list[Verb] | None = None, places: float = 0.0):
    return draw.event(aspect, verbs, subject=asked_person(draw), places=places)


@pattern
def question_about_the_past(draw: Draw) -> Sides:
    """Hat deine Schwester gestern die Rechnung bezahlt?"""
    event = _asked_event(draw, "p", [verb for verb in ACTIVITIES if verb.aspects >= {"p", "f"}], places=0.2)
    return question(clause_of(event, DONE, draw.past_time(event.verb, counted=False)))


@pattern
def question_about_habit(draw: Draw) -> Sides:
    """Liest deine Großmutter oft Krimis?"""
    event = draw.event("h", _HABITUAL, subject=asked_person(draw), places=0.35, prefer_plural=True)
    often = draw.one_of((("oft", "often"), ("regelmäßig", "regularly"), ("manchmal", "sometimes"), ("gern", "")))
    clause = clause_of(event, SIMPLE, Phrase(*often, "frequency"))
    if often[0] != "gern":
        return question(clause)
    do = "Does" if event.subject.person == "er" else "Do"
    return sentence(clause.german_question(), f"{do} {event.subject.english()} like {clause.english_infinitive()}", "?")


@pattern
def question_about_plans(draw: Draw) -> Sides:
    """Kannst du morgen meine Tante abholen?"""
    modal = draw.one_of(("", "müssen", "können", "wollen", "möchten"))
    event = _asked_event(draw, "f", CHORES if modal == "müssen" else None)
    time = draw.future_time(event.verb)
    return question(clause_of(event, SIMPLE if modal else PLANNED, time, modal=modal))


@pattern
def where_question(draw: Draw) -> Sides:
    """Wo hat der Student seinen Rucksack vergessen?"""
    return question(clause_of(_asked_event(draw, "p", _DONE_SOMEWHERE), DONE), "wo", "where")


@pattern
def when_question(draw: Draw) -> Sides:
    """Wann holst du deine Großmutter ab?"""
    tense = draw.one_of((DONE, PLANNED))
    return question(clause_of(_asked_event(draw, "p", NOTEWORTHY), tense), "wann", "when")


@pattern
def why_question(draw: Draw) -> Sides:
    """Warum hat dein Onkel sein Boot verkauft?"""
    return question(clause_of(_asked_event(draw, "p", places=0.15), DONE), "warum", "why")


@pattern
def how_often_question(draw: Draw) -> Sides:
    """Wie oft besuchen Sie Ihre Großeltern?"""
    event = _asked_event(draw, "h", places=0.3)
    return question(clause_of(event, SIMPLE), "wie oft", "how often")


@pattern
def who_question(draw: Draw) -> Sides:
    """Wer hat gestern den Zaun gestrichen?"""
    verb = draw.verb(
        [
            verb
            for verb in ACTIVITIES
            if {"p", "f"} <= verb.aspects and not verb.reflexive and verb.lemma not in ("feiern", "begleiten")
        ]
    )
    phrases = [draw.complement(verb, government, Who()) for government in verb.governments]
    time = draw.past_time(verb, counted=False)
    clause = Clause(Who(), verb, DONE, (*phrases, time))
    return sentence(clause.german_main(), clause.english_main(), "?")


@pattern
def whom_question(draw: Draw) -> Sides:
    """Auf wen hat deine Freundin gewartet?"""
    verb = draw.verb([*_ABOUT_PEOPLE, *_ABOUT_PEOPLE_BY_PREPOSITION, *(v for v in DATIVE if "p" in v.aspects)])
    subject = asked_person(draw)
    preposition, case, _, _ = verb.governments[0]
    word = f"{preposition} {Who().german(case)}".strip()
    phrases = (draw.past_time(verb, counted=False),) if draw.chance(0.75) else ()
    return question(Clause(subject, verb, DONE, phrases), word, "who")


@pattern
def what_question(draw: Draw) -> Sides:
    """Was hat dein Bruder im Supermarkt gekauft?"""
    verb, places = draw.one_of(
        (
            ("kaufen", ("shop",)),
            ("bestellen", ("lodging",)),
            ("essen", ("lodging",)),
            ("trinken", ("lodging",)),
            ("lesen", ("quiet",)),
            ("suchen", ("everywhere", "public")),
            ("finden", ("everywhere", "public")),
            ("vergessen", ("public", "lodging")),
            ("fotografieren", ("nature", "outing")),
        )
    )
    phrases = [draw.location(*places)] if draw.chance(0.8) else []
    found = draw.verb(verbs_named(verb))
    if not phrases or draw.chance(0.4):
        phrases.append(draw.past_time(found, counted=False))
    return question(Clause(asked_person(draw), found, DONE, tuple(phrases)), "was", "what")


@pattern
def whose_question(draw: Draw) -> Sides:
    """Wem gehört der rote Koffer im Keller?"""
    noun = draw.noun("lost", "own", "clothing", "furniture", "toy", "pet", "Buch", "dish")
    thing = draw.thing(noun, draw.one_of((THE, THIS)), plural=draw.chance(0.2), probability=0.7)
    verb = draw.verb(verbs_named("gehören", "dative"))
    where_german, where_english = "", ""
    if thing.determiner == THE and draw.chance(0.6):
        place = draw.location("room", "yard") if "own" not in noun.tags else draw.location("yard", "station")
        where_german, where_english = f" {place.german}", f" {place.english}"
    do = "do" if thing.person == "sie" else "does"
    return sentence(
        f"wem {verb.present_form(thing.person)} {thing.german()}{where_german}",
        f"who {do} {thing.english()}{where_english} belong to",
        "?",
    )


@pattern
def which_question(draw: Draw) -> Sides:
    """Welches Buch hat deine Schwester gelesen?"""
    verbs = verbs_named(
        "lesen kaufen verkaufen reparieren besuchen anprobieren beantworten verlieren übersetzen "
        "sich_ansehen verpassen vergessen malen fotografieren zurückgeben unterschreiben"
    )
    verb = draw.verb(verbs)
    classes = {"visited"} if verb.lemma == "besuchen" else set(verb.governments[0][2])
    noun = draw.noun_among([noun for noun in NOUNS if classes & noun.tags and not noun.is_mass])
    thing = draw.thing(noun, WHICH, plural=draw.chance(0.2) and "rare" not in noun.tags, probability=0)
    phrases = (draw.past_time(verb, counted=False),) if draw.chance(0.7) else ()
    clause = Clause(asked_person(draw), verb, DONE, phrases)
    return question(clause, thing.german("acc"), thing.english("acc"))


@pattern
def how_many_question(draw: Draw) -> Sides:
    """Wie viele Äpfel hat deine Mutter gekauft?"""
    lemma, classes = draw.one_of(
        (
            ("kaufen", ("Apfel", "Birne", "Orange", "Brötchen", "plant", "Stuhl", "biscuit", "clothing")),
            ("essen", ("Apfel", "Banane", "Birne", "Brezel", "biscuit", "Pfannkuchen", "Wurst")),
            ("lesen", ("text",)),
            ("schreiben", ("written",)),
            ("pflanzen", ("plant",)),
            ("backen", ("baked", "biscuit")),
            ("finden", ("lost",)),
            ("fotografieren", ("watched",)),
            ("einladen", ("friend", "companion", "Gast")),
        )
    )
    verb = draw.verb(verbs_named(lemma))
    noun = draw.noun(*classes)
    many = NounPhrase(noun, BARE, plural=True)
    phrases = (draw.past_time(verb, counted=False),) if draw.chance(0.7) else ()
    clause = Clause(asked_person(draw), verb, DONE, phrases)
    return question(clause, f"wie viele {many.german('acc')}", f"how many {many.english()}")


@pattern
def where_is_question(draw: Draw) -> Sides:
    """Wo ist mein Haustürschlüssel?"""
    noun = draw.noun("lost", "toy", "lent", "pet", "clothing")
    owner = draw.one_of((POSSESSIVE["my"], POSSESSIVE["your"], POSSESSIVE["our"], THE))
    thing = draw.thing(noun, owner, plural=draw.chance(0.25), probability=0.6)
    be = "are" if thing.person == "sie" else "is"
    german_be = "sind" if thing.person == "sie" else "ist"
    return sentence(f"wo {german_be} {thing.german()}", f"where {be} {thing.english()}", "?")


def _requested(draw: Draw, subject: Pronoun, verbs: list[Verb]) -> tuple[Verb, list[Phrase]]:
    """Something to ask of somebody, for oneself where it is given to anyone."""
    verb = draw.verb(verbs)
    phrases = [
        Phrase("mir", "me", "pronoun") if government[1] == "dat" else draw.complement(verb, government, subject)
        for government in verb.governments
    ]
    return verb, phrases


@pattern
def polite_request(draw: Draw) -> Sides:
    """Können Sie bitte das Fenster schließen?"""
    subject = Pronoun(draw.one_of(("you (Sie)", "you")))
    verb, phrases = _requested(draw, subject, _REQUESTS)
    please = Phrase("bitte", "please", "frequency")
    return question(Clause(subject, verb, SIMPLE, (*phrases, please), modal="können"))


@pattern
def command(draw: Draw) -> Sides:
    """Schalten Sie bitte den Computer aus."""
    subject = Pronoun("you (Sie)")
    if draw.chance(0.25):
        verb, phrases = _requested(draw, subject, _WARNED_AGAINST)
        clause = Clause(subject, verb, SIMPLE, (*phrases, negation()))
        return sentence(f"bitte {clause.german_question()}", f"please do not {clause.english_bare_infinitive()}")
    verb, phrases = _requested(draw, subject, _REQUESTS)
    clause = Clause(subject, verb, SIMPLE, (*phrases, Phrase("bitte", "", "frequency")))
    return sentence(clause.german_question(), f"please {clause.english_bare_infinitive()}")
