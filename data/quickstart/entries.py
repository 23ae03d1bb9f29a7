"""Lexical entries of the quickstart grammar and how each of them inflects in German and in English."""

from dataclasses import dataclass

PERSONS = ("ich", "du", "er", "wir", "sie", "Sie")  # "er" stands for the third person singular

_GERMAN_FIRST_TO_THIRD = {
    "sein": ("bin bist ist sind sind sind", "war warst war waren waren waren"),
    "haben": ("habe hast hat haben haben haben", "hatte hattest hatte hatten hatten hatten"),
    "werden": ("werde wirst wird werden werden werden", "wurde wurdest wurde wurden wurden wurden"),
    "würden": ("würde würdest würde würden würden würden", ""),
    "hätten": ("hätte hättest hätte hätten hätten hätten", ""),
    "können": ("kann kannst kann können können können", "konnte konntest konnte konnten konnten konnten"),
    "müssen": ("muss musst muss müssen müssen müssen", "musste musstest musste mussten mussten mussten"),
    "wollen": ("will willst will wollen wollen wollen", "wollte wolltest wollte wollten wollten wollten"),
    "dürfen": ("darf darfst darf dürfen dürfen dürfen", "durfte durftest durfte durften durften durften"),
    "sollen": ("soll sollst soll sollen sollen sollen", ""),
    "möchten": ("möchte möchtest möchte möchten möchten möchten", ""),
    "wissen": ("weiß weißt weiß wissen wissen wissen", "wusste wusstest wusste wussten wussten wussten"),
}
_AUXILIARIES = {
    (infinitive, tense): dict(zip(PERSONS, forms.split(), strict=True))
    for infinitive, both in _GERMAN_FIRST_TO_THIRD.items()
    for tense, forms in zip(("present", "past"), both, strict=True)
    if forms
}
AUXILIARY_COUNT = len(_GERMAN_FIRST_TO_THIRD)


def auxiliary_form(infinitive: str, tense: str, person: str) -> str:
    """The finite form of an auxiliary or modal verb, e.g. ("haben", "past", "wir") -> "hatten"."""
    return _AUXILIARIES[infinitive, tense][person]


@dataclass(frozen=True)
class Noun:
    """A noun with its gender (m, f, n; p for a plural without singular) and its selectional classes.

    An empty `plural` marks a mass noun.
    """

    lemma: str
    gender: str
    genitive: str
    plural: str
    english: str
    english_plural: str
    tags: frozenset[str]

    @property
    def is_mass(self) -> bool:
        return not self.plural

    def german(self, case: str, plural: bool = False) -> str:
        """The declined form, e.g. Kind -> "Kindern" in the dative plural, Junge -> "Jungen"."""
        if plural or self.gender == "p":
            takes_n = case == "dat" and not self.plural.endswith(("n", "s"))
            return self.plural + "n" if takes_n else self.plural
        is_weak = self.gender == "m" and self.genitive.endswith("n")
        if case == "gen" or (is_weak and case != "nom"):
            return self.genitive
        return self.lemma

    def english_form(self, plural: bool = False) -> str:
        return self.english_plural if plural or self.gender == "p" else self.english


@dataclass(frozen=True)
class Adjective:
    """An adjective; `stem` is what endings attach to (teuer -> teur-, hoch -> hoh-)."""

    lemma: str
    stem: str
    comparative: str
    superlative: str
    english: str
    english_comparative: str
    english_superlative: str
    tags: frozenset[str]


@dataclass(frozen=True)
class EnglishVerb:
    """An English verb with its particle or preposition ("pick" + "up", "be" + "afraid of")."""

    base: str
    past: str
    participle: str
    gerund: str
    particle: str = ""

    def _with_particle(self, form: str) -> str:
        return f"{form} {self.particle}" if self.particle else form

    def third_person(self) -> str:
        if self.base == "have":
            return "has"
        if self.base.endswith(("s", "x", "ch", "sh", "o", "z")):
            return self.base + "es"
        if self.base.endswith("y") and self.base[-2] not in "aeiou":
            return self.base[:-1] + "ies"
        return self.base + "s"

    def predicate(self, tense: str, person: str, passive: bool = False, split: bool = False) -> tuple[str, str]:
        """The verb group as (auxiliary, rest); `split` adds do-support, as questions and `not` need it."""
        if passive:
            base, participle, gerund = (
                f"{form} {self._with_particle(self.participle)}" for form in ("be", "been", "being")
            )
        else:
            base, participle, gerund = map(self._with_particle, (self.base, self.participle, self.gerund))
        be_present = {"ich": "am", "er": "is"}.get(person, "are")
        be_past = "was" if person in ("ich", "er") else "were"
        match tense:
            case "present" | "past" if passive or self.base == "be":
                rest = self._with_particle(self.participle) if passive else self.particle
                return (be_present if tense == "present" else be_past), rest
            case "present" if split:
                return ("does" if person == "er" else "do"), base
            case "past" if split:
                return "did", base
            case "present":
                return "", self._with_particle(self.third_person()) if person == "er" else base
            case "past":
                return "", self._with_particle(self.past)
            case "progressive":
                return be_present, gerund
            case "past progressive":
                return be_past, gerund
            case "future":
                return "will", base
            case "conditional":
                return "would", base
            case "present perfect":
                return ("has" if person == "er" else "have"), participle
            case "perfect progressive":
                return ("has" if person == "er" else "have"), f"been {gerund}"
            case "past perfect":
                return "had", participle
        raise ValueError(f"no English tense {tense!r}")


