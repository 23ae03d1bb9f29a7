"""The tables and figures of the four papers, and this project's own studies: each file registers its tables.

Out come entries of `tables.TABLES`: cells with their experiments and printed numbers, test sets, and claims.
"""

import importlib

# They are listed in this order.
for _module in ("li_luo", "dhicm", "multi_hop", "mlmha", "interacting", "quickstart"):
    importlib.import_module(f"{__name__}.{_module}")
