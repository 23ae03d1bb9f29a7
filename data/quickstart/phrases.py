"""Noun phrases of the quickstart grammar, each in German and in English.

All nominals have `person` (ich, du, er, wir, sie, Sie), `gender` (m, f, n or p), `german(case)` and `english(case)`;
German declines, English only tells subjects ("nom") from the rest.
"""

from dataclasses import dataclass
from typing import NamedTuple

from data.quickstart.lexicon import Adjective, Noun, Sides, table

# Forms in the order masculine, feminine, neuter, plural; "-" is no ending.
_DEFINITE = {"nom": "der die das die", "acc": "den die das die", "dat": "dem der dem den", "gen": "des der des der"}
_RELATIVE = {**_DEFINITE, "dat": "dem der dem denen"}
_DER_WORD = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en", "gen": "es er es er"}
_EIN_WORD = {**_DER_WORD, "nom": "- e - e", "acc": "en e - e"}
_WEAK = {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en", "gen": "en en en en"}
_MIXED = {**_WEAK, "nom": "er e es en", "acc": "en e es en"}
_STRONG = {**_DER_WORD, "gen": "en er en er"}
_CONTRACTIONS = {"in dem": "im", "in das": "ins", "an dem": "am", "zu dem": "zum", "zu der": "zur"}
_CONTRACTIONS |= {"von dem": "vom", "bei dem": "beim"}


def _form(table: dict[str, str], case: str, gender: str) -> str:
    return table[case].split()["mfnp".index(gender)].strip("-")


def relative_pronoun(case: str, gender: str) -> str:
    """Return the German relative pronoun, e.g. ("dat", "p") -> "denen"."""
    return _form(_RELATIVE, case, gender)


def indefinite_article(following: str) -> str:
    """Return "a" or "an", depending on the sound of the next word."""
    starts_with_vowel = following[0] in "aeiou" and not following.startswith(("uni", "use", "euro", "one"))
    return "an" if starts_with_vowel or following.startswith(("honest", "hour")) else "a"


class Determiner(NamedTuple):
    """A word that opens a noun phrase; `kind` is der, dieser, ein (declined alike) or bare (undeclined)."""

    kind: str
    german: str = ""
    english: str = ""
    english_plural: str = ""

    def german_form(self, case: str, gender: str) -> str:
        if self.kind == "der":
            return _form(_DEFINITE, case, gender)
        if self.kind == "bare":
            return self.german
        return self.german + _form(_DER_WORD if self.kind == "dieser" else _EIN_WORD, case, gender)

    def adjective_ending(self, case: str, gender: str) -> str:
        return _form({"bare": _STRONG, "ein": _MIXED}.get(self.kind, _WEAK), case, gender)


THE = Determiner("der", "", "the", "the")
A = Determiner("ein", "ein", "a")
NO = Determiner("ein", "kein", "a", "any")  # English negates the verb and says "not a", "not any"
THIS = Determiner("dieser", "dies", "this", "these")
WHICH = Determiner("dieser", "welch", "which", "which")
BARE = Determiner("bare")


class _Nominal:
    def sides(self, case: str = "nom") -> Sides:
        return self.german(case), self.english(case)

    def prepositional(self, preposition: str, case: str) -> str:
        """Return German preposition and phrase, with the usual contractions: "im Garten"."""
        if not preposition:
            return self.german(case)
        first, _, rest = self.german(case).partition(" ")
        contracted = _CONTRACTIONS.get(f"{preposition} {first}") if rest else None
        return f"{contracted or f'{preposition} {first}'} {rest}".strip()


@dataclass(frozen=True)
class NounPhrase(_Nominal):
    """A noun with determiner and adjective; `degree` 1 is the comparative, 2 the superlative.

    `addition` follows the German noun (" nach Berlin"); `whole` is then the complete English phrase.
    """

    noun: Noun
    determiner: Determiner = THE
    adjective: Adjective | None = None
    plural: bool = False
    degree: int = 0
    addition: str = ""
    whole: str = ""

    @property
    def gender(self) -> str:
        return "p" if self.plural else self.noun.gender

    @property
    def person(self) -> str:
        return "sie" if self.gender == "p" else "er"

    def german(self, case: str = "nom") -> str:
        words = [self.determiner.german_form(case, self.gender), self.noun.german(case, self.plural)]
        if self.adjective:
            ending = self.determiner.adjective_ending(case, self.gender)
            words.insert(1, self.adjective.german[self.degree] + ending)
        return " ".join(filter(None, words)) + self.addition

    def english(self, case: str = "nom") -> str:
        if self.whole:
            return self.whole
        words = [self.noun.english_plural if self.gender == "p" else self.noun.english]
        if self.adjective:
            words.insert(0, self.adjective.english[self.degree])
        # English has "any fish" as it has "any apples", but "this fish".
        is_amount = self.gender == "p" or (not self.noun.plural and self.determiner.kind == "ein")
        determiner = self.determiner.english_plural if is_amount else self.determiner.english
        if determiner == "the" and "unarticled" in self.noun.classes:
            determiner = ""
        if determiner == "a":
            determiner = indefinite_article(words[0])
        return " ".join(filter(None, [determiner, *words]))


@dataclass(frozen=True)
class Name(_Nominal):
    """A person's name, with Herr or Frau before a surname."""

    name: str
    gender: str
    person = "er"

    def german(self, case: str = "nom") -> str:
        return self.name.replace("Herr ", "Herrn ") if case != "nom" else self.name

    def english(self, case: str = "nom") -> str:
        return self.name.replace("Herr ", "Mr. ").replace("Frau ", "Mrs. ")


@dataclass(frozen=True)
class Pronoun(_Nominal):
    """A personal pronoun or wer."""

    name: str
    person: str
    gender: str
    nominative: str
    accusative: str
    dative: str
    english_subject: str
    english_object: str
    possessive: str
    english_possessive: str

    def german(self, case: str = "nom") -> str:
        return {"nom": self.nominative, "acc": self.accusative, "dat": self.dative}[case]

    def english(self, case: str = "nom") -> str:
        return self.english_subject if case == "nom" else self.english_object


PRONOUN = {row["name"]: Pronoun(**row) for row in table("pronouns")}
Nominal = NounPhrase | Name | Pronoun


def pronoun_for(nominal: Nominal) -> Pronoun:
    """Return the pronoun that refers to a thing or person: "er" for "mein Bruder" or "der Schlüssel"."""
    if isinstance(nominal, Pronoun):
        return nominal
    if nominal.gender == "p":
        return PRONOUN["sie (plural)"]
    is_thing = isinstance(nominal, NounPhrase) and "human" not in nominal.noun.classes
    return PRONOUN[{"m": "er", "f": "sie", "n": "es"}[nominal.gender] + (" (thing)" if is_thing else "")]


def possessive(owner: Nominal) -> Determiner:
    """Return the possessive that refers back to the owner: "ihr" for "Anna"."""
    pronoun = pronoun_for(owner)
    return Determiner("ein", pronoun.possessive, pronoun.english_possessive, pronoun.english_possessive)
