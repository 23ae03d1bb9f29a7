"""Where things are and where they go: two-way prepositions with the dative and the accusative."""

from data.quickstart import adverbials
from data.quickstart.clauses import DONE, ONGOING, PLANNED, SIMPLE, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.entries import Verb
from data.quickstart.lexicon import OTHER, SPATIAL
from data.quickstart.patterns import Sides, pattern, sentence, statement, verbs_named
from data.quickstart.phrases import (
    MANY,
    NO_AFTER_THERE_IS,
    POSSESSIVE,
    THE,
    THIS,
    A,
    NounPhrase,
    german_prepositional,
)

_HANGING = "Jacke Mantel Kleid Hemd Rock Bluse Anzug Krawatte Winterjacke Regenmantel Sommerkleid"
# What rests or is put where: verb of rest, verb of putting (or none), things, prepositions, supports.
_ARRANGEMENTS = (
    ("liegen lag", "legen legte", "pocket text toy document", "auf unter neben", "surface Bett Sofa"),
    ("liegen lag", "legen legte", "pocket toy", "in", "packed Schrank"),
    ("stehen stand", "stellen stellte", "dish Vase Lampe Radio", "auf neben", "surface Regal"),
    ("stehen stand", "stellen stellte", "packed worn Kiste", "neben hinter vor unter", "surface Bett"),
    ("stehen stand", "stellen stellte", "seat surface Regal Schrank Lampe", "in", "Büro Wohnzimmer Keller"),
    ("stehen stand", "stellen stellte", "household Kiste", "in", "Küche Keller"),
    ("stehen stand", "stellen stellte", "ridden Gartenstuhl", "hinter vor neben", "Haus Garage Baum Gartenhaus"),
    ("stehen stand", "", "drive Traktor Taxi", "hinter vor neben", "Haus Garage Schule Kirche Museum Hotel"),
    ("hängen hing", "hängen hängte", _HANGING, "in", "Kleiderschrank"),
    ("hängen hing", "hängen hängte", "art Spiegel", "über neben", "Sofa Schreibtisch Regal"),
)
_SPATIAL_ENGLISH = {
    "auf": "on",
    "unter": "under",
    "neben": "next to",
    "in": "in",
    "hinter": "behind",
    "vor": "in front of",
    "über": "above",
}


def _arrangement(draw: Draw, is_resting: bool) -> tuple[Verb, NounPhrase, str, NounPhrase]:
    options = [row for row in _ARRANGEMENTS if is_resting or row[1]]
    resting, putting, things, prepositions, supports = draw.one_of(options)
    verb = draw.verb([SPATIAL[resting if is_resting else putting]])
    determiner = draw.one_of((THE, THE, POSSESSIVE["my"]))
    noun = draw.noun(*things.split())
    is_plural = draw.chance(0.15) and "rare" not in noun.tags
    thing = draw.thing(noun, determiner, plural=is_plural, probability=0.35)
    support = draw.thing(draw.noun(*supports.split()), THE, probability=0.2)
    return verb, thing, draw.one_of(prepositions.split()), support


def _spatial(preposition: str, nominal: NounPhrase, case: str, role: str) -> Phrase:
    english = f"{_SPATIAL_ENGLISH[preposition]} {nominal.english()}"
    return Phrase(german_prepositional(preposition, nominal, case), english, role)


@pattern
def where_it_is(draw: Draw) -> Sides:
    """Das Buch liegt auf dem Tisch."""
    verb, thing, preposition, support = _arrangement(draw, is_resting=True)
    place = _spatial(preposition, support, "dat", "place")
    being = Clause(thing, OTHER["sein"], SIMPLE, (place,))
    german = Clause(thing, verb, SIMPLE, (place,)).german_main(place if draw.chance(0.25) else None)
    return sentence(german, being.english_main())


@pattern
def where_it_was_put(draw: Draw) -> Sides:
    """Mein Vater hat das Buch auf den Tisch gelegt."""
    verb, thing, preposition, support = _arrangement(draw, is_resting=False)
    subject = draw.subject(("adult",))
    place = _spatial(preposition, support, "acc", "direction")
    thing_phrase = Phrase(thing.german("acc"), thing.english("acc"), "object")
    modal = draw.one_of(("", "", "müssen", "wollen"))
    time = draw.time(adverbials.SOON_TIMES if modal else adverbials.RECENT_TIMES)
    clause = Clause(subject, verb, SIMPLE if modal else DONE, (thing_phrase, place, time), modal=modal)
    return statement(clause, time if draw.chance(0.4) else None)


