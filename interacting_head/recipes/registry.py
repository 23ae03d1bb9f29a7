"""The registry of recipes: experiments by name, one by one or as a grid."""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from interacting_head.config import ExperimentConfig
from interacting_head.config.values import entry_of

SMALL = "_small"
"""The suffix of recipes that stand in for a paper's recipe on a CPU."""
SMALL_DEFINITION = "sacreBLEU of the text as it is; no paper has a number for it"


class Printed(NamedTuple):
    """Result of an experiment in a paper."""

    table: str  # the tables with its result
    expected: str  # the score
    definition: str  # which score that is, of which text


@dataclass(frozen=True)
class Recipe:
    """A function that makes a configuration, with its paper and score.

    Args:
        make: gives the `ExperimentConfig`.
        paper: authors and year, or a dash.
        get_printed: gives the `Printed`, when it is needed.
        template: of the lab note: what it is, what was decided where the paper is silent, the command. It knows the
            arguments, `{name}`, `{table}` and `{expected}`.
    """

    name: str
    make: Callable[[], ExperimentConfig]
    paper: str
    get_printed: Callable[[], Printed]
    template: str | None
    arguments: Mapping = field(default_factory=dict)

    @functools.cached_property
    def printed(self) -> Printed:
        """The numbers that the paper prints; for other recipes the score to expect."""
        found = self.get_printed()
        return Printed(f"like {found.table}", "–", SMALL_DEFINITION) if self.is_small else found

    @property
    def note(self) -> str:
        """The lab note."""
        if self.template is None:
            return "The lab note is left out: it is a docstring, and Python runs with -OO."
        known = {"name": self.name, "table": self.get_printed().table, "expected": self.printed.expected}
        return inspect.cleandoc(self.template.format(**known, **self.arguments))

    @property
    def is_small(self) -> bool:
        """Return whether it stands in for an experiment of a paper on a CPU."""
        return self.name.endswith(SMALL)


RECIPES: dict[str, Recipe] = {}
"""Recipes by name, in the order in which they are listed."""


def recipe(expected: str, definition: str) -> Callable:
    """Register the decorated function, which is of no paper, under its name; its docstring is the lab note."""

    def register(make):
        printed = Printed("-", expected, definition)
        RECIPES[make.__name__] = Recipe(make.__name__, make, "-", lambda: printed, make.__doc__)
        return make

    return register


def grid(name: str, *, paper: str, make: Callable, printed: Callable, small: Callable, **axes: Iterable) -> None:
    """Register a function once for each combination of the values of its arguments, and siblings for a CPU.

    Args:
        name: template of the names, such as `"ih_{corpus}_h{heads}"`; siblings have `_small` at the end.
        paper: authors and year.
        make: function of the arguments that gives the configuration; its docstring is the template of lab notes.
        printed: function of the arguments that gives a `Printed`.
        small: function `(config, **arguments)` that gives the configuration of a sibling; its docstring is the template
            of their lab notes.
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
    """Return the configuration of the recipe called `name`; raise `InputError` for an unknown one, with the nearest."""
    return entry_of(RECIPES, name, "recipe", hint="python train.py --list shows the recipes").make()
