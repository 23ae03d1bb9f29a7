"""From a paper's table to ours beside it: `python -m interacting_head.reproduce`.

In goes the name of a table (`li_luo/3`), out come trained runs, their scores as stored results, and a report with
verdicts on the paper's claims. `tables` says what a table consists of, a file for each paper fills the registry,
`runner` makes what is missing, `results` keeps it, `report` and `claims` read it and run nothing. Start at `tables.py`.
"""

import importlib

# Each registers its tables; they are listed in this order.
for _module in ("li_luo", "dhicm", "multi_hop", "mlmha", "interacting", "quickstart"):
    importlib.import_module(f"interacting_head.reproduction.{_module}")
