"""The lexicon of the quickstart grammar, read from the tables beside this file.

The first line of a table names its columns. Every noun is a class of its own beside those that the table
gives. Complements of verbs are parted by commas, each being [preposition] case classes determiners, with "/"
between alternatives.
"""

from data.quickstart.entries import Adjective, Complement, EnglishVerb, Noun, Verb, read_table

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


NOUNS = [_noun(row) for row in read_table("nouns")]
ADJECTIVES = [_adjective(row) for row in read_table("adjectives")]
VERBS = [_verb(row) for row in read_table("verbs")]
ADVERBIALS: dict[str, list[Sides]] = {}  # by kind; with names and numbers
for _row in read_table("adverbials"):
    ADVERBIALS.setdefault(_row["kind"], []).append((_row["german"], _row["english"]))

ADJECTIVE = {adjective.lemma: adjective for adjective in ADJECTIVES}
VERB = {verb.lemma: verb for verb in reversed(VERBS)}  # the first where several share a lemma
LEXICON_SIZE = len(NOUNS) + len(ADJECTIVES) + len(VERBS) + sum(map(len, ADVERBIALS.values()))
