"""Two clauses: German verb-final order after conjunctions and inversion after a fronted clause."""

from data import quickstart_adverbials as adverbials
from data.quickstart_adverbials import Pair
from data.quickstart_clauses import (
    DONE,
    EARLIER,
    FUTURE,
    PLANNED,
    SCENE,
    SIMPLE,
    TOLD,
    UNREAL,
    Clause,
    Phrase,
    Tense,
)
from data.quickstart_draw import Draw, Event
from data.quickstart_entries import auxiliary_form
from data.quickstart_lexicon import ADJECTIVE, OTHER, SPATIAL
from data.quickstart_patterns import (
    CHORES,
    NOTEWORTHY,
    Sides,
    clause_of,
    has_new_object,
    negation,
    pattern,
    sentence,
    statement,
    verbs_named,
)
from data.quickstart_phrases import NO, THE, A, Nominal, Pronoun, pronoun_for

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


def _being(subject: Nominal, adjective: str, draw: Draw, tense: Tense, *phrases: Phrase) -> Clause:
    """ "X ist müde" as a clause; the adjective stands where German puts it, at the end."""
    draw.use(adjective)
    predicate = Phrase(adjective, ADJECTIVE[adjective].english, "oblique")
    return Clause(subject, OTHER["sein"], tense, (predicate, *phrases))


def _coming_home(subject: Nominal) -> Clause:
    verb = OTHER["kommen"]
    return Clause(subject, verb, TOLD, (Phrase("nach Hause", "home", "direction"),))


def _same_person(event: Event) -> Event:
    """The event with its subject taken up by a pronoun."""
    return event._replace(subject=pronoun_for(event.subject))


@pattern
def because_of_a_duty(draw: Draw) -> Sides:
    """Mein Bruder kann morgen nicht kommen, weil er seine Großmutter besuchen muss."""
    subject = draw.subject(referable=True)
    time = draw.time(adverbials.SOON_TIMES[:6] + adverbials.COMING_DAYS)
    coming = Clause(subject, OTHER["kommen"], SIMPLE, (time, negation()), modal="können", negated=True)
    duty = clause_of(_same_person(draw.event("f", CHORES, subject=subject)), SIMPLE, modal="müssen")
    return sentence(
        f"{coming.german_main()}, weil {duty.german_final()}",
        f"{coming.english_main()} because {duty.english_main()}",
    )


@pattern
def because_of_an_event(draw: Draw) -> Sides:
    """Lena ist traurig, weil sie ihren Ring verloren hat."""
    adjective, verbs = draw.one_of(_MOODS)
    event = draw.event("p", verbs_named(verbs), referable=True)
    mood = _being(event.subject, adjective, draw, SIMPLE)
    long = ()
    if adjective == "müde":
        long = (Phrase(*draw.one_of((("den ganzen Tag", "all day"), ("die ganze Nacht", "all night"))), "time"),)
    reason = clause_of(_same_person(event), DONE, *long)
    return sentence(
        f"{mood.german_main()}, weil {reason.german_final()}",
        f"{mood.english_main()} because {reason.english_main()}",
    )


@pattern
def because_clause_first(draw: Draw) -> Sides:
    """Weil meine Tante krank war, konnte sie den Garten nicht aufräumen."""
    event = draw.event("f", CHORES, negated=True, referable=True)
    state = _being(event.subject, draw.one_of(("krank", "müde")), draw, TOLD)
    phrases = () if has_new_object(event) else (negation(),)
    failure = clause_of(_same_person(event), TOLD, *phrases, modal="können", negated=True)
    return sentence(
        f"weil {state.german_final()}, {failure.german_question()}",
        f"because {state.english_main()}, {failure.english_main()}",
    )


def _matrix(draw: Draw) -> Sides:
    """A main clause that takes a dass-clause."""
    if draw.chance(0.3):
        return draw.one_of(
            (
                ("es ist schön", "it is nice"),
                ("es ist schade", "it is a pity"),
                ("es stimmt", "it is true"),
                ("ich bin froh", "I am glad"),
                ("ich finde es gut", "I think it is good"),
            )
        )
    verb = draw.verb([OTHER["glauben"], OTHER["hoffen"], OTHER["wissen"], OTHER["sagen"], OTHER["hören"]])
    subject = draw.subject()
    if verb.lemma == "wissen":
        german = f"{subject.german()} {auxiliary_form('wissen', 'present', subject.person)}"
        return german, Clause(subject, verb, SIMPLE).english_main()
    clause = Clause(subject, verb, DONE if verb.lemma == "hören" else SIMPLE)
    return clause.german_main(), clause.english_main()


