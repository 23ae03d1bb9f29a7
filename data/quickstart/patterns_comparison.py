"""Comparison: comparatives, superlatives, equality and describing by degree."""

from data.quickstart.adverbials import words
from data.quickstart.clauses import ONGOING, SIMPLE, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.entries import Adjective
from data.quickstart.lexicon import ADJECTIVE, NOUNS, OTHER
from data.quickstart.patterns import (
    Sides,
    graded_adjectives,
    nouns_with_adjectives,
    pattern,
    sentence,
    statement,
    verbs_named,
)
from data.quickstart.phrases import (
    POSSESSIVE,
    THE,
    THIS,
    A,
    Determiner,
    Nominal,
    NounPhrase,
    Pronoun,
)

_TRAITS = words("alt jung fleißig klug schnell stark höflich mutig geduldig vorsichtig ehrlich freundlich müde")
_COMPARED_CLASSES = ("clothing", "furniture", "packed", "own", "sold", "story", "lodging", "town", "sight", "show")


def _be(nominal: Nominal, tense: str = "present") -> Sides:
    german = OTHER["sein"]
    clause = Clause(nominal, german, SIMPLE._replace(german=tense, english=tense))
    return clause.german_main(), clause.english_main()


def _two_alike(draw: Draw) -> tuple[NounPhrase, NounPhrase, Adjective]:
    """Two things of one class and an adjective that fits both."""
    tag = draw.one_of(_COMPARED_CLASSES)
    first = draw.noun(tag)
    partners = []
    while not partners:
        second = draw.one_of([noun for noun in NOUNS if tag in noun.tags and noun is not first])
        partners = [adjective for adjective in graded_adjectives(second) if adjective in graded_adjectives(first)]
    adjective = draw.adjective(partners)
    draw.use(second.lemma)
    is_private = tag in ("clothing", "furniture", "packed", "own")
    determiner = POSSESSIVE["my"] if is_private and draw.chance(0.4) else THE
    return (
        NounPhrase(first, draw.one_of((THE, THIS)), plural="pair" in first.tags),
        NounPhrase(second, determiner, plural="pair" in second.tags),
        adjective,
    )


def _two_people(draw: Draw) -> tuple[Nominal, Nominal, Adjective]:
    first, second = draw.acquaintance(), draw.acquaintance()
    if isinstance(second, Pronoun):
        second = Pronoun("I") if draw.chance(0.5) else draw.name(pairs_too=False)
    adjective = ADJECTIVE[draw.one_of(_TRAITS)]
    draw.use(adjective.lemma)
    return first, second, adjective


@pattern
def comparative(draw: Draw) -> Sides:
    """Der Koffer ist schwerer als die Tasche."""
    first, second, adjective = _two_people(draw) if draw.chance(0.5) else _two_alike(draw)
    german, english = _be(first)
    german_much, english_much = draw.one_of((("", ""), ("", ""), ("viel ", "much ")))
    return sentence(
        f"{german} {german_much}{adjective.comparative} als {second.german()}",
        f"{english} {english_much}{adjective.english_comparative} than {second.english('acc')}",
    )


@pattern
def equality(draw: Draw) -> Sides:
    """Meine Schwester ist nicht so alt wie mein Bruder."""
    first, second, adjective = _two_people(draw) if draw.chance(0.5) else _two_alike(draw)
    german, english = _be(first)
    german_as, english_as = draw.one_of((("so", "as"), ("nicht so", "not as"), ("genauso", "just as")))
    return sentence(
        f"{german} {german_as} {adjective.lemma} wie {second.german()}",
        f"{english} {english_as} {adjective.english} as {second.english('acc')}",
    )


_WHERE_UNRIVALLED = (
    ("sight lodging home Park Schwimmbad", "der Stadt", "in the city"),
    ("sight lodging town nature tall", "des Landes", "in the country"),
    ("sight town nature tall", "der Welt", "in the world"),
    ("sight lodging town nature tall home", "der ganzen Gegend", "in the whole area"),
)


