"""The sentence patterns of the quickstart grammar are functions from a Draw to a (German, English) pair.

This module registers them and holds what they share; the patterns_* modules beside it hold the patterns.
"""

from collections.abc import Callable
from functools import cache

from data import quickstart_lexicon as lexicon
from data.quickstart_adverbials import words
from data.quickstart_clauses import Clause, Phrase, Tense
from data.quickstart_dice import adjectives_of
from data.quickstart_draw import Draw, Event
from data.quickstart_entries import Noun, Verb
from data.quickstart_phrases import POSSESSIVE, THE, Nominal, Pronoun

Sides = tuple[str, str]
Pattern = Callable[[Draw], Sides]

PATTERN_FUNCTIONS: dict[str, Pattern] = {}


def pattern(function: Pattern) -> Pattern:
    """Registers a sentence pattern under the name of its function."""
    PATTERN_FUNCTIONS[function.__name__] = function
    return function


def sentence(german: str, english: str, mark: str = ".") -> Sides:
    """Both sides with a capital letter and a final mark."""
    return german[0].upper() + german[1:] + mark, english[0].upper() + english[1:] + mark


def statement(clause: Clause, front: Phrase | None = None) -> Sides:
    return sentence(clause.german_main(front), clause.english_main(front))


def question(clause: Clause, german_word: str = "", english_word: str = "") -> Sides:
    return sentence(clause.german_question(german_word), clause.english_question(english_word), "?")


def clause_of(event: Event, tense: Tense, *more: Phrase, **options) -> Clause:
    return Clause(event.subject, event.verb, tense, event.phrases + more, **options)


_GROUPS = {"any": lexicon.ACTIVITIES, "giving": lexicon.GIVING, "dative": lexicon.DATIVE}


@cache
def verbs_named(lemmas: str, group: str = "any") -> tuple[Verb, ...]:
    """The verbs of these lemmas, "_" standing for a blank; the first one where several share a lemma."""
    by_lemma: dict[str, Verb] = {}
    for verb in _GROUPS[group]:
        by_lemma.setdefault(verb.lemma, verb)
    return tuple(by_lemma[lemma.replace("_", " ")] for lemma in lemmas.split())


def verb_named(lemma: str) -> Verb:
    return verbs_named(lemma.replace(" ", "_"))[0]


# Work that one can plan, be kept from, forget or have behind one.
CHORES = verbs_named(
    "aufräumen reparieren putzen waschen bezahlen unterschreiben ausfüllen abholen anrufen übersetzen "
    "beantworten packen gießen füttern einkaufen vorbereiten streichen backen kochen zurückgeben besuchen"
)

# What is worth telling, hoping or asking about: more than that somebody had tea.
NOTEWORTHY = [verb for verb in lexicon.ACTIVITIES if verb.aspects >= {"p", "f"} and "t" not in verb.aspects]

UNGRADED = words("rot blau grün gelb schwarz weiß braun grau italienisch französisch spanisch deutsch voll")


def predicate_adjective(draw: Draw, noun: Noun) -> Sides:
    """What one may say of a thing: ("sehr schwer", "very heavy"), but ("rot", "red")."""
    adjective = draw.adjective(adjectives_of(noun))
    if adjective.lemma in UNGRADED:
        return adjective.lemma, adjective.english
    return f"sehr {adjective.lemma}", f"very {adjective.english}"


def asked_person(draw: Draw, singular: bool = False) -> Nominal:
    """Whom questions are about: du, Sie, "deine Schwester", a name or "der Nachbar"."""
    kind = draw.one_of("ysknp")
    if kind == "y":
        return Pronoun("you")
    if kind == "s":
        return Pronoun("you (Sie)")
    if kind == "n":
        return draw.name(pairs_too=not singular)
    if kind == "k":
        noun = draw.noun("relative", "friend")
        plural = not singular and "rare" not in noun.tags and draw.chance(0.15)
        if singular and noun.gender == "p":
            noun = draw.noun("friend")
        return draw.relative(noun, POSSESSIVE["your"], plural)
    noun = draw.noun("companion", "teacher", "Mann", "Frau", "Chef", "Chefin")
    return draw.thing(noun, THE, not singular and "rare" not in noun.tags and draw.chance(0.2), probability=0.15)


def negation() -> Phrase:
    return Phrase("nicht", "", "negation")


def has_new_object(event: Event) -> bool:
    """Whether the object is one that German negates by "kein"."""
    return any(phrase.role == "new object" for phrase in event.phrases)
