"""Complements: dative and double objects, prepositional and reflexive verbs, and what lies where."""

from data.quickstart import adverbials
from data.quickstart.clauses import DONE, ONGOING, PLANNED, SIMPLE, Clause, Phrase
from data.quickstart.draw import Draw
from data.quickstart.lexicon import DATIVE, GIVING, NOUN, OTHER, PREPOSITIONAL
from data.quickstart.patterns import Sides, clause_of, negation, pattern, sentence, statement, verbs_named
from data.quickstart.phrases import (
    POSSESSIVE,
    THE,
    THIS,
    Nominal,
    NounPhrase,
    Pronoun,
)

_BELONGING = verbs_named("gehören", "dative")
_AWAITING, _BEING_GLAD = (verb for verb in PREPOSITIONAL if verb.lemma in ("sich freuen auf", "sich freuen über"))


@pattern
def dative_verb(draw: Draw) -> Sides:
    """Heute Morgen hat Lena ihrer Nachbarin geholfen."""
    event = draw.event("p", DATIVE)
    time = draw.past_time(event.verb)
    return statement(clause_of(event, DONE, time), time if draw.chance(0.5) else None)


@pattern
def two_objects_past(draw: Draw) -> Sides:
    """Der Lehrer hat seiner Frau gestern einen Ring geschenkt."""
    event = draw.event("p", GIVING)
    time = draw.past_time(event.verb)
    return statement(clause_of(event, DONE, time), time if draw.chance(0.5) else None)


@pattern
def two_objects_future(draw: Draw) -> Sides:
    """Morgen bringt er seiner Großmutter eine Rose mit."""
    event = draw.event("f", GIVING)
    time = draw.future_time(event.verb)
    modal = draw.one_of(("", "", "wollen", "möchten", "müssen"))
    clause = clause_of(event, SIMPLE if modal else PLANNED, time, modal=modal)
    return statement(clause, time if draw.chance(0.5) else None)


def _receiver(draw: Draw) -> Nominal:
    """Somebody in the dative of a sentence that is about a thing."""
    kind = draw.one_of("kknpm")
    if kind == "m":
        return Pronoun(draw.one_of(("I", "we")))
    if kind == "n":
        return draw.name()
    if kind == "p":
        noun = draw.noun("companion", "teacher", "Gast", "Mann", "Frau", "Chef", "Chefin")
        return draw.thing(noun, THE, probability=0.3)
    noun = draw.noun("relative", "friend", "younger")
    return draw.relative(noun, POSSESSIVE[draw.one_of(("my", "our"))], "rare" not in noun.tags and draw.chance(0.2))


@pattern
def liking_with_gefallen(draw: Draw) -> Sides:
    """Das rote Kleid gefällt meiner Schwester sehr gut."""
    who = _receiver(draw)
    determiner = draw.one_of((THE, THIS, POSSESSIVE["your"]))
    noun = draw.noun("clothing", "furniture", "jewel", "own", "packed", "sold")
    if draw.chance(0.3):
        noun, determiner = draw.noun("show", "lodging", "town", "sight"), THE
    thing = draw.thing(noun, determiner, plural=draw.chance(0.15) and "rare" not in noun.tags)
    verb = OTHER["gefallen"]
    draw.use(verb.lemma)
    german, english = draw.one_of(
        (("", ""), (" nicht", "not"), (" sehr gut", " very much"), (" überhaupt nicht", "not at all"))
    )
    tense = draw.one_of(("present", "past"))
    form = verb.present_form(thing.person) if tense == "present" else verb.past_form(thing.person)
    like = OTHER["mögen"].english
    auxiliary, rest = like.predicate(tense, who.person, split=english.startswith("not"))
    if auxiliary:
        words = [who.english(), auxiliary, "not", rest, thing.english(), english.removeprefix("not").strip()]
    else:
        words = [who.english(), rest, thing.english(), english.strip()]
    return sentence(f"{thing.german()} {form} {who.german('dat')}{german}", " ".join(filter(None, words)))


