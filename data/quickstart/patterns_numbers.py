"""Numbers in words and digits: prices, ages, quantities, the clock and counted nouns."""

from data.quickstart import adverbials
from data.quickstart.clauses import DONE, PLANNED, SIMPLE, TOLD, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.lexicon import ADJECTIVE, NOUN, NOUNS, OTHER
from data.quickstart.patterns import (
    Sides,
    asked_person,
    pattern,
    question,
    sentence,
    statement,
    verb_named,
    verbs_named,
)
from data.quickstart.phrases import (
    POSSESSIVE,
    THE,
    THIS,
    Determiner,
    FixedPhrase,
    NounPhrase,
    german_prepositional,
)

_PRICES = (
    (("clothing",), 15, 290),
    (("furniture", "modern"), 40, 990),
    (("packed", "jewel"), 25, 490),
    (("ridden", "Computer"), 300, 990),
    (("dishes", "Buch", "Zeitschrift", "Roman", "Krimi"), 5, 29),
)
_MEASURES = (
    ("Tasse", "Tassen", "cup", "cups", "f", "brew"),
    ("Glas", "Gläser", "glass", "glasses", "n", "cool alcohol"),
    ("Flasche", "Flaschen", "bottle", "bottles", "f", "cool Wein"),
    ("Stück", "Stück", "piece", "pieces", "n", "Kuchen Apfelkuchen Schokoladenkuchen Käse"),
    ("Teller", "Teller", "plate", "plates", "m", "Suppe Gemüsesuppe Tomatensuppe Reis"),
    ("Kilo", "Kilo", "kilo", "kilos", "n", "Apfel Banane Birne Orange Reis Fleisch Fisch"),
)


def counted(number: adverbials.Pair) -> Determiner:
    """A number as the determiner of a plural: "drei alte Bäume"."""
    return Determiner("bare", number.german, number.english, number.english)


@pattern
def price(draw: Draw) -> Sides:
    """Der rote Mantel kostet 85 Euro."""
    classes, low, high = draw.one_of(_PRICES)
    noun = draw.noun(*classes)
    is_plural = "pair" in noun.tags
    adjectives = draw.adjectives_for(noun, probability=0.5)
    expensive_or_cheap = (ADJECTIVE["teuer"], ADJECTIVE["billig"])
    adjectives = tuple(adjective for adjective in adjectives if adjective not in expensive_or_cheap)
    thing = NounPhrase(noun, draw.one_of((THE, THE, THIS)), adjectives, is_plural)
    cost = draw.verb([OTHER["kosten"]])
    euros = draw.between(low, high)
    only = draw.one_of((("", ""), ("", ""), ("nur ", "only "), ("mehr als ", "more than "), ("fast ", "almost ")))
    amount = Phrase(f"{only[0]}{euros} Euro", f"{only[1]}{euros} euros", "object")
    tense = draw.one_of((SIMPLE, SIMPLE, TOLD))
    return statement(Clause(thing, cost, tense, (amount,)))


@pattern
def age(draw: Draw) -> Sides:
    """Meine Großmutter ist 82 Jahre alt."""
    if draw.chance(0.3):
        person = draw.name(pairs_too=False)
        years = draw.between(18, 70)
    else:
        noun = draw.noun_among([noun for noun in NOUNS if "kin" in noun.tags and noun.gender != "p"])
        person = NounPhrase(noun, POSSESSIVE[draw.one_of(("my", "my", "our", "his"))])
        low, high = (2, 17) if "younger" in noun.tags else (60, 95) if "old" in noun.tags else (18, 65)
        years = draw.between(low, high)
    german_number, english_number = dict(enumerate(adverbials.NUMBERS, 2)).get(years, (str(years), str(years)))
    if draw.chance(0.5):
        return sentence(
            f"{person.german()} ist {german_number} Jahre alt", f"{person.english()} is {english_number} years old"
        )
    time = draw.one_of(adverbials.DISTANT_FUTURE_TIMES[1:4] + adverbials.SOON_TIMES[:1] + adverbials.COMING_DAYS)
    return sentence(
        f"{person.german()} wird {time.german} {german_number} Jahre alt",
        f"{person.english()} will be {english_number} years old {time.english}",
    )


