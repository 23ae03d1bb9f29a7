"""Sentence patterns of one clause: tenses, modals, negation, questions, passive, cases, places, degrees, numbers.

Every public function here is a pattern: it makes a German-English pair out of a Draw.
"""

from dataclasses import replace

from data.quickstart.clauses import DONE, FUTURE, NOW, ONGOING, PLANNED, TOLD, Clause, Phrase
from data.quickstart.draw import Draw, adjectives_of, nouns_of, verbs_for
from data.quickstart.lexicon import ADJECTIVES, VERB, Sides
from data.quickstart.patterns import NOT, SPOTS, TRAITS, WITH_PERSON, being, dated, sentence, spot, statement, undergoer
from data.quickstart.phrases import NO, PRONOUN, THE, THIS, WHICH, Determiner, NounPhrase, possessive

_COMPARED = ("pet", "furniture", "clothing", "fruit", "text", "device", "task")
_EQUALITY = "{} ist so {} wie {}. | {} is as {} as {}."
_OWNERS = (("", ""), ("ich", "du"), ("du", "ich"), ("ich", "Sie"))


def habit(draw: Draw) -> Sides:
    """Jeden Samstag putzt mein Vater die Fenster. Nina isst oft Äpfel."""
    event = draw.event("habit", place=0.3)
    if draw.chance(0.5):
        return statement(draw, event.put(NOW, draw.adverbial("frequency", "frequency")))
    return dated(draw, event, "habit", NOW)


def going_on(draw: Draw) -> Sides:
    """Der alte Mann liest ein Buch. Im Moment spielen die Kinder im Garten. Wir freuen uns auf das Konzert."""
    if draw.chance(0.3):
        return statement(draw, draw.event("state"))
    event = draw.event("now", place=0.3)
    if draw.chance(0.4):
        return statement(draw, event.put(ONGOING))
    now = draw.adverbial("time", "now")
    return statement(draw, event.put(ONGOING, now), now if " " in now.german else None)


def perfect(draw: Draw) -> Sides:
    """Gestern hat mein Bruder ein neues Fahrrad gekauft."""
    return dated(draw, draw.event("past", place=0.25), "past", DONE)


def future(draw: Draw) -> Sides:
    """Meine Schwester wird morgen den Brief schreiben."""
    return dated(draw, draw.event("plan", place=0.2), "plan", draw.one_of((FUTURE, PLANNED)))


def separable_verb(draw: Draw) -> Sides:
    """Am Samstag räumt Paul sein Zimmer auf."""
    use, tense = draw.one_of((("habit", NOW), ("plan", PLANNED)))
    return dated(draw, draw.event(use, "separable", place=0.3), use, tense)


def modal_verb(draw: Draw) -> Sides:
    """Ich muss heute Abend die Rechnung bezahlen. Gestern wollte Anna ihre Tante besuchen."""
    modal = draw.one_of(("müssen", "müssen", "können", "sollen", "dürfen", "wollen", "wollen", "möchten"))
    use = {"dürfen": "fun", "wollen": "plan", "möchten": "plan"}.get(modal, "chore")
    event = draw.event(use, subject=draw.subject("child") if use == "fun" else None)
    is_past = modal in ("müssen", "wollen") and draw.chance(0.5)
    return dated(draw, event, "past" if is_past else "plan", TOLD if is_past else NOW, modal=modal)


def negation_by_nicht(draw: Draw) -> Sides:
    """Die Chefin hat am Sonntag den Brief nicht unterschrieben. Ich konnte gestern nicht mit Peter sprechen."""
    use, tense, modal = draw.one_of((("past", DONE, ""), ("chore", TOLD, "können")))
    return dated(draw, draw.event(use, "past", "nicht"), "past", tense, NOT, modal=modal, negated=True)


def negation_by_kein(draw: Draw) -> Sides:
    """Der Gast hat keinen Wein getrunken. Mein Bruder hat kein Auto."""
    if draw.chance(0.7):
        return dated(draw, draw.event("past", "kein", negated=True), "past", DONE, negated=True)
    thing = Phrase(*draw.thing(draw.noun("vehicle", "device", "pet"), NO).sides("acc"), "object")
    return statement(draw, Clause(draw.subject(), VERB["haben"], (thing,), negated=True))


