"""The grammar behind `data.quickstart_corpus`: random choices (`draw.Draw`) become a German and an English sentence.

Start at `patterns.py`, where each function is a pattern of sentences; `clauses.py` puts the words in order,
`phrases.py` and `lexicon.py` inflect them.
"""
