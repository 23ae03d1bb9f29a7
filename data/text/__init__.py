"""Text to sub-words and back; start at `preprocessed_text.py`, for sub-words at `vocabularies.py`."""
