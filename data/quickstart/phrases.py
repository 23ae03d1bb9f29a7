"""Noun phrases of the quickstart grammar: one object that can be said in German and in English.

Everything nominal has `person`, `sex`, `german(case)` and `english(case)`; German declines, English only
tells subjects ("nom") from the rest.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from data.quickstart.entries import Adjective, Noun

_COLUMNS = {"m": 0, "f": 1, "n": 2, "p": 3}
_DEFINITE = {
    "nom": "der die das die",
    "acc": "den die das die",
    "dat": "dem der dem den",
    "gen": "des der des der",
}
_RELATIVE = {**_DEFINITE, "dat": "dem der dem denen", "gen": "dessen deren dessen deren"}
# Endings in the order masculine, feminine, neuter, plural; "-" is no ending.
_DER_WORD = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en", "gen": "es er es er"}
_EIN_WORD = {"nom": "- e - e", "acc": "en e - e", "dat": "em er em en", "gen": "es er es er"}
_ADJECTIVE_ENDINGS = {
    "weak": {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en", "gen": "en en en en"},
    "mixed": {"nom": "er e es en", "acc": "en e es en", "dat": "en en en en", "gen": "en en en en"},
    "strong": {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en", "gen": "en er en er"},
}
_CONTRACTIONS = {
    "in dem": "im",
    "in das": "ins",
    "an dem": "am",
    "zu dem": "zum",
    "zu der": "zur",
    "von dem": "vom",
    "bei dem": "beim",
}
_VOWEL_LETTER_CONSONANT_SOUND = ("uni", "use", "euro", "one")
_SILENT_H = ("honest", "hour")


def indefinite_article(following: str) -> str:
    """ "a" or "an", by the sound that the next word begins with."""
    word = following.lower()
    starts_with_vowel = word[0] in "aeiou" and not word.startswith(_VOWEL_LETTER_CONSONANT_SOUND)
    return "an" if starts_with_vowel or word.startswith(_SILENT_H) else "a"


def relative_pronoun(case: str, gender: str) -> str:
    """The German relative pronoun, e.g. ("dat", "p") -> "denen"."""
    return _RELATIVE[case].split()[_COLUMNS[gender]]


def _ending(table: dict[str, str], case: str, gender: str) -> str:
    return table[case].split()[_COLUMNS[gender]].strip("-")


class Determiner(NamedTuple):
    """A word that opens a noun phrase; `kind` is der, dieser (declined alike), ein or bare (undeclined)."""

    kind: str
    german: str = ""
    english: str = ""
    english_plural: str = ""

    def decline(self, case: str, gender: str) -> str:
        if self.kind == "der":
            return _DEFINITE[case].split()[_COLUMNS[gender]]
        if self.kind == "dieser":
            return self.german + _ending(_DER_WORD, case, gender)
        if self.kind == "ein":
            if self.german == "ein" and gender == "p":
                return ""
            return self.german + _ending(_EIN_WORD, case, gender)
        return self.german

    def adjective_declension(self, gender: str) -> str:
        if self.kind == "bare" or (self.german == "ein" and gender == "p"):
            return "strong"
        return "mixed" if self.kind == "ein" else "weak"


THE = Determiner("der", "der", "the", "the")
A = Determiner("ein", "ein", "a", "")
NO = Determiner("ein", "kein", "a", "any")  # English negates the verb and says "not a", "not any"
NO_AFTER_THERE_IS = Determiner("ein", "kein", "no", "no")
MANY = Determiner("bare", "viele", "many", "many")
THIS = Determiner("dieser", "dies", "this", "these")
EVERY = Determiner("dieser", "jed", "every", "")
WHICH = Determiner("dieser", "welch", "which", "which")
BARE = Determiner("bare")
_POSSESSIVES = {
    "my": "mein",
    "your": "dein",
    "his": "sein",
    "her": "ihr",
    "our": "unser",
    "their": "ihr",
    "your (Sie)": "Ihr",
}
POSSESSIVE = {
    owner: Determiner("ein", german, owner.removesuffix(" (Sie)"), owner.removesuffix(" (Sie)"))
    for owner, german in _POSSESSIVES.items()
}


class Nominal(Protocol):
    """Whatever can be a subject or an object."""

    person: str  # as in data.quickstart.entries.PERSONS
    sex: str  # m, f, n or p: how later pronouns refer to it

    def german(self, case: str = "nom") -> str: ...

    def english(self, case: str = "nom") -> str: ...


@dataclass(frozen=True)
class NounPhrase:
    """A noun with determiner and adjectives, e.g. NounPhrase(NOUN["Hund"], THE, (ADJECTIVE["alt"],))."""

    noun: Noun
    determiner: Determiner = THE
    adjectives: tuple[Adjective, ...] = ()
    plural: bool = False
    degree: str = "positive"

    @property
    def gender(self) -> str:
        return "p" if self.plural else self.noun.gender

    sex = gender

    @property
    def person(self) -> str:
        return "sie" if self.gender == "p" else "er"

    def _german_adjective(self, adjective: Adjective) -> str:
        degree = self.degree
        return {
            "positive": adjective.stem,
            "comparative": adjective.comparative,
            "superlative": adjective.superlative,
        }[degree]

    def _english_adjective(self, adjective: Adjective) -> str:
        return {
            "positive": adjective.english,
            "comparative": adjective.english_comparative,
            "superlative": adjective.english_superlative,
        }[self.degree]

    def german(self, case: str = "nom") -> str:
        ending = _ending(_ADJECTIVE_ENDINGS[self.determiner.adjective_declension(self.gender)], case, self.gender)
        words = [
            self.determiner.decline(case, self.gender),
            *(self._german_adjective(adjective) + ending for adjective in self.adjectives),
            self.noun.german(case, self.plural),
        ]
        return " ".join(filter(None, words))

    def english(self, case: str = "nom") -> str:
        # English has "any fish" as it has "any apples", but "this fish".
        takes_plural = self.gender == "p" or (self.noun.is_mass and self.determiner.kind == "ein")
        determiner = self.determiner.english_plural if takes_plural else self.determiner.english
        words = [
            *(self._english_adjective(adjective) for adjective in self.adjectives),
            self.noun.english_form(self.plural),
        ]
        if determiner == "the" and "unarticled" in self.noun.tags:
            determiner = ""
        if determiner == "a":
            determiner = indefinite_article(words[0])
        return " ".join(filter(None, [determiner, *words]))


@dataclass(frozen=True)
class Name:
    """A person's name, or two joined by "und"; Herr and Frau go before a surname."""

    names: tuple[str, ...]
    sex: str

    @property
    def person(self) -> str:
        return "sie" if self.sex == "p" else "er"

    def german(self, case: str = "nom") -> str:
        name = " und ".join(self.names)
        return name.replace("Herr ", "Herrn ") if case != "nom" else name

    def english(self, case: str = "nom") -> str:
        name = " and ".join(self.names)
        return name.replace("Herr ", "Mr. ").replace("Frau ", "Mrs. ")


