"""Text on its way to sub-words and back; start at `preprocessed_text.py`, and at `vocabularies.py` for sub-words."""