@pattern
def that_clause(draw: Draw) -> Sides:
    """Ich hoffe, dass mein Onkel bald sein Boot verkauft."""
    german, english = _matrix(draw)
    tense, aspect = draw.one_of(((DONE, "p"), (PLANNED, "f"), (FUTURE, "f")))
    event = draw.event(aspect, NOTEWORTHY)
    time = draw.past_time(event.verb) if tense == DONE else draw.future_time(event.verb)
    clause = clause_of(event, tense, time)
    return sentence(f"{german}, dass {clause.german_final()}", f"{english} that {clause.english_main()}")


_WONDERING = (
    ("ich weiß nicht", "I do not know", "."),
    ("wir wissen nicht", "we do not know", "."),
    ("weißt du", "do you know", "?"),
    ("wissen Sie", "do you know", "?"),
    ("können Sie mir sagen", "can you tell me", "?"),
    ("kannst du mir sagen", "can you tell me", "?"),
    ("er fragt sich", "he wonders", "."),
    ("sie möchte wissen", "she would like to know", "."),
)


@pattern
def whether_clause(draw: Draw) -> Sides:
    """Weißt du, ob der Lehrer morgen den Test zurückgibt?"""
    german, english, mark = draw.one_of(_WONDERING)
    tense, aspect = draw.one_of(((DONE, "p"), (PLANNED, "f")))
    event = draw.event(aspect, NOTEWORTHY, third_person=True)
    time = draw.past_time(event.verb, counted=False) if tense == DONE else draw.future_time(event.verb)
    clause = clause_of(event, tense, time)
    return sentence(f"{german}, ob {clause.german_final()}", f"{english} whether {clause.english_main()}", mark)


@pattern
def indirect_question(draw: Draw) -> Sides:
    """Wissen Sie, wo meine Schwester ihre Tasche vergessen hat?"""
    german, english, mark = draw.one_of(_WONDERING)
    word, english_word, verbs = draw.one_of(
        (
            ("wo", "where", "kaufen finden verlieren vergessen treffen mieten feiern verstecken"),
            ("wann", "when", "kaufen abholen anrufen treffen reparieren besuchen unterschreiben zurückgeben"),
            ("warum", "why", "verkaufen anrufen einladen wegwerfen zurückgeben verstecken sich_beschweren_über"),
        )
    )
    clause = clause_of(draw.event("p", verbs_named(verbs), third_person=True), DONE)
    return sentence(
        f"{german}, {word} {clause.german_final()}", f"{english} {english_word} {clause.english_main()}", mark
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
    clause = clause_of(_same_person(event), SIMPLE if modal else PLANNED, modal=modal)
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
            ("einen größeren Garten", "a bigger garden", "pflanzen bauen feiern einladen"),
        )
    )
    event = draw.event("f", verbs_named(verbs), referable=True)
    subject = event.subject
    clause = clause_of(_same_person(event), UNREAL)
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
            state = _being(event.subject, draw.one_of(("müde", "krank", "hungrig")), draw, TOLD)
        else:
            little_time = Phrase("wenig Zeit", "little time", "new object")
            state = Clause(event.subject, OTHER["haben"], TOLD, (little_time,))
        german_state, english_state = state.german_final(), state.english_main()
        deed = clause_of(_same_person(event), DONE)
    return sentence(
        f"obwohl {german_state}, {deed.german_question()}", f"although {english_state}, {deed.english_main()}"
    )


