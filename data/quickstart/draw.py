"""The random choices of the quickstart grammar: who does what to whom, where and when, so that it makes sense."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TypeVar

from data.quickstart.clauses import Clause, Phrase, Tense, sentence
from data.quickstart.lexicon import ADJECTIVES, ADVERBIALS, NOUNS, VERBS, Adjective, Complement, Noun, Sides, Verb
from data.quickstart.phrases import (
    BARE,
    NO,
    PRONOUN,
    THE,
    A,
    Determiner,
    Name,
    Nominal,
    NounPhrase,
    Pronoun,
    possessive,
)

Item = TypeVar("Item")

_SPEAKERS = [PRONOUN[name] for name in ("ich", "ich", "wir", "er", "sie")]

# The times that go with the weight of an event: nobody drinks a cup of tea "last year".
_TIMES_BY_WEIGHT = {
    "past": {"small": ("small", "hour"), "day": ("small", "day"), "big": ("day", "big"), "huge": ("big",)},
    "plan": {"small": ("small",), "day": ("small", "day"), "big": ("day", "big"), "huge": ("big",)},
    "habit": {"small": ("daily",), "day": ("weekly",)},
}
# Where things of a class may be: German preposition, English preposition, classes of the place.
SPOTS = {
    "lying": ("auf=on=surface", "unter=under=surface", "neben=next to=furniture", "in=in=container"),
    "standing": ("auf=on=Tisch/Küchentisch/Schreibtisch/Regal", "neben=next to=furniture", "hinter=behind=furniture"),
    "dish": ("auf=on=Tisch/Küchentisch/Schreibtisch/Regal", "in=in=Schrank/Kiste"),
    "hanging": ("über=above=seat", "neben=next to=Tür/Fenster/Schrank/Regal"),
}


@cache
def nouns_of(*classes: str) -> list[Noun]:
    """Return the nouns of any of these classes."""
    return [noun for noun in NOUNS if not set(classes).isdisjoint(noun.classes)]


@cache
def adjectives_of(noun: Noun, graded: bool = False) -> list[Adjective]:
    """Return the adjectives that suit a noun; `graded`: only those with degrees."""
    fitting = [adjective for adjective in ADJECTIVES if not set(adjective.classes).isdisjoint(noun.classes)]
    return [adjective for adjective in fitting if adjective.german[1]] if graded else fitting


@cache
def verbs_for(*uses: str) -> list[Verb]:
    """Return the verbs that have all these uses."""
    return [verb for verb in VERBS if set(uses).issubset(verb.uses)]


def _fits(subject: Nominal, verb: Verb) -> bool:
    if verb.subject == "person" or not isinstance(subject, NounPhrase):
        return verb.subject in ("person", "adult")
    return verb.subject in subject.noun.classes or (verb.subject == "adult" and "kin" in subject.noun.classes)


class Draw:
    """Random choices for one sentence; `words` lists the lemmas of the content words drawn.

    Only `Random.random` is called, the one method whose results Python keeps stable.
    """

    def __init__(self, random: Random):
        self._random = random
        self.words: list[str] = []

    def one_of(self, options: Sequence[Item]) -> Item:
        return options[int(self._random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def between(self, low: int, high: int) -> int:
        return low + int(self._random.random() * (high - low + 1))

    def word(self, options: Sequence[Item]) -> Item:
        """Return a lexicon word, if possible one that is new in the sentence."""
        word = self.one_of([option for option in options if option.lemma not in self.words] or options)
        self.words.append(word.lemma)
        return word

    def noun(self, *classes: str) -> Noun:
        return self.word(nouns_of(*classes))

    def from_list(self, *kinds: str) -> Sides:
        """Return an entry of the lists of names and numbers, which counts as a content word."""
        sides = self.one_of([sides for kind in kinds for sides in ADVERBIALS[kind]])
        self.words.append(sides[0])
        return sides

    def adverbial(self, role: str, *kinds: str) -> Phrase:
        return Phrase(*self.one_of([sides for kind in kinds for sides in ADVERBIALS[kind]]), role)

    def time(self, use: str, verb: Verb) -> Phrase:
        """Return a time phrase for a past, planned or habitual event that fits the weight of the verb."""
        return self.adverbial("time", *(f"{use}_{distance}" for distance in _TIMES_BY_WEIGHT[use][verb.weight]))

    def plural(self, noun: Noun, probability: float = 0.2) -> bool:
        return noun.is_countable and "single" not in noun.classes and self.chance(probability)

    def thing(
        self, noun: Noun, determiner: Determiner = THE, plural: bool = False, adjective: float = 0.3
    ) -> NounPhrase:
        """Return a noun phrase, perhaps with an adjective; mass nouns and plurals lose an indefinite article."""
        if determiner == A and (plural or not noun.is_countable):
            determiner = BARE
        options = adjectives_of(noun) if self.chance(adjective) else ()
        return NounPhrase(noun, determiner, self.word(options) if options else None, plural and noun.is_countable)

    def name(self) -> Name:
        kind = self.one_of(("male", "female"))
        if self.chance(0.2):
            title = "Herr" if kind == "male" else "Frau"
            return Name(f"{title} {self.from_list('surname')[0]}", kind[0])
        return Name(self.from_list(kind)[0], kind[0])

    def relative(self, kind: str = "kin", owner: Pronoun | None = None, plural: float = 0.2) -> NounPhrase:
        """Return one of somebody's family and friends: "mein Bruder", "unsere Großeltern"."""
        noun = self.word([noun for noun in nouns_of(kind) if plural or noun.gender != "p"])
        determiner = possessive(owner or self.one_of(_SPEAKERS))
        return self.thing(noun, determiner, self.plural(noun, plural), adjective=0)

    def subject(self, wanted: str = "adult", pronouns: bool = True, plural: float = 0.2) -> Nominal:
        """Return a person of this class, never neuter, so that "er" or "sie" can refer to the person."""
        if wanted == "person":
            wanted = "adult" if self.chance(0.75) else "child"
        kind = self._random.random() if wanted in ("adult", "child") else 1
        if kind < 0.25:
            return self.name()
        if kind < 0.42 and pronouns:
            return self.one_of(_SPEAKERS)
        if kind < 0.7:
            return self.relative("kin" if wanted == "adult" else "younger", plural=plural)
        noun = self.noun(wanted)
        is_plural = self.plural(noun, 1 if noun.gender == "n" and "human" in noun.classes else plural)
        return self.thing(noun, THE, is_plural, adjective=0.2)

    def listener(self) -> Nominal:
        """Return the person a question is about: du, Sie, "deine Schwester" or a name."""
        if self.chance(0.5):
            return PRONOUN[self.one_of(("du", "du", "Sie"))]
        return self.relative(owner=PRONOUN["du"]) if self.chance(0.7) else self.name()

    def _someone(self, subject: Nominal, has_preposition: bool) -> Nominal:
        """Return a person whom the subject meets, calls, helps, …"""
        kind = self._random.random()
        if kind < 0.2 and subject.person in ("er", "sie"):
            return PRONOUN[self.one_of(("ich", "wir"))]
        # "Gestern hat die Kollegin Anna besucht" leaves open who visited whom, or who Anna is.
        if kind < 0.4 and (has_preposition or isinstance(subject, Pronoun)):
            return self.name()
        classes = subject.noun.classes if isinstance(subject, NounPhrase) else ()
        is_relative = not {"kin", "younger", "child"}.isdisjoint(classes)
        noun = self.noun("friend") if is_relative or subject.person == "sie" else self.noun("friend", "kin")
        return self.thing(noun, possessive(PRONOUN["ich"] if subject.gender == "n" else subject), adjective=0)

    def _complement(self, wanted: Complement, subject: Nominal, negated: bool) -> Phrase:
        """Return one complement of a verb, e.g. its object; `negated` turns ein and no article into kein."""
        preposition, case, classes, determiners = wanted
        if classes == ("someone",):
            nominal = self._someone(subject, bool(preposition))
        else:
            noun = self.noun(*classes)
            kind = "own" if {"kin", "younger"}.intersection(noun.classes) else self.one_of(determiners)
            plural = kind == "all" or (kind == "a" and self.plural(noun))
            determiner = {"the": THE, "all": THE, "own": THE, "a": A, "one": A}.get(kind, BARE)
            if kind == "own" and subject.gender != "n":
                # Several people have "their passports", where German may have "ihren Reisepass".
                plural = subject.person in ("wir", "sie", "Sie") and "personal" in noun.classes
                determiner = possessive(subject)
            elif negated and kind in ("a", "bare"):
                determiner = NO
            nominal = self.thing(noun, determiner, plural, adjective=0.1 if negated else 0.3)
        if preposition:
            return Phrase(nominal.prepositional(preposition, case), nominal.english("acc"), "oblique")
        is_new = isinstance(nominal, NounPhrase) and nominal.determiner in (A, BARE, NO)
        role = "recipient" if case == "dat" else "new object" if is_new else "object"
        return Phrase(*nominal.sides(case), "pronoun" if isinstance(nominal, Pronoun) else role)

    def event(self, *uses: str, subject: Nominal | None = None, place: float = 0.0, negated: bool = False) -> Clause:
        """Return a clause: a verb of these uses with subject and complements, perhaps at a place."""
        verb = self.word([verb for verb in verbs_for(*uses) if subject is None or _fits(subject, verb)])
        subject = subject or self.subject(verb.subject)
        parts = [self._complement(wanted, subject, negated) for wanted in verb.complements]
        if verb.places and place and (self.chance(place) or not parts):
            parts.append(self.place("place", *verb.places))
        return Clause(subject, verb, tuple(parts))

    def place(self, role: str, *classes: str) -> Phrase:
        """Return a location ("im Garten") or, in the role "direction", a destination."""
        attribute = "where_to" if role == "direction" else "where"
        place = self.word([noun for noun in nouns_of(*classes) if getattr(noun, attribute)])
        german, english = getattr(place, attribute)
        case = "acc" if role == "direction" and german != "zu" else "dat"
        return Phrase(NounPhrase(place).prepositional(german, case), f"{english} {NounPhrase(place).english()}", role)

    def statement(self, clause: Clause, front: Phrase | None = None) -> Sides:
        """Return the clause as a sentence that begins with its subject or, half of the time, with `front`."""
        return sentence("{}. | {}.", clause.main(front if self.chance(0.5) else None))

    def dated(self, event: Clause, use: str, tense: Tense, *phrases: Phrase, **options: object) -> Sides:
        """Return the event in a tense with a time phrase of this use, which may open the sentence."""
        time = self.time(use, event.verb)
        return self.statement(event.put(tense, time, *phrases, **options), time)

    def undergoer(self, verb: Verb) -> NounPhrase:
        """Return the object of a verb as a noun phrase, for passives and questions."""
        noun = self.noun(*verb.complements[0].classes)
        return self.thing(noun, THE, verb.complements[0].determiners == ("all",) or self.plural(noun))

    def spot(self, kind: str, case: str) -> Phrase:
        """ "auf dem Tisch" or "auf den Tisch": where a thing of the kind may be or be put."""
        german, english, classes = self.one_of(SPOTS[kind]).split("=")
        place = self.thing(self.noun(*classes.split("/")), adjective=0.15)
        return Phrase(place.prepositional(german, case), f"{english} {place.english()}", "direction")
