"""The lexicon of the quickstart grammar: adjectives and places, and all tables read into entries."""

from typing import NamedTuple

from data.quickstart.adverbials import ADVERBIAL_COUNT
from data.quickstart.entries import (
    AUXILIARY_COUNT,
    Adjective,
    Noun,
    Verb,
    parse_adjective,
    parse_noun,
    parse_verb,
)
from data.quickstart.nouns import NOUN_SECTIONS
from data.quickstart.verbs import (
    DATIVE_VERBS,
    GIVING_VERBS,
    INTRANSITIVE_VERBS,
    OTHER_VERBS,
    PREPOSITIONAL_VERBS,
    SPATIAL_VERBS,
    TRANSITIVE_VERBS,
)

# Lemma[/stem], comparative, superlative = English[, comparative, superlative]; noun classes and nouns.
_ADJECTIVES = """
alt, älter, ältest = old, older, oldest; elder work device furniture own sight sold clothing lent Hund Katze Baum
neu, neuer, neuest = new, newer, newest; companion teacher clothing goods own device sold line Buch Roman Film
jung, jünger, jüngst = young, younger, youngest; job Mann Frau Hund Katze Pferd
klein, kleiner, kleinst = small, smaller, smallest; pet toy packed built town sold room small Garten Ring Lampe
groß, größer, größt = big, bigger, biggest; packed work built town sold room heavy furniture Garten Pizza
freundlich, freundlicher, freundlichst = friendly, friendlier, friendliest; everyday child relative
nett, netter, nettest = nice, nicer, nicest; everyday child relative
höflich, höflicher, höflichst = polite; everyday child
klug, klüger, klügst = smart, smarter, smartest; everyday child Hund
fleißig, fleißiger, fleißigst = diligent; relative companion studies job
faul, fauler, faulst = lazy, lazier, laziest; studies Kater Katze Hund
müde/müd, müder, müdest = tired; everyday Kind Junge Mädchen
hungrig, hungriger, hungrigst = hungry, hungrier, hungriest; Gast Tourist Kind Junge Mädchen pet watched grass
krank, kränker, kränkst = sick, sicker, sickest; Kind pet Pferd Kuh
berühmt, berühmter, berühmtest = famous; famous sight
reich, reicher, reichst = rich, richer, richest; Mann Frau Kunde Kundin Gast
geduldig, geduldiger, geduldigst = patient; relative teacher doctor companion
ehrlich, ehrlicher, ehrlichst = honest; Mann Frau companion Junge Polizist Polizistin
neugierig, neugieriger, neugierigst = curious; relative child companion Tourist pet
schüchtern, schüchterner, schüchternst = shy, shyer, shyest; child studies
mutig, mutiger, mutigst = brave, braver, bravest; Kind Junge Mädchen Polizist Polizistin Pilot Mann Frau
streng, strenger, strengst = strict, stricter, strictest; teacher Chef Chefin
beliebt, beliebter, beliebtest = popular; teacher famous lodging show
rot, röter, rötest = red, redder, reddest; colored
blau, blauer, blaust = blue, bluer, bluest; clothing packed own dish
grün, grüner, grünst = green, greener, greenest; clothing packed own dish Apfel
gelb, gelber, gelbst = yellow, yellower, yellowest; colored
schwarz, schwärzer, schwärzest = black, blacker, blackest; clothing packed own Hund Katze Kater Pferd
weiß, weißer, weißest = white, whiter, whitest; colored Kaninchen Pferd Katze
braun, brauner, braunst = brown, browner, brownest; clothing Hund Pferd Kuh packed
grau, grauer, grauest = gray, grayer, grayest; clothing Katze Esel Kater
bunt, bunter, buntest = colorful; Schal Vogel Ball Teppich Tasse Vase Kleid Rock Bluse Pullover Mütze
teuer/teur, teurer, teuerst = expensive; clothing own device furniture jewel lodging art modern sold Vase
billig, billiger, billigst = cheap, cheaper, cheapest; clothing device furniture lodging cheap Kugelschreiber
schön, schöner, schönst = beautiful; female art flower jewel nature town rented Garten Lied Vase Baum Schloss
elegant, eleganter, elegantest = elegant; formal female Mantel Handtasche Hotel
modern, moderner, modernst = modern; modern room Hotel Brücke Schule Krankenhaus Wohnung
bequem, bequemer, bequemst = comfortable; seat soft worn
warm, wärmer, wärmst = warm, warmer, warmest; warm
praktisch, praktischer, praktischst = practical; packed Taschenlampe Stadtplan Schreibtisch Staubsauger
schwer, schwerer, schwerst = heavy, heavier, heaviest; heavy
dick, dicker, dickst = thick, thicker, thickest; thick warm
lang, länger, längst = long, longer, longest; Brief Bericht Artikel story Fluss Sitzung Reise
kurz, kürzer, kürzest = short, shorter, shortest; Brief Bericht Artikel E-Mail Geschichte Gedicht Reise Rock
interessant, interessanter, interessantest = interesting; story news Artikel Bericht visited Kurs
spannend, spannender, spannendst = exciting; story Spiel Wettbewerb Reise
langweilig, langweiliger, langweiligst = boring; story Artikel Bericht Sitzung Kurs
lustig, lustiger, lustigst = funny, funnier, funniest; told show Lied Postkarte
traurig, trauriger, traurigst = sad, sadder, saddest; Geschichte Film Lied Gedicht
wichtig, wichtiger, wichtigst = important; paper signed Sitzung Frage Regel
schwierig, schwieriger, schwierigst = difficult; task Problem
einfach, einfacher, einfachst = easy, easier, easiest; task
frisch, frischer, frischest = fresh, fresher, freshest; bread fruit Brot Fisch Obst mixed Milch Orangensaft
süß, süßer, süßest = sweet, sweeter, sweetest; baked biscuit Kakao Limonade Apfel Birne Orange
reif, reifer, reifst = ripe, riper, ripest; fruit
lecker, leckerer, leckerst = tasty, tastier, tastiest; dishes baked biscuit bread
heiß, heißer, heißest = hot, hotter, hottest; brew Suppe Gemüsesuppe Tomatensuppe
kalt, kälter, kältest = cold, colder, coldest; cool
gesund, gesünder, gesündest = healthy, healthier, healthiest; mixed
hell, heller, hellst = bright, brighter, brightest; room Wohnung Büro
dunkel/dunkl, dunkler, dunkelst = dark, darker, darkest; Wald Keller Küche Wohnzimmer
gemütlich, gemütlicher, gemütlichst = cozy, cozier, coziest; lodging home Wohnzimmer Sofa Sessel
ruhig, ruhiger, ruhigst = quiet, quieter, quietest; town Wohnung Park Strand Café
sauber, sauberer, sauberst = clean, cleaner, cleanest; dish
schmutzig, schmutziger, schmutzigst = dirty, dirtier, dirtiest; dish
kaputt, kaputter, kaputtest = broken;
leer, leerer, leerst = empty, emptier, emptiest; Flasche Glas Kiste
voll, voller, vollst = full, fuller, fullest; Bus Zug Straßenbahn
hoch/hoh, höher, höchst = tall, taller, tallest; tall
tief, tiefer, tiefst = deep, deeper, deepest; See Fluss
breit, breiter, breitest = wide, wider, widest; Fluss Bett Regal Tor
wild, wilder, wildest = wild, wilder, wildest; Affe Elefant Löwe Bär Fuchs Ente
zahm, zahmer, zahmst = tame, tamer, tamest; Kaninchen Eichhörnchen Vogel
gut, besser, best = good, better, best; Wein Restaurant doctor Film Buch friend teacher Koch Köchin
schlecht, schlechter, schlechtest = bad, worse, worst; Film Restaurant Roman
schnell, schneller, schnellst = fast, faster, fastest; Auto Motorrad Boot Zug Computer Laptop Pferd
langsam, langsamer, langsamst = slow, slower, slowest; Computer Bus Laptop
gefährlich, gefährlicher, gefährlichst = dangerous; Löwe Bär Elefant
italienisch, -, - = Italian; Wein Käse Restaurant Film Lied
französisch, -, - = French; Wein Käse Restaurant Film Roman
spanisch, -, - = Spanish; Wein Film Lied
deutsch, -, - = German; Bier Film Roman
glücklich, glücklicher, glücklichst = happy, happier, happiest;
zufrieden, zufriedener, zufriedenst = satisfied;
stolz, stolzer, stolzest = proud, prouder, proudest;
wütend, wütender, wütendst = angry, angrier, angriest;
nervös, nervöser, nervösest = nervous; studies
stark, stärker, stärkst = strong, stronger, strongest;
fröhlich, fröhlicher, fröhlichst = cheerful; child
vorsichtig, vorsichtiger, vorsichtigst = careful;
"""

