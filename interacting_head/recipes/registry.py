"""The registry of recipes: experiments by name, one by one or as a grid."""

import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from interacting_head.config import ExperimentConfig
from interacting_head.config.values import entry_of

SMALL = "_small"
"""The end of the names of recipes that stand in for those of a paper on a CPU."""

SMALL_DEFINITION = "sacreBLEU of the text as it is; no paper has a number for it"


@dataclass(frozen=True)
class Recipe:
    """A function that makes a configuration, with its paper and score.

    Args:
        name: by which `train.py` knows it.
        make: gives the `ExperimentConfig`.
        paper: authors and year, or a dash.
        table: the paper's tables with its result.
        expected_score: gives the score to expect.
        definition: which score that is, of which text, and what else the paper prints of the experiment.
        lab_note: gives the docstring of `make`, filled in.
    """

    name: str
    make: Callable[[], ExperimentConfig]
    paper: str
    table: str
    expected_score: Callable[[], str]
    definition: str
    lab_note: Callable[[], str]

    @property
    def expected(self):
        """The score to expect; for an experiment of a paper what the paper prints."""
        return self.expected_score()

    @property
    def note(self):
        """The lab note: what it is, what was decided where the paper is silent, the command."""
        return self.lab_note()

    @property
    def is_small(self):
        """Return whether it stands in for an experiment of a paper on a CPU."""
        return self.name.endswith(SMALL)


RECIPES = {}
"""Name → `Recipe`, in the order in which they are listed."""


def recipe(paper, table, expected, definition):
    """Registers the decorated function under its name; its docstring is the lab note."""

    def register(make):
        _add(make.__name__, make, paper, table, lambda: expected, definition, {}, make.__doc__)
        return make

    return register


def grid(name, *, paper, table, expected, definition, small=None, **axes):
    """Registers the decorated function once for each combination of the values of its arguments.

    Args:
        name: template of the names, such as `"ih_{corpus}_h{heads}"`.
        paper: authors and year.
        table: function of the arguments that gives the table with the paper's result.
        expected: function of the arguments that gives the score that the paper prints.
        definition: function of the arguments that says which score that is.
        small: function `(config, **arguments)` that gives the configuration of a sibling for a CPU, whose name
            ends in `_small`. Without it there are no siblings.
        **axes: the values of each argument.

    The docstrings of the decorated function and of `small` are templates of lab notes. Both know the arguments,
    `{name}`, `{table}` and `{expected}`.
    """

    def register(make):
        for values in itertools.product(*axes.values()):
            arguments = dict(zip(axes, values, strict=True))
            here, tables = name.format(**arguments), table(**arguments)
            of_paper, printed = partial(make, **arguments), partial(expected, **arguments)
            noted = {**arguments, "table": tables}
            _add(here, of_paper, paper, tables, printed, definition(**arguments), noted, make.__doc__)
            if small:
                sibling = partial(_make_small, make, small, arguments)
                shown = f"like {tables}", lambda: "–", SMALL_DEFINITION
                _add(here + SMALL, sibling, paper, *shown, noted, small.__doc__)
        return make

    return register


def get(name):
    """The configuration of the recipe called `name`.

    Raises:
        InputError: for an unknown name; it names the nearest.
    """
    return entry_of(RECIPES, name, "recipe", hint="python train.py --list shows the recipes").make()


def _make_small(make, small, arguments):
    return small(make(**arguments), **arguments)


def _add(name, make, paper, table, expected, definition, arguments, template):
    def note():
        if template is None:
            return "The lab note is left out: it is a docstring, and Python runs with -OO."
        return inspect.cleandoc(template.format(**arguments, name=name, expected=expected()))

    RECIPES[name] = Recipe(name, make, paper, table, expected, definition, note)
