"""Experiments by name. A recipe is a function whose docstring is its lab note; `train.py --list` shows them all."""

import importlib

from interacting_head.recipes.command_line import print_list, resolve
from interacting_head.recipes.registry import RECIPES, Recipe, get, grid, recipe

__all__ = ["RECIPES", "Recipe", "get", "grid", "print_list", "recipe", "resolve"]

# Each registers its recipes; they are listed in this order.
for _module in ("own", "interacting_head", "dynamic_head_importance", "multi_hop", "multi_layer"):
    importlib.import_module(f"interacting_head.recipes.{_module}")
