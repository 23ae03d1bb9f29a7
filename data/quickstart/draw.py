"""The casting of the quickstart grammar: who does what to whom, chosen so that it makes sense."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from data.quickstart import adverbials
from data.quickstart.clauses import Phrase
from data.quickstart.dice import Dice, nouns_of
from data.quickstart.entries import Government, Noun, Verb
from data.quickstart.lexicon import ACTIVITIES, ADJECTIVE
from data.quickstart.phrases import (
    BARE,
    NO,
    POSSESSIVE,
    THE,
    THIS,
    A,
    Determiner,
    Name,
    Nominal,
    NounPhrase,
    Pronoun,
    Who,
    german_prepositional,
    possessive_of,
)

# People whom one speaks of without saying more; the professions come up less often.
_FAMILIAR = ("companion", "Student", "Studentin", "Mann", "Frau", "Gast", "Chef", "Chefin", "Lehrer", "Lehrerin")
_EVERY_NAME = adverbials.FEMALE_NAMES + adverbials.MALE_NAMES


_PLURAL_PERSONS = ("wir", "sie")
_PERSONAL = ("lost", "taken", "packed")


class Event(NamedTuple):
    """Somebody doing something: what a clause needs except tense and adverbials."""

    subject: Nominal
    verb: Verb
    phrases: tuple[Phrase, ...]


@cache
def _verbs_for(aspect: str) -> list[Verb]:
    return [verb for verb in ACTIVITIES if aspect in verb.aspects]


def is_kin(nominal: Nominal) -> bool:
    return isinstance(nominal, NounPhrase) and "kin" in nominal.noun.tags


def is_child(nominal: Nominal) -> bool:
    return isinstance(nominal, NounPhrase) and not nominal.noun.tags.isdisjoint(("child", "studies"))


def _is_third_person(nominal: Nominal) -> bool:
    return nominal.person in ("er", "sie")


class Draw(Dice):
    """The dice of one sentence, which also know people and what they do."""

    def relative(self, noun: Noun, owner: Determiner, plural: bool = False) -> NounPhrase:
        """ "mein Bruder", "meine ältere Schwester"."""
        if "sibling" in noun.tags and not plural and self.chance(0.25):
            adjective = self.adjective([ADJECTIVE["alt"], ADJECTIVE["jung"]])
            return NounPhrase(noun, owner, (adjective,), degree="comparative")
        return NounPhrase(noun, owner, self.adjectives_for(noun, probability=0.12), plural)

    def name(self, pairs_too: bool = True, surnames_too: bool = True) -> Name:
        """A first name, Herr or Frau with a surname, or two first names."""
        kind = self._random.random()
        if kind < 0.2 and surnames_too:
            surname = self.one_of(adverbials.SURNAMES)
            title, sex = self.one_of((("Herr", "m"), ("Frau", "f")))
            self.words.append(f"{title} {surname}")
            return Name((f"{title} {surname}",), sex)
        first = self.one_of([name for name in _EVERY_NAME if name not in self.words])
        self.words.append(first)
        if kind > 0.88 and pairs_too:
            second = self.one_of([name for name in _EVERY_NAME if name not in self.words])
            self.words.append(second)
            return Name((first, second), "p")
        return Name((first,), "f" if first in adverbials.FEMALE_NAMES else "m")

    def subject(
        self,
        classes: tuple[str, ...] = ("adult",),
        singular: bool = False,
        pronouns: bool = True,
        third_person: bool = False,
        referable: bool = False,
    ) -> Nominal:
        """Somebody of these classes; `referable` leaves out neuters, which no "er" or "sie" takes up."""
        if classes[0] not in ("person", "adult", "child"):
            return self._particular_subject(classes, singular)
        kind = self._random.random()
        if kind < 0.22:
            return self.name(pairs_too=not singular, surnames_too=classes[0] == "adult")
        if kind < 0.38 and pronouns:
            speakers = () if third_person else ("I",) if singular else ("I", "we")
            return Pronoun(self.one_of(("he", "she", *speakers)))
        age = classes[0]
        if age == "person":
            age = "adult" if self.chance(0.7) else "child"
        if kind < 0.68:
            noun = self.noun("relative", "friend") if age == "adult" else self.noun("younger")
            plural = not singular and "rare" not in noun.tags and self.chance(0.2)
            if singular and noun.gender == "p":
                noun = self.noun("friend")
            owner = POSSESSIVE[self.one_of(("my", "my", "our", "his"))]
            return self.relative(noun, owner, plural)
        classes = ("child",) if age == "child" else self.one_of((("everyday",), _FAMILIAR))
        candidates = [
            noun for noun in nouns_of(classes) if not (referable and noun.gender == "n") and "kin" not in noun.tags
        ]
        noun = self.noun_among(candidates)
        plural = not singular and "rare" not in noun.tags and self.chance(0.25)
        determiner = THIS if self.chance(0.05) else THE
        return self.thing(noun, determiner, plural, probability=0.2)

    def _particular_subject(self, classes: tuple[str, ...], singular: bool) -> NounPhrase:
        noun = self.noun(*classes)
        plural = not singular and "rare" not in noun.tags and self.chance(0.2)
        if "kin" in noun.tags:
            return self.relative(noun, POSSESSIVE["my"], plural)
        return self.thing(noun, THE, plural, probability=0.35)

    def acquaintance(self) -> Nominal:
        """A single man or woman known by name, kinship or pronoun."""
        kind = self._random.random()
        if kind < 0.35:
            return self.name(pairs_too=False)
        if kind < 0.5:
            return Pronoun(self.one_of(("he", "she")))
        noun = self.noun_among([noun for noun in nouns_of(("relative", "friend")) if noun.gender != "p"])
        return self.relative(noun, POSSESSIVE[self.one_of(("my", "my", "our", "his"))])

    def owner_for(self, subject: Nominal) -> Determiner | None:
        """The possessive that refers back to the subject, unless German gender would mislead."""
        return None if subject.sex == "n" else possessive_of(subject)

    def someone(self, subject: Nominal, plural_too: bool = False, has_preposition: bool = False) -> Nominal:
        """A person whom the subject meets, calls, helps, …"""
        kind = self._random.random()
        # "Gestern hat die Kollegin Anna besucht" leaves it open who visited whom, or who Anna is.
        tells_names_apart = has_preposition or isinstance(subject, Pronoun | Who)
        if kind < 0.22 and tells_names_apart:
            return self.name(pairs_too=plural_too)
        if kind < 0.36 and _is_third_person(subject):
            return Pronoun(self.one_of(("I", "we")))
        owner = self.owner_for(subject)
        plural = plural_too and self.chance(0.4)
        if kind < 0.47 or owner is None:
            return self.thing(self.noun("Nachbar", "Nachbarin"), THE, plural)
        classes: tuple[str, ...] = ("relative", "friend")
        if is_child(subject) and (is_kin(subject) or subject.person == "sie"):
            classes = ("friend",)
        elif is_kin(subject) or subject.person == "sie":
            classes = ("friend", "companion")
        noun = self.noun(*classes)
        plural = plural and "rare" not in noun.tags
        if "kin" in noun.tags:
            return self.relative(noun, owner, plural)
        return self.thing(noun, owner, plural)

    def complement(
        self,
        verb: Verb,
        government: Government,
        subject: Nominal,
        prefer_plural: bool = False,
        negated: bool = False,
    ) -> Phrase:
        """One complement of the verb, e.g. its object; `negated` turns ein and no article into kein."""
        preposition, case, classes, codes = government
        if classes[0] == "someone" and (len(classes) == 1 or self.chance(0.8)):
            nominal: Nominal = self.someone(subject, "+" in codes, bool(preposition))
            is_new = False
        else:
            noun = self.noun(*classes)
            code = self.one_of(codes.rstrip("+*"))
            may_be_plural = ("+" in codes and code in "ib") or ("*" in codes and code == "d")
            plural = may_be_plural and "rare" not in noun.tags and (prefer_plural or self.chance(0.25))
            plural = plural or code in "PB"
            determiner = self._determiner(code, noun, subject)
            if determiner in (A, BARE) and negated:
                determiner = NO
            is_new = determiner in (A, BARE, NO)
            acted_on = verb if case == "acc" and "kin" not in noun.tags else None
            nominal = self.thing(noun, determiner, plural, acted_on, probability=0.15 if negated else 0.4)
        if preposition:
            return Phrase(german_prepositional(preposition, nominal, case), nominal.english("acc"), "oblique")
        if isinstance(nominal, Pronoun):
            role = "pronoun"
        elif case == "dat":
            role = "recipient"
        else:
            role = "new object" if is_new else "object"
        return Phrase(nominal.german(case), nominal.english("acc"), role)

    def _determiner(self, code: str, noun: Noun, subject: Nominal) -> Determiner:
        is_shared_child = "younger" in noun.tags and subject.person == "sie"
        if "kin" in noun.tags and (code != "p" or is_shared_child):
            return POSSESSIVE["my"]
        if code == "p":
            owner = self.owner_for(subject)
            # English would want "their passports" where German has "ihren Reisepass": avoid both.
            if subject.person in _PLURAL_PERSONS and not noun.tags.isdisjoint(_PERSONAL):
                owner = None
            return owner or (POSSESSIVE["my"] if "kin" in noun.tags else THE)
        return {"d": THE, "P": THE, "i": A, "b": BARE, "B": BARE}[code]

    def event(
        self,
        aspect: str,
        verbs: Sequence[Verb] | None = None,
        subject: Nominal | None = None,
        places: float = 0.0,
        prefer_plural: bool = False,
        negated: bool = False,
        **subject_options: bool,
    ) -> Event:
        """A verb of the aspect with subject and complements, and with some `places` probability a place."""
        candidates = _verbs_for(aspect) if verbs is None else [v for v in verbs if aspect in v.aspects]
        if subject is not None:
            candidates = [verb for verb in candidates if fits(subject, verb)]
        verb = self.verb(candidates)
        if subject is None:
            if "1" in verb.aspects:
                subject_options = {**subject_options, "singular": True}
            subject = self.subject(verb.subjects, **subject_options)
        phrases = [
            self.complement(verb, government, subject, prefer_plural, negated) for government in verb.governments
        ]
        if verb.places and verb.places[0].startswith(">"):
            phrases.append(self.destination(*(place.strip(">") for place in verb.places)))
        elif verb.places and (self.chance(places) or (places and not phrases)):
            phrases.append(self.location(*verb.places))
        return Event(subject, verb, tuple(phrases))


def fits(subject: Nominal, verb: Verb) -> bool:
    """Whether the verb may be said of this subject."""
    wanted = verb.subjects
    if "1" in verb.aspects and subject.person in _PLURAL_PERSONS:
        return False
    if wanted[0] == "person":
        return True
    if isinstance(subject, NounPhrase):
        return not subject.noun.tags.isdisjoint(wanted)
    return wanted[0] == "adult"