class Government(tuple):
    """What a verb demands of a complement: (preposition or "", case, noun classes, determiner codes)."""

    __slots__ = ()

    def __new__(cls, text: str) -> "Government":
        *preposition, case, tags, determiners = text.split()
        return super().__new__(cls, (" ".join(preposition), case, tuple(tags.split("/")), determiners))


@dataclass(frozen=True)
class Verb:
    """A German verb with its principal parts, its English counterpart and what it selects.

    `infinitive`, `third` and `past` lack the separable `prefix`; a prefix written apart ends in a blank.
    `aspects` says in which tenses the verb reads naturally, see data.quickstart.verbs.
    """

    lemma: str
    prefix: str
    infinitive: str
    third: str
    past: str
    participle: str
    auxiliary: str
    reflexive: bool
    english: EnglishVerb
    aspects: frozenset[str]
    subjects: tuple[str, ...]
    governments: tuple[Government, ...]
    places: tuple[str, ...]

    def present_form(self, person: str) -> str:
        stem = self.infinitive[:-2] if self.infinitive.endswith("en") else self.infinitive[:-1]
        if person == "ich":
            return (stem[:-2] + "l" if self.infinitive.endswith("eln") else stem) + "e"
        if person == "er":
            return self.third
        if person == "du":
            if stem.endswith("t") and not self.third.endswith("et"):
                return self.third + "st"  # hält -> hältst
            ending = "t" if self.third[:-1].endswith(("s", "ß", "z")) else "st"
            return self.third[:-1] + ending
        return self.infinitive

    def past_form(self, person: str) -> str:
        if person in ("ich", "er"):
            return self.past
        if person == "du":
            return self.past + ("t" if self.past.endswith(("s", "ß")) else "st")
        return self.past + ("n" if self.past.endswith("e") else "en")

    def full_infinitive(self) -> str:
        return self.prefix + self.infinitive

    def zu_infinitive(self) -> str:
        """E.g. "zu lesen", "abzuholen", "spazieren zu gehen"."""
        if self.prefix and not self.prefix.endswith(" "):
            return f"{self.prefix}zu{self.infinitive}"
        return f"{self.prefix}zu {self.infinitive}"


def _english_regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + "ed"


def _english_regular_gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee") and base != "be":
        return base[:-1] + "ing"
    return base + "ing"


def parse_english_verb(text: str) -> EnglishVerb:
    """Reads "call", "pick +up" or, where irregular, "put put put putting +on"."""
    forms, _, particle = text.partition("+")
    base, *irregular = forms.split()
    past, participle = irregular[:2] if len(irregular) > 1 else [_english_regular_past(base)] * 2
    gerund = irregular[2] if len(irregular) > 2 else _english_regular_gerund(base)
    return EnglishVerb(base, past, participle, gerund, particle.strip())


def parse_verb(line: str) -> Verb:
    """Reads "ab|holen; holt holte geholt; pick +up; pf; adult; acc someone p; station"."""
    fields = [field.strip() for field in line.split(";")]
    german, parts, english, aspects, subjects, governments, places = fields + [""] * (7 - len(fields))
    reflexive = german.startswith("sich ")
    prefix, _, infinitive = german.removeprefix("sich ").rpartition("|")
    third, past, *participle = parts.split()
    governed = tuple(Government(text) for text in governments.split(",") if text.strip())
    preposition = governed[-1][0] if governed else ""
    lemma = german.replace("|", "") + (f" {preposition}" if preposition else "")
    return Verb(
        lemma=lemma,
        prefix=prefix,
        infinitive=infinitive,
        third=third,
        past=past,
        participle=prefix + participle[-1],
        auxiliary="sein" if participle[0] == "ist" else "haben",
        reflexive=reflexive,
        english=parse_english_verb(english),
        aspects=frozenset(aspects),
        subjects=tuple(subjects.split("/")),
        governments=governed,
        places=tuple(places.split("/")) if places else (),
    )


def _english_regular_plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def parse_noun(line: str, section: str) -> Noun:
    """Reads "der Junge, Jungen, Jungen = boy; child"; a "-" stands for a number that does not exist."""
    german, _, rest = line.partition(" = ")
    english, _, tags = rest.partition(";")
    article, _, forms = german.partition(" ")
    lemma, genitive, plural = (form.strip() for form in forms.split(","))
    singular, _, english_plural = english.strip().partition("/")
    gender = {"der": "m", "die": "f", "das": "n", "pl": "p"}[article]
    if not english_plural:
        english_plural = singular if gender == "p" else _english_regular_plural(singular)
    every_tag = frozenset([lemma, *section.split(), *tags.split()])
    plural = "" if plural == "-" else plural
    return Noun(lemma, gender, genitive, plural, singular, english_plural, every_tag)


def parse_adjective(line: str) -> Adjective:
    """Reads "teuer/teur, teurer, teuerst = expensive; clothing vehicle", with more/most understood."""
    german, _, rest = line.partition(" = ")
    english, _, tags = rest.partition(";")
    lemma, comparative, superlative = (form.strip() for form in german.split(","))
    lemma, _, stem = lemma.partition("/")
    positive, *degrees = (form.strip() for form in english.split(","))
    degrees = degrees or [f"more {positive}", f"most {positive}"]
    return Adjective(lemma, stem or lemma, comparative, superlative, positive, *degrees, tags=frozenset(tags.split()))
