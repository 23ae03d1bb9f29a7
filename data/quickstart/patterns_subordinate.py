"""Adverbial clauses: the German verb comes last in them and first in a main clause that follows."""

from data.quickstart import adverbials
from data.quickstart.adverbials import Pair
from data.quickstart.clauses import (
    DONE,
    EARLIER,
    PLANNED,
    SCENE,
    SIMPLE,
    TOLD,
    UNREAL,
    Clause,
    Phrase,
)
from data.quickstart.draw import Draw
from data.quickstart.entries import auxiliary_form
from data.quickstart.lexicon import OTHER, SPATIAL
from data.quickstart.patterns import (
    CHORES,
    Sides,
    being_clause,
    clause_of,
    has_new_object,
    negation,
    pattern,
    same_person,
    sentence,
    verbs_named,
)
from data.quickstart.phrases import Nominal, Pronoun, pronoun_for

_OUTDOORS = verbs_named("joggen wandern spazieren_gehen waschen streichen besuchen abholen einkaufen angeln pflanzen")
_SCENES = verbs_named(
    "lesen schreiben kochen backen reparieren putzen aufräumen packen malen lernen spielen telefonieren "
    "frühstücken fernsehen gießen füttern duschen schlafen arbeiten tanzen essen trinken streichen einpacken "
    "ausfüllen übersetzen vorbereiten suchen hören sich_unterhalten_mit warten_auf"
)
_WORK = [verb for verb in CHORES if verb.lemma not in ("anrufen", "einkaufen", "besuchen", "abholen")]
_MOODS = (
    ("glücklich", "gewinnen bestehen finden kaufen treffen"),
    ("zufrieden", "aufräumen reparieren streichen bestehen organisieren lösen"),
    ("stolz", "gewinnen bestehen bauen reparieren retten lösen"),
    ("traurig", "verlieren vergessen zerbrechen sich_verabschieden_von"),
    ("wütend", "verlieren verpassen vergessen"),
    ("müde", "arbeiten tanzen aufräumen putzen streichen wandern"),
)


_BAD_WEATHER = (
    ("es stark geregnet hat", "it rained heavily"),
    ("es schon spät war", "it was already late"),
    ("das Wetter schlecht war", "the weather was bad"),
    ("es sehr kalt war", "it was very cold"),
)
_MOMENTS = (
    ("die Gäste ankamen", "the guests arrived"),
    ("es zu regnen begann", "it began to rain"),
    ("das Telefon klingelte", "the phone rang"),
    ("der Strom ausfiel", "the power went out"),
)


def _coming_home(subject: Nominal) -> Clause:
    verb = OTHER["kommen"]
    return Clause(subject, verb, TOLD, (Phrase("nach Hause", "home", "direction"),))


@pattern
def because_of_a_duty(draw: Draw) -> Sides:
    """Mein Bruder kann morgen nicht kommen, weil er seine Großmutter besuchen muss."""
    subject = draw.subject(referable=True)
    time = draw.time(adverbials.SOON_TIMES[:6] + adverbials.COMING_DAYS)
    coming = Clause(subject, OTHER["kommen"], SIMPLE, (time, negation()), modal="können", negated=True)
    duty = clause_of(same_person(draw.event("f", CHORES, subject=subject)), SIMPLE, modal="müssen")
    return sentence(
        f"{coming.german_main()}, weil {duty.german_final()}",
        f"{coming.english_main()} because {duty.english_main()}",
    )


@pattern
def because_of_an_event(draw: Draw) -> Sides:
    """Lena ist traurig, weil sie ihren Ring verloren hat."""
    adjective, verbs = draw.one_of(_MOODS)
    event = draw.event("p", verbs_named(verbs), referable=True)
    mood = being_clause(event.subject, adjective, draw, SIMPLE)
    long = ()
    if adjective == "müde":
        long = (Phrase(*draw.one_of((("den ganzen Tag", "all day"), ("die ganze Nacht", "all night"))), "time"),)
    reason = clause_of(same_person(event), DONE, *long)
    return sentence(
        f"{mood.german_main()}, weil {reason.german_final()}",
        f"{mood.english_main()} because {reason.english_main()}",
    )


@pattern
def because_clause_first(draw: Draw) -> Sides:
    """Weil meine Tante krank war, konnte sie den Garten nicht aufräumen."""
    event = draw.event("f", CHORES, negated=True, referable=True)
    state = being_clause(event.subject, draw.one_of(("krank", "müde")), draw, TOLD)
    phrases = () if has_new_object(event) else (negation(),)
    failure = clause_of(same_person(event), TOLD, *phrases, modal="können", negated=True)
    return sentence(
        f"weil {state.german_final()}, {failure.german_question()}",
        f"because {state.english_main()}, {failure.english_main()}",
    )


@pattern
def if_the_weather(draw: Draw) -> Sides:
    """Wenn es morgen regnet, lesen die Kinder ein Buch."""
    time = draw.one_of(adverbials.SOON_TIMES[:6] + adverbials.COMING_DAYS)
    weather = draw.one_of(("regnet", "schneit", "schön"))
    if weather == "schön":
        condition = Pair(f"das Wetter {time.german} schön ist", f"the weather is nice {time.english}")
        event = draw.event("f", _OUTDOORS)
    else:
        english_verb = {"regnet": "rains", "schneit": "snows"}[weather]
        condition = Pair(f"es {time.german} {weather}", f"it {english_verb} {time.english}")
        event = draw.event("f", [verb for verb in _SCENES if "f" in verb.aspects])
    clause = clause_of(event, PLANNED)
    if draw.chance(0.4):
        return sentence(f"{clause.german_main()}, wenn {condition[0]}", f"{clause.english_main()} if {condition[1]}")
    return sentence(f"wenn {condition[0]}, {clause.german_question()}", f"if {condition[1]}, {clause.english_main()}")


