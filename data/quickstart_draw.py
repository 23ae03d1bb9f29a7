"""The dice of the quickstart grammar: draws words that go together and remembers which were drawn."""

from collections.abc import Iterable, Sequence
from functools import cache
from random import Random
from typing import NamedTuple, TypeVar

from data import quickstart_adverbials as adverbials
from data.quickstart_adverbials import Pair
from data.quickstart_clauses import Phrase
from data.quickstart_entries import Adjective, Government, Noun, Verb
from data.quickstart_lexicon import (
    ACTIVITIES,
    ADJECTIVE,
    ADJECTIVES,
    ADJECTIVES_BY_VERB,
    NOUNS,
    PLACES,
    Place,
)
from data.quickstart_phrases import (
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
    german_prepositional,
    possessive_of,
)

Item = TypeVar("Item")

# People whom one speaks of without saying more; the professions come up less often.
_FAMILIAR = ("companion", "studies", "Mann", "Frau", "Gast", "Chef", "Chefin", "Lehrer", "Lehrerin")
_HABIT_TIMES = adverbials.DAILY_TIMES + adverbials.WEEKLY_TIMES
_HOURS_OR_DAYS_AGO = adverbials.HOURS_AGO + adverbials.DAYS_AGO
_PAST_TIMES = adverbials.RECENT_TIMES + adverbials.PAST_DAYS
_FUTURE_TIMES = adverbials.SOON_TIMES + adverbials.COMING_DAYS


class Event(NamedTuple):
    """Somebody doing something: what a clause needs except tense and adverbials."""

    subject: Nominal
    verb: Verb
    phrases: tuple[Phrase, ...]


@cache
def _nouns_of(classes: tuple[str, ...]) -> list[Noun]:
    return [noun for noun in NOUNS if not noun.tags.isdisjoint(classes)]


@cache
def adjectives_of(noun: Noun) -> list[Adjective]:
    return [adjective for adjective in ADJECTIVES if not adjective.tags.isdisjoint(noun.tags)]


@cache
def _verbs_for(aspect: str) -> list[Verb]:
    return [verb for verb in ACTIVITIES if aspect in verb.aspects]


@cache
def _places_of(classes: tuple[str, ...]) -> list[Place]:
    return [place for place in PLACES if not place.tags.isdisjoint(classes) or place.noun.lemma in classes]


def is_kin(nominal: Nominal) -> bool:
    return isinstance(nominal, NounPhrase) and "kin" in nominal.noun.tags


def is_child(nominal: Nominal) -> bool:
    return isinstance(nominal, NounPhrase) and not nominal.noun.tags.isdisjoint(("child", "studies"))


def _is_third_person(nominal: Nominal) -> bool:
    return nominal.person in ("er", "sie")


