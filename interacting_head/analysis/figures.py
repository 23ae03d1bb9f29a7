"""Drawing for all analyses: panels, heat maps, legends, figure files."""

import itertools
import textwrap
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from data.files import atomic_write

if TYPE_CHECKING:
    import matplotlib.figure

Figure: TypeAlias = "matplotlib.figure.Figure"

CELL = 0.24  # inches of a labelled cell
SIGNED = "RdBu_r"  # colours of values on both sides of 0
MOST_NUMBERS = 200  # larger heat maps show no values in their cells
SUFFIXES = ("png", "svg")
STYLE = {
    "svg.hashsalt": "analysis",  # the same bytes each time
    "svg.fonttype": "none",
    "text.parse_math": False,  # words may hold "$"
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "legend.frameon": False,
}


class HeatMap(NamedTuple):
    """A matrix `(rows, columns)` with its title and labels; cells that are not finite stay empty."""

    title: str
    values: np.ndarray
    rows: list
    columns: list
    xlabel: str = "head"
    ylabel: str = "layer"

    @classmethod
    def of_heads(cls, title: str, rows: dict, **labels: str) -> "HeatMap":
        """Return the heat map of `{label of a row: value of each head}`; rows may have different numbers of heads."""
        values = filled(rows.values())
        return cls(title, values, list(rows), head_labels(values.shape[1]), **labels)


def save_figure(draw: Callable, path: Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    """Draw a figure and write it in the formats of `suffixes`; `path` has no suffix.

    `draw` gets an empty matplotlib `Figure` with constrained layout, and also sets its size.
    """
    import matplotlib  # takes a while
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        for suffix in suffixes:
            with atomic_write(f"{path}.{suffix}", "wb", parents=True) as file:
                # Without a date, equal results give equal files.
                metadata = {"Date": None} if suffix == "svg" else {}
                figure.savefig(file, format=suffix, dpi=120, metadata=metadata)


def grid(figure: Figure, rows: int, columns: int, width: float, height: float, **shared: object) -> np.ndarray:
    """Return axes `(rows, columns)` on an empty figure; width and height are inches for each, labels included."""
    figure.set_size_inches(max(3.0, columns * width), max(2.0, rows * height))
    return figure.subplots(rows, columns, squeeze=False, **shared)


def panels(figure: Figure, titles: list[str], columns: int, width: float, height: float) -> list:
    """Return axes with these titles, at most `columns` in a row; an empty title leaves an empty place."""
    columns = min(len(titles), columns)
    axes = grid(figure, -(-len(titles) // columns), columns, width, height)
    for each, title in itertools.zip_longest(axes.flat, titles):
        if title:
            each.set_title("\n".join(textwrap.wrap(title, int(11 * width))), fontsize=9)
        else:
            each.set_axis_off()
    return list(axes.flat[: len(titles)])


def draw_heat_maps(
    figure: Figure,
    maps: list[HeatMap] | dict[tuple, HeatMap],
    columns: int = 3,
    *,
    limits: tuple[float, float] | None = None,
    colors: str = "viridis",
    numbers: str = "",
    title: str = "",
    bar: str | None = "",
) -> None:
    """Draw heat maps in panels, on one scale.

    Args:
        maps: a list of `HeatMap`, at most `columns` in a row; or `{(row, column): HeatMap}`.
        limits: values of the first and the last colour; default: 0 and the largest value, or with negative values ± the
            largest size, in other colours.
        numbers: a format such as `.2f` to write each value in its cell, unless there are too many.
        bar: label of the colour bar; None: no bar, and each map has its own scale.
    """
    if isinstance(maps, dict):
        rows, row = (dict.fromkeys(place[axis] for place in maps) for axis in (0, 1))
        maps, columns = [maps.get((line, column)) for line in rows for column in row], len(row)
    finite = [one.values[np.isfinite(one.values)] if one else np.zeros(1) for one in maps]
    is_signed = limits is None and min(values.min(initial=0.0) for values in finite) < 0
    tops = [abs(values).max(initial=0.0) if is_signed else values.max(initial=0.0) for values in finite]
    colors = SIGNED if is_signed else colors
    size = _size([one for one in maps if one], CELL + 0.1 * bool(numbers))
    places = panels(figure, [one.title if one else "" for one in maps], columns, *size)
    for axes, one, top in zip(places, maps, tops, strict=True):
        if one is None:
            continue
        top = top if bar is None else max(tops)
        low, high = limits or (-top * is_signed, top)
        image = axes.imshow(one.values, cmap=colors, vmin=low, vmax=max(high, low + 1e-9), aspect="auto")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=8)
        axes.set_xticks(range(len(one.columns)), one.columns)
        axes.set_yticks(range(len(one.rows)), one.rows)
        axes.set(xlabel=one.xlabel, ylabel=one.ylabel)
        if max(map(len, map(str, one.columns)), default=0) > 2:
            axes.tick_params(axis="x", labelrotation=90)
        if numbers and one.values.size <= MOST_NUMBERS:
            for (row, column), value in np.ndenumerate(one.values):
                if np.isfinite(value):
                    color = "white" if image.norm(value) < 0.6 and not is_signed else "black"
                    axes.text(column, row, format(value, numbers), ha="center", va="center", fontsize=7, color=color)
    if bar is not None:
        figure.colorbar(image, ax=places, shrink=0.7, label=bar)
    if title:
        figure.suptitle(title, fontsize=10)


def _size(maps, width):
    """Return the size in inches of a panel for the largest heat map and the longest labels."""
    rows, columns = np.max([one.values.shape for one in maps], axis=0)
    left = max((len(str(label)) for one in maps for label in one.rows), default=0)
    below = max((len(str(label)) for one in maps for label in one.columns), default=0)
    return max(2.6, width * columns + 0.075 * left + 0.8), max(1.9, CELL * rows + 0.075 * below + 1.0)


def head_labels(count: int) -> list[str]:
    """Return the head numbers as labels; above 16 heads, only every fourth."""
    return [str(head) if count <= 16 or head % 4 == 0 else "" for head in range(1, count + 1)]


def filled(rows: Collection[Sequence]) -> np.ndarray:
    """Return rows of different lengths as a matrix, padded with NaN."""
    values = np.full((len(rows), max(map(len, rows))), np.nan)
    for line, row in zip(values, rows, strict=True):
        line[: len(row)] = row
    return values


def add_legend(figure: Figure, columns: int = 1) -> None:
    """Add a legend below the axes, with each label once."""
    entries = {}
    for axes in figure.axes:
        entries |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    place = {"loc": "outside lower center", "ncols": min(columns, len(entries))}
    figure.legend(list(entries.values()), list(entries), fontsize="small", **place)
