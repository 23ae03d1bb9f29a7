"""Heads and sources switched off: what translations are worth without them, and models without them.

`head_gates` switches, `masking` translates under masks, `head_order` says which heads go first, `pruning` follows such
an order, `pruned_run` removes heads for good.
"""
