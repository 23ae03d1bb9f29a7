"""The stored results of a table, for claims and reports."""

import functools
import math
import statistics
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from interacting_head.metrics import METRICS, Options
from interacting_head.recipes.registry import SMALL
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.scoring import SOURCE_LENGTH
from interacting_head.reproduction.statistics import CellName, Ratio, Summary, ratio, sign_of, summary
from interacting_head.reproduction.tables import Run, Table, digest_of

CONVERGED = 0.01
"""Trainings have converged if their development loss fell by at most this share in the last fifth, on average."""
RunInCell = tuple[str, str]
"""The name of a run and a column, because a run may fill several cells of a row."""


class Scored:
    """The stored results of a table: `cells` by (row, column), and `records` by the name of their run.

    A table that is measured without runs has one `record`, or None.
    """

    def __init__(self, table: Table, small: bool, seeds: int, results: Results):
        self.table, self.small, self.results, self.name = table, small, results, result_name(table, small)
        self.rows = list(dict.fromkeys(cell.row for cell in table.cells))
        self.columns = list(dict.fromkeys(cell.column for cell in table.cells))
        self.tests = tuple(table.tests)
        self.cells = {(cell.row, cell.column): cell for cell in table.cells}
        self.record = results.read(table.measure, self.name)
        self.records, names = {}, {}
        for run in table.runs(seeds):
            if record := self.stored(run):
                self.records[run.name] = record
                names.setdefault(run.experiment, []).append(run.name)
        self._runs = {
            (row, column): [(name, column) for name in names.get(cell.experiment, [])]
            for (row, column), cell in self.cells.items()
        }
        self._statistics = functools.cache(results.statistics)

    @property
    def has_small_recipes(self) -> bool:
        """True if the runs are of small recipes; some tables of these exist in one size only."""
        return any(record["recipe"].endswith(SMALL) for record in self.records.values())

    def stored(self, run: Run) -> dict | None:
        """Return the stored record of a run, or None."""
        return self.results.run(run)

    def runs_of(self, row: str, column: str) -> list[RunInCell]:
        """Return the scored runs of a cell."""
        return self._runs.get((row, column), [])

    def record_of(self, run: RunInCell) -> dict:
        """Return the stored record of a run."""
        return self.records[run[0]]

    def seed_of(self, run: RunInCell) -> int:
        """Return the seed of a run."""
        return self.record_of(run)["config"]["train"]["seed"]

    def score(self, run: RunInCell, test: str, metric: str) -> float | None:
        """Return a score of a run, or None."""
        return self.record_of(run)["scores"].get(test, {}).get(metric, {}).get("score")

    def statistics(self, run: RunInCell) -> dict[tuple[str, str], np.ndarray]:
        """Return `{(test set, metric): statistics of sentences}` of a run, empty if none are stored."""
        return self._statistics(run[0])

    def summary(self, row: str, column: str, test: str, metric: str) -> Summary | None:
        """Return the `Summary` of a cell, or None without a score."""
        scores = [self.score(run, test, metric) for run in self.runs_of(row, column)]
        return summary([score for score in scores if score is not None])

    def mean_gain(self, cell: CellName, test: str, metric: str) -> float | None:
        """Return the mean score of a cell, negative for error rates, or None without a score."""
        found = self.summary(*cell, test, metric)
        return None if found is None else sign_of(metric) * found.mean

    def mean_fall(self, runs: Sequence[RunInCell]) -> float:
        """Return the mean share by which the development loss of runs fell in the last fifth of their training."""
        return statistics.fmean(fall_at_end(self.record_of(run)["log"]) for run in runs)

    def mean_loss(self, runs: Sequence[RunInCell]) -> float:
        """Return the mean development loss of runs at the end of their training."""
        return statistics.fmean(self.record_of(run)["log"][-1]["validation_loss"] for run in runs)

    def have_converged(self, runs: Sequence[RunInCell]) -> bool:
        """Return whether the development loss of runs fell by at most 1 % on average in the last fifth."""
        return self.mean_fall(runs) <= CONVERGED

    def catch_up(self, runs: Sequence[RunInCell], others: Sequence[RunInCell]) -> bool:
        """Return whether training as long again, at the pace of the last fifth, would give runs the others' mean loss.

        Losses of a run and its partner among the others cannot be compared if they are on different text or sub-words,
        or were trained with different label smoothing; then the answer is True.
        """

        def kind(run):
            config = self.record_of(run)["config"]
            return str(config["data"]), config["train"]["label_smoothing"]

        if any(kind(run) != kind(other) for run, other in zip(runs, others, strict=True)):
            return True
        later = self.mean_loss(runs) * max(0.0, 1 - self.mean_fall(runs)) ** 5  # five fifths
        return later <= self.mean_loss(others)


def fall_at_end(log: Sequence[dict]) -> float:
    """Return the share by which the development loss fell in the last fifth of a training.

    It is interpolated between validations, and infinite if that fifth starts before the first validation.
    """
    steps, losses = zip(*((record["step"], record["validation_loss"]) for record in log), strict=True)
    start = 0.8 * steps[-1]
    if start < steps[0]:
        return math.inf
    before = float(np.interp(start, steps, losses))
    return (before - losses[-1]) / before


