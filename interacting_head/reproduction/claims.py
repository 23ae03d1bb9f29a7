"""The claims of the papers, and the statistics that decide whether they hold here."""

import abc
import dataclasses
from collections.abc import Callable

from interacting_head.reproduction.statistics import difference

HOLDS, FAILS, UNDECIDED, NOT_RUN = "holds here", "does not hold here", "not told apart", "not run"
SIGNIFICANT = 0.05


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The outcome of a claim: one of the four words, and the figures that led to it."""

    word: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Claim(abc.ABC):
    """A statement of a paper about the cells of a table.

    Args:
        statement: in the words of a report.
    """

    statement: str

    @abc.abstractmethod
    def decide(self, table):
        """Return the `Verdict` on a `report.Scored` or `report.Timed` table."""


class Comparison(Claim):
    """Some cells are better than others, pair by pair.

    Holds where every difference is positive and has p < 0.05; fails where one is negative and has p < 0.05 / number of
    pairs (Bonferroni's correction: of many pairs without a difference, one easily looks worse). p is the larger of two:
    that of paired bootstrap over sentences, and of paired t over seeds, of which there must be several. Only runs with
    the same seeds are compared, since they see the same batches. Where cells have not been run, it may fail, and is
    else not run.

    Subclasses have fields `test` and `metric`: where, and by which score.
    """

    @abc.abstractmethod
    def pairs_in(self, table):
        """Return pairs of cells `((row, column), (row, column))`, the better one first."""

    def decide(self, table):
        pairs = self.pairs_in(table)
        found = differences(table, self, pairs)
        words = "; ".join(map(str, found))
        if any(one.gain < 0 and one.p_value < SIGNIFICANT / len(pairs) for one in found):
            return Verdict(FAILS, words)
        if not pairs or len(found) < len(pairs):
            return Verdict(NOT_RUN, f"so far {words}" if words else "")
        if all(one.gain > 0 and one.p_value < SIGNIFICANT for one in found):
            return Verdict(HOLDS, words)
        return Verdict(UNDECIDED, words)


@dataclasses.dataclass(frozen=True)
class Better(Comparison):
    """One row is better than another in every column in which the table has both.

    Args:
        row, baseline: names of rows.
        columns: a function of a column's name that is false for those that the claim leaves out.
    """

    row: str = ""
    baseline: str = ""
    columns: Callable = lambda column: True
    test: str = "test"
    metric: str = "sacrebleu"

    def pairs_in(self, table):
        pairs = [((self.row, column), (self.baseline, column)) for column in table.columns if self.columns(column)]
        return [pair for pair in pairs if set(pair) <= set(table.cells)]


@dataclasses.dataclass(frozen=True)
class CellBetter(Comparison):
    """Given cells are better than others.

    Args:
        pairs: `((row, column), (row, column))`, the better one first.
    """

    pairs: tuple = ()
    test: str = "test"
    metric: str = "sacrebleu"

    def pairs_in(self, table):
        return self.pairs


@dataclasses.dataclass(frozen=True)
class TimesAsLong(Claim):
    """A row takes `ratio` times as long as another in a column. Holds within a sixth of the ratio.

    Args:
        row, baseline, column: their names.
        ratio: that of the paper.
    """

    row: str = ""
    baseline: str = "multi_head"
    column: str = ""
    ratio: float = 1.0

    def decide(self, table):
        ours, theirs = (table.seconds(row, self.column) for row in (self.row, self.baseline))
        if ours is None or theirs is None:
            return Verdict(NOT_RUN, "")
        found = ours / theirs
        word = HOLDS if abs(found / self.ratio - 1) <= 1 / 6 else FAILS
        return Verdict(word, f"{found:.2f} times as long, {self.ratio:.2f} in the paper")


def differences(table, claim, pairs):
    """Return the `Difference`s of pairs of cells, between the scored runs with the same seeds; none without such."""
    found = []
    for better, other in pairs:
        by_seed = [
            {
                table.seed_of(run): run
                for run in table.runs_of(*cell)
                if table.score(run, claim.test, claim.metric) is not None
            }
            for cell in (better, other)
        ]
        if seeds := sorted(by_seed[0].keys() & by_seed[1].keys()):
            runs = [[side[seed] for seed in seeds] for side in by_seed]
            found.append(difference(table, runs, claim.test, claim.metric, label=label_of(better, other)))
    return found


def label_of(cell, other):
    """Return a short name of a pair of cells: that in which they differ, or both."""
    (row, column), (other_row, other_column) = cell, other
    return (
        column if column == other_column and row != other_row else f"{row}, {column} over {other_row}, {other_column}"
    )
