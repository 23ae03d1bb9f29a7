"""Sentence patterns of several clauses: relative and subordinate clauses, infinitives with zu, pronouns for things.

Every public function here is a pattern: it makes a German-English pair out of a Draw.
"""

from dataclasses import replace

from data.quickstart.clauses import DONE, FUTURE, ONGOING, PLANNED, SCENE, TOLD, Clause, Phrase
from data.quickstart.draw import Draw, adjectives_of, nouns_of, verbs_for
from data.quickstart.lexicon import ADJECTIVE, VERB, Sides
from data.quickstart.patterns import NOT, TRAITS, WITH_PERSON, being, sentence, spot, statement
from data.quickstart.phrases import PRONOUN, THE, A, Nominal, NounPhrase, possessive, pronoun_for, relative_pronoun


def _with_relative_clause(head: NounPhrase, pronoun: str, relative: str, clause: Sides) -> NounPhrase:
    german, english = clause
    return replace(head, addition=f", {pronoun} {german},", whole=f"{head.english()} {relative} {english}")


def _about(draw: Draw, person: NounPhrase) -> Sides:
    """Return a statement on somebody: "kommt aus Italien", "wohnt in Köln", "ist sehr nett"."""
    kind = draw.one_of(("country", "city", "trait"))
    if kind == "trait":
        return statement(draw, being(person, draw.word(TRAITS)))
    german, english = draw.from_list(kind)
    if kind == "country":
        return statement(draw, Clause(person, VERB["kommen"], (Phrase(f"aus {german}", f"from {english}", "oblique"),)))
    return statement(draw, Clause(person, VERB["wohnen"], (Phrase(f"in {german}", f"in {english}", "place"),)))


def _teller(draw: Draw) -> Nominal:
    """Return the one who has to do with the person or thing: ich, wir, a name or one's family."""
    kind = draw.one_of(("ich", "wir", "name", "relative"))
    return PRONOUN.get(kind) or (draw.name() if kind == "name" else draw.relative(plural=0))


def relative_subject(draw: Draw) -> Sides:
    """Die Frau, die gerade das Fenster putzt, kommt aus Spanien."""
    person = draw.thing(draw.noun("adult"), adjective=0.15)
    use, tense = draw.one_of((("now", ONGOING), ("past", DONE)))
    event = draw.event(use, subject=person, place=0.3)
    time = Phrase("gerade", "", "time") if use == "now" else draw.time("past", event.verb)
    clause = event.put(tense, time).without_subject()
    return _about(draw, _with_relative_clause(person, relative_pronoun("nom", person.gender), "who", clause))


def relative_object(draw: Draw) -> Sides:
    """Der Roman, den ich letzte Woche gelesen habe, war sehr spannend."""
    verb = draw.word(verbs_for("about"))
    noun = draw.word([noun for noun in nouns_of(*verb.complements[0].classes) if adjectives_of(noun)])
    thing = NounPhrase(noun, plural=draw.plural(noun))
    clause = Clause(_teller(draw), verb, (draw.time("past", verb),), DONE).final()
    whole = _with_relative_clause(thing, relative_pronoun("acc", thing.gender), "that", clause)
    return statement(draw, being(whole, draw.word(adjectives_of(noun)), TOLD))


def relative_person(draw: Draw) -> Sides:
    """Die Kollegin, der ich gestern geholfen habe, wohnt in Köln. Der Arzt, mit dem Nina gesprochen hat, ist nett."""
    person = draw.thing(draw.noun("adult"), adjective=0.15)
    verb = draw.word(WITH_PERSON)
    clause = Clause(_teller(draw), verb, (draw.time("past", verb),), DONE).final()
    pronoun = relative_pronoun(verb.complements[0].case, person.gender)
    return _about(
        draw, _with_relative_clause(person, f"{verb.complements[0].preposition} {pronoun}".strip(), "whom", clause)
    )


def content_clause(draw: Draw) -> Sides:
    """Ich hoffe, dass Anna morgen kommt. Wissen Sie, ob der Arzt den Brief geschrieben hat?"""
    use, tense = draw.one_of((("past", DONE), ("plan", FUTURE)))
    event = draw.event(use, subject=draw.subject(pronouns=False), place=0.15)
    templates = [
        "ich weiß, dass {}. | I know that {}.",
        "ich glaube, dass {}. | I think that {}.",
        "es stimmt, dass {}. | it is true that {}.",
        "ich weiß nicht, ob {}. | I do not know whether {}.",
        "weißt du, ob {}? | do you know whether {}?",
    ]
    templates.append(
        "ich hoffe, dass {}. | I hope that {}." if use == "plan" else "weißt du, warum {}? | do you know why {}?"
    )
    return sentence(draw.one_of(templates), event.put(tense, draw.time(use, event.verb)).final())