class Draw:
    """One sentence's random choices; `words` lists the lemmas of all the content words drawn.

    Only `Random.random` is called, the one method whose results Python promises to keep.
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

    def use(self, *lemmas: str) -> None:
        """Notes words that a pattern brings in by itself."""
        self.words.extend(lemmas)

    def noun(self, *classes: str) -> Noun:
        """A noun of one of these classes that the sentence does not have yet."""
        return self.noun_among(_nouns_of(classes))

    def noun_among(self, nouns: Sequence[Noun]) -> Noun:
        noun = self.one_of([noun for noun in nouns if noun.lemma not in self.words])
        self.words.append(noun.lemma)
        return noun

    def pair(self, pairs: Sequence[Pair]) -> Pair:
        """A word from a closed list that is a content word: a name, a town, a number."""
        pair = self.one_of(pairs)
        self.words.append(pair.german)
        return pair

    def verb(self, verbs: Sequence[Verb]) -> Verb:
        verb = self.one_of(verbs)
        self.words.append(verb.lemma)
        return verb

    def adjective(self, options: Iterable[Adjective]) -> Adjective:
        adjective = self.one_of(list(options))
        self.words.append(adjective.lemma)
        return adjective

    def adjectives_for(self, noun: Noun, verb: Verb | None = None, probability: float = 0.45) -> tuple:
        """No adjective or one that goes with the noun, and with what the verb does to it."""
        if not self.chance(probability):
            return ()
        if noun.tags >= {"kin", "sibling"}:
            return ()
        options = adjectives_of(noun)
        if verb is not None and verb.lemma in ADJECTIVES_BY_VERB:
            options = ADJECTIVES_BY_VERB[verb.lemma]
        return (self.adjective(options),) if options else ()

    def thing(
        self,
        noun: Noun,
        determiner: Determiner,
        plural: bool = False,
        verb: Verb | None = None,
        probability: float = 0.45,
    ) -> NounPhrase:
        """A noun phrase, perhaps with an adjective; mass nouns and plurals lose an indefinite article."""
        plural = (plural or "pair" in noun.tags) and not noun.is_mass and noun.gender != "p"
        if determiner == A and (noun.is_mass or plural):
            determiner = BARE
        return NounPhrase(noun, determiner, self.adjectives_for(noun, verb, probability), plural)

    # People

    def relative(self, noun: Noun, owner: Determiner, plural: bool = False) -> NounPhrase:
        """ "mein Bruder", "meine ältere Schwester"."""
        if "sibling" in noun.tags and not plural and self.chance(0.25):
            adjective = self.adjective([ADJECTIVE["alt"], ADJECTIVE["jung"]])
            return NounPhrase(noun, owner, (adjective,), degree="comparative")
        return NounPhrase(noun, owner, self.adjectives_for(noun, probability=0.12), plural)

    def name(self, pairs_too: bool = True) -> Name:
        """A first name, Herr or Frau with a surname, or two first names."""
        kind = self._random.random()
        if kind < 0.2:
            surname = self.one_of(adverbials.SURNAMES)
            title, sex = self.one_of((("Herr", "m"), ("Frau", "f")))
            self.words.append(f"{title} {surname}")
            return Name((f"{title} {surname}",), sex)
        every_name = adverbials.FEMALE_NAMES + adverbials.MALE_NAMES
        first = self.one_of([name for name in every_name if name not in self.words])
        self.words.append(first)
        if kind > 0.88 and pairs_too:
            second = self.one_of([name for name in every_name if name not in self.words])
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
            return self.name(pairs_too=not singular)
        if kind < 0.38 and pronouns:
            return Pronoun(self.one_of(("he", "she") if third_person else ("I", "we", "he", "she")))
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
            noun for noun in _nouns_of(classes) if not (referable and noun.gender == "n") and "kin" not in noun.tags
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
        noun = self.noun_among([noun for noun in _nouns_of(("relative", "friend")) if noun.gender != "p"])
        return self.relative(noun, POSSESSIVE[self.one_of(("my", "my", "our", "his"))])

    def owner_for(self, subject: Nominal) -> Determiner | None:
        """The possessive that refers back to the subject, unless German gender would mislead."""
        return None if subject.sex == "n" else possessive_of(subject)

    def someone(self, subject: Nominal, plural_too: bool = False) -> Nominal:
        """A person whom the subject meets, calls, helps, …"""
        kind = self._random.random()
        if kind < 0.22:
            return self.name(pairs_too=plural_too)
        if kind < 0.36 and _is_third_person(subject):
            return Pronoun(self.one_of(("I", "we")))
        owner = self.owner_for(subject)
        plural = plural_too and self.chance(0.4)
        if kind < 0.47 or owner is None:
            return self.thing(self.noun("Nachbar", "Nachbarin"), THE, plural)
        classes = ("friend",) if is_kin(subject) else ("relative", "friend")
        if is_kin(subject) and not is_child(subject):
            classes = ("friend", "companion")
        noun = self.noun(*classes)
        plural = plural and "rare" not in noun.tags
        if "kin" in noun.tags:
            return self.relative(noun, owner, plural)
        return self.thing(noun, owner, plural)

    # Complements and events

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
            nominal: Nominal = self.someone(subject, "+" in codes)
            is_new = False
        else:
            noun = self.noun(*classes)
            code = self.one_of(codes.rstrip("+*"))
            may_be_plural = ("+" in codes and code in "ib") or ("*" in codes and code == "d")
            plural = may_be_plural and "rare" not in noun.tags and (prefer_plural or self.chance(0.25))
            plural = plural or code == "P"
            determiner = self._determiner(code, noun, subject)
            if determiner in (A, BARE) and negated:
                determiner = NO
            is_new = determiner in (A, BARE, NO)
            nominal = self.thing(noun, determiner, plural, verb, probability=0.15 if negated else 0.4)
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
        if "kin" in noun.tags and code != "p":
            return POSSESSIVE["my"]
        if code == "p":
            owner = self.owner_for(subject)
            return owner or (POSSESSIVE["my"] if "kin" in noun.tags else THE)
        return {"d": THE, "P": THE, "i": A, "b": BARE}[code]

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
            subject = self.subject(verb.subjects, **subject_options)
        phrases = [
            self.complement(verb, government, subject, prefer_plural, negated) for government in verb.governments
        ]
        if verb.places and verb.places[0].startswith(">"):
            phrases.append(self.destination(*(place.strip(">") for place in verb.places)))
        elif verb.places and (self.chance(places) or (places and not phrases)):
            phrases.append(self.location(*verb.places))
        return Event(subject, verb, tuple(phrases))

    # Adverbials

    def location(self, *classes: str) -> Phrase:
        place = self._place(classes)
        german, english = place.where
        noun_phrase = NounPhrase(place.noun, THE)
        return Phrase(german_prepositional(german, noun_phrase, "dat"), f"{english} {noun_phrase.english()}", "place")

    def destination(self, *classes: str) -> Phrase:
        place = self._place(classes)
        german, english = place.where_to
        noun_phrase = NounPhrase(place.noun, THE)
        case = "dat" if german == "zu" else "acc"
        return Phrase(
            german_prepositional(german, noun_phrase, case),
            f"{english} {noun_phrase.english()}",
            "direction",
        )

    def _place(self, classes: tuple[str, ...]) -> Place:
        places = [place for place in _places_of(classes) if place.noun.lemma not in self.words]
        place = self.one_of(places)
        self.words.append(place.noun.lemma)
        return place

    def time(self, pairs: Sequence[Pair]) -> Phrase:
        return Phrase(*self.one_of(pairs), "time")

    def habit_time(self, verb: Verb) -> Phrase:
        return self.time(adverbials.DAILY_TIMES if "t" in verb.aspects else _HABIT_TIMES)

    def past_time(self, verb: Verb, counted: bool = True) -> Phrase:
        """A time as far back as the weight of the event allows; `counted` allows "vor drei Tagen"."""
        if "b" in verb.aspects:
            if self.chance(0.3):
                return self.time(adverbials.PAST_DAYS)
            distant = adverbials.LAST_SEASONS
            return self.time(distant + adverbials.LONG_AGO if counted else distant)
        if counted and self.chance(0.25):
            return self.time(_HOURS_OR_DAYS_AGO if "t" not in verb.aspects else adverbials.HOURS_AGO)
        return self.time(adverbials.RECENT_TIMES if "t" in verb.aspects else _PAST_TIMES)

    def future_time(self, verb: Verb) -> Phrase:
        if "b" in verb.aspects:
            return self.time(adverbials.DISTANT_FUTURE_TIMES if self.chance(0.7) else adverbials.COMING_DAYS)
        return self.time(adverbials.SOON_TIMES if "t" in verb.aspects else _FUTURE_TIMES)


def fits(subject: Nominal, verb: Verb) -> bool:
    """Whether the verb may be said of this subject."""
    wanted = verb.subjects
    if wanted[0] == "person":
        return True
    if isinstance(subject, NounPhrase):
        return not subject.noun.tags.isdisjoint(wanted)
    return wanted[0] == "adult"
