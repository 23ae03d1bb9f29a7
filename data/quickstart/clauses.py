"""Clauses of the quickstart grammar: a subject, a verb and a bag of phrases, put in order by each language.

German puts the finite verb second, first or last and closes the clause with the remaining verb forms;
English keeps subject, verb, object and needs do-support. Both orders are tables of phrase roles.
"""

from dataclasses import dataclass
from typing import NamedTuple

from data.quickstart.entries import Verb, auxiliary_form, parse_english_verb
from data.quickstart.phrases import Nominal, Pronoun, reflexive_pronoun


class Phrase(NamedTuple):
    """One constituent in both languages; `role` decides where each language puts it."""

    german: str
    english: str
    role: str


# An "object" is definite and precedes adverbials in German, a "new object" follows them.
GERMAN_ORDER = (
    "pronoun",
    "time",
    "sentence",
    "frequency",
    "recipient",
    "object",
    "result",
    "means",
    "place",
    "new object",
    "manner",
    "negation",
    "oblique",
    "direction",
)
ENGLISH_MIDDLE = ("frequency", "result")  # between auxiliary and verb: "has already called"
ENGLISH_ORDER = (
    "recipient",
    "object",
    "new object",
    "oblique",
    "manner",
    "direction",
    "means",
    "place",
    "time",
    "yet",
)
_SET_OFF = ("unfortunately", "fortunately", "finally")
_SEPARABLE_PARTICLES = ("up", "on", "off", "out", "in", "away", "back")


class Tense(NamedTuple):
    """A German tense with the English one that translates it in a given construction."""

    german: str
    english: str


SIMPLE = Tense("present", "present")
ONGOING = Tense("present", "progressive")
PLANNED = Tense("present", "future")
FUTURE = Tense("future", "future")
DONE = Tense("perfect", "past")
RESULT = Tense("perfect", "present perfect")
TOLD = Tense("past", "past")
SCENE = Tense("past", "past progressive")
EARLIER = Tense("pluperfect", "past perfect")
SINCE = Tense("present", "perfect progressive")
UNREAL = Tense("conditional", "conditional")

_MODALS = {
    "müssen": parse_english_verb("have had had having +to"),
    "wollen": parse_english_verb("want +to"),
    "dürfen": parse_english_verb("be was been +allowed to"),
}
_MODAL_AUXILIARIES = {
    ("können", "present"): ("can", ""),
    ("können", "past"): ("could", ""),
    ("sollen", "present"): ("should", ""),
    ("möchten", "present"): ("would", "like to"),
}


class GermanPredicate(NamedTuple):
    """The finite verb and what closes a main clause, and both together as at the end of a subordinate one."""

    finite: str
    closing: str
    final: str


def german_predicate(verb: Verb, tense: str, person: str, modal: str = "", passive: bool = False) -> GermanPredicate:
    """E.g. (abholen, "perfect", "er") -> ("hat", "abgeholt", "abgeholt hat")."""
    infinitive = f"{verb.participle} werden" if passive else verb.full_infinitive()
    if modal:
        finite, closing = auxiliary_form(modal, tense, person), infinitive
    elif passive:
        finite, closing = auxiliary_form("werden", tense, person), verb.participle
    elif tense in ("perfect", "pluperfect"):
        auxiliary_tense = "present" if tense == "perfect" else "past"
        finite, closing = auxiliary_form(verb.auxiliary, auxiliary_tense, person), verb.participle
    elif tense == "future":
        finite, closing = auxiliary_form("werden", "present", person), infinitive
    elif tense == "conditional":
        finite, closing = auxiliary_form("würden", "present", person), infinitive
    else:
        if verb.infinitive in ("sein", "haben", "werden", "wissen"):
            finite = auxiliary_form(verb.infinitive, tense, person)
        else:
            finite = verb.present_form(person) if tense == "present" else verb.past_form(person)
        return GermanPredicate(finite, verb.prefix.strip(), verb.prefix + finite)
    return GermanPredicate(finite, closing, f"{closing} {finite}")


def english_predicate(
    verb: Verb, tense: str, person: str, modal: str = "", passive: bool = False, split: bool = False
) -> tuple[str, str]:
    """The English verb group as (auxiliary, rest); `split` asks for an auxiliary in any case."""
    if not modal:
        return verb.english.predicate(tense, person, passive, split)
    if (modal, tense) in _MODAL_AUXILIARIES:
        auxiliary, rest = _MODAL_AUXILIARIES[modal, tense]
    else:
        auxiliary, rest = _MODALS[modal].predicate(tense, person, split=split)
    bare = verb.english.predicate("future", person, passive)[1]
    return auxiliary, f"{rest} {bare}".strip()


def _join(*words: str) -> str:
    return " ".join(filter(None, words))