@pattern
def belonging(draw: Draw) -> Sides:
    """Der blaue Koffer gehört meinem Onkel."""
    noun = draw.noun("lost", "own", "furniture", "taken", "formal", "packed", "Haus", "Hund", "Katze")
    thing = draw.thing(noun, draw.one_of((THE, THE, THIS)), plural=draw.chance(0.15), probability=0.6)
    receiver = _receiver(draw)
    verb = draw.verb(_BELONGING)
    is_negated = draw.chance(0.25)
    phrases = [Phrase(receiver.german("dat"), receiver.english("acc"), "recipient")]
    if is_negated:
        phrases.append(negation())
    return statement(Clause(thing, verb, SIMPLE, tuple(phrases), negated=is_negated))


@pattern
def prepositional_object(draw: Draw) -> Sides:
    """Mein Bruder wartet gerade am Bahnhof auf seine Freundin."""
    tense = draw.one_of((DONE, ONGOING, PLANNED))
    aspect = {DONE: "p", ONGOING: "g", PLANNED: "f"}[tense]
    event = draw.event(aspect, PREPOSITIONAL, places=0.3)
    if tense == ONGOING:
        return statement(clause_of(event, tense, Phrase("gerade", "right now", "time")))
    time = draw.past_time(event.verb) if tense == DONE else draw.future_time(event.verb)
    return statement(clause_of(event, tense, time), time if draw.chance(0.5) else None)


@pattern
def looking_forward(draw: Draw) -> Sides:
    """Die Schüler freuen sich auf den Ausflug."""
    verb = draw.verb([_AWAITING, _BEING_GLAD])
    subject = draw.subject(("person",))
    phrase = draw.complement(verb, verb.governments[0], subject)
    if verb is _AWAITING:
        return statement(Clause(subject, verb, ONGOING, (phrase,)))
    tense = draw.one_of((SIMPLE, DONE))
    time = (draw.time(adverbials.RECENT_TIMES),) if tense == DONE else ()
    return statement(Clause(subject, verb, tense, (phrase, *time)))


@pattern
def interest(draw: Draw) -> Sides:
    """Unsere Lehrerin interessiert sich sehr für Musik."""
    verb = draw.verb(verbs_named("sich_interessieren_für sich_erinnern_an vertrauen"))
    subject = draw.subject(("adult",))
    phrase = draw.complement(verb, verb.governments[0], subject)
    is_negated = draw.chance(0.35)
    how = {
        "sich interessieren für": Phrase("sehr", "very", "frequency"),
        "sich erinnern an": Phrase("noch gut", "well", "manner"),
        "vertrauen": Phrase("völlig", "completely", "manner"),
    }[verb.lemma]
    if is_negated:
        how = negation()
    return statement(Clause(subject, verb, SIMPLE, (phrase, how), negated=is_negated))


@pattern
def washing_oneself(draw: Draw) -> Sides:
    """Der Junge putzt sich jeden Morgen die Zähne."""
    subject = draw.subject(("person",), referable=True)
    kind = draw.one_of(("sich putzen", "sich waschen", "sich waschen"))
    verb = draw.verb([OTHER[kind]])
    noun = NOUN["Zahn"] if kind == "sich putzen" else draw.noun("washable")
    draw.use(noun.lemma)
    is_plural = "rare" not in noun.tags
    german = NounPhrase(noun, THE, plural=is_plural).german("acc")
    # Several people wash "sich das Gesicht", but "their faces".
    is_plural = is_plural or subject.person in ("wir", "sie")
    english = NounPhrase(noun, draw.owner_for(subject), plural=is_plural).english()
    body_part = Phrase(german, english, "object")
    kind = draw.one_of("hhpmn")
    if kind == "h":
        time = draw.time(adverbials.DAILY_TIMES)
        clause = Clause(subject, verb, SIMPLE, (body_part, time))
    elif kind == "p":
        time = draw.time(adverbials.RECENT_TIMES)
        clause = Clause(subject, verb, DONE, (body_part, time))
    elif kind == "m":
        time = draw.time(adverbials.SOON_TIMES)
        clause = Clause(subject, verb, SIMPLE, (body_part, time), modal="müssen")
    else:
        return statement(Clause(subject, verb, ONGOING, (body_part, Phrase("gerade", "right now", "time"))))
    return statement(clause, time if draw.chance(0.4) else None)
