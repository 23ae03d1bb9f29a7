"""Main clauses: tenses, verb-second order with inversion, the sentence bracket, modals and negation."""

from data.quickstart import adverbials
from data.quickstart.clauses import DONE, FUTURE, ONGOING, PLANNED, RESULT, SIMPLE, SINCE, TOLD, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.lexicon import ACTIVITIES, NOUNS, OTHER, SPATIAL
from data.quickstart.patterns import (
    CHORES,
    NOTEWORTHY,
    Sides,
    clause_of,
    has_new_object,
    negation,
    pattern,
    sentence,
    statement,
    verbs_named,
)
from data.quickstart.phrases import NO, A, NounPhrase

_LIKED = verbs_named(
    "lesen trinken essen spielen hören schwimmen tanzen singen wandern joggen angeln spazieren_gehen "
    "fernsehen einkaufen malen backen"
)
_PUTTABLE_OFF = [verb for verb in ACTIVITIES if {"p", "f"} <= verb.aspects]
_WITH_DEFINITE_OBJECT = [
    verb for verb in _PUTTABLE_OFF if verb.governments and not set(verb.governments[-1][3]) & set("ib")
]
_PERMITTED = verbs_named("fernsehen lesen essen spielen hören sich_ansehen malen füttern gießen schwimmen")
_PREDICTED = verbs_named(
    "kaufen verkaufen besuchen bauen mieten umziehen organisieren pflanzen feiern abholen anrufen treffen "
    "reparieren streichen aufräumen einladen schenken vorbereiten"
)

_MISFORTUNES = verbs_named("verlieren vergessen verpassen zerbrechen sich_verlaufen sich_erkälten")
_SUCCESSES = verbs_named("finden gewinnen bestehen reparieren retten aufräumen bezahlen anrufen ankommen einladen")


@pattern
def habit_with_frequency(draw: Draw) -> Sides:
    """Mein Vater liest oft die Zeitung."""
    event = draw.event(draw.one_of("hhm"), places=0.35, prefer_plural=True)
    return statement(clause_of(event, SIMPLE, Phrase(*draw.one_of(adverbials.FREQUENCIES), "frequency")))


@pattern
def habit_with_time(draw: Draw) -> Sides:
    """Jeden Abend gießt unsere Nachbarin die Blumen."""
    event = draw.event("h", places=0.35)
    time = draw.habit_time(event.verb)
    return statement(clause_of(event, SIMPLE, time), time if draw.chance(0.5) else None)


@pattern
def habit_at_customary_time(draw: Draw) -> Sides:
    """Am Wochenende joggen wir meistens im Park."""
    time = draw.time(adverbials.CUSTOMARY_TIMES)
    custom = Phrase(*draw.one_of(adverbials.CUSTOMS), "frequency")
    event = draw.event("h", places=0.5, prefer_plural=True)
    return statement(clause_of(event, SIMPLE, custom, time), time)


@pattern
def going_on_now(draw: Draw) -> Sides:
    """Die Kinder spielen gerade im Garten."""
    time = draw.time(adverbials.NOW)
    clause = clause_of(draw.event("g", places=0.35), ONGOING, time)
    return statement(clause, time if time.german == "im Moment" and draw.chance(0.5) else None)


@pattern
def perfect_time_first(draw: Draw) -> Sides:
    """Gestern hat mein Bruder ein neues Fahrrad gekauft."""
    event = draw.event("p", places=0.25)
    time = draw.past_time(event.verb)
    return statement(clause_of(event, DONE, time), time)


@pattern
def perfect_subject_first(draw: Draw) -> Sides:
    """Mein Bruder hat gestern ein neues Fahrrad gekauft."""
    event = draw.event("p", places=0.25)
    return statement(clause_of(event, DONE, draw.past_time(event.verb)))


@pattern
def perfect_place_first(draw: Draw) -> Sides:
    """Im Supermarkt hat Anna ihre Tante getroffen."""
    verbs = [verb for verb in ACTIVITIES if verb.governments and verb.places and verb.lemma != "begleiten"]
    event = draw.event("p", verbs, places=1.0)
    return statement(clause_of(event, DONE), event.phrases[-1])


@pattern
def perfect_already(draw: Draw) -> Sides:
    """Der Kellner hat die Rechnung schon bezahlt."""
    event = draw.event("p", _WITH_DEFINITE_OBJECT)
    return statement(clause_of(event, RESULT, Phrase("schon", "already", "result")))