# Some verbs say more about their object than its class does: what is repaired is broken, not brand-new.
_ADJECTIVES_BY_VERB = """
reparieren: kaputt alt
waschen:
putzen: klein
wegwerfen: alt
zerbrechen: schön
retten: klein
bauen: klein groß schön
streichen: alt klein
füttern: hungrig
organisieren: groß klein
vorbereiten:
malen: schön klein
beantworten: wichtig lang
öffnen: klein groß
schließen: klein groß
tragen: schwer
fragen: freundlich nett
sich beschweren über: teuer
untersuchen: krank
pflanzen: schön klein
verpassen:
feiern:
"""

# Noun; where: German and English preposition; where to: the same; classes that verbs ask for.
_PLACES = """
Küche; in in; in into; home home-inside working room
Wohnzimmer; in in; in into; home home-inside asleep quiet room
Schlafzimmer; in in; in into; asleep room
Badezimmer; in in; in into; room Badezimmer
Garten; in in; in into; home yard everywhere play
Balkon; auf on; auf onto; home yard asleep quiet
Keller; in in; in into; everywhere room
Büro; in in; in into; working everywhere
Park; in in; in to; nature everywhere play public outing quiet
Wald; in in; in into; nature Wald
See; an at; an to; nature fishing outing water
Fluss; an by; an to; fishing
Strand; an on; an to; nature play everywhere outing
Supermarkt; in at; in to; shop public errand
Bäckerei; in at; in to; shop errand
Apotheke; in at; in to; shop errand
Buchhandlung; in at; in to; public shop errand
Markt; auf at; auf to; shop public errand
Restaurant; in at; in to; lodging outing
Café; in at; in to; lodging public outing
Hotel; in at; in to; lodging
Kino; in at; in to; public outing
Theater; in at; in to; public outing
Museum; in at; in to; public outing
Bibliothek; in at; in to; quiet public outing errand
Krankenhaus; in at; in to; working
Zoo; in at; in to; outing public
Schwimmbad; in in; in to; water outing
Bahnhof; an at; zu to; station waiting public errand
Flughafen; an at; zu to; station errand
Haltestelle; an at; zu to; waiting
Spielplatz; auf on; auf to; play
Universität; an at; zu to; working public
Werkstatt; in in; in into; working everywhere
Dorf; in in; in into; town
Stadt; in in; in into; town
"""


