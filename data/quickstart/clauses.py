"""Clauses of the quickstart grammar: a subject, a verb and a bag of phrases, put in order by each language.

German puts the finite verb second, first or last and closes the clause with the remaining verb forms;
English keeps subject, verb, object and needs do-support. Both orders are tables of the roles of phrases.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from data.quickstart.lexicon import FINITE_FORMS, VERB, Adjective, Sides, Verb
from data.quickstart.phrases import Nominal, Pronoun


class Phrase(NamedTuple):
    """One constituent in both languages; `role` decides where each language puts it."""

    german: str
    english: str
    role: str


# An "object" is definite and precedes the place in German, a "new object" follows it.
_GERMAN_ORDER = (
    "time, clock, frequency, recipient, object, means, place, new object, negation, agent, oblique, direction"
)
_ENGLISH_ORDER = "recipient, object, new object, oblique, agent, direction, means, place, clock, time"
_PARTICLES_AFTER_PRONOUN = ("up", "on", "off", "out", "back")


class Tense(NamedTuple):
    """A German tense with the English one that translates it in a given construction."""

    german: str
    english: str


NOW = Tense("present", "present")
ONGOING = Tense("present", "progressive")
PLANNED = Tense("present", "future")
FUTURE = Tense("future", "future")
DONE = Tense("perfect", "past")
TOLD = Tense("past", "past")
SCENE = Tense("past", "past progressive")


def _join(*words: str) -> str:
    return " ".join(filter(None, words))


@dataclass(frozen=True)
class Clause:
    """A clause in both languages; its methods render a statement, a question, a subordinate clause, …"""

    subject: Nominal
    verb: Verb
    phrases: tuple[Phrase, ...] = ()
    tense: Tense = NOW
    modal: str = ""
    negated: bool = False  # in English; German negation is a phrase or the determiner "kein"
    passive: bool = False

    def put(self, tense: Tense, *phrases: Phrase, **options: object) -> "Clause":
        """Return the clause in another tense, with more phrases."""
        return replace(self, tense=tense, phrases=self.phrases + phrases, **options)

    def main(self, front: Phrase | None = None) -> Sides:
        """Return a statement that begins with the subject or with the phrase `front`."""
        subject, finite, closing = self.subject.german(), *self._german_predicate()
        rest = self._english_after_subject(front)
        if front is None:
            german = _join(subject, finite, self._unstressed(), self._middle(), closing)
            return german, _join(self.subject.english(), rest)
        german = _join(front.german, finite, self._german_field(front), closing)
        # In English an opening phrase of several words takes a comma.
        comma = "," if " " in front.english else ""
        return german, _join(front.english + comma, self.subject.english(), rest)

    def question(self, word: Sides = ("", "")) -> Sides:
        """Return a yes-no question, or one with a question word."""
        finite, closing = self._german_predicate()
        auxiliary, rest = self._english_predicate(split=True)
        german = _join(word[0], finite, self._german_field(), closing)
        return german, _join(word[1], auxiliary, self.subject.english(), self._english_complements(rest))

    def after_clause(self) -> Sides:
        """Return the statement as it follows a subordinate clause (in German, verb first)."""
        return self.question()[0], self.main()[1]

    def final(self) -> Sides:
        """Return the subordinate clause, German verb last, without the conjunction."""
        german, english = self.without_subject()
        return _join(self.subject.german(), german), _join(self.subject.english(), english)

    def without_subject(self) -> Sides:
        """Return the rest of a relative clause after a pronoun that is its subject: "die gerade ein Buch liest"."""
        finite, closing = self._german_predicate()
        separated = closing == self.verb.prefix.strip() and bool(closing)
        verbs = self.verb.prefix + finite if separated else _join(closing, finite)
        return _join(self._unstressed(), self._middle(), verbs), self._english_after_subject()

    def infinitive(self) -> Sides:
        """Return the infinitive clause with "zu" and "to"."""
        bare = self.verb.english.predicate("future", self.subject.person)[1]
        german = _join(self._unstressed(), self._middle(), self.verb.zu_infinitive())
        return german, f"to {self._english_complements(bare)}"

    def imperative(self) -> Sides:
        """Return a request, informal (du) or formal (Sie)."""
        is_friend = self.subject.person == "du"
        finite = self.verb.imperative() if is_friend else f"{self.verb.present_form('Sie')} Sie"
        bare = self.verb.english.predicate("future", "du")[1]
        german = _join(finite, self._unstressed(), "bitte", self._middle(), self.verb.prefix.strip())
        return german, f"please {self._english_complements(bare)}"

    def _german_predicate(self) -> tuple[str, str]:
        """Return the finite verb and the verb forms that close the clause: ("hat", "abgeholt")."""
        verb, tense, person = self.verb, self.tense.german, self.subject.person
        infinitive = f"{verb.prefix}{verb.participle} werden" if self.passive else verb.prefix + verb.infinitive
        if self.modal:
            return FINITE_FORMS[self.modal, tense][person], infinitive
        if self.passive:
            return FINITE_FORMS["werden", tense][person], verb.prefix + verb.participle
        if tense == "perfect":
            return FINITE_FORMS[verb.auxiliary, "present"][person], verb.prefix + verb.participle
        if tense == "future":
            return FINITE_FORMS["werden", "present"][person], infinitive
        return verb.present_form(person) if tense == "present" else verb.past_form(person), verb.prefix.strip()

    def _unstressed(self) -> str:
        """Return reflexive and object pronouns, which stand as far forward as the verb and the subject allow."""
        person = self.subject.person
        reflexive = {"ich": "mich", "du": "dich", "wir": "uns"}.get(person, "sich") if self.verb.reflexive else ""
        return _join(reflexive, self._phrases("german", "pronoun"))

    def _middle(self, front: Phrase | None = None) -> str:
        return self._phrases("german", _GERMAN_ORDER, front)

    def _phrases(self, language: str, roles: str, front: Phrase | None = None) -> str:
        """Return the phrases of these roles in the order of the roles, without `front`."""
        order = roles.split(", ")
        chosen = [phrase for phrase in self.phrases if phrase.role in order and phrase != front]
        return _join(*(getattr(phrase, language) for phrase in sorted(chosen, key=lambda x: order.index(x.role))))

    def _german_field(self, front: Phrase | None = None) -> str:
        """Return the rest of a clause whose finite verb precedes its subject."""
        around = [self.subject.german(), self._unstressed()]
        if not isinstance(self.subject, Pronoun):
            around.reverse()
        return _join(*around, self._middle(front))

    def _english_predicate(self, split: bool) -> tuple[str, str]:
        tense, person = self.tense.english, self.subject.person
        if not self.modal:
            return self.verb.english.predicate(tense, person, self.passive, split)
        bare = self.verb.english.predicate("future", person, self.passive)[1]
        # Some modals are auxiliaries in English too, the others verbs like "have to".
        auxiliary, _, rest = FINITE_FORMS[self.modal, self.tense.german]["english"].partition(" ")
        if not auxiliary:
            auxiliary, rest = VERB[self.modal].english.predicate(tense, person, split=split)
        return auxiliary, _join(rest, bare)

    def _english_after_subject(self, front: Phrase | None = None) -> str:
        auxiliary, rest = self._english_predicate(split=self.negated)
        if self.negated:
            auxiliary = "cannot" if auxiliary == "can" else f"{auxiliary} not"
        return _join(auxiliary, self._english_complements(rest, front))

    def _english_complements(self, verb: str, front: Phrase | None = None) -> str:
        pronoun = self._phrases("english", "pronoun")
        particle = self.verb.english.particle
        if pronoun and particle in _PARTICLES_AFTER_PRONOUN and verb.endswith(f" {particle}"):
            verb = f"{verb.removesuffix(particle)}{pronoun} {particle}"
        else:
            verb = _join(verb, pronoun)
        # "has never called": a frequency stands between auxiliary and verb.
        return _join(self._phrases("english", "frequency"), verb, self._phrases("english", _ENGLISH_ORDER, front))


def being(subject: Nominal, adjective: Adjective, tense: Tense = NOW, very: bool = True) -> Clause:
    """ "X ist müde" as a clause; "sehr müde" where the adjective has degrees."""
    german, english = ("sehr ", "very ") if very and adjective.german[1] else ("", "")
    predicate = Phrase(german + adjective.lemma, english + adjective.english[0], "oblique")
    return Clause(subject, VERB["sein"], (predicate,), tense)


def sentence(template: str, *parts: Sides) -> Sides:
    """Return the template "German | English" filled in with the parts; each sentence begins with a capital letter."""
    german, english = (
        "? ".join(text[0].upper() + text[1:] for text in side.format(*words).split("? "))
        for side, words in zip(template.split(" | "), zip(*parts, strict=True), strict=True)
    )
    return german, english
