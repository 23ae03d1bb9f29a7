"""The search for translations: pure functions of ids, which know no text and no files.

In come source ids and `options.SearchOptions`, out go lists of `state.Hypotheses`. `beam_search` and `sampling` need a
function that gives the next logits; `transformer_search` has that of a Transformer, with caches. `scoring` scores given
translations. Start at `transformer_search.py`.
"""
