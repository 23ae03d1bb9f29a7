"""The common ground of the sentence patterns of the quickstart grammar: sentences, dates, predicates."""

from data.quickstart.clauses import NOW, Clause, Phrase, Tense
from data.quickstart.draw import Draw, verbs_for
from data.quickstart.lexicon import ADJECTIVES, VERB, Adjective, Sides, Verb
from data.quickstart.phrases import THE, Nominal, NounPhrase

NOT = Phrase("nicht", "", "negation")  # English negates the verb, see Clause.negated
TRAITS = [adjective for adjective in ADJECTIVES if {"human", "adult"}.intersection(adjective.classes)]
WITH_PERSON = [verb for verb in verbs_for("past") if [x.classes for x in verb.complements] == [("someone",)]]
# Where things of a class may be: German preposition, English preposition, classes of the place.
SPOTS = {
    "lying": ("auf=on=surface", "unter=under=surface", "neben=next to=furniture", "in=in=container"),
    "standing": ("auf=on=Tisch/Küchentisch/Schreibtisch/Regal", "neben=next to=furniture", "hinter=behind=furniture"),
    "dish": ("auf=on=Tisch/Küchentisch/Schreibtisch/Regal", "in=in=Schrank/Kiste"),
    "hanging": ("über=above=seat", "neben=next to=Tür/Fenster/Schrank/Regal"),
}


def sentence(template: str, *parts: Sides) -> Sides:
    """Return the template "German | English", filled in with the parts, each sentence opened by a capital letter."""
    german, english = (
        "? ".join(text[0].upper() + text[1:] for text in side.format(*words).split("? "))
        for side, words in zip(template.split(" | "), zip(*parts, strict=True), strict=True)
    )
    return german, english


def statement(draw: Draw, clause: Clause, front: Phrase | None = None) -> Sides:
    """Return the clause as a sentence of its own, opened by its subject or, half of the time, by `front`."""
    return sentence("{}. | {}.", clause.main(front if draw.chance(0.5) else None))


def dated(draw: Draw, event: Clause, use: str, tense: Tense, *phrases: Phrase, **options) -> Sides:
    """Return the event in a tense at a time of this use, which may open the sentence."""
    time = draw.time(use, event.verb)
    return statement(draw, event.put(tense, time, *phrases, **options), time)


def being(subject: Nominal, adjective: Adjective, tense: Tense = NOW, very: bool = True) -> Clause:
    """ "X ist müde" as a clause; "sehr müde" where the adjective has degrees."""
    german, english = ("sehr ", "very ") if very and adjective.german[1] else ("", "")
    predicate = Phrase(german + adjective.lemma, english + adjective.english[0], "oblique")
    return Clause(subject, VERB["sein"], (predicate,), tense)


def undergoer(draw: Draw, verb: Verb) -> NounPhrase:
    """Return the thing that something is done to, as the subject of a passive or asked for."""
    noun = draw.noun(*verb.complements[0].classes)
    return draw.thing(noun, THE, verb.complements[0].determiners == ("all",) or draw.plural(noun))


def spot(draw: Draw, kind: str, case: str) -> Phrase:
    """ "auf dem Tisch" or "auf den Tisch": where a thing of the kind may be or be put."""
    german, english, classes = draw.one_of(SPOTS[kind]).split("=")
    place = draw.thing(draw.noun(*classes.split("/")), adjective=0.15)
    return Phrase(place.prepositional(german, case), f"{english} {place.english()}", "direction")
