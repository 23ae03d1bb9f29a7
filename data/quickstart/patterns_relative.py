"""Relative clauses, whose pronoun takes its gender from outside and its case from within."""

from data.quickstart import adverbials
from data.quickstart.adverbials import words
from data.quickstart.clauses import DONE, ONGOING, SIMPLE, Clause, Phrase
from data.quickstart.dice import adjectives_of
from data.quickstart.draw import Draw
from data.quickstart.entries import Verb
from data.quickstart.lexicon import ADJECTIVE, DATIVE, NOUNS, OTHER, PREPOSITIONAL, SPATIAL, TRANSITIVE
from data.quickstart.patterns import NOTEWORTHY, Sides, pattern, predicate_adjective, sentence, verb_named, verbs_named
from data.quickstart.phrases import (
    POSSESSIVE,
    THE,
    NounPhrase,
    Pronoun,
    relative_pronoun,
)

_ABOUT_THINGS = verbs_named(
    "lesen kaufen verkaufen suchen finden verlieren bestellen reparieren anprobieren übersetzen wegwerfen malen "
    "streichen pflanzen fotografieren beantworten mieten einpacken schreiben besuchen unterschreiben"
)
_MET = verbs_named("treffen besuchen anrufen einladen abholen fragen loben begleiten")
_HELPED = [verb for verb in DATIVE if verb.governments[0][2] == ("someone",) and "p" in verb.aspects]
_ADDRESSED = [
    verb
    for verb in PREPOSITIONAL
    if verb.governments[0][2] == ("someone",) and not verb.lemma.startswith(("sich ver", "denken"))
]
_CHARACTER = words("nett freundlich höflich klug geduldig neugierig fleißig ehrlich")
_PERSON_CLASSES = ("companion", "studies", "job", "teacher", "Mann", "Frau", "Gast", "Tourist")


def _origin(draw: Draw) -> Sides:
    """ "kommt aus Italien", "wohnt in Köln" or "ist sehr nett": what one may say of a person."""
    kind = draw.one_of("olc")
    if kind == "o":
        country = draw.pair(adverbials.COUNTRIES)
        return f"kommt aus {country.german}", f"comes from {country.english}"
    if kind == "l":
        city = draw.pair(adverbials.CITIES)
        return f"wohnt in {city.german}", f"lives in {city.english}"
    adjective = ADJECTIVE[draw.one_of(_CHARACTER)]
    draw.use(adjective.lemma)
    return f"ist sehr {adjective.lemma}", f"is very {adjective.english}"


def _person(draw: Draw) -> NounPhrase:
    return draw.thing(draw.noun(*_PERSON_CLASSES), THE, probability=0.15)


def _around(person: NounPhrase, german_clause: str, english_clause: str, predicate: Sides) -> Sides:
    """The relative clause set between its antecedent and the predicate."""
    return sentence(
        f"{person.german()}, {german_clause}, {predicate[0]}",
        f"{person.english()} {english_clause} {predicate[1]}",
    )


def _teller(draw: Draw) -> Pronoun | NounPhrase:
    """Who has to do with the person or thing: ich, wir, a name or one's family."""
    kind = draw.one_of("iwnkk")
    if kind == "n":
        return draw.name(pairs_too=False)
    if kind == "k":
        noun = draw.noun("relative", "friend")
        return draw.relative(noun, POSSESSIVE[draw.one_of(("my", "our"))])
    return Pronoun("I" if kind == "i" else "we")


@pattern
def relative_subject(draw: Draw) -> Sides:
    """Die Frau, die gerade das Fenster putzt, kommt aus Spanien."""
    person = _person(draw)
    tense = draw.one_of((ONGOING, DONE))
    event = draw.event("g" if tense == ONGOING else "p", subject=person, places=0.3)
    time = Phrase("gerade", "", "time") if tense == ONGOING else draw.past_time(event.verb, counted=False)
    clause = Clause(person, event.verb, tense, (*event.phrases, time))
    german = f"{relative_pronoun('nom', person.gender)} {clause.german_without_subject()}"
    return _around(person, german, f"who {clause.english_without_subject()}", _origin(draw))


@pattern
def relative_object(draw: Draw) -> Sides:
    """Der Roman, den ich letzte Woche gelesen habe, ist sehr spannend."""
    verb = draw.verb(_ABOUT_THINGS)
    classes = {"visited"} if verb.lemma == "besuchen" else set(verb.governments[0][2])
    nouns = [noun for noun in NOUNS if classes & noun.tags and adjectives_of(noun)]
    noun = draw.noun_among(nouns)
    is_plural = "pair" in noun.tags or ("rare" not in noun.tags and not noun.is_mass and draw.chance(0.2))
    thing = NounPhrase(noun, THE, plural=is_plural)
    clause = Clause(_teller(draw), verb, DONE, (draw.past_time(verb, counted=False),))
    german_adjective, english_adjective = predicate_adjective(draw, noun)
    be = "are" if is_plural else "is"
    return _around(
        thing,
        f"{relative_pronoun('acc', thing.gender)} {clause.german_final()}",
        f"that {clause.english_main()}",
        (f"{'sind' if is_plural else 'ist'} {german_adjective}", f"{be} {english_adjective}"),
    )


def _relation(draw: Draw, verbs: list[Verb]) -> tuple[NounPhrase, Verb, Clause]:
    person, verb = _person(draw), draw.verb(verbs)
    return person, verb, Clause(_teller(draw), verb, DONE, (draw.past_time(verb, counted=False),))


