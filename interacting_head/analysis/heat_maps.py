"""Heat maps with labels, and grids of axes, on a matplotlib figure."""

import textwrap

import numpy as np

CELL = 0.26  # inches of a cell with a label
MOST_NUMBERS = 200  # cells that have their value written in them


def draw_heat_map(axes, values, rows, columns, *, largest=None, smallest=0.0, numbers=None, colors="viridis"):
    """Draw a matrix as coloured cells.

    Args:
        axes: a matplotlib `Axes`.
        values: `(rows, columns)`; cells that are not finite stay empty.
        rows, columns: their labels, from the top and from the left; None for none.
        largest, smallest: value of the last and of the first colour; default: the largest value, 0.
        numbers: a format such as `.2f`: each value is written in its cell, unless there are too many.
        colors: name of a colour map.

    Returns:
        The matplotlib image, for a colour bar.
    """
    values = np.asarray(values, "float64")
    finite = values[np.isfinite(values)]
    if largest is None:
        largest = finite.max() if finite.size else 1.0
    image = axes.imshow(values, cmap=colors, vmin=smallest, vmax=max(largest, smallest + 1e-9), aspect="auto")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks(range(len(columns)) if columns is not None else [], columns)
    axes.set_yticks(range(len(rows)) if rows is not None else [], rows)
    if columns is not None and max(map(len, map(str, columns)), default=0) > 2:
        axes.tick_params(axis="x", labelrotation=90)
    if numbers and values.size <= MOST_NUMBERS:
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                dark = image.norm(value) < 0.6
                axes.text(
                    column, row, format(value, numbers), ha="center", va="center", fontsize=7,
                    color="white" if dark else "black",
                )  # fmt: skip
    return image


def titled(axes, title, width=40):
    """Give axes a title, broken into lines of at most so many characters, names of runs at their hyphens."""
    axes.set_title("\n".join(textwrap.wrap(str(title), width, break_on_hyphens=True)), fontsize=9)


def grid(figure, rows, columns, width, height):
    """Return axes `(rows, columns)` on an empty figure.

    Args:
        figure: a matplotlib `Figure`; its size is set.
        rows, columns: numbers of axes.
        width, height: inches of each, labels included.
    """
    figure.set_size_inches(max(3.0, columns * width), max(2.0, rows * height))
    return figure.subplots(rows, columns, squeeze=False)
