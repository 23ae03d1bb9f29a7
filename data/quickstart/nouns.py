"""Nouns of the quickstart grammar: article lemma, genitive, plural = English[/plural]; further classes.

The section heading gives the classes that all its nouns share. Every lemma is a class of its own as well,
so that a verb may ask for exactly one noun. Classes used below:
adult, child, elder, kin, friend, sibling — people; vehicle, thing, carry, … — what they deal with;
pair — used in the plural; rare — never put in the plural; unarticled — English says it without "the".
"""

from data.quickstart.nouns_people import PEOPLE
from data.quickstart.nouns_places import PLACES_AND_EVENTS
from data.quickstart.nouns_things import THINGS

# The order decides which words are drawn.
NOUN_SECTIONS = {**PEOPLE, **THINGS, **PLACES_AND_EVENTS}
