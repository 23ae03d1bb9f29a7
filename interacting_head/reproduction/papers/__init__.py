"""The tables and figures of the four papers, and this project's own studies; each file registers its tables."""

import importlib

# Tables are listed in this order.
for _module in ("li_luo", "dhicm", "multi_hop", "mlmha", "interacting", "quickstart"):
    importlib.import_module(f"{__name__}.{_module}")
