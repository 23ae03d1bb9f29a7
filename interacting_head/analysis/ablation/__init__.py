"""Heads and sources switched off: what translations are worth without them, and models without them.

A run and its sentences come in, BLEU under each mask goes out. `head_gates` switches, `masking` translates under many
masks, `head_order` says which heads go first, `pruning` follows such an order, `pruned_run` removes heads for good.
Start at `head_gates.py`.
"""