class Rates(Scored):
    """The stored results of a table with a column for each learning rate; a row's first seed chooses the best.

    The other seeds are trained with that rate only, and in cells that claims name.
    """

    def mean_gain(self, cell: CellName, test: str, metric: str) -> float | None:
        found = [self.score(run, test, metric) for run in self.runs_of(*cell) if self.seed_of(run) == 1]
        return sign_of(metric) * found[0] if found and found[0] is not None else None

    def best_column(self, row: str) -> str | None:
        """Return the column of a row with the best development score, or None unless all columns have one."""
        columns = [column for column in self.columns if (row, column) in self.cells]
        gains = {column: self.mean_gain((row, column), "dev", "sacrebleu") for column in columns}
        return None if None in gains.values() else max(gains, key=gains.get)


class Measured(Scored):
    """Numbers that are measured or counted for the cells of a table, without runs; `kind` is their key of a record."""

    kind: ClassVar[str]

    def number(self, row: str, column: str) -> float | None:
        """Return the stored number of a cell, or None unless it belongs to its configuration."""
        cell, stored = self.cells.get((row, column)), self.record or {}
        if cell is None or stored.get("digests", {}).get(row, {}).get(column) != cell.experiment.digest:
            return None
        return stored[self.kind][row][column]

    def numbers(self) -> dict[str, dict[str, float]]:
        """Return `{row: {column: number}}` of the cells that have one."""
        found = {}
        for row, column in self.cells:
            if (number := self.number(row, column)) is not None:
                found.setdefault(row, {})[column] = number
        return found


class Timed(Measured):
    """The stored times of a table: seconds per epoch."""

    kind = "seconds"

    def ratio(self, row: str, baseline: str, column: str) -> Ratio | None:
        """Return the `Ratio` of the times of two rows in a column, or None if one has not been measured."""
        ours, theirs = self.number(row, column), self.number(baseline, column)
        if ours is None or theirs is None:
            return None
        turns = self.record.get("turns", {})
        return ratio(ours / theirs, *(turns.get(name, {}).get(column, []) for name in (row, baseline)))


class Counted(Measured):
    """The numbers of parameters of a table."""

    kind = "parameters"


class Losses(Scored):
    """The stored validation losses of a table, label-smoothed as in training, to base 2.

    They are scores of the metric `loss` on the test sets `epoch 1`, `epoch 2`, … (at the end of each epoch), `first`
    (the first epoch) and `lowest` (the lowest of a training).
    """

    def losses(self, run: RunInCell) -> list[float]:
        """Return the losses of a run, one for each validation."""
        return [entry["validation_smoothed_loss"] / math.log(2) for entry in self.record_of(run)["log"]]

    def score(self, run: RunInCell, test: str, metric: str) -> float | None:
        losses = self.losses(run)
        by_test = {f"epoch {number}": loss for number, loss in enumerate(losses, start=1)}
        return {**by_test, "first": losses[0], "lowest": min(losses)}.get(test)

    def statistics(self, run: RunInCell) -> dict:
        return {}


class Analysed(Scored):
    """The stored analyses of a table."""

    def stored(self, run: Run) -> dict | None:
        return self.results.analysis(self.name, run, self.table.analysis.arguments)

    def score(self, run: RunInCell, test: str, metric: str) -> float | None:
        values = self.record_of(run)["values"].get(metric, {})
        return values.get(run[1], values.get(""))

    def statistics(self, run: RunInCell) -> dict:
        return {}


class ByLength(Scored):
    """The stored results of a table with a column for each range of source lengths, such as `10–19`."""

    def score(self, run: RunInCell, test: str, metric: str) -> float | None:
        rows = self.statistics(run).get((test, metric))
        return None if rows is None or not len(rows) else METRICS[metric].score_function(Options())(rows.sum(axis=0))

    def statistics(self, run: RunInCell) -> dict[tuple[str, str], np.ndarray]:
        found = super().statistics(run)
        first, _, last = run[1].partition("–")
        kept = {}
        for (test, metric), rows in found.items():
            if (lengths := found.get((test, SOURCE_LENGTH))) is not None:
                kept[test, metric] = rows[(int(first) <= lengths[:, 0]) & (lengths[:, 0] <= float(last or math.inf))]
        return kept


MEASURES = {
    "scores": Scored,
    "rates": Rates,
    "losses": Losses,
    "epoch_seconds": Timed,
    "parameters": Counted,
    "analysis": Analysed,
    "by_length": ByLength,
}
"""`measure` of a table → reader of its results."""


def result_name(table: Table, small: bool) -> str:
    """Return the name of a table's figure, and of the results that are not stored by run; settings give it a digest."""
    name = table.name.replace("/", "_") + (SMALL if small else "")
    return f"{name}-{digest_of(table.settings)}" if table.settings else name
