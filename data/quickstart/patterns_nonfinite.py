"""Passives and infinitives: werden with participle, zu, um … zu, ohne … zu and lassen."""

from dataclasses import replace
from typing import NamedTuple

from data.quickstart import adverbials
from data.quickstart.clauses import DONE, ONGOING, PLANNED, SIMPLE, TOLD, Clause, Phrase, Tense
from data.quickstart.draw import Draw
from data.quickstart.entries import Government, Verb
from data.quickstart.lexicon import ADJECTIVE, NOUN, OTHER, SPATIAL
from data.quickstart.patterns import (
    CHORES,
    NOTEWORTHY,
    Sides,
    clause_of,
    pattern,
    sentence,
    statement,
    verb_named,
    verbs_named,
)
from data.quickstart.phrases import THE, THIS, A, NounPhrase, Who, german_prepositional

_SUFFERED = verbs_named(
    "reparieren putzen waschen aufräumen unterschreiben übersetzen bezahlen ausfüllen streichen öffnen "
    "schließen füttern gießen zurückgeben packen beantworten einpacken verkaufen finden vorbereiten"
)
_ROUTINES = verbs_named("putzen waschen aufräumen füttern gießen")
_ENDURED = verbs_named(
    "lesen schreiben suchen backen kochen reparieren putzen aufräumen übersetzen ausfüllen streichen bauen "
    "pflanzen gießen füttern fotografieren beobachten lernen spielen organisieren vorbereiten "
    "verstehen beantworten helfen warten_auf sich_vorbereiten_auf lernen_für"
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
_OF_ANY_AGE = [ADJECTIVE[lemma] for lemma in ("alt", "klein", "groß", "schön", "berühmt")]
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
    is_habit = draw.chance(0.35)
    verb = draw.verb(_ROUTINES if is_habit else [verb for verb in _SUFFERED if "g" in verb.aspects])
    undergoer = _undergoer(draw, verb)
    if not is_habit:
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
    adjectives = (draw.adjective(_OF_ANY_AGE),) if draw.chance(0.5) else ()
    building = NounPhrase(draw.noun(*_BUILT), draw.one_of((THE, THIS)), adjectives, plural=draw.chance(0.1))
    year = draw.between(1780, 2019)
    when = Phrase(f"im Jahr {year}", f"in {year}", "time")
    return statement(Clause(building, verb, TOLD, (when,), passive=True))


class _Matrix(NamedTuple):
    """A verb that takes a zu-infinitive, how it is said here, and whether what follows lies ahead."""

    verb: Verb
    tense: Tense
    looks_ahead: bool


_MATRICES = (
    _Matrix(verb_named("vergessen"), DONE, False),
    _Matrix(OTHER["versuchen"], DONE, False),
    _Matrix(OTHER["versuchen"], ONGOING, False),
    _Matrix(OTHER["beginnen"], DONE, False),
    _Matrix(OTHER["versprechen"], DONE, True),
    _Matrix(OTHER["beschließen"], DONE, True),
    _Matrix(OTHER["vorhaben"], SIMPLE, True),
    _Matrix(OTHER["hoffen"], SIMPLE, True),
)


@pattern
def zu_infinitive(draw: Draw) -> Sides:
    """Mein Bruder hat vergessen, den Arzt anzurufen."""
    matrix = draw.one_of(_MATRICES)
    draw.use(matrix.verb.lemma)
    verbs = NOTEWORTHY if matrix.looks_ahead else CHORES
    event = draw.event("g" if matrix.verb.lemma == "beginnen" else "f", verbs)
    time = (draw.future_time(event.verb),) if matrix.looks_ahead else ()
    clause = clause_of(event, SIMPLE, *time)
    outer = Clause(event.subject, matrix.verb, matrix.tense)
    return sentence(
        f"{outer.german_main()}, {clause.german_infinitive()}",
        f"{outer.english_main()} {clause.english_infinitive()}",
    )


_JUDGMENTS = (
    ("es ist wichtig", "it is important"),
    ("es ist schwierig", "it is difficult"),
    ("es ist nicht einfach", "it is not easy"),
    ("es macht Spaß", "it is fun"),
    ("es macht keinen Spaß", "it is no fun"),
    ("es dauert lange", "it takes a long time"),
    ("es war langweilig", "it was boring"),
)


@pattern
def judging_an_infinitive(draw: Draw) -> Sides:
    """Es ist wichtig, die Blumen zu gießen."""
    german, english = draw.one_of(_JUDGMENTS)
    verb = draw.verb(_ENDURED)
    phrases = [draw.complement(verb, government, Who()) for government in verb.governments]
    clause = Clause(Who(), verb, SIMPLE, tuple(phrases))
    return sentence(f"{german}, {clause.german_infinitive()}", f"{english} {clause.english_infinitive()}")


@pattern
def no_time_for_it(draw: Draw) -> Sides:
    """Wir haben keine Lust, das Auto zu waschen."""
    event = draw.event("f", CHORES)
    clause = clause_of(event, SIMPLE)
    is_lust = draw.chance(0.5)
    noun = Phrase("keine Lust" if is_lust else "heute keine Zeit", "no time today", "new object")
    have = Clause(event.subject, OTHER["haben"], SIMPLE, (noun,))
    if is_lust:
        do = "does" if event.subject.person == "er" else "do"
        english = f"{event.subject.english()} {do} not feel like {clause.english_gerund()}"
    else:
        english = f"{have.english_main()} {clause.english_infinitive()}"
    return sentence(f"{have.german_main()}, {clause.german_infinitive()}", english)


# Where one goes in order to do what: place, verb, what its object is.
_ERRANDS = (
    ("Supermarkt", "kaufen", "acc Brot/Milch/Käse/Obst/Reis/Fisch/Kaffee/Tee/Schokolade b"),
    ("Markt", "kaufen", "acc fruit/flower B"),
    ("Bäckerei", "kaufen", "acc bread/baked i"),
    ("Buchhandlung", "kaufen", "acc Buch/Roman/Krimi/Wörterbuch/Stadtplan i"),
    ("Bahnhof", "abholen", "acc someone p"),
    ("Flughafen", "abholen", "acc someone p"),
    ("Bibliothek", "lesen", "acc Buch/Roman/Zeitung/Zeitschrift i"),
    ("Bibliothek", "zurückgeben", "acc Buch/Wörterbuch d"),
    ("Küche", "kochen", "acc pot b"),
    ("Küche", "backen", "acc baked i"),
    ("Garten", "gießen", "acc flower P"),
    ("Garten", "pflanzen", "acc plant i"),
    ("See", "schwimmen", ""),
    ("See", "angeln", ""),
    ("Park", "joggen", ""),
    ("Zoo", "fotografieren", "acc watched P"),
    ("Café", "treffen", "acc someone p"),
    ("Restaurant", "feiern", "acc Geburtstag p"),
    ("Krankenhaus", "besuchen", "acc someone p"),
    ("Werkstatt", "reparieren", "acc ridden/device d"),
    ("Keller", "suchen", "acc packed/worn/Taschenlampe dp"),
)

_AT_HOME = ("Küche", "Garten", "Keller", "Werkstatt")


@pattern
def in_order_to(draw: Draw) -> Sides:
    """Anna ist zum Bahnhof gegangen, um ihre Tante abzuholen."""
    place, lemma, government = draw.one_of(_ERRANDS)
    verb, go = verb_named(lemma), SPATIAL["gehen ging"]
    draw.use(verb.lemma, go.lemma)
    subject = draw.subject()
    where_to = draw.destination(place)
    tense = draw.one_of((DONE, PLANNED))
    if place in _AT_HOME:
        time = draw.time(adverbials.RECENT_TIMES if tense == DONE else adverbials.SOON_TIMES)
    else:
        time = draw.past_time(go, counted=False) if tense == DONE else draw.future_time(go)
    phrases = (draw.complement(verb, Government(government), subject),) if government else ()
    purpose = Clause(subject, verb, SIMPLE, phrases)
    clause = Clause(subject, go, tense, (where_to, time))
    front = time if draw.chance(0.5) else None
    # The time opens the English sentence in any case, lest "tomorrow" be heard with the purpose.
    return sentence(
        f"{clause.german_main(front)}, um {purpose.german_infinitive()}",
        f"{clause.english_main(time)} {purpose.english_infinitive()}",
    )


_WORKPLACES = "Büro Schule Bibliothek"
_HOMES = "Haus Wohnung"
_LODGINGS = "Restaurant Café Hotel"
# What one leaves undone, its object, and where one leaves.
_LEFT_UNDONE = (
    ("sich verabschieden von", "von dat someone p", f"{_WORKPLACES} {_HOMES} {_LODGINGS}"),
    ("danken", "dat someone p", f"{_WORKPLACES} {_HOMES} {_LODGINGS}"),
    ("ausschalten", "acc Computer/Lampe/Radio/Fernseher/Klimaanlage/Drucker d", f"{_WORKPLACES} {_HOMES}"),
    ("schließen", "acc Tür/Fenster/Tor d", f"{_WORKPLACES} {_HOMES}"),
    ("bezahlen", "acc Rechnung d", _LODGINGS),
    ("essen", "acc Kuchen/Suppe/Salat/Schnitzel d", _LODGINGS),
    ("unterschreiben", "acc signed d", _WORKPLACES),
    ("beantworten", "acc answered d", _WORKPLACES),
    ("anrufen", "acc someone p", f"{_WORKPLACES} {_HOMES}"),
    ("aufräumen", "acc Küche/Wohnzimmer/Schlafzimmer d", _HOMES),
    ("frühstücken", "", _HOMES),
    ("anziehen", "acc taken p", f"{_WORKPLACES} {_HOMES} {_LODGINGS}"),
)


@pattern
def without_doing(draw: Draw) -> Sides:
    """Der Gast hat das Restaurant verlassen, ohne die Rechnung zu bezahlen."""
    lemma, government, places = draw.one_of(_LEFT_UNDONE)
    verb, leave = verb_named(lemma), OTHER["verlassen"]
    draw.use(verb.lemma, leave.lemma)
    subject = draw.subject()
    left = NounPhrase(draw.noun(*places.split()), THE)
    phrases = (draw.complement(verb, Government(government), subject),) if government else ()
    omission = Clause(subject, verb, SIMPLE, phrases)
    clause = Clause(subject, leave, DONE, (Phrase(left.german("acc"), left.english(), "object"),))
    return sentence(
        f"{clause.german_main()}, ohne {omission.german_infinitive()}",
        f"{clause.english_main()} without {omission.english_gerund()}",
    )


_COMMISSIONED = (
    ("reparieren", "acc Auto/Motorrad/Fahrrad/Dach/Waschmaschine/Spülmaschine/Drucker/Laptop dp"),
    ("waschen", "acc Auto/Motorrad dp"),
    ("putzen", "acc Büro/Badezimmer/Küche dp"),
    ("streichen", "acc Zaun/Gartenhaus/Haustür/Wohnzimmer/Garage dp"),
    ("übersetzen", "acc Brief/Vertrag/Bericht/E-Mail/Roman dp"),
    ("bauen", "acc Haus/Regal/Gartenhaus/Schrank i"),
    ("untersuchen", "acc Hund/Katze/Pferd/Kaninchen dp"),
)


@pattern
def having_it_done(draw: Draw) -> Sides:
    """Mein Vater hat gestern das Dach reparieren lassen."""
    lemma, government = draw.one_of(_COMMISSIONED)
    verb, let = verb_named(lemma), OTHER["lassen"]
    draw.use(verb.lemma, let.lemma)
    # "reparieren lassen" behaves like a verb whose prefix is written apart.
    causative = replace(let, prefix=f"{verb.full_infinitive()} ", participle=f"{verb.full_infinitive()} lassen")
    subject = draw.subject()
    thing = draw.complement(verb, Government(government), subject)
    thing = thing._replace(english=f"{thing.english} {verb.english.participle}")
    modal = draw.one_of(("", "", "müssen", "wollen"))
    tense = SIMPLE if modal else draw.one_of((DONE, PLANNED))
    time = draw.past_time(verb, counted=False) if tense == DONE else draw.future_time(verb)
    clause = Clause(subject, causative, tense, (thing, time), modal=modal)
    return statement(clause, time if draw.chance(0.4) else None)
