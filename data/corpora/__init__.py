"""Corpora by name: where they come from, and the files of their splits; start at `corpus.py`."""
