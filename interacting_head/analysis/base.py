"""The interface of an analysis: options, runs in, findings out."""

import abc
import functools
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from data.errors import InputError

SITES = {"encoder": "encoder", "decoder": "decoder", "cross": "encoder-decoder"}
"""Site of an attention layer → its name in figures, in the order of tables and figures."""


def in_order(places: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return different places of attention layers, `(site, number)`, in the order of tables and figures."""
    return sorted(set(places), key=lambda place: (list(SITES).index(place[0]), place[1]))


def add_up(sums: dict, values: dict):
    """Add the values of a sentence, numbers or arrays by name, to the sums over sentences."""
    for name, value in values.items():
        sums[name] = sums.get(name, 0) + value


def check_at_least(least: int, **options: int | None):
    """Raise `InputError` for an option of the command line that is given and below `least`."""
    for name, value in options.items():
        if value is not None and value < least:
            raise InputError(f"--{name.replace('_', '-')} must be at least {least}, got {value}")


@dataclass
class Findings:
    """Results of an analysis.

    Attributes:
        rows: flat dictionaries with the same keys: lines of the CSV file and of the printed table.
        summary: the rows to print where there are too many to print all; by default the first ones.
        data: further nested values for the JSON file, plain Python or NumPy.
        notes: lines that are printed and written to the JSON file.
        figures: {name of the files: function that draws on an empty matplotlib `Figure`}.
        files: {name: text} of further files.
    """

    rows: list[dict] = field(default_factory=list)
    summary: list[dict] = field(default_factory=list)
    data: dict = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    figures: dict[str, Callable] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def add_run(self, run, sample, rows: list[dict], more: str = ""):
        """Add the rows of an `AnalysedRun`, and notes on the `Sample` they are computed from."""
        self.rows += rows
        self.notes += [*sample.notes, f"{run.name}: {len(sample):,} sentences of {sample.name}{more}"]

    def add_figure(self, name: str, draw: Callable, *values: object):
        """Add a figure that `draw(*values, figure)` draws."""
        self.figures[name] = functools.partial(draw, *values)


class Analysis(abc.ABC):
    """An analysis of one or several runs.

    Attributes:
        name: of the analysis on the command line, and of its files.
        summary: its line of the help text.
    """

    name: str
    summary: str

    def add_arguments(self, parser: ArgumentParser):  # noqa: B027 (most have none)
        """Add its own options to its parser."""

    def check(self, arguments: Namespace):  # noqa: B027
        """Raise `InputError` for options that are wrong for any run; nothing is loaded yet."""

    @abc.abstractmethod
    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        """Return the `Findings` of `AnalysedRun`s with different names.

        Raises:
            InputError: for runs or sentences that cannot be analysed this way.
        """