@pattern
def relative_person_as_object(draw: Draw) -> Sides:
    """Der Kollege, den wir eingeladen haben, kommt aus Polen."""
    person, _, clause = _relation(draw, _MET)
    german = f"{relative_pronoun('acc', person.gender)} {clause.german_final()}"
    return _around(person, german, f"whom {clause.english_main()}", _origin(draw))


@pattern
def relative_dative(draw: Draw) -> Sides:
    """Die Nachbarin, der ich gestern geholfen habe, ist sehr nett."""
    person, _, clause = _relation(draw, _HELPED)
    german = f"{relative_pronoun('dat', person.gender)} {clause.german_final()}"
    return _around(person, german, f"whom {clause.english_main()}", _origin(draw))


@pattern
def relative_after_preposition(draw: Draw) -> Sides:
    """Der Kollege, mit dem ich gestern gesprochen habe, wohnt in Bremen."""
    person, verb, clause = _relation(draw, _ADDRESSED)
    preposition, case, *_ = verb.governments[0]
    german = f"{preposition} {relative_pronoun(case, person.gender)} {clause.german_final()}"
    # The English preposition is the verb's particle and stays behind: "whom I spoke to yesterday".
    return _around(person, german, f"whom {clause.english_main()}", _origin(draw))


@pattern
def relative_genitive(draw: Draw) -> Sides:
    """Der Mann, dessen Hund wir gefunden haben, wohnt in Köln."""
    person = _person(draw)
    if draw.chance(0.5):
        verb = draw.verb(verbs_named("finden suchen"))
        owned = draw.thing(draw.noun("lost"), THE, probability=0)
    else:
        verb = draw.verb(verbs_named("reparieren verkaufen kaufen mieten waschen"))
        owned = draw.thing(draw.noun("own"), THE, probability=0)
    clause = Clause(_teller(draw), verb, DONE, (draw.past_time(verb, counted=False),))
    noun_german, noun_english = owned.noun.german("acc", owned.plural), owned.noun.english_form(owned.plural)
    german = f"{relative_pronoun('gen', person.gender)} {noun_german} {clause.german_final()}"
    return _around(person, german, f"whose {noun_english} {clause.english_main()}", _origin(draw))


@pattern
def relative_place(draw: Draw) -> Sides:
    """Das Haus, in dem meine Großeltern wohnen, ist sehr alt."""
    lemma, classes, preposition, english = draw.one_of(
        (
            ("wohnen", ("home", "town"), "in", "in"),
            ("arbeiten", ("lodging", "Büro", "Krankenhaus", "Schule", "Museum"), "in", "in"),
            ("sitzen", ("seat",), "auf", "on"),
            ("schlafen", ("Bett", "Sofa"), "auf", "on"),
        )
    )
    verb = {"wohnen": SPATIAL["wohnen wohnte"], "sitzen": SPATIAL["sitzen saß"]}.get(lemma)
    verb = verb or verb_named(lemma)
    draw.use(lemma)
    place = draw.thing(draw.noun(*classes), THE, probability=0)
    if lemma in ("wohnen", "arbeiten"):
        clause = Clause(_teller(draw), verb, SIMPLE)
    else:
        clause = Clause(draw.acquaintance(), verb, ONGOING, (Phrase("gerade", "", "time"),))
    german = f"{preposition} {relative_pronoun('dat', place.gender)} {clause.german_final()}"
    german_adjective, english_adjective = predicate_adjective(draw, place.noun)
    predicate = (f"ist {german_adjective}", f"is {english_adjective}")
    return _around(place, german, f"that {clause.english_main()} {english}", predicate)


@pattern
def relative_in_object(draw: Draw) -> Sides:
    """Ich kenne den Mann, der gestern unser Auto repariert hat."""
    knower = draw.subject()
    person = draw.thing(draw.noun("job", "teacher"), THE, probability=0)
    verb = draw.verb([OTHER["kennen"]])
    event = draw.event("p", [verb for verb in NOTEWORTHY if verb in TRANSITIVE], subject=person)
    inner = Clause(person, event.verb, DONE, (*event.phrases, draw.past_time(event.verb, counted=False)))
    outer = Clause(knower, verb, SIMPLE, (Phrase(person.german("acc"), person.english(), "object"),))
    german = f"{relative_pronoun('nom', person.gender)} {inner.german_without_subject()}"
    return sentence(f"{outer.german_main()}, {german}", f"{outer.english_main()} who {inner.english_without_subject()}")


@pattern
def relative_thing_found(draw: Draw) -> Sides:
    """Anna hat den Ring gefunden, den ihre Mutter letzte Woche verloren hat."""
    finder = draw.subject(("person",))
    thing = draw.thing(draw.noun("lost"), THE, probability=0.4)
    find, lose = verbs_named("finden"), verbs_named("verlieren suchen vergessen")
    outer = Clause(finder, draw.verb(find), DONE, (Phrase(thing.german("acc"), thing.english("acc"), "object"),))
    loser = draw.acquaintance()
    verb = draw.verb(lose)
    inner = Clause(loser, verb, DONE, (draw.past_time(verb, counted=False),))
    german = f"{relative_pronoun('acc', thing.gender)} {inner.german_final()}"
    return sentence(f"{outer.german_main()}, {german}", f"{outer.english_main()} that {inner.english_main()}")
