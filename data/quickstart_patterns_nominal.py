"""Comparison, genitives, adjective endings without article, compounds and clothes."""

from data import quickstart_adverbials as adverbials
from data.quickstart_adverbials import words
from data.quickstart_clauses import DONE, ONGOING, SIMPLE, Clause, Phrase
from data.quickstart_dice import adjectives_of
from data.quickstart_draw import Draw
from data.quickstart_entries import Adjective, Noun
from data.quickstart_lexicon import ADJECTIVE, NOUN, NOUNS, OTHER
from data.quickstart_patterns import (
    UNGRADED,
    Sides,
    pattern,
    predicate_adjective,
    sentence,
    statement,
    verb_named,
    verbs_named,
)
from data.quickstart_phrases import (
    BARE,
    POSSESSIVE,
    THE,
    THIS,
    A,
    Determiner,
    Name,
    Nominal,
    NounPhrase,
    Pronoun,
)

_TRAITS = words("alt jung fleißig klug schnell stark höflich mutig geduldig vorsichtig ehrlich freundlich müde")
_COMPARED_CLASSES = ("clothing", "furniture", "packed", "own", "sold", "story", "lodging", "town", "sight", "show")
_COMPOUNDS = words(
    "Haustürschlüssel Autoschlüssel Handtasche Brieftasche Fahrkarte Reisepass Führerschein Kreditkarte "
    "Halskette Armbanduhr Rucksack Reisetasche Kugelschreiber Notizbuch Taschenlampe Wörterbuch Stadtplan "
    "Regenschirm Regenmantel Winterjacke Sommerkleid Wanderschuh Turnschuh Handschuh Spielzeugauto "
    "Teddybär Postkarte"
)


def graded_adjectives(noun: Noun) -> list[Adjective]:
    """The adjectives of the noun that can be compared."""
    return [adjective for adjective in adjectives_of(noun) if adjective.lemma not in UNGRADED]


def nouns_with_adjectives(*classes: str) -> list[Noun]:
    """The nouns of these classes of which something comparable can be said."""
    return [noun for noun in NOUNS if not noun.tags.isdisjoint(classes) and graded_adjectives(noun)]


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
    determiner = draw.one_of((THE, THE, POSSESSIVE["my"]))
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
    noun = draw.noun("clothing", "furniture", "packed", "device", "own", "sold")
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
        determiner: Determiner = POSSESSIVE[draw.one_of(("my", "your", "our"))]
    else:
        determiner = draw.one_of((THE, THIS))
    is_plural = "rare" not in noun.tags and not noun.is_mass and draw.chance(0.2)
    thing = draw.thing(noun, determiner, is_plural, probability=0)
    german, english = _be(thing, draw.one_of(("present", "present", "past")))
    adjective = draw.adjective(graded_adjectives(noun))
    german_how, english_how = draw.one_of(_HOW)
    return sentence(f"{german} {german_how} {adjective.lemma}", f"{english} {english_how} {adjective.english}")


def _owner(draw: Draw) -> tuple[NounPhrase | Name, str]:
    """Who owns something, and the English genitive."""
    kind = draw.one_of("kkkp")
    if kind == "k":
        noun = draw.noun("relative", "friend", "younger")
        is_plural = "rare" not in noun.tags and draw.chance(0.15)
        owner = draw.relative(noun, POSSESSIVE[draw.one_of(("my", "my", "our", "your"))], is_plural)
    else:
        noun = draw.noun("companion", "teacher", "doctor", "Chef", "Chefin", "Mann", "Frau", "Junge")
        owner = draw.thing(noun, THE, probability=0.2)
    english = owner.english()
    return owner, f"{english}'" if owner.person == "sie" and english.endswith("s") else f"{english}'s"


_OWNED = ("own", "lost", "packed", "clothing", "home", "device", "pet", "Garten", "Büro")


