"""Passives and infinitives: werden with participle, zu, um … zu, ohne … zu and lassen."""

from data import quickstart_adverbials as adverbials
from data.quickstart_clauses import DONE, ONGOING, PLANNED, SIMPLE, TOLD, Clause, Phrase
from data.quickstart_draw import Draw
from data.quickstart_entries import Verb
from data.quickstart_lexicon import DATIVE, NOUN, OTHER, SPATIAL
from data.quickstart_patterns import CHORES, Sides, clause_of, pattern, sentence, statement, verbs_named
from data.quickstart_phrases import THE, A, NounPhrase, Pronoun, german_prepositional

_SUFFERED = verbs_named(
    "reparieren putzen waschen aufräumen unterschreiben übersetzen bezahlen ausfüllen streichen öffnen "
    "schließen füttern gießen zurückgeben packen beantworten einpacken verkaufen finden vorbereiten"
)
_DONE_BY_OTHERS = {
    "reparieren": ("Mechaniker", "Nachbar", "Ingenieurin"),
    "waschen": ("Schüler", "Schülerin", "Student", "Nachbarin"),
    "streichen": ("Student", "Nachbar", "Gärtner", "Künstlerin"),
    "füttern": ("Bauer", "Tierarzt", "Junge", "Mädchen"),
    "gießen": ("Gärtner", "Nachbarin", "Junge"),
    "übersetzen": ("Journalist", "Journalistin", "Professor", "Studentin"),
    "unterschreiben": ("Chef", "Chefin", "Anwalt", "Anwältin", "Lehrer", "Ärztin"),
    "finden": ("Polizist", "Polizistin", "Kind", "Tourist", "Nachbarin"),
    "beantworten": ("Professorin", "Lehrer", "Verkäufer", "Anwältin"),
    "bezahlen": ("Chef", "Gast", "Kunde", "Kundin", "Tourist"),
    "retten": ("Polizist", "Polizistin", "Junge", "Tierarzt"),
    "untersuchen": ("Arzt", "Ärztin", "Zahnarzt"),
    "fotografieren": ("Fotograf", "Journalistin", "Tourist"),
    "verkaufen": ("Bauer", "Verkäuferin", "Nachbar"),
}
_BUILT = ("Haus", "Brücke", "Turm", "Schloss", "Kirche", "Museum", "Rathaus", "Schule", "Hotel", "Krankenhaus")


def _undergoer(draw: Draw, verb: Verb) -> NounPhrase:
    """What the verb is done to, as the subject of a passive."""
    _, _, classes, codes = verb.governments[0]
    noun = draw.noun(*classes)
    if "kin" in noun.tags:
        noun = draw.noun("child")
    is_plural = codes == "P" or ("rare" not in noun.tags and draw.chance(0.2))
    return draw.thing(noun, THE, is_plural, verb, probability=0.35)


@pattern
def passive_past(draw: Draw) -> Sides:
    """Die Fenster wurden gestern geputzt."""
    verb = draw.verb(_SUFFERED)
    time = draw.past_time(verb, counted=False)
    clause = Clause(_undergoer(draw, verb), verb, TOLD, (time,), passive=True)
    return statement(clause, time if draw.chance(0.5) else None)


@pattern
def passive_with_agent(draw: Draw) -> Sides:
    """Das Auto wurde gestern von einem Mechaniker repariert."""
    lemma = draw.one_of(tuple(_DONE_BY_OTHERS))
    verb = draw.verb(verbs_named(lemma))
    undergoer = _undergoer(draw, verb)
    agents = [NOUN[agent] for agent in _DONE_BY_OTHERS[lemma] if agent not in draw.words]
    agent = draw.thing(draw.noun_among(agents), draw.one_of((THE, A)), probability=0.2)
    by = Phrase(german_prepositional("von", agent, "dat"), f"by {agent.english('acc')}", "oblique")
    time = draw.past_time(verb, counted=False)
    clause = Clause(undergoer, verb, TOLD, (by, time), passive=True)
    return statement(clause, time if draw.chance(0.3) else None)


@pattern
def passive_now(draw: Draw) -> Sides:
    """Die Küche wird gerade gestrichen."""
    verb = draw.verb([verb for verb in _SUFFERED if "g" in verb.aspects])
    undergoer = _undergoer(draw, verb)
    kind = draw.one_of("nnh")
    if kind == "n":
        return statement(Clause(undergoer, verb, ONGOING, (draw.time(adverbials.NOW),), passive=True))
    time = draw.time(adverbials.DAILY_TIMES if "t" in verb.aspects else adverbials.WEEKLY_TIMES)
    return statement(Clause(undergoer, verb, SIMPLE, (time,), passive=True))


@pattern
def passive_with_modal(draw: Draw) -> Sides:
    """Die Rechnung muss heute Abend bezahlt werden."""
    verb = draw.verb([verb for verb in _SUFFERED if "f" in verb.aspects])
    time = draw.future_time(verb)
    modal = draw.one_of(("müssen", "müssen", "können", "sollen"))
    clause = Clause(_undergoer(draw, verb), verb, SIMPLE, (time,), modal=modal, passive=True)
    return statement(clause, time if draw.chance(0.3) else None)


@pattern
def built_in_a_year(draw: Draw) -> Sides:
    """Diese Brücke wurde im Jahr 1895 gebaut."""
    verb = draw.verb(verbs_named("bauen"))
    building = draw.thing(draw.noun(*_BUILT), THE, plural=draw.chance(0.1), probability=0.5)
    year = draw.between(1780, 2019)
    when = Phrase(f"im Jahr {year}", f"in {year}", "time")
    return statement(Clause(building, verb, TOLD, (when,), passive=True))


_INTENTIONS = (
    ("versucht", "versuchen", "is trying", "are trying", "am trying"),
    ("hat vor", "", "", "", ""),
)


def _infinitive_after(draw: Draw) -> tuple[Verb, tuple[str, str]]:
    verb = draw.verb([OTHER["versuchen"], OTHER["vergessen haben"]])
    return verb, ("", "")


@pattern
def zu_infinitive(draw: Draw) -> Sides:
    """Mein Bruder hat vergessen, den Arzt anzurufen."""
    event = draw.event("f", CHORES)
    clause = clause_of(event, SIMPLE)
    matrix = draw.one_of(_MATRICES)
    draw.use(matrix.verb.lemma)
    outer = Clause(event.subject, matrix.verb, matrix.tense, matrix.phrases)
    return sentence(
        f"{outer.german_main()}, {clause.german_infinitive()}",
        f"{outer.english_main()} {clause.english_infinitive()}",
    )


@pattern
def judging_an_infinitive(draw: Draw) -> Sides:
    """Es ist wichtig, jeden Tag Deutsch zu lernen."""
    raise NotImplementedError