def passive(draw: Draw) -> Sides:
    """Das alte Auto wurde gestern von meinem Bruder repariert. Die Rechnung muss heute Abend bezahlt werden."""
    use, tense = draw.one_of((("past", TOLD), ("past", TOLD), ("plan", NOW), ("now", ONGOING)))
    verb = draw.word(verbs_for("passive", use))
    clause = Clause(undergoer(draw, verb), verb, passive=True)
    if use == "now":
        return statement(draw, clause.put(tense, draw.adverbial("time", "now")))
    if use == "plan":
        return dated(draw, clause, use, tense, modal=draw.one_of(("müssen", "können", "sollen")))
    if draw.chance(0.6):
        agent = draw.subject(pronouns=False)
        by = Phrase(agent.prepositional("von", "dat"), f"by {agent.english('acc')}", "agent")
        clause = clause.put(tense, by)
    return dated(draw, clause, use, tense)


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
    verb = draw.word(draw.one_of((WITH_PERSON, verbs_for("about"))))
    wanted = verb.complements[0]
    asked = PRONOUN["wer"] if wanted.classes == ("someone",) else replace(undergoer(draw, verb), determiner=WHICH)
    word = asked.prepositional(wanted.preposition, wanted.case), asked.english()
    return sentence("{}? | {}?", Clause(subject, verb, (draw.time("past", verb),), DONE).question(word))


def dative_object(draw: Draw) -> Sides:
    """Meine Mutter hat ihrem Freund ein Buch geschenkt. Gestern hat der Junge seiner Großmutter geholfen."""
    return dated(draw, draw.event(draw.one_of(("giving", "giving", "dative")), "past"), "past", DONE)


def belonging(draw: Draw) -> Sides:
    """Das rote Fahrrad gehört meinem Bruder. Der neue Pullover gefällt mir."""
    noun = draw.noun("goods")
    thing = draw.thing(noun, draw.one_of((THE, THIS)), draw.plural(noun), adjective=0.5)
    person = draw.subject(plural=0)
    if draw.chance(0.5):
        owner = Phrase(person.german("dat"), person.english("acc"), "oblique")
        return statement(draw, Clause(thing, VERB["gehören"], (owner,)))
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
    return dated(draw, Clause(draw.subject(), verb, (direction, *means)), use, tense)


def where_it_is(draw: Draw) -> Sides:
    """Das Buch liegt auf dem Tisch. Hing der Spiegel gestern neben der Tür?"""
    kind = draw.one_of(tuple(SPOTS))
    thing = draw.thing(draw.noun(kind), draw.one_of((THE, THE, possessive(PRONOUN["ich"]))), adjective=0.5)
    tense, *time = draw.one_of(((NOW,), (TOLD, draw.adverbial("time", "past_small"))))
    clause = Clause(thing, draw.word(verbs_for("be", kind)), (*time, spot(draw, kind, "dat")), tense)
    return sentence("{}? | {}?", clause.question()) if draw.chance(0.2) else statement(draw, clause)


def where_it_was_put(draw: Draw) -> Sides:
    """Anna hat das Buch auf den Tisch gelegt."""
    kind = draw.one_of(tuple(SPOTS))
    thing = Phrase(*draw.thing(draw.noun(kind)).sides("acc"), "object")
    time = draw.adverbial("time", "past_small")
    verb = draw.word(verbs_for("put", kind))
    return statement(draw, Clause(draw.subject(), verb, (thing, time, spot(draw, kind, "acc")), DONE), time)


def counting(draw: Draw) -> Sides:
    """Wir haben gestern drei kleine Bäume gepflanzt. Wie viele Äpfel hast du gekauft?"""
    verb = draw.word(verbs_for("several"))
    noun = draw.word([noun for noun in nouns_of(*verb.complements[0].classes) if noun.is_countable])
    if draw.chance(0.3):
        asked = f"wie viele {noun.plural}", f"how many {noun.english_plural}"
        return sentence("{}? | {}?", Clause(draw.listener(), verb, (draw.time("past", verb),), DONE).question(asked))
    german, english = draw.from_list("few")
    things = draw.thing(noun, Determiner("bare", german, english, english), plural=True)
    return dated(draw, Clause(draw.subject(), verb, (Phrase(*things.sides("acc"), "new object"),)), "past", DONE)


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
    return statement(draw, Clause(starting, verb, (time, clock), PLANNED), time)


def comparison(draw: Draw) -> Sides:
    """Der Hund ist größer als die Katze. Meine Schwester ist so klug wie Anna."""
    if draw.chance(0.4):
        first, second = (draw.subject(plural=0, pronouns=False) for _ in range(2))
        adjective = draw.word(TRAITS)
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
    return dated(draw, Clause(draw.subject(), verb, (Phrase(*there.sides("acc"), "object"),)), "past", DONE)


def genitive(draw: Draw) -> Sides:
    """Das Auto meines Bruders ist sehr schnell."""
    noun = draw.word([noun for noun in nouns_of("goods", "pet", "vehicle", "furniture") if adjectives_of(noun)])
    thing, owner = NounPhrase(noun, plural=draw.plural(noun)), draw.relative()
    possessor = owner.english() + ("'" if owner.gender == "p" else "'s")
    english = thing.english().replace("the", possessor, 1)
    owned = replace(thing, addition=f" {owner.german('gen')}", whole=english)
    return statement(draw, being(owned, draw.word(adjectives_of(noun)), draw.one_of((NOW, TOLD))))