def _quantity(draw: Draw, measures: str) -> Sides:
    """ "zwei Tassen Kaffee" in the accusative."""
    german_one, german_many, english_one, english_many, gender, content = draw.one_of(
        [row for row in _MEASURES if row[0] in measures.split()]
    )
    noun = draw.noun(*content.split())
    german_content = noun.german("acc", plural=not noun.is_mass)
    english_content = noun.english_form(plural=not noun.is_mass)
    if german_one != "Kilo":
        german_content, english_content = noun.german("acc"), noun.english
    if draw.chance(0.35):
        article = {"m": "einen", "f": "eine", "n": "ein"}[gender]
        return f"{article} {german_one} {german_content}", f"a {english_one} of {english_content}"
    number = draw.pair(adverbials.NUMBERS[:5])
    return f"{number.german} {german_many} {german_content}", f"{number.english} {english_many} of {english_content}"


@pattern
def quantity(draw: Draw) -> Sides:
    """Meine Tante hat gestern drei Flaschen Wasser gekauft."""
    lemma, measures = draw.one_of(
        (("kaufen", "Flasche Kilo Stück"), ("bestellen", "Tasse Glas Flasche Teller"), ("mitbringen", "Flasche Kilo"))
    )
    verb = draw.verb(verbs_named(lemma))
    german, english = _quantity(draw, measures)
    subject = draw.subject()
    time = draw.time(adverbials.RECENT_TIMES)
    clause = Clause(subject, verb, DONE, (Phrase(german, english, "new object"), time))
    return statement(clause, time if draw.chance(0.4) else None)


@pattern
def ordering(draw: Draw) -> Sides:
    """Ich hätte gern eine Tasse Tee und zwei Stück Kuchen."""
    german, english = _quantity(draw, "Tasse Glas Flasche")
    second = _quantity(draw, "Tasse Glas Stück Teller") if draw.chance(0.75) else None
    if second:
        german, english = f"{german} und {second[0]}", f"{english} and {second[1]}"
    kind = draw.one_of("hmb")
    if kind == "h":
        german_opening, english_opening = draw.one_of(
            (("ich hätte gern", "I would like"), ("wir hätten gern", "we would like"))
        )
        return sentence(f"{german_opening} {german}", f"{english_opening} {english}")
    if kind == "m":
        return sentence(f"bringen Sie uns bitte {german}", f"please bring us {english}")
    return sentence(f"kannst du mir bitte {german} geben", f"can you please give me {english}", "?")


_SCENES = (
    ("in", "in", "Garten", "stehen", "plant Gartenstuhl"),
    ("in", "in", "Küche", "stehen", "Stuhl Flasche Glas Kiste Teller Tasse"),
    ("in", "in", "Wohnzimmer", "stehen", "seat Regal Lampe Vase Koffer"),
    ("in", "in", "Keller", "stehen", "Kiste Fahrrad Koffer Schrank Stuhl Flasche"),
    ("in", "in", "Garage", "stehen", "ridden Auto Kiste"),
    ("vor", "in front of", "Haus", "stehen", "ridden Auto Baum Gartenstuhl Kiste"),
    ("hinter", "behind", "Schule", "stehen", "ridden Auto Baum"),
    ("auf", "on", "Tisch", "liegen", "Buch Brief Schlüssel Apfel Zeitung Kugelschreiber Orange Fahrkarte"),
    ("auf", "on", "Schreibtisch", "liegen", "Buch Brief Kugelschreiber Wörterbuch Formular Rechnung"),
    ("unter", "under", "Bett", "liegen", "Schuh Socke Ball Kiste Puppe"),
    ("in", "in", "Kleiderschrank", "hängen", "Jacke Hemd Mantel Kleid Rock Krawatte"),
    ("in", "in", "Kleiderschrank", "liegen", "Pullover Schal Handschuh Socke"),
    ("an", "at", "Bahnhof", "warten", "Tourist Kind Taxi"),
    ("in", "in", "Park", "spielen", "Kind Junge Mädchen Hund"),
)

_PAST_PLURAL = {
    "stehen": "standen",
    "liegen": "lagen",
    "hängen": "hingen",
    "warten": "warteten",
    "spielen": "spielten",
}


@pattern
def counting(draw: Draw) -> Sides:
    """Im Garten stehen drei alte Bäume."""
    preposition, english_preposition, place, verb, nouns = draw.one_of(_SCENES)
    number = draw.pair(adverbials.NUMBERS)
    where = NounPhrase(NOUN[place], THE)
    draw.use(place, verb)
    noun = draw.noun(*nouns.split())
    things = draw.thing(noun, counted(number), plural=True, probability=0.6)
    doing = {"warten": " waiting", "spielen": " playing"}.get(verb, "")
    was = draw.chance(0.3)
    german_verb = _PAST_PLURAL[verb] if was else verb
    place_english = f"{english_preposition} {where.english()}"
    return sentence(
        f"{german_prepositional(preposition, where, 'dat')} {german_verb} {things.german()}",
        f"there {'were' if was else 'are'} {things.english()}{doing} {place_english}",
    )


