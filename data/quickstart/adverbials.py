"""Times, frequencies, names, towns and numbers of the quickstart grammar, each with its English side."""

from typing import NamedTuple


def words(text: str) -> list[str]:
    """A list written as one string, as most tables here are."""
    return text.split()


MALE_NAMES = words("Peter Thomas Paul Lukas Max Felix Jonas Markus Stefan Tobias Martin Daniel Simon Jan")
FEMALE_NAMES = words("Anna Maria Lena Julia Sophie Emma Laura Claudia Katrin Nina Sabine Lisa Hannah Eva")
SURNAMES = words("Müller Schmidt Weber Becker Wagner Fischer Hoffmann Koch Klein Braun")

_CITIES = "Berlin Hamburg Bremen Dresden Leipzig Stuttgart Frankfurt Köln=Cologne München=Munich"
_MORE_CITIES = "Wien=Vienna Zürich=Zurich Paris London Rom=Rome Madrid Prag=Prague Brüssel=Brussels"
_COUNTRIES = "Italien=Italy Spanien=Spain Frankreich=France Norwegen=Norway Polen=Poland Portugal Japan"
_MORE_COUNTRIES = "Kanada=Canada Schweden=Sweden Griechenland=Greece Irland=Ireland Dänemark=Denmark"
_WEEKDAYS = "Montag=Monday Dienstag=Tuesday Mittwoch=Wednesday Donnerstag=Thursday Freitag=Friday"
_WEEKEND = "Samstag=Saturday Sonntag=Sunday"
_NUMBERS = "zwei=two drei=three vier=four fünf=five sechs=six sieben=seven acht=eight neun=nine zehn=ten"
_MORE_NUMBERS = "elf=eleven zwölf=twelve"


class Pair(NamedTuple):
    """A German expression and its English counterpart."""

    german: str
    english: str


def _pairs(text: str) -> list[Pair]:
    """Reads "Köln=Cologne Berlin", an expression without "=" being the same in both languages."""
    sides = [entry.partition("=") for entry in text.split()]
    return [Pair(german, english or german) for german, _, english in sides]


def _phrase_pairs(text: str) -> list[Pair]:
    return [Pair(*(side.strip() for side in line.split("="))) for line in text.strip().splitlines()]


CITIES = _pairs(f"{_CITIES} {_MORE_CITIES}")
COUNTRIES = _pairs(f"{_COUNTRIES} {_MORE_COUNTRIES}")
WEEKDAYS = _pairs(f"{_WEEKDAYS} {_WEEKEND}")
NUMBERS = _pairs(f"{_NUMBERS} {_MORE_NUMBERS}")

FREQUENCIES = _phrase_pairs(
    """oft = often
    manchmal = sometimes
    selten = rarely
    regelmäßig = regularly
    häufig = frequently
    nie = never
    fast nie = almost never"""
)
CUSTOMS = _phrase_pairs(
    """immer = always
    meistens = usually"""
)
CUSTOMARY_TIMES = _phrase_pairs(
    """am Abend = in the evening
    am Morgen = in the morning
    am Nachmittag = in the afternoon
    am Wochenende = on weekends
    im Sommer = in summer
    im Winter = in winter"""
)
DAILY_TIMES = _phrase_pairs(
    """jeden Morgen = every morning
    jeden Abend = every evening
    jeden Nachmittag = every afternoon
    jeden Tag = every day"""
)
WEEKLY_TIMES = [
    Pair("jede Woche", "every week"),
    *(Pair(f"jeden {day.german}", f"every {day.english}") for day in WEEKDAYS),
]
# How long ago or ahead an event may be depends on its weight: nobody drinks tea "eleven months ago".
RECENT_TIMES = [
    *_phrase_pairs(
        """gestern = yesterday
        gestern Abend = yesterday evening
        gestern Nachmittag = yesterday afternoon
        gestern Morgen = yesterday morning
        heute Morgen = this morning"""
    ),
]
HOURS_AGO = [
    Pair("vor einer Stunde", "an hour ago"),
    *(Pair(f"vor {number.german} Stunden", f"{number.english} hours ago") for number in NUMBERS[:4]),
]
PAST_DAYS = [
    Pair("vorgestern", "the day before yesterday"),
    *(Pair(f"am {day.german}", f"on {day.english}") for day in WEEKDAYS),
    *(Pair(f"letzten {day.german}", f"last {day.english}") for day in WEEKDAYS),
]
DAYS_AGO = [Pair(f"vor {number.german} Tagen", f"{number.english} days ago") for number in NUMBERS[:5]]
LAST_SEASONS = _phrase_pairs(
    """letzte Woche = last week
    letzten Monat = last month
    letztes Jahr = last year
    letzten Sommer = last summer
    letzten Herbst = last fall
    letzten Winter = last winter
    im letzten Frühling = last spring"""
)
LONG_AGO = [
    Pair("vor Kurzem", "recently"),
    *(Pair(f"vor {number.german} Wochen", f"{number.english} weeks ago") for number in NUMBERS[:4]),
    *(Pair(f"vor {number.german} Monaten", f"{number.english} months ago") for number in NUMBERS[:10]),
    *(Pair(f"vor {number.german} Jahren", f"{number.english} years ago") for number in NUMBERS),
]
SOON_TIMES = _phrase_pairs(
    """morgen = tomorrow
    morgen früh = tomorrow morning
    morgen Abend = tomorrow evening
    morgen Nachmittag = tomorrow afternoon
    heute Abend = this evening
    heute Nachmittag = this afternoon
    später = later"""
)
COMING_DAYS = [
    Pair("übermorgen", "the day after tomorrow"),
    *(Pair(f"am {day.german}", f"on {day.english}") for day in WEEKDAYS),
    *(Pair(f"nächsten {day.german}", f"next {day.english}") for day in WEEKDAYS),
]
DISTANT_FUTURE_TIMES = [
    *_phrase_pairs(
        """bald = soon
        nächste Woche = next week
        nächsten Monat = next month
        nächstes Jahr = next year
        nächsten Sommer = next summer
        nächsten Winter = next winter"""
    ),
    *(Pair(f"in {number.german} Wochen", f"in {number.english} weeks") for number in NUMBERS[:4]),
    *(Pair(f"in {number.german} Monaten", f"in {number.english} months") for number in NUMBERS[:5]),
]
NOW = [Pair("gerade", "right now"), Pair("im Moment", "at the moment")]
SENTENCE_ADVERBS = _phrase_pairs(
    """leider = unfortunately
    hoffentlich = hopefully
    vielleicht = maybe
    zum Glück = fortunately
    natürlich = of course
    endlich = finally"""
)
MEANS = _phrase_pairs(
    """mit dem Auto = by car
    mit dem Zug = by train
    mit dem Bus = by bus
    mit dem Fahrrad = by bicycle
    mit dem Schiff = by ship
    mit der Straßenbahn = by streetcar"""
)

ADVERBIAL_COUNT = sum(
    map(
        len,
        (
            MALE_NAMES,
            FEMALE_NAMES,
            SURNAMES,
            CITIES,
            COUNTRIES,
            WEEKDAYS,
            NUMBERS,
            FREQUENCIES,
            CUSTOMS,
            SENTENCE_ADVERBS,
        ),
    )
)
