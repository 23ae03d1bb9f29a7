"""The claims of the papers, and how statistics decide whether they hold here."""

import abc
import dataclasses
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from interacting_head.reproduction.statistics import LOSS, CellName, Contrast, Estimate, Ratio, estimate, growth, pair

HOLDS, FAILS = "holds here", "does not hold here"
INCONCLUSIVE, UNDECIDED, NOT_RUN = "inconclusive", "not decided", "not run"
SIGNIFICANT = 0.05
LEAST_SEEDS = 3
DELTA = 0.5
NEGLIGIBLE = {"sacrebleu": DELTA, "bleu": DELTA}
"""Metric → difference δ below which scores count as equal; only BLEU has one."""
Pairs = tuple[tuple[CellName, CellName], ...]
NO_DIFFERENCE = f"no difference larger than {DELTA}"


def cells_at(rows: str | Iterable[str], columns: str | Iterable[str]) -> tuple[CellName, ...]:
    """Return the cells of one or several rows in one or several columns, row by row."""
    rows, columns = ([names] if isinstance(names, str) else names for names in (rows, columns))
    return tuple(itertools.product(rows, columns))


def pairs(better: Iterable[CellName], others: Iterable[CellName]) -> Pairs:
    """Return each of the better cells with each of the others."""
    return tuple(itertools.product(better, others))