@pattern
def owning_several(draw: Draw) -> Sides:
    """Meine Tante hat zwei Katzen und drei Hunde."""
    subject = draw.subject(third_person=True)
    classes = draw.one_of(
        (("pet", "grass", "farm"), ("ridden", "Auto", "Boot"), ("furniture",), ("clothing",), ("younger", "sibling"))
    )
    parts = []
    for _ in range(2):
        number = draw.one_of(adverbials.NUMBERS[: 3 if "ridden" in classes else 5])
        draw.words.append(number.german)
        noun = draw.noun(*classes)
        parts.append(NounPhrase(noun, counted(number), plural=True))
    german = " und ".join(part.german("acc") for part in parts)
    english = " and ".join(part.english() for part in parts)
    phrase = Phrase(german, english, "new object")
    return statement(Clause(subject, OTHER["haben"], SIMPLE, (phrase,)))


def _clock_time(draw: Draw, first: int = 2, last: int = 12) -> Sides:
    """ "um acht Uhr" or "um 9:15 Uhr", in hours that need no a.m. or p.m."""
    if draw.chance(0.5):
        number = draw.pair(adverbials.NUMBERS[first - 2 : last - 1])
        return f"um {number.german} Uhr", f"at {number.english} o'clock"
    digits = f"{draw.between(first, last)}:{draw.one_of((5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55)):02d}"
    return f"um {digits} Uhr", f"at {digits}"


@pattern
def timetable(draw: Draw) -> Sides:
    """Der Zug nach Berlin fährt um 9:15 Uhr ab."""
    noun = draw.noun("Zug", "Bus")
    german_time, english_time = _clock_time(draw)
    city = draw.pair(adverbials.CITIES)
    is_leaving = draw.chance(0.5)
    german_way, english_way = ("nach", "to") if is_leaving else ("aus", "from")
    vehicle = FixedPhrase(
        f"der {noun.lemma} {german_way} {city.german}", f"the {noun.english} {english_way} {city.english}"
    )
    verb = draw.verb([OTHER["abfahren"] if is_leaving else verb_named("ankommen")])
    day = draw.time(adverbials.SOON_TIMES[:1] + adverbials.COMING_DAYS)
    phrases = (day, Phrase(german_time, english_time, "place"))
    return statement(Clause(vehicle, verb, PLANNED, phrases), day if draw.chance(0.4) else None)


@pattern
def beginning(draw: Draw) -> Sides:
    """Das Konzert beginnt am Freitag um acht Uhr."""
    noun = draw.noun("show", "joined", "Hochzeit", "Fest", "Spiel", "Prüfung", "Test")
    event = draw.thing(noun, THE, probability=0.2)
    is_performed = noun.lemma in ("Film", "Theaterstück")
    verb = draw.verb([OTHER["beginnen"]] if is_performed else [OTHER["beginnen"], OTHER["stattfinden"]])
    german_time, english_time = _clock_time(draw)
    day = draw.time(adverbials.SOON_TIMES[:1] + adverbials.COMING_DAYS)
    return statement(Clause(event, verb, PLANNED, (day, Phrase(german_time, english_time, "place"))))


@pattern
def getting_up(draw: Draw) -> Sides:
    """Mein Vater steht jeden Tag um sechs Uhr auf."""
    verb = draw.verb(verbs_named("aufstehen frühstücken aufwachen"))
    subject = draw.subject(("person",))
    german_time, english_time = _clock_time(draw, 5, 11)
    time = draw.time(adverbials.DAILY_TIMES[:1] + adverbials.DAILY_TIMES[3:] + adverbials.WEEKLY_TIMES[1:])
    habit = draw.chance(0.6)
    if not habit:
        time = draw.time(adverbials.RECENT_TIMES[:1] + adverbials.PAST_DAYS)
    clause = Clause(subject, verb, SIMPLE if habit else DONE, (time, Phrase(german_time, english_time, "place")))
    return statement(clause, time if draw.chance(0.4) else None)


@pattern
def what_time_question(draw: Draw) -> Sides:
    """Um wie viel Uhr bist du gestern aufgestanden?"""
    verb = draw.verb(verbs_named("aufstehen aufwachen frühstücken ankommen abreisen anrufen abholen treffen"))
    subject = asked_person(draw)
    phrases = [draw.complement(verb, government, subject) for government in verb.governments]
    phrases.append(draw.time([*adverbials.RECENT_TIMES[:1], *adverbials.PAST_DAYS]))
    return question(Clause(subject, verb, DONE, tuple(phrases)), "um wie viel Uhr", "at what time")
