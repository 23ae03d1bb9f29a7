"""Sentence patterns: every public function makes a German-English pair out of a `Draw`."""

from dataclasses import replace

from data.quickstart.clauses import DONE, FUTURE, NOW, ONGOING, PLANNED, SCENE, TOLD, Clause, Phrase, being, sentence
from data.quickstart.draw import SPOTS, Draw, adjectives_of, nouns_of, verbs_for
from data.quickstart.lexicon import ADJECTIVE, ADJECTIVES, VERB, Sides
from data.quickstart.phrases import (
    NO,
    PRONOUN,
    THE,
    THIS,
    WHICH,
    A,
    Determiner,
    Nominal,
    NounPhrase,
    possessive,
    pronoun_for,
    relative_pronoun,
)

_NOT = Phrase("nicht", "", "negation")  # English negates the verb, see Clause.negated
_TRAITS = [adjective for adjective in ADJECTIVES if {"human", "adult"}.intersection(adjective.classes)]
_WITH_PERSON = [verb for verb in verbs_for("past") if [x.classes for x in verb.complements] == [("someone",)]]
_COMPARED = ("pet", "furniture", "clothing", "fruit", "text", "device", "task")
_EQUALITY = "{} ist so {} wie {}. | {} is as {} as {}."
_OWNERS = (("", ""), ("ich", "du"), ("du", "ich"), ("ich", "Sie"))


def habit(draw: Draw) -> Sides:
    """Jeden Samstag putzt mein Vater die Fenster. Nina isst oft Äpfel."""
    event = draw.event("habit", place=0.3)
    if draw.chance(0.5):
        return draw.statement(event.put(NOW, draw.adverbial("frequency", "frequency")))
    return draw.dated(event, "habit", NOW)


def going_on(draw: Draw) -> Sides:
    """Der alte Mann liest ein Buch. Im Moment spielen die Kinder im Garten. Wir freuen uns auf das Konzert."""
    if draw.chance(0.3):
        return draw.statement(draw.event("state"))
    event = draw.event("now", place=0.3)
    if draw.chance(0.4):
        return draw.statement(event.put(ONGOING))
    now = draw.adverbial("time", "now")
    return draw.statement(event.put(ONGOING, now), now if " " in now.german else None)


def perfect(draw: Draw) -> Sides:
    """Gestern hat mein Bruder ein neues Fahrrad gekauft."""
    return draw.dated(draw.event("past", place=0.25), "past", DONE)


def future(draw: Draw) -> Sides:
    """Meine Schwester wird morgen den Brief schreiben."""
    return draw.dated(draw.event("plan", place=0.2), "plan", draw.one_of((FUTURE, PLANNED)))


def separable_verb(draw: Draw) -> Sides:
    """Am Samstag räumt Paul sein Zimmer auf."""
    use, tense = draw.one_of((("habit", NOW), ("plan", PLANNED)))
    return draw.dated(draw.event(use, "separable", place=0.3), use, tense)


def modal_verb(draw: Draw) -> Sides:
    """Ich muss heute Abend die Rechnung bezahlen. Gestern wollte Anna ihre Tante besuchen."""
    modal = draw.one_of(("müssen", "müssen", "können", "sollen", "dürfen", "wollen", "wollen", "möchten"))
    use = {"dürfen": "fun", "wollen": "plan", "möchten": "plan"}.get(modal, "chore")
    event = draw.event(use, subject=draw.subject("child") if use == "fun" else None)
    is_past = modal in ("müssen", "wollen") and draw.chance(0.5)
    return draw.dated(event, "past" if is_past else "plan", TOLD if is_past else NOW, modal=modal)


def negation_by_nicht(draw: Draw) -> Sides:
    """Die Chefin hat am Sonntag den Brief nicht unterschrieben. Ich konnte gestern nicht mit Peter sprechen."""
    use, tense, modal = draw.one_of((("past", DONE, ""), ("chore", TOLD, "können")))
    return draw.dated(draw.event(use, "past", "nicht"), "past", tense, _NOT, modal=modal, negated=True)