_PET_SPOTS = (
    ("auf", "surface seat Bett Teppich"),
    ("unter", "surface seat Bett Auto"),
    ("neben", "seat Bett Schrank"),
    ("hinter", "Sofa Sessel Schrank Regal"),
)


def _pet_spot(draw: Draw, prepositions: str) -> tuple[str, NounPhrase]:
    preposition, spots = draw.one_of([row for row in _PET_SPOTS if row[0] in prepositions.split()])
    return preposition, draw.thing(draw.noun(*spots.split()), THE, probability=0.3)


@pattern
def animal_where(draw: Draw) -> Sides:
    """Die Katze schläft unter dem Sofa."""
    verb = draw.verb([SPATIAL["sitzen saß"], SPATIAL["liegen lag"], *verbs_named("schlafen")])
    animal = draw.thing(draw.noun("pet"), draw.one_of((THE, THE, POSSESSIVE["our"])))
    place = _spatial(*_pet_spot(draw, "auf unter neben hinter"), "dat", "place")
    time = (Phrase("gerade", "right now", "time"),) if draw.chance(0.4) else ()
    return statement(Clause(animal, verb, ONGOING, (place, *time)))


@pattern
def animal_where_to(draw: Draw) -> Sides:
    """Die Katze ist auf den Tisch gesprungen."""
    verb = draw.verb([SPATIAL["springen sprang"], SPATIAL["laufen lief"]])
    animal = draw.thing(draw.noun("pet"), draw.one_of((THE, THE, POSSESSIVE["our"])))
    if verb.lemma == "springen":
        preposition, spot = _pet_spot(draw, "auf")
        direction = Phrase(german_prepositional(preposition, spot, "acc"), f"onto {spot.english()}", "direction")
    elif draw.chance(0.5):
        direction = _spatial(*_pet_spot(draw, "unter hinter"), "acc", "direction")
    else:
        direction = draw.destination("room", "yard", "home-inside")
    tense = draw.one_of((DONE, ONGOING))
    time = draw.time(adverbials.RECENT_TIMES) if tense == DONE else Phrase("gerade", "right now", "time")
    return statement(Clause(animal, verb, tense, (direction, time)), time if tense == DONE else None)


@pattern
def going_somewhere(draw: Draw) -> Sides:
    """Am Sonntag gehen die Kinder mit ihrem Onkel in den Zoo."""
    verb = draw.verb([SPATIAL["gehen ging"]])
    subject = draw.subject(("person",))
    phrases = [draw.destination("outing", "errand")]
    if draw.chance(0.4):
        companion = draw.someone(subject, has_preposition=True)
        phrases.append(Phrase(f"mit {companion.german('dat')}", f"with {companion.english('acc')}", "means"))
    tense = draw.one_of((DONE, PLANNED, SIMPLE))
    if tense == SIMPLE:
        time = draw.time(adverbials.WEEKLY_TIMES)
    else:
        time = draw.past_time(verb) if tense == DONE else draw.future_time(verb)
    return statement(Clause(subject, verb, tense, (*phrases, time)), time if draw.chance(0.5) else None)


_AMENITIES = ("sight", "lodging", "Supermarkt", "Bäckerei", "Apotheke", "Kino", "Park", "Schwimmbad", "Zoo")


@pattern
def what_there_is(draw: Draw) -> Sides:
    """In unserem Dorf gibt es eine neue Bäckerei."""
    where = draw.thing(draw.noun("town"), draw.one_of((THIS, POSSESSIVE["our"])), probability=0.5)
    kind = draw.one_of("nnmoooo")
    if kind == "m":
        thing = draw.thing(draw.noun("lodging", "Kirche", "Brücke", "Park", "Turm"), MANY, plural=True)
    else:
        noun = draw.noun(*_AMENITIES)
        thing = NounPhrase(noun, NO_AFTER_THERE_IS) if kind == "n" else draw.thing(noun, A)
    be = "are" if thing.person == "sie" else "is"
    german = f"in {where.german('dat')} gibt es {thing.german('acc')}"
    return sentence(german, f"there {be} {thing.english()} in {where.english()}")
