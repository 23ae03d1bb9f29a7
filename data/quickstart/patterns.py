"""The sentence patterns of the quickstart grammar are functions from a Draw to a (German, English) pair.

This module registers them and holds what they share; the patterns_* modules beside it hold the patterns.
"""

from collections.abc import Callable
from functools import cache

from data.quickstart import lexicon
from data.quickstart.adverbials import words
from data.quickstart.clauses import Clause, Phrase, Tense
from data.quickstart.dice import adjectives_of
from data.quickstart.draw import Draw, Event
from data.quickstart.entries import Adjective, Noun, Verb
from data.quickstart.phrases import POSSESSIVE, THE, Nominal, Pronoun, pronoun_for

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
    """The clause as a main clause of its own, opened by its subject or by `front`."""
    return sentence(clause.german_main(front), clause.english_main(front))


def question(clause: Clause, german_word: str = "", english_word: str = "") -> Sides:
    return sentence(clause.german_question(german_word), clause.english_question(english_word), "?")


def clause_of(event: Event, tense: Tense, *more: Phrase, **options) -> Clause:
    """The event in a tense, with `more` phrases."""
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

UNGRADED = words("rot blau grün gelb schwarz weiß braun grau italienisch französisch spanisch deutsch voll leer")


def predicate_adjective(draw: Draw, noun: Noun) -> Sides:
    """What one may say of a thing: ("sehr schwer", "very heavy"), but ("rot", "red")."""
    adjective = draw.adjective(adjectives_of(noun))
    if adjective.lemma in UNGRADED:
        return adjective.lemma, adjective.english
    return f"sehr {adjective.lemma}", f"very {adjective.english}"


def asked_person(draw: Draw) -> Nominal:
    """Whom questions are about: du, Sie, "deine Schwester", a name or "der Nachbar"."""
    kind = draw.one_of("ysknp")
    if kind == "y":
        return Pronoun("you")
    if kind == "s":
        return Pronoun("you (Sie)")
    if kind == "n":
        return draw.name()
    if kind == "k":
        noun = draw.noun("relative", "friend")
        return draw.relative(noun, POSSESSIVE["your"], "rare" not in noun.tags and draw.chance(0.15))
    noun = draw.noun("companion", "teacher", "Mann", "Frau", "Chef", "Chefin")
    return draw.thing(noun, THE, "rare" not in noun.tags and draw.chance(0.2), probability=0.15)


def negation() -> Phrase:
    return Phrase("nicht", "", "negation")


def has_new_object(event: Event) -> bool:
    """Whether the object is one that German negates by "kein"."""
    return any(phrase.role == "new object" for phrase in event.phrases)


def being_clause(subject: Nominal, adjective: str, draw: Draw, tense: Tense, *phrases: Phrase) -> Clause:
    """ "X ist müde" as a clause; the adjective stands where German puts it, at the end."""
    draw.use(adjective)
    predicate = Phrase(adjective, lexicon.ADJECTIVE[adjective].english, "oblique")
    return Clause(subject, lexicon.OTHER["sein"], tense, (predicate, *phrases))


def same_person(event: Event) -> Event:
    """The event with its subject taken up by a pronoun."""
    return event._replace(subject=pronoun_for(event.subject))


def graded_adjectives(noun: Noun) -> list[Adjective]:
    """The adjectives of the noun that can be compared."""
    return [adjective for adjective in adjectives_of(noun) if adjective.lemma not in UNGRADED]


def nouns_with_adjectives(*classes: str) -> list[Noun]:
    """The nouns of these classes, but for dresses, of which something comparable can be said."""
    return [
        noun
        for noun in lexicon.NOUNS
        if not noun.tags.isdisjoint(classes) and "female" not in noun.tags and graded_adjectives(noun)
    ]
