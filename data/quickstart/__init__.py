"""The grammar behind `data.quickstart_corpus`: random choices (`draw.Draw`) become a German and an English sentence.

Start at `patterns.py`, with a function for each sentence pattern; `clauses.py` orders the words, `phrases.py` and
`lexicon.py` inflect them.
"""