class _PronounForms(NamedTuple):
    person: str
    sex: str
    german: dict[str, str]
    english: dict[str, str]


def _pronoun(person: str, sex: str, german: str, english: str) -> _PronounForms:
    nominative, accusative, dative = german.split()
    subject, other = english.split()
    return _PronounForms(
        person,
        sex,
        {"nom": nominative, "acc": accusative, "dat": dative},
        {"nom": subject, "acc": other, "dat": other},
    )


_PRONOUNS = {
    "I": _pronoun("ich", "", "ich mich mir", "I me"),
    "you": _pronoun("du", "", "du dich dir", "you you"),
    "he": _pronoun("er", "m", "er ihn ihm", "he him"),
    "she": _pronoun("er", "f", "sie sie ihr", "she her"),
    "we": _pronoun("wir", "", "wir uns uns", "we us"),
    "they": _pronoun("sie", "p", "sie sie ihnen", "they them"),
    "you (Sie)": _pronoun("Sie", "", "Sie Sie Ihnen", "you you"),
}


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun, named by its English nominative; the polite one is "you (Sie)"."""

    name: str

    @property
    def person(self) -> str:
        return _PRONOUNS[self.name].person

    @property
    def sex(self) -> str:
        return _PRONOUNS[self.name].sex

    def german(self, case: str = "nom") -> str:
        return _PRONOUNS[self.name].german[case]

    def english(self, case: str = "nom") -> str:
        return _PRONOUNS[self.name].english[case]


@dataclass(frozen=True)
class FixedPhrase:
    """A subject in the third person singular that is the same in every sentence."""

    german_text: str
    english_text: str
    person: str = "er"
    sex: str = ""

    def german(self, case: str = "nom") -> str:
        return self.german_text

    def english(self, case: str = "nom") -> str:
        return self.english_text


class Who:
    """Whoever does something: wer, wen, wem; who. No possessive refers back to it."""

    person = "er"
    sex = "n"

    def german(self, case: str = "nom") -> str:
        return {"nom": "wer", "acc": "wen", "dat": "wem"}[case]

    def english(self, case: str = "nom") -> str:
        return "who"


_BY_PERSON = {"ich": "I", "du": "you", "wir": "we", "sie": "they", "Sie": "you (Sie)"}
_OWNERS = {
    "I": "my",
    "you": "your",
    "he": "his",
    "she": "her",
    "we": "our",
    "they": "their",
    "you (Sie)": "your (Sie)",
}
_REFLEXIVES = {"ich": "mich mir", "du": "dich dir", "wir": "uns uns"}


def pronoun_for(nominal: Nominal) -> Pronoun:
    """The pronoun that takes up a person, e.g. "er" for "mein Bruder"."""
    if nominal.person == "er":
        return Pronoun({"m": "he", "f": "she"}[nominal.sex])
    return Pronoun(_BY_PERSON[nominal.person])


def possessive_of(nominal: Nominal) -> Determiner:
    """The possessive that refers back to a person, e.g. "sein" for "Paul"."""
    return POSSESSIVE[_OWNERS[pronoun_for(nominal).name]]


def reflexive_pronoun(person: str, case: str) -> str:
    """mich, mir, dich, …, sich."""
    accusative, dative = _REFLEXIVES.get(person, "sich sich").split()
    return accusative if case == "acc" else dative


def german_prepositional(preposition: str, nominal: Nominal, case: str) -> str:
    """Preposition and noun phrase, with the usual contractions: "im Garten", but "in dem, was …"."""
    phrase = nominal.german(case)
    if isinstance(nominal, NounPhrase) and nominal.determiner == THE:
        article, _, rest = phrase.partition(" ")
        contracted = _CONTRACTIONS.get(f"{preposition} {article}")
        if contracted:
            return f"{contracted} {rest}"
    return f"{preposition} {phrase}"
