"""The search for translations: from source ids and `options.SearchOptions` to ids with scores, without text or files.

`beam_search` works on next-token logits, and `constraints` forbids tokens; `transformer_search` gets the logits from a
Transformer, with caches, and scores given translations. Start at `transformer_search.py`.
"""