@dataclass(frozen=True)
class Clause:
    """A clause in both languages; its methods say it as a statement, a question or a subordinate clause."""

    subject: Nominal
    verb: Verb
    tense: Tense
    phrases: tuple[Phrase, ...] = ()
    modal: str = ""
    negated: bool = False  # in English; German negation is a phrase or the determiner "kein"
    passive: bool = False

    def _german_predicate(self) -> GermanPredicate:
        return german_predicate(self.verb, self.tense.german, self.subject.person, self.modal, self.passive)

    def _unstressed(self) -> str:
        """Reflexive and object pronouns, which stand as far forward as the verb and subject allow."""
        words = []
        if self.verb.reflexive:
            case = "dat" if self.verb.lemma in ("sich ansehen", "sich waschen", "sich putzen") else "acc"
            words.append(reflexive_pronoun(self.subject.person, case))
        words += [phrase.german for phrase in self.phrases if phrase.role == "pronoun"]
        return _join(*words)

    def _german_middle(self, front: Phrase | None = None) -> str:
        rank = GERMAN_ORDER.index
        stressed = [phrase for phrase in self.phrases if phrase.role != "pronoun" and phrase != front]
        placed = [phrase for phrase in stressed if phrase.role in GERMAN_ORDER]
        return _join(*(phrase.german for phrase in sorted(placed, key=lambda phrase: rank(phrase.role))))

    def _german_inverted(self, front: Phrase | None = None) -> str:
        predicate = self._german_predicate()
        around = [self.subject.german(), self._unstressed()]
        if not isinstance(self.subject, Pronoun):
            around.reverse()
        return _join(predicate.finite, *around, self._german_middle(front), predicate.closing)

    def german_main(self, front: Phrase | None = None) -> str:
        """The verb-second clause, opened by the subject or by one of the phrases."""
        if front is not None:
            return _join(front.german, self._german_inverted(front))
        predicate = self._german_predicate()
        return _join(
            self.subject.german(),
            predicate.finite,
            self._unstressed(),
            self._german_middle(),
            predicate.closing,
        )

    def german_question(self, question_word: str = "") -> str:
        """The verb-first question, or the one opened by a question word."""
        return _join(question_word, self._german_inverted())

    def german_final(self) -> str:
        """The verb-final order of subordinate clauses, without the conjunction."""
        predicate = self._german_predicate()
        return _join(self.subject.german(), self._unstressed(), self._german_middle(), predicate.final)

    def german_without_subject(self) -> str:
        """What follows the relative pronoun where that is the subject: "die gerade ein Buch liest"."""
        return _join(self._unstressed(), self._german_middle(), self._german_predicate().final)

    def german_infinitive(self) -> str:
        """The zu-infinitive with all that belongs to it."""
        return _join(self._unstressed(), self._german_middle(), self.verb.zu_infinitive())

    def german_bare_infinitive(self) -> str:
        return _join(self._unstressed(), self._german_middle(), self.verb.full_infinitive())

    def _english_complements(self, verb_words: str, front: Phrase | None = None) -> str:
        pronoun = _join(*(phrase.english for phrase in self.phrases if phrase.role == "pronoun"))
        particle = self.verb.english.particle
        if pronoun and particle in _SEPARABLE_PARTICLES and verb_words.endswith(f" {particle}"):
            verb_words = f"{verb_words.removesuffix(particle)}{pronoun} {particle}"
        else:
            verb_words = _join(verb_words, pronoun)
        rank = ENGLISH_ORDER.index
        placed = [phrase for phrase in self.phrases if phrase.role in ENGLISH_ORDER and phrase != front]
        placed.sort(key=lambda phrase: rank(phrase.role))
        return _join(verb_words, *(phrase.english for phrase in placed))

    def _english_middle(self) -> str:
        return _join(*(phrase.english for phrase in self.phrases if phrase.role in ENGLISH_MIDDLE))

    def _english_predicate(self, split: bool) -> tuple[str, str]:
        return english_predicate(self.verb, self.tense.english, self.subject.person, self.modal, self.passive, split)

    def english_without_subject(self, front: Phrase | None = None) -> str:
        auxiliary, rest = self._english_predicate(split=self.negated)
        if self.negated:
            auxiliary = "cannot" if auxiliary == "can" else f"{auxiliary} not"
        return _join(auxiliary, self._english_middle(), self._english_complements(rest, front))

    def english_main(self, front: Phrase | None = None) -> str:
        """The statement; an opening phrase of several words, or a sentence adverb, takes a comma."""
        clause = _join(self.subject.english(), self.english_without_subject(front))
        if front is None:
            return clause
        comma = "," if " " in front.english or front.english in _SET_OFF else ""
        return f"{front.english}{comma} {clause}"

    def english_question(self, question_word: str = "") -> str:
        auxiliary, rest = self._english_predicate(split=True)
        return _join(
            question_word,
            auxiliary,
            self.subject.english(),
            self._english_middle(),
            self._english_complements(rest),
        )

    def english_infinitive(self) -> str:
        """ "to pick up the children at the train station"."""
        return f"to {self.english_bare_infinitive()}"

    def english_bare_infinitive(self) -> str:
        bare = self.verb.english.predicate("future", self.subject.person, self.passive)[1]
        return self._english_complements(bare)

    def english_gerund(self) -> str:
        """ "picking up the children"."""
        gerund = self.verb.english.predicate("progressive", self.subject.person)[1]
        return self._english_complements(gerund)
