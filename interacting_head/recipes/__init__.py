"""Experiments by name.

In comes the name of a recipe, out goes an `ExperimentConfig`. A recipe is a function whose docstring is its lab note,
in the file of its paper; `train.py --list` shows them all. Start at `own.py` and `registry.py`.
"""

import importlib

from interacting_head.recipes.command_line import OWN_TEXT, print_list, resolve
from interacting_head.recipes.registry import RECIPES, get

__all__ = ["OWN_TEXT", "RECIPES", "get", "print_list", "resolve"]

# Each registers its recipes; they are listed in this order.
for _module in ("own", "interacting_head", "dynamic_head_importance", "multi_hop", "multi_layer"):
    importlib.import_module(f"interacting_head.recipes.{_module}")
