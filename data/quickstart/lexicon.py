"""The lexicon of the quickstart grammar: word classes, inflection, and the tables next to this file.

Each noun is also a class of its own. Complements of verbs are separated by commas; each is "[preposition] case classes
determiners", with "/" between alternatives.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from data.files import read_rows


def table(name: str) -> Iterator[dict[str, str]]:
    """Return the rows of a table next to this file."""
    return read_rows(Path(__file__).parent / f"{name}.tsv")


# The finite forms of auxiliaries by infinitive, tense and person, "er" standing for the third person singular.
FINITE_FORMS = {(row["infinitive"], row["tense"]): row for row in table("finite_forms")}


class Noun(NamedTuple):
    """A noun with its gender (m, f, n; p for plural only) and semantic classes; mass nouns have no plural.

    `where` and `where_to` are the prepositions of a place, as (German, English).
    """

    lemma: str
    gender: str
    genitive: str
    plural: str
    english: str
    english_plural: str
    where: tuple[str, ...]
    where_to: tuple[str, ...]
    classes: tuple[str, ...]

    @property
    def is_countable(self) -> bool:
        return bool(self.plural) and self.gender != "p"

    def german(self, case: str, plural: bool = False) -> str:
        """Return the declined form, e.g. Kind -> "Kindern" in the dative plural, Junge -> "Jungen"."""
        if plural or self.gender == "p":
            takes_n = case == "dat" and not self.plural.endswith(("n", "s"))
            return self.plural + "n" if takes_n else self.plural
        is_weak = self.gender == "m" and self.genitive.endswith("n")
        return self.genitive if case == "gen" or (is_weak and case != "nom") else self.lemma


class Adjective(NamedTuple):
    """An adjective: German stems (teuer: "teur") and English forms of its degrees; `classes` of nouns that it suits."""

    lemma: str
    german: tuple[str, str, str]
    english: tuple[str, str, str]
    classes: tuple[str, ...]


class EnglishVerb(NamedTuple):
    """An English verb with its particle or preposition ("pick" + "up", "look" + "for")."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    particle: str = ""

    def predicate(self, tense: str, person: str, passive: bool = False, split: bool = False) -> tuple[str, str]:
        """Return the verb group as (auxiliary, rest); `split` adds do-support for questions and `not`."""
        base, third, past, participle, gerund = (f"{form} {self.particle}".strip() for form in self[:5])
        if passive:
            auxiliary, rest = EnglishVerb("be", "is", "was", "been", "being").predicate(tense, person)
            return auxiliary, f"{rest} {participle}".strip()
        be_present = {"ich": "am", "er": "is"}.get(person, "are")
        be_past = "was" if person in ("ich", "er") else "were"
        is_third = person == "er"
        predicates = {
            "present": ("does" if is_third else "do", base) if split else ("", third if is_third else base),
            "past": ("did", base) if split else ("", past),
            "progressive": (be_present, gerund),
            "past progressive": (be_past, gerund),
            "future": ("will", base),
        }
        if self.base == "be":
            predicates |= {"present": (be_present, self.particle), "past": (be_past, self.particle)}
        return predicates[tense]


class Complement(NamedTuple):
    """A complement that a verb needs: a case, perhaps after a preposition, and the classes that fill it."""

    preposition: str
    case: str
    classes: tuple[str, ...]
    determiners: tuple[str, ...]


@dataclass(frozen=True)
class Verb:
    """A German verb with its principal parts, its English counterpart and its complements.

    The parts lack the separable `prefix`, which ends in a blank if written apart. `uses` are the times and
    constructions that suit the verb, `weight` its time scale (small, day, big, huge), `places` where it happens.
    """

    lemma: str
    reflexive: str
    prefix: str
    infinitive: str
    third: str
    past: str
    auxiliary: str
    participle: str
    uses: tuple[str, ...]
    weight: str
    subject: str
    complements: tuple[Complement, ...]
    places: tuple[str, ...]
    english: EnglishVerb

    @property
    def _stem(self) -> str:
        return self.infinitive[:-2] if self.infinitive.endswith("en") else self.infinitive[:-1]

    def present_form(self, person: str) -> str:
        if (self.infinitive, "present") in FINITE_FORMS:
            return FINITE_FORMS[self.infinitive, "present"][person]
        if person == "du":
            if self._stem.endswith("t") and not self.third.endswith("et"):
                return self.third + "st"  # unterhält -> unterhältst
            return self.third[:-1] + ("t" if self.third[:-1].endswith(("s", "ß", "z")) else "st")
        return {"ich": self._stem + "e", "er": self.third}.get(person, self.infinitive)

    def past_form(self, person: str) -> str:
        if person in ("ich", "er"):
            return self.past
        if person == "du":
            return self.past + ("t" if self.past.endswith(("s", "ß")) else "st")
        return self.past + ("n" if self.past.endswith("e") else "en")

    def imperative(self) -> str:
        """Return the imperative for a friend, without the prefix: "lies", "hol", "antworte"."""
        if "e" in self._stem and "i" in self.third and self.third[:-1] != self._stem:
            return self.third[:-1]
        return self._stem + ("e" if self._stem.endswith(("t", "d", "ffn", "er")) else "")

    def zu_infinitive(self) -> str:
        """Return the infinitive with zu: "zu lesen", "abzuholen", "spazieren zu gehen"."""
        is_separable = self.prefix and not self.prefix.endswith(" ")
        return f"{self.prefix}{'zu' if is_separable else 'zu '}{self.infinitive}"


Sides = tuple[str, str]  # German, English


def _noun(row: dict[str, str]) -> Noun:
    split = {column: tuple(row[column].split()) for column in ("where", "where_to", "classes")}
    return Noun(**{**row, **split, "classes": (*split["classes"], row["lemma"])})


def _adjective(row: dict[str, str]) -> Adjective:
    german = row["stem"] or row["lemma"], row["comparative"], row["superlative"]
    english = row["english"], row["english_comparative"], row["english_superlative"]
    return Adjective(row["lemma"], german, english, tuple(row["classes"].split()))


def _complement(text: str) -> Complement:
    *preposition, case, classes, determiners = text.split()
    return Complement(" ".join(preposition), case, tuple(classes.split("/")), tuple(determiners.split("/")))


def _verb(row: dict[str, str]) -> Verb:
    english = EnglishVerb(*(row.pop(f"english_{form}") for form in EnglishVerb._fields))
    complements = tuple(_complement(text) for text in row.pop("complements").split(",") if text)
    split = {column: tuple(row.pop(column).split()) for column in ("uses", "places")}
    return Verb(**row, **split, complements=complements, english=english)


NOUNS = [_noun(row) for row in table("nouns")]
ADJECTIVES = [_adjective(row) for row in table("adjectives")]
VERBS = [_verb(row) for row in table("verbs")]
ADVERBIALS: dict[str, list[Sides]] = {}  # by kind; with names and numbers
for _row in table("adverbials"):
    ADVERBIALS.setdefault(_row["kind"], []).append((_row["german"], _row["english"]))

ADJECTIVE = {adjective.lemma: adjective for adjective in ADJECTIVES}
VERB = {verb.lemma: verb for verb in reversed(VERBS)}  # the first where several share a lemma