def _owned_phrase(draw: Draw) -> tuple[NounPhrase, str, str]:
    """The owned thing with the genitive after it in German and before it in English."""
    noun = draw.noun_among(nouns_with_adjectives(*_OWNED))
    thing = draw.thing(noun, THE, probability=0.25)
    if draw.chance(0.2):
        name = draw.one_of([name for name in adverbials.FEMALE_NAMES + adverbials.MALE_NAMES if name[-1] not in "sx"])
        draw.use(name)
        bare = NounPhrase(noun, BARE, thing.adjectives, thing.plural)
        return bare, name, f"{name}'s"
    owner, english_owner = _owner(draw)
    return thing, owner.german("gen"), english_owner


def _german_owned(thing: NounPhrase, owner: str, case: str) -> str:
    return f"{owner}s {thing.german(case)}" if thing.determiner == BARE else f"{thing.german(case)} {owner}"


def _english_owned(thing: NounPhrase, owner: str) -> str:
    return f"{owner} {NounPhrase(thing.noun, BARE, thing.adjectives, thing.plural).english()}"


@pattern
def genitive_subject(draw: Draw) -> Sides:
    """Das Auto meines Bruders ist sehr schnell."""
    thing, owner, english_owner = _owned_phrase(draw)
    thing = NounPhrase(thing.noun, thing.determiner, (), thing.plural)
    german_adjective, english_adjective = predicate_adjective(draw, thing.noun)
    is_plural = thing.person == "sie"
    was = draw.chance(0.25)
    german_be = ("waren" if is_plural else "war") if was else ("sind" if is_plural else "ist")
    english_be = ("were" if is_plural else "was") if was else ("are" if is_plural else "is")
    return sentence(
        f"{_german_owned(thing, owner, 'nom')} {german_be} {german_adjective}",
        f"{_english_owned(thing, english_owner)} {english_be} {english_adjective}",
    )


@pattern
def genitive_object(draw: Draw) -> Sides:
    """Wir haben gestern den Hund meiner Tante gefunden."""
    thing, owner, english_owner = _owned_phrase(draw)
    lemma = "finden suchen" if "lost" in thing.noun.tags else "fotografieren suchen finden"
    if "own" in thing.noun.tags or "device" in thing.noun.tags:
        lemma = "reparieren waschen" if "washed" in thing.noun.tags else "reparieren"
    verb = draw.verb(verbs_named(lemma))
    subject = draw.subject()
    time = draw.past_time(verb)
    phrases = (Phrase(_german_owned(thing, owner, "acc"), _english_owned(thing, english_owner), "object"), time)
    return statement(Clause(subject, verb, DONE, phrases), time if draw.chance(0.4) else None)


_SPREADS = (("Brot", "Käse Honig Schokolade Obst Fisch Wurst"), ("Brötchen", "Käse Honig Schokolade Wurst"))
_MEALS = (
    *_SPREADS,
    ("Reis", "Fisch Fleisch Wurst"),
    ("Pfannkuchen", "Obst Honig Schokolade Eis"),
    ("Fisch", "Reis Kartoffelsalat Brot"),
    ("Eis", "Obst Schokolade"),
    ("Suppe", "Brot Reis"),
)


def _bare_food(draw: Draw, lemma: str) -> NounPhrase:
    noun = NOUN[lemma]
    draw.use(lemma)
    adjectives = [ADJECTIVE["gut"], ADJECTIVE["lecker"], *adjectives_of(noun)]
    chosen = (draw.adjective(dict.fromkeys(adjectives)),) if draw.chance(0.7) else ()
    return NounPhrase(noun, BARE, chosen, plural=not noun.is_mass)


@pattern
def strong_adjectives(draw: Draw) -> Sides:
    """Zum Frühstück essen wir frisches Brot mit süßem Honig."""
    main, sides = draw.one_of(_MEALS)
    dish = _bare_food(draw, main)
    side = _bare_food(draw, draw.one_of([lemma for lemma in sides.split() if lemma != "Kartoffelsalat"]))
    german_meal, english_meal = draw.one_of(
        (("zum Frühstück", "for breakfast"), ("zum Mittagessen", "for lunch"), ("zum Abendessen", "for dinner"))
    )
    meal = Phrase(german_meal, english_meal, "time")
    custom = Phrase(*draw.one_of((*adverbials.FREQUENCIES[:4], *adverbials.CUSTOMS)), "frequency")
    both = Phrase(
        f"{dish.german('acc')} mit {side.german('dat')}", f"{dish.english()} with {side.english()}", "new object"
    )
    eat = draw.verb(verbs_named("essen"))
    subject = draw.subject(("person",))
    return statement(Clause(subject, eat, SIMPLE, (both, meal, custom)), meal)