def negation_by_kein(draw: Draw) -> Sides:
    """Der Gast hat keinen Wein getrunken. Mein Bruder hat kein Auto."""
    if draw.chance(0.7):
        return draw.dated(draw.event("past", "kein", negated=True), "past", DONE, negated=True)
    thing = Phrase(*draw.thing(draw.noun("vehicle", "device", "pet"), NO).sides("acc"), "object")
    return draw.statement(Clause(draw.subject(), VERB["haben"], (thing,), negated=True))


def passive(draw: Draw) -> Sides:
    """Das alte Auto wurde gestern von meinem Bruder repariert. Die Rechnung muss heute Abend bezahlt werden."""
    use, tense = draw.one_of((("past", TOLD), ("past", TOLD), ("plan", NOW), ("now", ONGOING)))
    verb = draw.word(verbs_for("passive", use))
    clause = Clause(draw.undergoer(verb), verb, passive=True)
    if use == "now":
        return draw.statement(clause.put(tense, draw.adverbial("time", "now")))
    if use == "plan":
        return draw.dated(clause, use, tense, modal=draw.one_of(("müssen", "können", "sollen")))
    if draw.chance(0.6):
        agent = draw.subject(pronouns=False)
        by = Phrase(agent.prepositional("von", "dat"), f"by {agent.english('acc')}", "agent")
        clause = clause.put(tense, by)
    return draw.dated(clause, use, tense)


def request(draw: Draw) -> Sides:
    """Räum bitte dein Zimmer auf. Öffnen Sie bitte das Fenster."""
    event = draw.event("chore", subject=PRONOUN[draw.one_of(("du", "Sie"))])
    time = [draw.adverbial("time", "plan_small")] if draw.chance(0.6) else []
    return sentence("{}. | {}.", event.put(NOW, *time).imperative())


def question(draw: Draw) -> Sides:
    """Hast du gestern den Brief geschrieben? Wer hat das Fenster geöffnet? Wie oft besuchst du deinen Onkel?"""
    use, tense = draw.one_of((("past", DONE), ("past", DONE), ("plan", PLANNED), ("habit", NOW), ("state", NOW)))
    words = {"past": ("", "who", "why", "when"), "plan": ("", "who", "when"), "habit": ("how often",), "state": ("",)}
    word = draw.one_of(words[use])
    event = draw.event(use, subject=PRONOUN["wer"] if word == "who" else draw.listener(), place=0.2)
    event = event.put(tense, *([draw.time(use, event.verb)] if word in ("", "who", "why") and use != "state" else []))
    if word == "who":
        return sentence("{}? | {}?", event.main())
    german = {"": "", "why": "warum", "when": "wann", "how often": "wie oft"}[word]
    return sentence("{}? | {}?", event.question((german, word)))


def question_about_object(draw: Draw) -> Sides:
    """Wem hast du geholfen? Mit wem hat Anna gesprochen? Welchen Mantel hat deine Mutter gekauft?"""
    subject = draw.listener()
    verb = draw.word(draw.one_of((_WITH_PERSON, verbs_for("about"))))
    wanted = verb.complements[0]
    asked = PRONOUN["wer"] if wanted.classes == ("someone",) else replace(draw.undergoer(verb), determiner=WHICH)
    word = asked.prepositional(wanted.preposition, wanted.case), asked.english()
    return sentence("{}? | {}?", Clause(subject, verb, (draw.time("past", verb),), DONE).question(word))


def dative_object(draw: Draw) -> Sides:
    """Meine Mutter hat ihrem Freund ein Buch geschenkt. Gestern hat der Junge seiner Großmutter geholfen."""
    return draw.dated(draw.event(draw.one_of(("giving", "giving", "dative")), "past"), "past", DONE)


def belonging(draw: Draw) -> Sides:
    """Das rote Fahrrad gehört meinem Bruder. Der neue Pullover gefällt mir."""
    noun = draw.noun("goods")
    thing = draw.thing(noun, draw.one_of((THE, THIS)), draw.plural(noun), adjective=0.5)
    person = draw.subject(plural=0)
    if draw.chance(0.5):
        owner = Phrase(person.german("dat"), person.english("acc"), "oblique")
        return draw.statement(Clause(thing, VERB["gehören"], (owner,)))
    german, _ = Clause(thing, VERB["gefallen"], (Phrase(person.german("dat"), "", "oblique"),)).main()
    _, english = Clause(person, VERB["mögen"], (Phrase("", thing.english(), "object"),)).main()
    return sentence("{}. | {}.", (german, english))