class Place(NamedTuple):
    """A place with the prepositions, as (German, English), that say where and where to."""

    noun: Noun
    where: tuple[str, str]
    where_to: tuple[str, str]
    tags: frozenset[str]


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


def _verbs(table: str) -> list[Verb]:
    return [parse_verb(line) for line in _lines(table)]


NOUNS: list[Noun] = [parse_noun(line, section) for section, table in NOUN_SECTIONS.items() for line in _lines(table)]
NOUN = {noun.lemma: noun for noun in NOUNS}
ADJECTIVES: list[Adjective] = [parse_adjective(line) for line in _lines(_ADJECTIVES)]
ADJECTIVE = {adjective.lemma: adjective for adjective in ADJECTIVES}
ADJECTIVES_BY_VERB = {
    verb: [ADJECTIVE[lemma] for lemma in lemmas.split()]
    for verb, _, lemmas in (line.partition(":") for line in _lines(_ADJECTIVES_BY_VERB))
}

TRANSITIVE = _verbs(TRANSITIVE_VERBS)
INTRANSITIVE = _verbs(INTRANSITIVE_VERBS)
PREPOSITIONAL = _verbs(PREPOSITIONAL_VERBS)
DATIVE = _verbs(DATIVE_VERBS)
GIVING = _verbs(GIVING_VERBS)
SPATIAL = {f"{verb.lemma} {verb.past}": verb for verb in _verbs(SPATIAL_VERBS)}  # hängen is two verbs
OTHER = {verb.lemma: verb for verb in _verbs(OTHER_VERBS)}
ACTIVITIES = TRANSITIVE + INTRANSITIVE + PREPOSITIONAL + DATIVE + GIVING


def _parse_place(line: str) -> Place:
    lemma, where, where_to, tags = line.split(";")
    return Place(NOUN[lemma], tuple(where.split()), tuple(where_to.split()), frozenset(tags.split()))


PLACES = [_parse_place(line) for line in _lines(_PLACES)]

_VERBS = {(verb.lemma, verb.past, verb.english) for verb in [*ACTIVITIES, *SPATIAL.values(), *OTHER.values()]}
LEXICON_SIZE = len(NOUN) + len(_VERBS) + len(ADJECTIVE) + AUXILIARY_COUNT + ADVERBIAL_COUNT
