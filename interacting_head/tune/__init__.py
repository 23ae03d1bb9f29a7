"""Hyper-parameter search: `interacting-head tune`. Start at `search.py`."""
