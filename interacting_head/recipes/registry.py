"""The registry of recipes, added one by one or as a grid."""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from interacting_head.config import ExperimentConfig
from interacting_head.config.values import entry_of

SMALL = "_small"
"""Suffix of the small versions of a paper's recipes, for a CPU."""
SMALL_DEFINITION = "sacreBLEU of untokenised text; no paper reports this score"


class Printed(NamedTuple):
    """Result of an experiment in a paper."""

    table: str  # the tables with its result
    expected: str  # the score
    definition: str  # the metric and the text that it belongs to


@dataclass(frozen=True)
class Recipe:
    """A function that makes a configuration, with its paper and score.

    Args:
        paper: authors and year, or a dash.
        template: of the description: what the recipe is, and decisions that the paper leaves open. Its fields are the
            arguments, `{table}` and `{expected}`.
    """

    name: str
    make: Callable[[], ExperimentConfig]
    paper: str
    get_printed: Callable[[], Printed]
    template: str | None
    arguments: Mapping = field(default_factory=dict)

    @functools.cached_property
    def printed(self) -> Printed:
        """The numbers that the paper prints; for other recipes, the score to expect."""
        found = self.get_printed()
        return Printed(f"like {found.table}", "–", SMALL_DEFINITION) if self.is_small else found

    @property
    def note(self) -> str:
        """The description."""
        if self.template is None:
            return "No description: it is a docstring, which Python removes with -OO."
        known = {"table": self.get_printed().table, "expected": self.printed.expected}
        return inspect.cleandoc(self.template.format(**known, **self.arguments))

    @property
    def is_small(self) -> bool:
        """Return whether this is the small version of a paper's recipe."""
        return self.name.endswith(SMALL)


RECIPES: dict[str, Recipe] = {}
"""Recipes by name, in the order of the list."""


def recipe(expected: str, definition: str) -> Callable:
    """Register the decorated function as a recipe of no paper; its docstring is the description."""

    def register(make):
        printed = Printed("-", expected, definition)
        RECIPES[make.__name__] = Recipe(make.__name__, make, "-", lambda: printed, make.__doc__)
        return make

    return register


def grid(name: str, *, paper: str, make: Callable, printed: Callable, small: Callable, **axes: Iterable) -> None:
    """Register a recipe and its small version for each combination of the values of its arguments.

    Args:
        name: template of the names, such as `"ih_{corpus}_h{heads}"`; small versions end in `_small`.
        make, printed: functions of the arguments that return the configuration and a `Printed`.
        small: function `(config, **arguments)` that returns the small configuration. The docstrings of both functions
            are templates of the descriptions.
        **axes: the values of each argument.
    """
    for values in itertools.product(*axes.values()):
        arguments = dict(zip(axes, values, strict=True))
        whole, numbers = functools.partial(make, **arguments), functools.partial(printed, **arguments)
        sibling = functools.partial(_make_small, make, small, arguments)
        here = name.format(**arguments)
        for called, made, template in ((here, whole, make.__doc__), (here + SMALL, sibling, small.__doc__)):
            RECIPES[called] = Recipe(called, made, paper, numbers, template, arguments)


def _make_small(make, small, arguments):
    return small(make(**arguments), **arguments)


def get(name: str) -> ExperimentConfig:
    """Return the configuration of a recipe; raise `InputError` with the most similar name if it is unknown."""
    return entry_of(RECIPES, name, "recipe", hint="interacting-head train --list shows the recipes").make()