@pattern
def perfect_not_yet(draw: Draw) -> Sides:
    """Wir haben den Keller noch nicht aufgeräumt."""
    verbs = [*_WITH_DEFINITE_OBJECT, *verbs_named("backen schreiben kaufen einkaufen organisieren")]
    event = draw.event("p", verbs, negated=True)
    not_yet = Phrase("noch" if has_new_object(event) else "noch nicht", "", "result")
    return statement(clause_of(event, RESULT, not_yet, Phrase("", "yet", "yet"), negated=True))


@pattern
def perfect_with_sentence_adverb(draw: Draw) -> Sides:
    """Leider hat der Tourist seinen Reisepass verloren."""
    german, verbs = draw.one_of((("leider", _MISFORTUNES), ("zum Glück", _SUCCESSES), ("endlich", _SUCCESSES)))
    adverb = Phrase(german, dict(adverbials.SENTENCE_ADVERBS)[german], "sentence")
    return statement(clause_of(draw.event("p", verbs), DONE, adverb), adverb)


@pattern
def journey(draw: Draw) -> Sides:
    """Letzten Sommer sind wir mit dem Zug nach Italien gefahren."""
    verb = draw.verb([SPATIAL["fahren fuhr"], SPATIAL["fliegen flog"], SPATIAL["reisen reiste"]])
    where = draw.pair(adverbials.CITIES + adverbials.COUNTRIES)
    phrases = [Phrase(f"nach {where.german}", f"to {where.english}", "direction")]
    if verb.lemma != "fliegen" and draw.chance(0.6):
        phrases.append(Phrase(*draw.one_of(adverbials.MEANS[:3]), "means"))
    subject = draw.subject()
    is_past = draw.chance(0.6)
    time = draw.past_time(verb) if is_past else draw.future_time(verb)
    clause = Clause(subject, verb, DONE if is_past else PLANNED, (*phrases, time))
    return statement(clause, time if draw.chance(0.5) else None)


@pattern
def future_with_werden(draw: Draw) -> Sides:
    """Mein Onkel wird nächstes Jahr ein Haus bauen."""
    event = draw.event("f", _PREDICTED)
    return statement(clause_of(event, FUTURE, draw.future_time(event.verb)))


@pattern
def future_time_first(draw: Draw) -> Sides:
    """Morgen holt meine Tante die Kinder vom Bahnhof ab."""
    event = draw.event("f", places=0.2)
    time = draw.future_time(event.verb)
    return statement(clause_of(event, PLANNED, time), time)


@pattern
def future_time_later(draw: Draw) -> Sides:
    """Meine Tante ruft morgen den Arzt an."""
    event = draw.event("f", places=0.2)
    return statement(clause_of(event, PLANNED, draw.future_time(event.verb)))


@pattern
def modal_present(draw: Draw) -> Sides:
    """Die Studentin muss heute Abend den Bericht schreiben."""
    modal = draw.one_of(("müssen", "müssen", "können", "wollen", "sollen", "möchten"))
    event = draw.event("f", CHORES if modal in ("müssen", "sollen") else None, places=0.15)
    time = draw.future_time(event.verb)
    front = time if modal in ("müssen", "können") and draw.chance(0.5) else None
    return statement(clause_of(event, SIMPLE, time, modal=modal), front)


@pattern
def modal_past(draw: Draw) -> Sides:
    """Gestern musste mein Vater das Auto reparieren."""
    modal = draw.one_of(("müssen", "wollen"))
    event = draw.event("f", CHORES if modal == "müssen" else NOTEWORTHY)
    time = draw.past_time(event.verb, counted=False)
    return statement(clause_of(event, TOLD, time, modal=modal), time if draw.chance(0.6) else None)


@pattern
def could_not(draw: Draw) -> Sides:
    """Leider konnte der Tourist seinen Reisepass nicht finden."""
    verbs = verbs_named(
        "finden abholen reparieren öffnen verstehen beantworten einladen anrufen besuchen lösen treffen"
    )
    event = draw.event("p", verbs, negated=True)
    phrases = () if has_new_object(event) else (negation(),)
    front = Phrase("leider", "unfortunately", "sentence")
    if draw.chance(0.5):
        front = draw.past_time(event.verb, counted=False)
    return statement(clause_of(event, TOLD, front, *phrases, modal="können", negated=True), front)


@pattern
def permission(draw: Draw) -> Sides:
    """Das Kind darf heute Abend einen Film ansehen."""
    event = draw.event("f", _PERMITTED, subject=draw.subject(("child",), pronouns=False))
    time = draw.time(adverbials.SOON_TIMES)
    is_forbidden = not has_new_object(event) and draw.chance(0.6)
    negations = (negation(),) if is_forbidden else ()
    clause = clause_of(event, SIMPLE, time, *negations, modal="dürfen", negated=is_forbidden)
    return statement(clause, time if draw.chance(0.3) else None)