def because(draw: Draw) -> Sides:
    """Lena ist glücklich, weil sie ihren Ring gefunden hat. Ich konnte nicht kommen, weil ich arbeiten musste."""
    kind, mood = draw.one_of((("loss", "wütend"), ("success", "glücklich"), ("success", "zufrieden"), ("chore", "")))
    subject = draw.subject()
    event = draw.event(kind, "past", subject=pronoun_for(subject))
    time = draw.time("past", event.verb)
    if mood:
        first, second = being(subject, ADJECTIVE[mood], very=False), event.put(DONE, time)
    else:
        first = Clause(subject, VERB["kommen"], (NOT,), TOLD, "können", negated=True)
        second = event.put(TOLD, time, modal="müssen")
    return sentence("{}, weil {}. | {} because {}.", first.main(), second.final())


def condition(draw: Draw) -> Sides:
    """Wenn es morgen regnet, spielen wir Schach. Wenn Peter am Sonntag Zeit hat, besucht er seine Tante."""
    time = draw.adverbial("time", "plan_small", "plan_day")
    subject = draw.subject()
    if draw.chance(0.5):
        german, english = draw.one_of((("regnet", "rains"), ("schneit", "snows")))
        first = f"es {time.german} {german}", f"it {english} {time.english}"
    else:
        first = Clause(subject, VERB["haben"], (Phrase("Zeit", "time", "new object"), time)).final()
        subject = pronoun_for(subject)
    second = draw.event(draw.one_of(("chore", "fun")), "plan", subject=subject, place=0.2).put(
        draw.one_of((PLANNED, FUTURE))
    )
    return sentence("wenn {}, {}. | if {}, {}.", first, second.after_clause())


def while_something_went_on(draw: Draw) -> Sides:
    """Als Maria nach Hause kam, las ihr Vater gerade die Zeitung."""
    comer = draw.name() if draw.chance(0.5) else draw.thing(draw.noun("adult"))
    coming = Clause(comer, VERB["kommen"], (Phrase("nach Hause", "home", "direction"),), TOLD)
    relative = draw.relative(owner=pronoun_for(comer), plural=0)
    event = draw.event("now", "home", subject=relative, place=0.3).put(SCENE, Phrase("gerade", "", "time"))
    return sentence("als {}, {}. | when {}, {}.", coming.final(), event.after_clause())


def zu_infinitive(draw: Draw) -> Sides:
    """Paul hat gestern versucht, das Radio zu reparieren. Ich habe keine Zeit, die Fenster zu putzen."""
    subject, front = draw.subject(), None
    if draw.chance(0.25):
        main = Clause(subject, VERB["haben"], (Phrase("keine Zeit", "time", "object"),), negated=True)
    else:
        front = draw.adverbial("time", "past_small")
        verb = draw.word([VERB[x] for x in ("versuchen", "versprechen", "beschließen", "vergessen")])
        main = Clause(subject, verb, (front,), DONE)
    return sentence("{}, {}. | {} {}.", main.main(front), draw.event("chore", subject=subject).infinitive())


def pronoun_for_thing(draw: Draw) -> Sides:
    """Unser Nachbar sucht seinen Schlüssel, aber er kann ihn nicht finden."""
    kind = draw.one_of(("place", "price", "search", "search"))
    if kind == "place":
        thing = draw.thing(draw.noun("lying"), draw.one_of((THE, possessive(PRONOUN["ich"]))), adjective=0.5)
        answer = Clause(pronoun_for(thing), VERB["liegen"], (spot(draw, "lying", "dat"),))
        return sentence("wo ist {}? {}. | where is {}? {}.", thing.sides(), answer.main())
    subject = draw.subject(plural=0)
    if kind == "price":
        thing = draw.thing(draw.noun("clothing", "device", "furniture"), A, adjective=0)
        first = Clause(subject, VERB["kaufen"], (Phrase(*thing.sides("acc"), "new object"),))
        first = first.put(DONE, draw.time("past", first.verb))
        second = being(pronoun_for(thing), ADJECTIVE["teuer"], TOLD)
    else:
        thing = draw.thing(draw.noun("carried"), possessive(subject))
        first = Clause(subject, VERB["suchen"], (Phrase(*thing.sides("acc"), "object"),), ONGOING)
        it = Phrase(*pronoun_for(thing).sides("acc"), "pronoun")
        second = Clause(pronoun_for(subject), VERB["finden"], (it, NOT), modal="können", negated=True)
    return sentence("{}, aber {}. | {}, but {}.", first.main(), second.main())
