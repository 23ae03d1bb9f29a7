"""Hyper-parameter search: `python -m interacting_head.tune`. Start at `search.py`."""