@pattern
def preference(draw: Draw) -> Sides:
    """Meine Tante trinkt lieber Tee als Kaffee."""
    if draw.chance(0.5):
        verb, tag = verb_named("trinken"), "drink"
    else:
        verb, tag = draw.one_of(((verb_named("spielen"), "game"), (verb_named("essen"), "staple")))
    draw.use(verb.lemma)
    subject = draw.subject()
    better, worse = (draw.thing(draw.noun(tag), BARE, probability=0.5 if tag == "drink" else 0) for _ in range(2))
    both = Phrase(
        f"lieber {better.german('acc')} als {worse.german('acc')}",
        f"{better.english()} rather than {worse.english()}",
        "new object",
    )
    clause = Clause(subject, verb, SIMPLE, (both,))
    prefers = "prefers" if subject.person == "er" else "prefer"
    return sentence(clause.german_main(), f"{subject.english()} {prefers} {clause.english_infinitive()}")


@pattern
def compound_nowhere(draw: Draw) -> Sides:
    """Der Tourist kann seinen Reisepass nirgends finden."""
    subject = draw.subject(("adult",), referable=True)
    noun = draw.noun_among([NOUN[lemma] for lemma in _COMPOUNDS])
    thing = draw.thing(noun, draw.owner_for(subject) if draw.chance(0.7) else THE)
    find = draw.verb(verbs_named("finden"))
    is_past = draw.chance(0.4)
    tense = SIMPLE._replace(german="past", english="past") if is_past else SIMPLE
    phrases = [
        Phrase(thing.german("acc"), thing.english(), "object"),
        Phrase("nirgends", "anywhere", "place"),
    ]
    if is_past:
        phrases.append(draw.time(adverbials.RECENT_TIMES))
    return statement(Clause(subject, find, tense, tuple(phrases), modal="können", negated=True))


@pattern
def wearing(draw: Draw) -> Sides:
    """Meine Schwester trägt heute ein rotes Kleid und schwarze Schuhe."""
    subject = draw.acquaintance() if draw.chance(0.6) else draw.subject(singular=True, third_person=True)
    items = []
    for tag in ("top", "pair"):
        candidates = [
            noun
            for noun in NOUNS
            if {"clothing"} <= noun.tags
            and ("pair" in noun.tags) == (tag == "pair")
            and (subject.sex == "f" or "female" not in noun.tags)
        ]
        noun = draw.noun_among(candidates)
        items.append(draw.thing(noun, A, probability=1.0 if tag == "pair" else 0.7))
        if draw.chance(0.4):
            break
    wear = draw.verb([OTHER["anhaben"]])
    today = Phrase("heute", "today", "time")
    clothes = Phrase(
        " und ".join(item.german("acc") for item in items), " and ".join(item.english() for item in items), "new object"
    )
    return statement(Clause(subject, wear, ONGOING, (clothes, today)), today if draw.chance(0.3) else None)


@pattern
def animal_eating(draw: Draw) -> Sides:
    """Das Kaninchen frisst gerade einen Apfel."""
    diet, foods = draw.one_of((("meat", ("meat-food",)), ("grass", ("Apfel", "Birne", "Brot", "Salat"))))
    noun = draw.noun(diet)
    animal = draw.thing(noun, draw.one_of((THE, THE, POSSESSIVE["our"])), draw.chance(0.2))
    food = draw.thing(draw.noun(*foods), draw.one_of((THE, A)), probability=0.2)
    eat = draw.verb([OTHER["fressen"]])
    tense = draw.one_of((ONGOING, DONE))
    time = Phrase("gerade", "right now", "time") if tense == ONGOING else draw.time(adverbials.RECENT_TIMES)
    phrase = Phrase(food.german("acc"), food.english(), "object" if food.determiner == THE else "new object")
    return statement(Clause(animal, eat, tense, (phrase, time)), time if tense == DONE else None)
