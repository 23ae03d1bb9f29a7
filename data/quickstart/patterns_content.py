"""What is said, asked or joined: dass, ob and question words, deshalb, aber and sondern."""

from data.quickstart import adverbials
from data.quickstart.clauses import (
    DONE,
    FUTURE,
    PLANNED,
    SIMPLE,
    Clause,
    Phrase,
)
from data.quickstart.draw import Draw
from data.quickstart.lexicon import OTHER
from data.quickstart.patterns import (
    CHORES,
    NOTEWORTHY,
    Sides,
    being_clause,
    clause_of,
    has_new_object,
    negation,
    pattern,
    same_person,
    sentence,
    statement,
    verbs_named,
)
from data.quickstart.phrases import NO, THE, A, pronoun_for

_ATTITUDES = (
    ("es ist schön", "it is nice"),
    ("es ist schade", "it is a pity"),
    ("es stimmt", "it is true"),
    ("ich bin froh", "I am glad"),
    ("ich finde es gut", "I think it is good"),
)


@pattern
def that_clause(draw: Draw) -> Sides:
    """Ich hoffe, dass mein Onkel bald sein Boot verkauft."""
    tense, aspect = draw.one_of(((DONE, "p"), (PLANNED, "f"), (FUTURE, "f")))
    if draw.chance(0.3):
        german, english = draw.one_of(_ATTITUDES)
    else:
        hoping = () if tense == DONE else (OTHER["hoffen"],)
        verb = draw.verb([OTHER["glauben"], OTHER["wissen"], OTHER["sagen"], OTHER["hören"], *hoping])
        matrix = Clause(draw.subject(), verb, DONE if verb.lemma == "hören" else SIMPLE)
        german, english = matrix.german_main(), matrix.english_main()
    event = draw.event(aspect, NOTEWORTHY, pronouns=False)
    time = draw.past_time(event.verb, counted=False) if tense == DONE else draw.future_time(event.verb)
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
def therefore(draw: Draw) -> Sides:
    """Meine Schwester ist krank, deshalb kann sie ihren Chef nicht besuchen."""
    event = draw.event("f", CHORES, referable=True, negated=True)
    adjective, modal = draw.one_of((("krank", "können"), ("müde", "wollen"), ("hungrig", "")))
    time = draw.time(adverbials.SOON_TIMES[4:6])
    if not modal:
        event = draw.event("f", verbs_named("kochen bestellen essen"), subject=event.subject)
        result = clause_of(same_person(event), PLANNED, time)
    else:
        phrases = () if has_new_object(event) else (negation(),)
        result = clause_of(same_person(event), SIMPLE, time, *phrases, modal=modal, negated=True)
    state = being_clause(event.subject, adjective, draw, SIMPLE)
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
    owner = draw.owner_for(subject) if subject.person not in ("wir", "sie") and draw.chance(0.7) else THE
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
