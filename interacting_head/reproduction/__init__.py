"""Reproduction of the papers' tables: `interacting-head reproduce`.

For a table such as `li_luo/3`, it trains runs, stores their scores, and reports verdicts on the paper's claims.
`tables` defines tables, `papers` registers them, `runner` trains and scores what is missing, `results` stores it,
`report` and `claims` read it without running anything. Start at `tables.py`.
"""

from interacting_head.reproduction import papers  # noqa: F401  registers the tables
