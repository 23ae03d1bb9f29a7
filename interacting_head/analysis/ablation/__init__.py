"""Heads and sources switched off: the effect on translation, and smaller models without them.

`head_gates` switches them, `masking` translates with masks, `head_order` orders heads by worth, `pruning` translates
along an order, `pruned_run` removes heads for good.
"""
