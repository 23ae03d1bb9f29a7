"""Corpora by name: where they come from, and the files of their splits.

In come a name, or a mix of names, and two languages; out goes a `corpus.Corpus` of line-aligned files, fetched, built
from archives or generated where they do not lie in the folder of corpora. Start at `corpus.py`.
"""