@pattern
def if_there_is_time(draw: Draw) -> Sides:
    """Wenn mein Vater morgen Zeit hat, repariert er das Fahrrad."""
    event = draw.event("f", CHORES, referable=True)
    time = draw.time(adverbials.SOON_TIMES[:6] + adverbials.COMING_DAYS)
    condition = Clause(event.subject, OTHER["haben"], SIMPLE, (time, Phrase("Zeit", "time", "new object")))
    modal = draw.one_of(("", "können", "wollen"))
    clause = clause_of(same_person(event), SIMPLE if modal else PLANNED, modal=modal)
    return sentence(
        f"wenn {condition.german_final()}, {clause.german_question()}",
        f"if {condition.english_main()}, {clause.english_main()}",
    )


@pattern
def unreal_condition(draw: Draw) -> Sides:
    """Wenn ich mehr Geld hätte, würde ich ein Haus kaufen."""
    german, english, verbs = draw.one_of(
        (
            ("mehr Zeit", "more time", "lesen schreiben besuchen kochen backen malen lernen anrufen einladen joggen"),
            ("mehr Geld", "more money", "kaufen mieten bauen umziehen organisieren schenken"),
            ("morgen frei", "the day off tomorrow", "besuchen treffen aufräumen wandern lesen streichen einkaufen"),
            ("einen größeren Garten", "a bigger garden", "pflanzen bauen einladen"),
        )
    )
    event = draw.event("f", verbs_named(verbs), referable=True)
    subject = event.subject
    clause = clause_of(same_person(event), UNREAL)
    have = auxiliary_form("hätten", "present", subject.person)
    return sentence(
        f"wenn {subject.german()} {german} {have}, {clause.german_question()}",
        f"if {subject.english()} had {english}, {clause.english_main()}",
    )


@pattern
def although(draw: Draw) -> Sides:
    """Obwohl mein Onkel krank war, hat er den Zaun gestrichen."""
    kind = draw.one_of("wttb")
    if kind == "w":
        german_state, english_state = draw.one_of(_BAD_WEATHER)
        deed = clause_of(draw.event("p", _OUTDOORS), DONE)
    else:
        event = draw.event("p", _WORK, referable=True)
        if kind == "t":
            state = being_clause(event.subject, draw.one_of(("müde", "krank", "hungrig")), draw, TOLD)
        else:
            little_time = Phrase("wenig Zeit", "little time", "new object")
            state = Clause(event.subject, OTHER["haben"], TOLD, (little_time,))
        german_state, english_state = state.german_final(), state.english_main()
        deed = clause_of(same_person(event), DONE)
    return sentence(
        f"obwohl {german_state}, {deed.german_question()}", f"although {english_state}, {deed.english_main()}"
    )


@pattern
def when_somebody_came(draw: Draw) -> Sides:
    """Als ich nach Hause kam, las meine Mutter gerade die Zeitung."""
    event = draw.event("g", _SCENES, pronouns=False)
    if draw.chance(0.6):
        somebody = Pronoun(draw.one_of(("I", "we"))) if draw.chance(0.5) else draw.subject(pronouns=False)
        coming = _coming_home(somebody)
        moment = (coming.german_final(), coming.english_main())
    else:
        moment = draw.one_of(_MOMENTS)
    scene = clause_of(event, SCENE, Phrase("gerade", "", "time"))
    return sentence(f"als {moment[0]}, {scene.german_question()}", f"when {moment[1]}, {scene.english_main()}")


@pattern
def after_work(draw: Draw) -> Sides:
    """Nachdem Anna den Brief geschrieben hatte, ging sie in den Park."""
    first = draw.event("p", _WORK, subject=draw.subject(referable=True))
    earlier = clause_of(first, EARLIER)
    someone_again = pronoun_for(first.subject)
    kind = draw.one_of("ggar")
    if kind == "g":
        then = Clause(someone_again, SPATIAL["gehen ging"], TOLD, (draw.destination("outing", "errand"),))
        draw.use("gehen")
    else:
        lemmas = "anrufen treffen" if kind == "a" else "sich_ausruhen fernsehen lesen einkaufen"
        then = clause_of(same_person(draw.event("p", verbs_named(lemmas), subject=first.subject)), TOLD)
    return sentence(
        f"nachdem {earlier.german_final()}, {then.german_question()}",
        f"after {earlier.english_main()}, {then.english_main()}",
    )


@pattern
def before_going(draw: Draw) -> Sides:
    """Bevor wir ins Kino gehen, müssen wir noch die Küche aufräumen."""
    event = draw.event("f", CHORES, referable=True)
    going = Clause(event.subject, SPATIAL["gehen ging"], SIMPLE, (draw.destination("outing"),))
    still = Phrase("noch", "still", "frequency")
    duty = clause_of(same_person(event), SIMPLE, still, modal=draw.one_of(("müssen", "wollen")))
    return sentence(
        f"bevor {going.german_final()}, {duty.german_question()}",
        f"before {going.english_main()}, {duty.english_main()}",
    )


@pattern
def while_another(draw: Draw) -> Sides:
    """Während mein Vater kochte, lasen die Kinder ein Buch."""
    first = clause_of(draw.event("g", _SCENES, pronouns=False), SCENE)
    second = clause_of(draw.event("g", _SCENES, pronouns=False), SCENE)
    return sentence(
        f"während {first.german_final()}, {second.german_question()}",
        f"while {first.english_main()}, {second.english_main()}",
    )
