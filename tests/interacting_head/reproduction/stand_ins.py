"""Scores of made-up runs, for claims and statistics."""

import random
from statistics import fmean

from interacting_head.metrics import METRICS, Options
from interacting_head.reproduction.statistics import ratio, sign_of

REFERENCES = [f"sentence {number} of the test set is about item {number * 7} here" for number in range(40)]


def noisy(share, seed, lines=REFERENCES):
    """Return lines with a share of the words replaced."""
    draw = random.Random(seed)
    return [" ".join("noise" if draw.random() < share else word for word in line.split()) for line in lines]


class StandIn:
    """Replacement for `scored.Scored` and `scored.Timed`.

    Args:
        lines: `{run: hypotheses}`; names of runs end in `-SEED`.
        cells: `{(row, column): [run, …]}`; `times` and `turns` have seconds and lists of seconds for the same keys.
        learning: runs whose side has not converged.
        left_behind: runs whose side would not catch up with the other one.
    """

    tests = ("test",)

    def __init__(
        self, lines, cells=None, times=None, metrics=("sacrebleu", "wer"), learning=(), left_behind=(), turns=None
    ):
        self.learning, self.left_behind, self._turns = learning, left_behind, turns or {}
        self.cells = list(cells or {})
        self.columns = list(dict.fromkeys(column for _, column in self.cells))
        self._runs, self._times, self._found = cells or {}, times or {}, {}
        for run, hypotheses in lines.items():
            for name in metrics:
                metric = METRICS[name](Options())
                rows = metric.statistics(hypotheses, [REFERENCES])
                self._found[run, name] = rows, metric.score(rows.sum(axis=0))

    def runs_of(self, row, column):
        return self._runs.get((row, column), [])

    def seed_of(self, run):
        return int(run.rsplit("-")[-1])

    def score(self, run, test, metric):
        return self._found[run, metric][1] if (run, metric) in self._found and test == "test" else None

    def statistics(self, run):
        return {("test", name): rows for (of, name), (rows, _) in self._found.items() if of == run}

    def mean_gain(self, cell, test, metric):
        scores = [self.score(run, test, metric) for run in self.runs_of(*cell)]
        return sign_of(metric) * fmean(scores) if scores and None not in scores else None

    def have_converged(self, runs):
        return not set(runs) & set(self.learning)

    def catch_up(self, runs, others):
        return not set(runs) & set(self.left_behind)

    def number(self, row, column):
        return self._times.get((row, column))

    def ratio(self, row, baseline, column):
        ours, theirs = self.number(row, column), self.number(baseline, column)
        if ours is None or theirs is None:
            return None
        return ratio(ours / theirs, *(self._turns.get((name, column), []) for name in (row, baseline)))
