"""The interface of an analysis: options and runs in, findings out."""

import abc
import functools
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from data.errors import InputError, counted
from interacting_head.config import SITES

if TYPE_CHECKING:
    from interacting_head.analysis import analysed_run

AnalysedRun: TypeAlias = "analysed_run.AnalysedRun"
Pair: TypeAlias = "analysed_run.Pair"
Sample: TypeAlias = "analysed_run.Sample"

SITE_TITLES = {site: site for site in SITES} | {"cross": "encoder-decoder"}
"""Site of an attention layer → its name in figures; tables and figures use this order."""


def in_order(places: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the distinct attention layers, `(site, number)`, in the order of tables and figures."""
    return sorted(set(places), key=lambda place: (SITES.index(place[0]), place[1]))


def add_up(sums: dict, values: dict) -> None:
    """Add the values of one sentence, numbers or arrays by name, to the sums over sentences."""
    for name, value in values.items():
        sums[name] = sums.get(name, 0) + value


def with_samples(runs: list, arguments: Namespace) -> list[tuple[AnalysedRun, Sample]]:
    """Return each run with its sample, so that a missing text is an error before the first run is analysed."""
    return [(run, run.sample(arguments)) for run in runs]


def check_at_least(least: int, **options: int | None) -> None:
    """Raise `InputError` if a command-line option is given and below `least`."""
    for name, value in options.items():
        if value is not None and value < least:
            raise InputError(f"--{name.replace('_', '-')} must be at least {least}, got {value}")


@dataclass
class Findings:
    """Results of an analysis."""

    rows: list[dict] = field(default_factory=list)  # lines of the CSV file and the printed table, with equal keys
    summary: list[dict] = field(default_factory=list)  # printed if there are too many rows; default: the first rows
    data: dict = field(default_factory=dict)  # more values for the JSON file, plain Python or NumPy
    notes: list[str] = field(default_factory=list)  # printed, and written to the JSON file
    figures: dict[str, Callable] = field(default_factory=dict)  # name → function that draws on an empty `Figure`
    files: dict[str, str] = field(default_factory=dict)  # name → text of another output file

    def add_run(self, run: AnalysedRun, sample: Sample, rows: list[dict], more: str = "") -> None:
        """Add the rows of a run, and notes on the sample they are computed from."""
        self.rows += rows
        self.notes += [*sample.notes, f"{run.name}: {counted(len(sample), 'sentence')} of {sample.name}{more}"]

    def by_sentence(self) -> dict[int, dict[str, dict]]:
        """Return `{number: {run: sentence}}` from the sentences of each run in `data`."""
        found = {}
        for run, sentences in self.data["sentences"].items():
            for sentence in sentences:
                found.setdefault(sentence["number"], {})[run] = sentence
        return found

    def add_figure(self, name: str, draw: Callable, *values: object) -> None:
        """Add a figure, to be drawn by `draw(*values, figure)`."""
        self.figures[name] = functools.partial(draw, *values)


class Analysis(abc.ABC):
    """An analysis of one or several runs."""

    name: str  # on the command line and in file names
    summary: str  # its line in the help text

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 (most have none)
        """Add its own options to its parser."""

    def check(self, arguments: Namespace) -> None:  # noqa: B027
        """Raise `InputError` for options that are wrong for any run, before anything is loaded."""

    @abc.abstractmethod
    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        """Return the `Findings`; raise `InputError` if a run or its sentences cannot be analysed this way."""