@pattern
def superlative(draw: Draw) -> Sides:
    """Das ist der höchste Turm der Stadt."""
    classes, german_where, english_where = draw.one_of(_WHERE_UNRIVALLED)
    noun = draw.noun_among(nouns_with_adjectives(*classes.split()))
    adjective = draw.adjective(graded_adjectives(noun))
    thing = NounPhrase(noun, THE, (adjective,), degree="superlative")
    german, english, mark = draw.one_of(
        (("das ist", "that is", "."), ("das war", "that was", "."), ("ist das", "is that", "?"))
    )
    return sentence(f"{german} {thing.german()} {german_where}", f"{english} {thing.english()} {english_where}", mark)


@pattern
def superlative_of_all(draw: Draw) -> Sides:
    """Mein Onkel hat das schnellste Auto von allen."""
    candidates = nouns_with_adjectives("own", "packed", "modern", "pet", "clothing", "furniture", "home")
    noun = draw.noun_among([noun for noun in candidates if "pair" not in noun.tags])
    adjective = draw.adjective(graded_adjectives(noun))
    thing = NounPhrase(noun, THE, (adjective,), degree="superlative")
    subject = draw.subject(("person",), third_person=True)
    phrases = (Phrase(thing.german("acc"), thing.english(), "object"), Phrase("von allen", "of all", "oblique"))
    return statement(Clause(subject, OTHER["haben"], SIMPLE, phrases))


@pattern
def needing_a_better_one(draw: Draw) -> Sides:
    """Wir brauchen einen größeren Tisch."""
    noun = draw.noun_among(nouns_with_adjectives("clothing", "furniture", "packed", "device", "own", "sold"))
    adjectives = [
        adjective for adjective in graded_adjectives(noun) if adjective.lemma not in ("alt", "teuer", "ruhig", "hell")
    ]
    thing = draw.thing(noun, A, probability=0)
    thing = NounPhrase(noun, thing.determiner, (draw.adjective(adjectives),), thing.plural, "comparative")
    verb = draw.verb([OTHER["brauchen"], *verbs_named("kaufen suchen")])
    phrase = Phrase(thing.german("acc"), thing.english(), "new object")
    subject = draw.subject()
    if verb.lemma == "brauchen":
        return statement(Clause(subject, verb, SIMPLE, (phrase,)))
    if verb.lemma == "suchen":
        return statement(Clause(subject, verb, ONGOING, (phrase, Phrase("gerade", "right now", "time"))))
    return statement(Clause(subject, verb, SIMPLE, (phrase,), modal=draw.one_of(("möchten", "wollen", "müssen"))))


_HOW = (
    ("sehr", "very"),
    ("zu", "too"),
    ("ziemlich", "quite"),
    ("wirklich", "really"),
    ("nicht sehr", "not very"),
    ("nicht", "not"),
)


@pattern
def describing(draw: Draw) -> Sides:
    """Deine neue Wohnung ist wirklich schön."""
    classes = ("clothing", "furniture", "packed", "own", "sold", "story", "lodging", "dishes", "device", "task")
    noun = draw.noun_among(nouns_with_adjectives(*classes, "show", "room", "Garten", "pet", "jewel"))
    if noun.tags.isdisjoint(("show", "story", "lodging", "dishes", "task")):
        owners = ("my", "your") if "clothing" in noun.tags else ("my", "your", "our")
        determiner: Determiner = POSSESSIVE[draw.one_of(owners)]
    else:
        determiner = draw.one_of((THE, THIS))
    is_plural = "rare" not in noun.tags and not noun.is_mass and draw.chance(0.2)
    thing = draw.thing(noun, determiner, is_plural, probability=0)
    german, english = _be(thing, draw.one_of(("present", "present", "past")))
    adjective = draw.adjective(graded_adjectives(noun))
    german_how, english_how = draw.one_of(_HOW)
    return sentence(f"{german} {german_how} {adjective.lemma}", f"{english} {english_how} {adjective.english}")