def going_somewhere(draw: Draw) -> Sides:
    """Am Sonntag gehen wir ins Kino. Mein Onkel ist letztes Jahr mit dem Zug nach Italien gefahren."""
    verb = draw.word([VERB["gehen"], VERB["fahren"], VERB["fliegen"]])
    if verb.lemma == "gehen":
        direction = draw.place("direction", "outing", "errand", "nature", "water")
    else:
        german, english = draw.from_list("city", "country", *(["far_country"] if verb.lemma == "fliegen" else []))
        direction = Phrase(f"nach {german}", f"to {english}", "direction")
    means = [draw.adverbial("means", "means")] if verb.lemma == "fahren" and draw.chance(0.6) else []
    use, tense = draw.one_of((("past", DONE), ("plan", PLANNED)))
    return draw.dated(Clause(draw.subject(), verb, (direction, *means)), use, tense)


def where_it_is(draw: Draw) -> Sides:
    """Das Buch liegt auf dem Tisch. Hing der Spiegel gestern neben der Tür?"""
    kind = draw.one_of(tuple(SPOTS))
    thing = draw.thing(draw.noun(kind), draw.one_of((THE, THE, possessive(PRONOUN["ich"]))), adjective=0.5)
    tense, *time = draw.one_of(((NOW,), (TOLD, draw.adverbial("time", "past_small"))))
    clause = Clause(thing, draw.word(verbs_for("be", kind)), (*time, draw.spot(kind, "dat")), tense)
    return sentence("{}? | {}?", clause.question()) if draw.chance(0.2) else draw.statement(clause)


def where_it_was_put(draw: Draw) -> Sides:
    """Anna hat das Buch auf den Tisch gelegt."""
    kind = draw.one_of(tuple(SPOTS))
    thing = Phrase(*draw.thing(draw.noun(kind)).sides("acc"), "object")
    time = draw.adverbial("time", "past_small")
    verb = draw.word(verbs_for("put", kind))
    return draw.statement(Clause(draw.subject(), verb, (thing, time, draw.spot(kind, "acc")), DONE), time)


def counting(draw: Draw) -> Sides:
    """Wir haben gestern drei kleine Bäume gepflanzt. Wie viele Äpfel hast du gekauft?"""
    verb = draw.word(verbs_for("several"))
    noun = draw.word([noun for noun in nouns_of(*verb.complements[0].classes) if noun.is_countable])
    if draw.chance(0.3):
        asked = f"wie viele {noun.plural}", f"how many {noun.english_plural}"
        return sentence("{}? | {}?", Clause(draw.listener(), verb, (draw.time("past", verb),), DONE).question(asked))
    german, english = draw.from_list("few")
    things = draw.thing(noun, Determiner("bare", german, english, english), plural=True)
    return draw.dated(Clause(draw.subject(), verb, (Phrase(*things.sides("acc"), "new object"),)), "past", DONE)


def clock_time(draw: Draw) -> Sides:
    """Der Zug nach Berlin fährt morgen um 9:05 Uhr ab. Das Konzert beginnt am Samstag um acht Uhr."""
    if draw.chance(0.5):
        starting, verb = draw.thing(draw.noun("starts")), VERB["beginnen"]
        german, english = draw.from_list("few", "many")
        clock = Phrase(f"um {german} Uhr", f"at {english} o'clock", "clock")
    else:
        vehicle, verb = NounPhrase(draw.noun("Zug", "Bus")), VERB["abfahren"]
        german, english = draw.from_list("city")
        starting = replace(vehicle, addition=f" nach {german}", whole=f"{vehicle.english()} to {english}")
        digits = f"{draw.between(5, 22)}:{5 * draw.between(0, 11):02}"
        clock = Phrase(f"um {digits} Uhr", f"at {digits}", "clock")
    time = draw.adverbial("time", "plan_day")
    return draw.statement(Clause(starting, verb, (time, clock), PLANNED), time)


