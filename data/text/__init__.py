"""Text on its way to sub-words and back.

In come the files of a parallel text, out go the same lines in the form of a profile, cleaned, and the sub-word models
learnt on them. Start at `profiled_text.py`, and at `vocabularies.py` for sub-words.
"""