@pattern
def liking(draw: Draw) -> Sides:
    """Meine Großmutter liest gern spannende Krimis."""
    event = draw.event("h", _LIKED, places=0.3, prefer_plural=True)
    clause = clause_of(event, SIMPLE, Phrase("gern", "", "frequency"))
    like = OTHER["mögen"].english.predicate("present", event.subject.person)[1]
    english = f"{event.subject.english()} {like} {clause.english_infinitive()}"
    return sentence(clause.german_main(), english)


@pattern
def negation_with_nicht(draw: Draw) -> Sides:
    """Mein Cousin hat gestern die Rechnung nicht bezahlt."""
    event = draw.event("p", _WITH_DEFINITE_OBJECT, negated=True)
    time = draw.past_time(event.verb, counted=False)
    clause = clause_of(event, DONE, time, negation(), negated=True)
    return statement(clause, time if draw.chance(0.4) else None)


@pattern
def negation_with_kein(draw: Draw) -> Sides:
    """Meine Schwester hat gestern keinen Kuchen gebacken."""
    verbs = verbs_named("kaufen essen trinken backen schreiben bestellen mitbringen kochen mieten")
    event = draw.event("p", verbs, negated=True, prefer_plural=True)
    time = draw.past_time(event.verb, counted=False)
    clause = clause_of(event, DONE, time, negated=True)
    return statement(clause, time if draw.chance(0.4) else None)


@pattern
def having_none(draw: Draw) -> Sides:
    """Mein Bruder hat kein Auto."""
    verb = draw.verb([OTHER["haben"], OTHER["brauchen"], OTHER["besitzen"]])
    subject = draw.subject()
    noun = draw.noun(*{"haben": ("own", "lost", "device")}.get(verb.lemma, ("own", "device", "furniture")))
    thing = draw.thing(noun, NO, probability=0)
    phrase = Phrase(thing.german("acc"), thing.english("acc"), "new object")
    return statement(Clause(subject, verb, SIMPLE, (phrase,), negated=True))


@pattern
def since_when(draw: Draw) -> Sides:
    """Meine Tante wohnt seit drei Jahren in Berlin."""
    subject = draw.subject()
    number = draw.pair(adverbials.NUMBERS)
    unit, english_unit = draw.one_of((("Jahren", "years"), ("Monaten", "months"), ("Wochen", "weeks")))
    since = Phrase(f"seit {number.german} {unit}", f"for {number.english} {english_unit}", "time")
    kind = draw.one_of("wwlap")
    if kind in "wl":
        verb = draw.verb([SPATIAL["wohnen wohnte"], SPATIAL["leben lebte"]])
        city = draw.pair(adverbials.CITIES if kind == "w" else adverbials.COUNTRIES)
        phrase = Phrase(f"in {city.german}", f"in {city.english}", "place")
    elif kind == "a":
        verb = draw.verb(verbs_named("arbeiten"))
        phrase = draw.location("working")
    else:
        lemma, tag = draw.one_of((("lernen", "language"), ("spielen", "instrument")))
        verb = draw.verb(verbs_named(lemma))
        noun = draw.noun(tag)
        phrase = Phrase(noun.lemma, noun.english, "new object")
    return statement(Clause(subject, verb, SINCE, (phrase, since)))


@pattern
def occupation(draw: Draw) -> Sides:
    """Meine Schwester ist seit zwei Jahren Ärztin."""
    subject = draw.acquaintance()
    job = draw.noun_among([noun for noun in NOUNS if "job" in noun.tags and noun.gender == subject.sex])
    german_job, english_job = job.lemma, NounPhrase(job, A).english()
    german_subject, english_subject = subject.german(), subject.english()
    if draw.chance(0.5):
        where = draw.pair(adverbials.CITIES)
        german, english = draw.one_of(
            (
                (f"arbeitet als {german_job} in", f"works as {english_job} in"),
                (f"ist {german_job} in", f"is {english_job} in"),
                (f"war früher {german_job} in", f"used to be {english_job} in"),
            )
        )
        german, english = f"{german} {where.german}", f"{english} {where.english}"
    else:
        number = draw.pair(adverbials.NUMBERS)
        german, english = draw.one_of(
            (
                (f"ist seit {number.german} Jahren {german_job}", f"has been {english_job} for"),
                (f"war {number.german} Jahre lang {german_job}", f"was {english_job} for"),
            )
        )
        english = f"{english} {number.english} years"
    return sentence(f"{german_subject} {german}", f"{english_subject} {english}")
