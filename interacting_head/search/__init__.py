"""The search for translations: pure functions of ids, which know no text and no files.

In come source ids and `options.SearchOptions`, out go ids with their scores. `beam_search` needs a function that gives
the next logits, and `constraints` forbids words; `transformer_search` has the logits of a Transformer, with caches, and
scores given translations. Start at `transformer_search.py`.
"""
