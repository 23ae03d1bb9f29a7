"""Figures of stored results: scores and times by column, losses by step."""

import itertools
import re
import statistics
from pathlib import Path

from interacting_head.analysis.figures import Figure, save_figure
from interacting_head.reproduction.scored import Losses, Rates, Scored, Timed

COLOURS = 10
"""Lines that matplotlib's colours tell apart."""
WIDTH_OF_ROWS = 0.3  # of the points of a column, which would otherwise hide each other; columns are 1 apart


def draw(scored: Scored, path: str | Path) -> None:
    """Draw the figure of a table as PNG and SVG; `path` has no suffix."""

    def draw_with_legend(figure):
        figure.set_size_inches(7, 4)
        DRAWINGS[scored.table.measure](scored, figure)
        # A line of one label has the same colour in all panels.
        lines = {}
        for axes in figure.axes:
            lines |= {label: line for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        if lines:
            figure.axes[0].legend(lines.values(), lines, fontsize="small")

    save_figure(draw_with_legend, path)


def draw_scores(scored: Scored, figure: Figure) -> None:
    """Draw the first test set's sacreBLEU of each row, mean and deviation over seeds.

    Rows stand side by side in a column. Lines join columns that have numbers in their names, and so an order.
    """
    axes, places, test = figure.subplots(), places_of(scored.columns), first_test(scored)
    found = {row: [scored.summary(row, column, test, "sacrebleu") for column in scored.columns] for row in scored.rows}
    drawn = {row: cells for row, cells in found.items() if any(cells)}
    line = "-" if all(map(numbers_in, scored.columns)) else ""
    for number, (row, cells) in enumerate(drawn.items()):
        shift = WIDTH_OF_ROWS * ((number + 0.5) / len(drawn) - 0.5)
        points = [(x + shift, one.mean, one.deviation or 0) for x, one in zip(places, cells, strict=True) if one]
        axes.errorbar(*zip(*points, strict=True), marker="o", capsize=3, linestyle=line, label=row)
    axes.set_xticks(places, scored.columns)
    axes.set_ylabel(f"sacreBLEU, {test}")


def first_test(scored: Scored) -> str:
    """Return the name of a table's first test set, the development text only if it has no other."""
    [test, *others] = scored.tests
    return others[0] if test == "dev" and others else test


def draw_seconds(scored: Timed, figure: Figure) -> None:
    """Draw the seconds per epoch of each row."""
    axes, places = figure.subplots(), places_of(scored.columns)
    for row in scored.rows:
        found = [scored.number(row, column) for column in scored.columns]
        plot(axes, [(x, seconds) for x, seconds in zip(places, found, strict=True) if seconds], label=row)
    axes.set_xticks(places, scored.columns)
    axes.set_ylabel("seconds per epoch")
    axes.set_ylim(bottom=0)


def places_of(columns: list[str]) -> list[int]:
    """Return the places of columns on the axis, ordered by the numbers in them."""
    order = sorted(columns, key=lambda column: numbers_in(column) or [0.0])
    return [order.index(column) for column in columns]


def numbers_in(column: str) -> list[float]:
    """Return the numbers in the name of a column."""
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", column)]


def plot(axes: object, points: list[tuple], **style: str) -> None:
    """Draw a line through points, if there are any."""
    if points:
        axes.plot(*zip(*points, strict=True), marker="o", **style)


def draw_losses(scored: Losses, figure: Figure) -> None:
    """Draw the validation loss of each cell by number of validation, mean over seeds."""
    axes = figure.subplots()
    for row, column in scored.cells:
        by_seed = [scored.losses(run) for run in scored.runs_of(row, column)]
        if by_seed:
            count = min(map(len, by_seed))
            means = [statistics.fmean(losses) for losses in list(zip(*by_seed, strict=False))[:count]]
            axes.plot(range(1, count + 1), means, marker=".", label=column)
    axes.set_xlabel("validation")
    axes.set_ylabel("label-smoothed validation loss (base 2)")


def draw_rates(scored: Rates, figure: Figure) -> None:
    """Draw each scheme's scores by learning rate, or at its best rate if the table has more schemes than colours."""
    schemes = dict.fromkeys(row.split(", ", 1)[0] for row in scored.rows)
    if len(schemes) <= COLOURS:
        draw_by_rate(scored, figure, {scheme: f"C{number}" for number, scheme in enumerate(schemes)})
    else:
        draw_best(scored, figure, list(schemes))


def draw_by_rate(scored: Rates, figure: Figure, colours: dict[str, str]) -> None:
    """Draw the development sacreBLEU by learning rate: a panel for each set-up with runs, a line for each scheme.

    Points are for the first seed, which chooses the best rate; other seeds have some of the rates only.
    """
    rates = {float(column): column for column in scored.columns}
    lines = {}
    for row in scored.rows:
        scheme, setup = row.split(", ", 1)
        found = {rate: scored.mean_gain((row, column), "dev", "sacrebleu") for rate, column in sorted(rates.items())}
        if points := [(rate, score) for rate, score in found.items() if score is not None]:
            lines.setdefault(setup, {})[scheme] = points
    rows = max(1, -(-len(lines) // 2))
    figure.set_size_inches(9, 3.5 * rows)
    panels = figure.subplots(rows, 2, sharey=True, squeeze=False).flat
    for axes, (setup, of_setup) in itertools.zip_longest(panels, lines.items(), fillvalue=(None, None)):
        if setup is None:
            axes.remove()
            continue
        for scheme, points in of_setup.items():
            plot(axes, points, color=colours[scheme], label=scheme)
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(rates) / 1.2, max(rates) * 1.2)
        axes.set_xticks(list(rates), rates.values())
        axes.set_title(setup, fontsize="medium")
        axes.set_xlabel("peak learning rate")
        axes.set_ylabel("sacreBLEU, dev, seed 1")


def draw_best(scored: Rates, figure: Figure, schemes: list[str]) -> None:
    """Draw the first test set's sacreBLEU of each scheme at its best rate: mean and seeds, a panel for each set-up.

    A vertical line marks the first scheme of a panel, the baseline.
    """
    test = first_test(scored)
    setups = list(dict.fromkeys(row.split(", ", 1)[1] for row in scored.rows))
    figure.set_size_inches(9, 1 + 0.22 * len(schemes))
    panels = figure.subplots(1, len(setups), sharex=True, sharey=True, squeeze=False).flat
    for axes, setup in zip(panels, setups, strict=True):
        for place, scheme in enumerate(schemes):
            row = f"{scheme}, {setup}"
            column = scored.best_column(row)
            found = scored.summary(row, column, test, "sacrebleu")
            if found is None:
                continue
            scores = [scored.score(run, test, "sacrebleu") for run in scored.runs_of(row, column)]
            axes.plot(scores, [place] * len(scores), "o", color="C0", alpha=0.4, markersize=4)
            axes.plot(found.mean, place, "|", color="C0", markersize=12, markeredgewidth=2)
            if scheme == schemes[0]:
                axes.axvline(found.mean, color="grey", linewidth=0.8)
        axes.set_title(setup, fontsize="medium")
        axes.set_xlabel(f"sacreBLEU, {test}, at the best rate")
    panels[0].set_yticks(range(len(schemes)), schemes)
    panels[0].invert_yaxis()


DRAWINGS = {
    "scores": draw_scores,
    "by_length": draw_scores,
    "rates": draw_rates,
    "epoch_seconds": draw_seconds,
    "losses": draw_losses,
}
"""`measure` of a table → function that draws it."""
