"""Reproduction of the papers' tables: `python -m interacting_head.reproduce`.

The name of a table goes in (`li_luo/3`); out come trained runs, their scores as stored results, and a report with
verdicts on the paper's claims. `tables` says what a table consists of, a file for each paper in `papers` fills the
registry, `runner` makes what is missing, `results` keeps it, `report` and `claims` read it and run nothing. Start at
`tables.py`.
"""

from interacting_head.reproduction import papers  # noqa: F401  registers the tables
