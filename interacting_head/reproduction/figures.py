"""Figures of stored results: scores and times by column, losses by step."""

import re
import statistics

from data.files import atomic_write

SUFFIXES = ("png", "svg")


def draw(scored, path):
    """Draw the figure of a table as PNG and SVG.

    Args:
        scored: a `report.Scored` or `report.Timed`.
        path: of the files, without their suffix.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "reproduction", "svg.fonttype": "none"}):  # the same bytes each time
        figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
        DRAWINGS[scored.table.measure](scored, axes)
        axes.legend(fontsize="small", frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        for suffix in SUFFIXES:
            metadata = {"Date": None} if suffix == "svg" else {}  # a figure depends on the results alone
            with atomic_write(f"{path}.{suffix}", "wb", parents=True) as file:
                figure.savefig(file, format=suffix, dpi=110, metadata=metadata)
        plt.close(figure)


def draw_scores(scored, axes):
    """Draw the first test set's sacreBLEU of each row, mean and deviation over seeds."""
    [test, *others] = scored.table.tests
    test = others[0] if test == "dev" and others else test
    places, labels = positions(scored.columns)
    for row in scored.rows:
        found = [scored.summary(row, column, test, "sacrebleu") for column in scored.columns]
        points = [(x, one.mean, one.deviation or 0) for x, one in zip(places, found, strict=True) if one]
        if points:
            axes.errorbar(*zip(*points, strict=True), marker="o", capsize=3, label=row)
    axes.set_xticks(places, labels)
    axes.set_ylabel(f"sacreBLEU, {test}")


def draw_seconds(scored, axes):
    """Draw the seconds an epoch of each row."""
    places, labels = positions(scored.columns)
    for row in scored.rows:
        found = [scored.seconds(row, column) for column in scored.columns]
        points = [(x, seconds) for x, seconds in zip(places, found, strict=True) if seconds]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=row)
    axes.set_xticks(places, labels)
    axes.set_ylabel("seconds an epoch")
    axes.set_ylim(bottom=0)


def draw_losses(scored, axes):
    """Draw the validation loss of each cell by validation, mean over seeds."""
    for row, column in scored.cells:
        by_seed = [scored.losses(run) for run in scored.runs_of(row, column)]
        if by_seed:
            count = min(map(len, by_seed))
            means = [statistics.fmean(losses) for losses in list(zip(*by_seed, strict=False))[:count]]
            axes.plot(range(1, count + 1), means, marker=".", label=column)
    axes.set_xlabel("validation")
    axes.set_ylabel("smoothed validation loss, to base 2")


DRAWINGS = {"scores": draw_scores, "by_length": draw_scores, "epoch_seconds": draw_seconds, "losses": draw_losses}
"""`measure` of a table → function that draws it; numbers of parameters are not drawn."""


def positions(columns):
    """Return the places of columns on the axis, and their labels; numbers in them are ordered."""
    order = sorted(columns, key=lambda column: [float(x) for x in re.findall(r"\d+(?:\.\d+)?", column)] or [0.0])
    return [order.index(column) for column in columns], columns