@pattern
def when_somebody_came(draw: Draw) -> Sides:
    """Als ich nach Hause kam, las meine Mutter gerade die Zeitung."""
    event = draw.event("g", _SCENES, third_person=True)
    if draw.chance(0.6):
        somebody = Pronoun(draw.one_of(("I", "we"))) if draw.chance(0.5) else draw.acquaintance()
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
        lemmas = "anrufen treffen" if kind == "a" else "sich_ausruhen fernsehen lesen frühstücken einkaufen"
        then = clause_of(_same_person(draw.event("p", verbs_named(lemmas), subject=first.subject)), TOLD)
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
    duty = clause_of(_same_person(event), SIMPLE, still, modal=draw.one_of(("müssen", "wollen")))
    return sentence(
        f"bevor {going.german_final()}, {duty.german_question()}",
        f"before {going.english_main()}, {duty.english_main()}",
    )


@pattern
def while_another(draw: Draw) -> Sides:
    """Während mein Vater kochte, lasen die Kinder ein Buch."""
    first = clause_of(draw.event("g", _SCENES, third_person=True), SCENE)
    second = clause_of(draw.event("g", _SCENES, third_person=True), SCENE)
    return sentence(
        f"während {first.german_final()}, {second.german_question()}",
        f"while {first.english_main()}, {second.english_main()}",
    )


@pattern
def therefore(draw: Draw) -> Sides:
    """Meine Schwester ist krank, deshalb kann sie ihren Chef nicht besuchen."""
    event = draw.event("f", CHORES, referable=True, negated=True)
    adjective, modal = draw.one_of((("krank", "können"), ("müde", "wollen"), ("hungrig", "")))
    time = draw.time(adverbials.SOON_TIMES[4:6])
    if not modal:
        event = draw.event("f", verbs_named("kochen bestellen essen"), subject=event.subject)
        result = clause_of(_same_person(event), PLANNED, time)
    else:
        phrases = () if has_new_object(event) else (negation(),)
        result = clause_of(_same_person(event), SIMPLE, time, *phrases, modal=modal, negated=True)
    state = _being(event.subject, adjective, draw, SIMPLE)
    return sentence(
        f"{state.german_main()}, deshalb {result.german_question()}",
        f"{state.english_main()}, so {result.english_main()}",
    )


_ACCUSATIVE_IT = {"m": "ihn", "f": "sie", "n": "es", "p": "sie"}


@pattern
def but_not_found(draw: Draw) -> Sides:
    """Paul hat seinen Schlüssel gesucht, aber er hat ihn nicht gefunden."""
    subject = draw.subject(("person",), referable=True)
    search, find = verbs_named("suchen finden")
    draw.use(search.lemma, find.lemma)
    noun = draw.noun("lost")
    owner = draw.owner_for(subject) if draw.chance(0.6) else THE
    thing = draw.thing(noun, owner)
    it = "them" if thing.person == "sie" else "it"
    looked = Clause(subject, search, DONE, (Phrase(thing.german("acc"), thing.english("acc"), "object"),))
    pronoun = Phrase(_ACCUSATIVE_IT[thing.gender], it, "pronoun")
    is_found = draw.chance(0.4)
    how = Phrase("endlich", "finally", "frequency") if is_found else negation()
    found = Clause(pronoun_for(subject), find, DONE, (pronoun, how), negated=not is_found)
    german_link, english_link = ("und", "and") if is_found else ("aber", "but")
    return sentence(
        f"{looked.german_main()}, {german_link} {found.german_main()}",
        f"{looked.english_main()}, {english_link} {found.english_main()}",
    )


@pattern
def not_this_but_that(draw: Draw) -> Sides:
    """Mein Bruder hat keinen Tee, sondern Kaffee bestellt."""
    lemma, tags = draw.one_of(
        (
            ("bestellen", "drink"),
            ("bestellen", "dishes"),
            ("trinken", "drink"),
            ("kaufen", "clothing"),
            ("kaufen", "furniture"),
            ("essen", "fruit"),
            ("mieten", "own"),
            ("schreiben", "written"),
        )
    )
    verb = draw.verb(verbs_named(lemma))
    subject = draw.subject()
    wrong, right = draw.noun(tags), draw.noun(tags)
    german_wrong = draw.thing(wrong, NO, probability=0).german("acc")
    wrong, right = (draw.thing(noun, A, probability=0) for noun in (wrong, right))
    both = Phrase(
        f"{german_wrong}, sondern {right.german('acc')}", f"{wrong.english()} but {right.english()}", "new object"
    )
    time = draw.past_time(verb, counted=False)
    return statement(Clause(subject, verb, DONE, (both, time), negated=True))