def pairs_by_column(row: str, other: str, columns: Iterable[str]) -> Pairs:
    """Return the cells of two rows, column by column."""
    return tuple(((row, column), (other, column)) for column in columns)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, as a fixed phrase, and the numbers behind it."""

    word: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Claim(abc.ABC):
    """A statement of a paper about the cells of a table."""

    statement: str
    source: str  # section and table of the paper; "" for a claim of this project's own

    @abc.abstractmethod
    def decide(self, table: Any) -> Verdict:
        """Return the `Verdict` on a `scored.Scored` table."""


@dataclasses.dataclass(frozen=True)
class Comparison(Claim):
    """Claim that weighted sums of scores of cells are positive.

    With at least three seeds, and runs that have converged or whose difference would outlast a longer training, it

    - holds if every estimate is positive and has p < 0.05,
    - does not hold if one is negative and has p < 0.05 / number of estimates (Bonferroni's correction: among many
      pairs without a difference, one easily looks worse),
    - shows no difference if every 95 % interval, over seeds and over sentences, lies within ± δ (`NEGLIGIBLE`),
    - and is inconclusive otherwise.

    p is the larger p-value of paired bootstrap over sentences and Student's t over seeds. Only runs with the same seeds
    are compared, because they see the same batches.
    """

    test: str = dataclasses.field(default="test", kw_only=True)
    metric: str = dataclasses.field(default="sacrebleu", kw_only=True)
    needs_convergence: bool = dataclasses.field(default=True, kw_only=True)

    @abc.abstractmethod
    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        """Return the contrasts that are claimed to be positive.

        `value` returns the score of a cell, higher being better, or None.
        """

    def decide(self, table: Any) -> Verdict:
        # Choose the best cells on the development text if there is one.
        selection = "dev" if "dev" in table.tests else self.test
        contrasts = self.contrasts(table.cells, lambda cell: table.mean_gain(cell, selection, self.metric))
        estimates = [estimate(table, contrast, self.test, self.metric) for contrast in contrasts]
        found = [one for one in estimates if one is not None]
        reason = "; ".join(map(str, found))
        if not found:
            return Verdict(NOT_RUN, "")
        enough = [one for one in found if one.seeds >= LEAST_SEEDS]
        learning = [one for one in enough if self.needs_convergence and self.is_open(one)]
        # A single significant difference the other way refutes the claim.
        if any(self.refutes(one, len(estimates)) for one in enough if one not in learning):
            return Verdict(FAILS, reason)
        if len(found) < len(estimates):
            return Verdict(NOT_RUN, f"so far {reason}")
        if len(enough) < len(found):
            fewest = min(found, key=lambda one: one.seeds)
            return Verdict(UNDECIDED, f"{reason}; fewer than {LEAST_SEEDS} seeds: {fewest.label}")
        if learning:
            return Verdict(UNDECIDED, f"{reason}; still learning: {', '.join(one.label for one in learning)}")
        return Verdict(self.word(found), reason)

    def is_open(self, one: Estimate) -> bool:
        """Return whether a longer training might change what an estimate shows."""
        outlasts = one.p_value < SIGNIFICANT and not one.reversible
        return not one.converged and not outlasts

    def refutes(self, one: Estimate, count: int) -> bool:
        """Return whether one of `count` estimates shows that the claim does not hold."""
        return one.gain < 0 and one.p_value < SIGNIFICANT / count

    def word(self, estimates: Sequence[Estimate]) -> str:
        """Return the word of a verdict on estimates that do not refute the claim."""
        if all(one.gain > 0 and one.p_value < SIGNIFICANT for one in estimates):
            return HOLDS
        negligible = NEGLIGIBLE.get(self.metric, 0.0)
        if all(-negligible < one.span[0] and one.span[1] < negligible for one in estimates):
            return NO_DIFFERENCE
        return INCONCLUSIVE


@dataclasses.dataclass(frozen=True)
class Better(Comparison):
    """Claim that one row is better than another in every column with both."""

    row: str
    baseline: str
    columns: Callable = lambda column: True  # false for columns that the claim leaves out

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        columns = dict.fromkeys(column for _, column in cells if self.columns(column))
        pairs = {column: ((self.row, column), (self.baseline, column)) for column in columns}
        return [pair(*both, label=column) for column, both in pairs.items() if set(both) <= set(cells)]


@dataclasses.dataclass(frozen=True)
class CellBetter(Comparison):
    """Claim that the first cell of each pair is better."""

    pairs: Pairs

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        return [pair(*both) for both in self.pairs]


@dataclasses.dataclass(frozen=True)
class Above(Comparison):
    """Claim that cells are above a bound; for measures of an analysis."""

    of_cells: tuple[CellName, ...]
    bound: float

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        return [Contrast(", ".join(cell), ((1, cell),), self.bound) for cell in self.of_cells]


@dataclasses.dataclass(frozen=True)
class LowerLoss(CellBetter):
    """Claim that cells have lower validation losses than others, possibly before convergence.

    The test set is `first`, the end of the first epoch, or `lowest`, the lowest loss of a training.
    """

    metric: str = dataclasses.field(default=LOSS, kw_only=True)
    needs_convergence: bool = dataclasses.field(default=False, kw_only=True)


@dataclasses.dataclass(frozen=True)
class BestBetter(Comparison):
    """Claim that the best cell of a row is better than the best cell of each other row."""

    row: str
    baselines: tuple[str, ...]

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        return [pair(*(best_of(row, cells, value) for row in (self.row, baseline))) for baseline in self.baselines]


def best_of(row: str, cells: Collection[CellName], value: Callable) -> CellName:
    """Return the cell of a row with the highest value; unless all have one, a name without runs."""
    of_row = [cell for cell in cells if cell[0] == row]
    return max(of_row, key=value) if of_row and None not in map(value, of_row) else (row, "best")


@dataclasses.dataclass(frozen=True)
class GainGrows(Comparison):
    """Claim that the gain of one row over another is larger in one column than in others."""

    row: str
    baseline: str
    column: str  # where the gain is larger
    than: tuple[str, ...]

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        gains = {column: ((self.row, column), (self.baseline, column)) for column in (self.column, *self.than)}
        return [
            growth(gains[self.column], gains[other], f"gain at {self.column} over gain at {other}")
            for other in self.than
        ]


@dataclasses.dataclass(frozen=True)
class Equivalent(CellBetter):
    """Claim that cells differ by no more than δ: `margin`, by default `NEGLIGIBLE`.

    It holds if every 95 % interval, over seeds and over sentences, lies within ± δ. It does not hold if both of one
    estimate lie completely outside and it has p < 0.05 / number of estimates.
    """

    margin: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The differences between which cells count as equivalent."""
        margin = NEGLIGIBLE[self.metric] if self.margin is None else self.margin
        return -margin, margin

    def is_open(self, one: Estimate) -> bool:
        return super().is_open(one) or not (one.converged or self.refutes(one, 1))

    def refutes(self, one: Estimate, count: int) -> bool:
        low, high = self.bounds
        return (one.span[1] < low or one.span[0] > high) and one.p_value < SIGNIFICANT / count

    def word(self, estimates: Sequence[Estimate]) -> str:
        low, high = self.bounds
        return HOLDS if all(low < one.span[0] and one.span[1] < high for one in estimates) else INCONCLUSIVE


