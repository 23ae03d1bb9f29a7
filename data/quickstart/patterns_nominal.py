"""Genitives, adjective endings without an article, compounds, clothes and food."""

from data.quickstart import adverbials
from data.quickstart.adverbials import words
from data.quickstart.clauses import DONE, ONGOING, SIMPLE, TOLD, Clause, Phrase
from data.quickstart.dice import adjectives_of
from data.quickstart.draw import Draw
from data.quickstart.lexicon import ADJECTIVE, NOUN, NOUNS, OTHER
from data.quickstart.patterns import (
    Sides,
    nouns_with_adjectives,
    pattern,
    predicate_adjective,
    sentence,
    statement,
    verb_named,
    verbs_named,
)
from data.quickstart.phrases import (
    BARE,
    POSSESSIVE,
    THE,
    A,
    Name,
    NounPhrase,
)

_COMPOUNDS = words(
    "Haustürschlüssel Autoschlüssel Brieftasche Fahrkarte Reisepass Führerschein Kreditkarte "
    "Halskette Armbanduhr Rucksack Reisetasche Kugelschreiber Notizbuch Taschenlampe Wörterbuch Stadtplan "
    "Regenschirm Regenmantel Winterjacke Sommerkleid Wanderschuh Turnschuh Handschuh Spielzeugauto "
    "Teddybär Postkarte"
)


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


_OWNED = ("own", "lost", "packed", "clothing", "home", "device", "pet", "Garten")


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
    tags = thing.noun.tags
    if "washed" in tags:
        lemmas = "reparieren waschen"
    elif not tags.isdisjoint(("own", "device")):
        lemmas = "reparieren"
    elif not tags.isdisjoint(("home", "Garten", "pet")):
        lemmas = "fotografieren suchen"
    else:
        lemmas = "finden suchen"
    verb = draw.verb(verbs_named(lemmas))
    subject = draw.subject()
    time = draw.past_time(verb)
    phrases = (Phrase(_german_owned(thing, owner, "acc"), _english_owned(thing, english_owner), "object"), time)
    return statement(Clause(subject, verb, DONE, phrases), time if draw.chance(0.4) else None)


_BREAKFAST = ("zum Frühstück", "for breakfast")
_LUNCH = ("zum Mittagessen", "for lunch")
_DINNER = ("zum Abendessen", "for dinner")
_MEALS = (
    ("Brot", "Käse Honig Schokolade", _BREAKFAST),
    ("Brötchen", "Käse Honig Schokolade", _BREAKFAST),
    ("Pfannkuchen", "Obst Honig Schokolade Eis", _BREAKFAST),
    ("Reis", "Fisch Fleisch Wurst", _LUNCH),
    ("Fisch", "Reis Brot", _LUNCH),
    ("Suppe", "Brot Brötchen", _DINNER),
    ("Gemüsesuppe", "Brot Brötchen", _LUNCH),
    ("Brot", "Käse Wurst Fisch", _DINNER),
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
    main, sides, (german_meal, english_meal) = draw.one_of(_MEALS)
    dish = _bare_food(draw, main)
    side = _bare_food(draw, draw.one_of(sides.split()))
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
    is_one = subject.person not in ("wir", "sie")
    thing = draw.thing(noun, draw.owner_for(subject) if is_one and draw.chance(0.8) else THE)
    find = draw.verb(verbs_named("finden"))
    is_past = draw.chance(0.4)
    tense = TOLD if is_past else SIMPLE
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
            and {"m": "female", "f": "male"}.get(subject.sex, "female") not in noun.tags
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
    diet, foods = draw.one_of((("meat", ("meat-food",)), ("grass", ("Apfel", "Birne", "Brot"))))
    noun = draw.noun(diet)
    animal = draw.thing(noun, draw.one_of((THE, THE, POSSESSIVE["our"])), draw.chance(0.2))
    food = draw.thing(draw.noun(*foods), draw.one_of((THE, A)), probability=0.2)
    eat = draw.verb([OTHER["fressen"]])
    tense = draw.one_of((ONGOING, DONE))
    time = Phrase("gerade", "right now", "time") if tense == ONGOING else draw.time(adverbials.RECENT_TIMES)
    phrase = Phrase(food.german("acc"), food.english(), "object" if food.determiner == THE else "new object")
    return statement(Clause(animal, eat, tense, (phrase, time)), time if tense == DONE else None)
