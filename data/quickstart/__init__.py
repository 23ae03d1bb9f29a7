"""The grammar behind `data.quickstart_corpus`: lexicon tables, inflection, clauses and sentence patterns.

In come random choices (`draw.Draw`), out goes a sentence in German and English. Start at `patterns_main.py`, where each
function is a pattern of sentences; `clauses.py` puts the words in order, `phrases.py` and `entries.py` inflect them.
"""