@dataclasses.dataclass(frozen=True)
class BestEquivalent(Equivalent):
    """Claim that the best cells of two rows differ by no more than δ; `pairs` are pairs of rows."""

    def contrasts(self, cells: Collection[CellName], value: Callable) -> list[Contrast]:
        return [pair(*(best_of(row, cells, value) for row in rows)) for rows in self.pairs]


@dataclasses.dataclass(frozen=True)
class NonInferior(Equivalent):
    """Claim that cells are worse than others by no more than δ: no upper bound."""

    @property
    def bounds(self) -> tuple[float, float]:
        return super().bounds[0], math.inf

    def is_open(self, one: Estimate) -> bool:
        # A difference above 0 may grow.
        return Comparison.is_open(self, one) if one.gain > 0 else super().is_open(one)


@dataclasses.dataclass(frozen=True)
class Slower(Claim):
    """Claim that a row takes longer than another: it holds if each 95 % interval of the ratio lies above 1.

    It does not hold if one lies below 1.
    """

    row: str
    baseline: str
    columns: tuple[str, ...]

    def decide(self, table: Any) -> Verdict:
        ratios = {column: table.ratio(self.row, self.baseline, column) for column in self.columns}
        found = {column: ratio for column, ratio in ratios.items() if ratio is not None}
        reason = "; ".join(f"{column}: {ratio} times" for column, ratio in found.items())
        known = [ratio for ratio in found.values() if ratio.low is not None]
        if any(map(self.refutes, known)):
            return Verdict(FAILS, reason)
        if len(found) < len(ratios):
            return Verdict(NOT_RUN, f"so far {reason}" if reason else "")
        if len(known) == len(found) and all(map(self.supports, known)):
            return Verdict(HOLDS, reason)
        return Verdict(INCONCLUSIVE, reason)

    def supports(self, ratio: Ratio) -> bool:
        """Return whether the interval of a `Ratio` lies where the claim says."""
        return ratio.low > 1

    def refutes(self, ratio: Ratio) -> bool:
        """Return whether the interval of a `Ratio` lies on the other side."""
        return ratio.high < 1


@dataclasses.dataclass(frozen=True)
class AsFast(Slower):
    """Claim that a row takes no longer than another: it holds if each 95 % interval lies below 1 + `margin`.

    It does not hold if one lies above.
    """

    margin: float = 0.02  # a share of the other's time

    def supports(self, ratio: Ratio) -> bool:
        return ratio.high < 1 + self.margin

    def refutes(self, ratio: Ratio) -> bool:
        return ratio.low > 1 + self.margin


@dataclasses.dataclass(frozen=True)
class SameSize(Claim):
    """Claim that cells have as many parameters as others, or slightly more."""

    pairs: Pairs
    more: float = 0.0  # the largest excess, as a share of the second cell's parameters

    def decide(self, table: Any) -> Verdict:
        counts = [tuple(table.number(*cell) for cell in both) for both in self.pairs]
        if any(None in both for both in counts):
            return Verdict(NOT_RUN, "")
        further = [ours - theirs for ours, theirs in counts]
        holds = all(0 <= more <= self.more * theirs for more, (_, theirs) in zip(further, counts, strict=True))
        least, most = min(further), max(further)
        reason = f"{least:,} additional parameters" if least == most else f"{least:,} to {most:,} additional parameters"
        return Verdict(HOLDS if holds else FAILS, reason)
