"""The dice of the quickstart grammar: random choices that remember which words they drew."""

from collections.abc import Iterable, Sequence
from functools import cache
from random import Random
from typing import TypeVar

from data.quickstart import adverbials
from data.quickstart.adverbials import Pair
from data.quickstart.clauses import Phrase
from data.quickstart.entries import Adjective, Noun, Verb
from data.quickstart.lexicon import ADJECTIVES, ADJECTIVES_BY_VERB, NOUNS, PLACES, Place
from data.quickstart.phrases import BARE, THE, A, Determiner, NounPhrase, german_prepositional

Item = TypeVar("Item")

_HABIT_TIMES = adverbials.DAILY_TIMES + adverbials.WEEKLY_TIMES
_HOURS_OR_DAYS_AGO = adverbials.HOURS_AGO + adverbials.DAYS_AGO
_PAST_TIMES = adverbials.RECENT_TIMES + adverbials.PAST_DAYS
_FUTURE_TIMES = adverbials.SOON_TIMES + adverbials.COMING_DAYS


@cache
def nouns_of(classes: tuple[str, ...]) -> list[Noun]:
    return [noun for noun in NOUNS if not noun.tags.isdisjoint(classes)]


@cache
def adjectives_of(noun: Noun) -> list[Adjective]:
    return [adjective for adjective in ADJECTIVES if not adjective.tags.isdisjoint(noun.tags)]


@cache
def _places_of(classes: tuple[str, ...]) -> list[Place]:
    return [place for place in PLACES if not place.tags.isdisjoint(classes) or place.noun.lemma in classes]


class Dice:
    """Random choices for one sentence; `words` lists the lemmas of all the content words drawn.

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
        return self.noun_among(nouns_of(classes))

    def noun_among(self, nouns: Sequence[Noun]) -> Noun:
        noun = self.one_of([noun for noun in nouns if noun.lemma not in self.words] or nouns)
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
            if "l" not in verb.aspects and self.chance(0.3):
                return self.time(adverbials.PAST_DAYS)
            distant = adverbials.LAST_SEASONS
            return self.time(distant + adverbials.LONG_AGO if counted else distant)
        if counted and self.chance(0.25):
            return self.time(_HOURS_OR_DAYS_AGO if "t" not in verb.aspects else adverbials.HOURS_AGO)
        return self.time(adverbials.RECENT_TIMES if "t" in verb.aspects else _PAST_TIMES)

    def future_time(self, verb: Verb) -> Phrase:
        if "b" in verb.aspects:
            is_distant = "l" in verb.aspects or self.chance(0.7)
            return self.time(adverbials.DISTANT_FUTURE_TIMES if is_distant else adverbials.COMING_DAYS)
        return self.time(adverbials.SOON_TIMES if "t" in verb.aspects else _FUTURE_TIMES)