def comparison(draw: Draw) -> Sides:
    """Der Hund ist größer als die Katze. Meine Schwester ist so klug wie Anna."""
    if draw.chance(0.4):
        first, second = (draw.subject(plural=0, pronouns=False) for _ in range(2))
        adjective = draw.word(_TRAITS)
    else:
        nouns = nouns_of(draw.one_of(_COMPARED))
        adjective = draw.word([x for x in ADJECTIVES if x.german[1] and sum(x in adjectives_of(y) for y in nouns) > 1])
        candidates = [noun for noun in nouns if adjective in adjectives_of(noun)]
        owners = (possessive(PRONOUN[name]) if name else THE for name in draw.one_of(_OWNERS))
        first, second = (NounPhrase(draw.word(candidates), owner) for owner in owners)
    template, degree = draw.one_of((("{} ist {} als {}. | {} is {} than {}.", 1), (_EQUALITY, 0)))
    compared = adjective.german[1] if degree else adjective.lemma, adjective.english[degree]
    return sentence(template, first.sides(), compared, (second.german(), second.english("acc")))


def superlative(draw: Draw) -> Sides:
    """Gestern haben wir die älteste Brücke der Stadt fotografiert."""
    verb = draw.word([verb for verb in verbs_for("about") if {"sight", "visited"} & {*verb.complements[0].classes}])
    nouns = [noun for noun in nouns_of(*verb.complements[0].classes) if "building" in noun.classes]
    noun = draw.word([noun for noun in nouns if adjectives_of(noun, graded=True)])
    best = NounPhrase(noun, THE, draw.word(adjectives_of(noun, graded=True)), degree=2)
    town = NounPhrase(draw.noun("town", "Land"))
    there = replace(best, addition=f" {town.german('gen')}", whole=f"{best.english()} in {town.english()}")
    return draw.dated(Clause(draw.subject(), verb, (Phrase(*there.sides("acc"), "object"),)), "past", DONE)


def genitive(draw: Draw) -> Sides:
    """Das Auto meines Bruders ist sehr schnell."""
    noun = draw.word([noun for noun in nouns_of("goods", "pet", "vehicle", "furniture") if adjectives_of(noun)])
    thing, owner = NounPhrase(noun, plural=draw.plural(noun)), draw.relative()
    possessor = owner.english() + ("'" if owner.gender == "p" else "'s")
    english = thing.english().replace("the", possessor, 1)
    owned = replace(thing, addition=f" {owner.german('gen')}", whole=english)
    return draw.statement(being(owned, draw.word(adjectives_of(noun)), draw.one_of((NOW, TOLD))))


def _with_relative_clause(head: NounPhrase, pronoun: str, relative: str, clause: Sides) -> NounPhrase:
    german, english = clause
    return replace(head, addition=f", {pronoun} {german},", whole=f"{head.english()} {relative} {english}")


def _about(draw: Draw, person: NounPhrase) -> Sides:
    """Return a statement about a person: "kommt aus Italien", "wohnt in Köln", "ist sehr nett"."""
    kind = draw.one_of(("country", "city", "trait"))
    if kind == "trait":
        return draw.statement(being(person, draw.word(_TRAITS)))
    german, english = draw.from_list(kind)
    if kind == "country":
        return draw.statement(Clause(person, VERB["kommen"], (Phrase(f"aus {german}", f"from {english}", "oblique"),)))
    return draw.statement(Clause(person, VERB["wohnen"], (Phrase(f"in {german}", f"in {english}", "place"),)))


def _teller(draw: Draw) -> Nominal:
    """Return the subject of a relative clause: ich, wir, a name or a relative."""
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
    return draw.statement(being(whole, draw.word(adjectives_of(noun)), TOLD))


def relative_person(draw: Draw) -> Sides:
    """Die Kollegin, der ich gestern geholfen habe, wohnt in Köln. Der Arzt, mit dem Nina gesprochen hat, ist nett."""
    person = draw.thing(draw.noun("adult"), adjective=0.15)
    verb = draw.word(_WITH_PERSON)
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
        "ich hoffe, dass {}. | I hope that {}." if use == "plan" else "weißt du, warum {}? | do you know why {}?",
    ]
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
        first = Clause(subject, VERB["kommen"], (_NOT,), TOLD, "können", negated=True)
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
        answer = Clause(pronoun_for(thing), VERB["liegen"], (draw.spot("lying", "dat"),))
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
        second = Clause(pronoun_for(subject), VERB["finden"], (it, _NOT), modal="können", negated=True)
    return sentence("{}, aber {}. | {}, but {}.", first.main(), second.main())
