"""The search for hyper-parameters: `python -m interacting_head.tune`.

In come a recipe and a space of values, out go a run directory for each trial, a table and `best.yaml`. Start at
`search.py`.
"""
