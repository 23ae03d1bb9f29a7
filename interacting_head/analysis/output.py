"""Findings as a printed table, JSON, CSV, and figures as PNG and SVG."""

import csv
import io
import json
import math
import unicodedata
from pathlib import Path

import numpy as np

from data.files import atomic_write

MOST_ROWS = 60  # printed; the file has all
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


def write(findings, verb, folder, runs):
    """Print the table and notes of an analysis and write its files; return their names.

    Args:
        findings: a `verb.Findings`.
        verb: name of the analysis.
        folder: it is made where it does not exist.
        runs: names of the runs.
    """
    folder = Path(folder)
    rows = findings.rows
    if len(rows) > MOST_ROWS:
        rows = (findings.summary or rows)[:MOST_ROWS]
    print(table(rows), end="")
    if more := len(findings.rows) - len(rows):
        print(f"… {more:,} more rows in {folder / verb}.csv")
    for note in findings.notes:
        print(note)
    record = {"verb": verb, "runs": runs, "notes": findings.notes, "rows": findings.rows, **findings.data}
    texts = {f"{verb}.json": as_json(record), **findings.files}
    if findings.rows:
        texts[f"{verb}.csv"] = as_csv(findings.rows)
    for name, text in texts.items():
        with atomic_write(folder / name, parents=True, newline="") as file:
            file.write(text)
    for name, draw in findings.figures.items():
        save_figure(draw, folder / name)
    return [*texts, *(f"{name}.{suffix}" for name in findings.figures for suffix in SUFFIXES)]


def table(rows):
    """Return rows as a table of text, numbers to the right, with a final line break; "" without rows."""
    if not rows:
        return ""
    names = list(rows[0])
    cells = [[shown(row[name]) for name in names] for row in rows]
    is_number = [all(_is_number(row[name]) for row in rows) for name in names]
    widths = [max(map(_columns, column)) for column in zip(names, *cells, strict=True)]
    lines = []
    for line in [names, *cells]:
        padded = [
            " " * (width - _columns(cell)) + cell if right else cell + " " * (width - _columns(cell))
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "".join(f"{line}\n" for line in lines)


def shown(value):
    """Return a value of a row as it is printed: four significant digits, – for none."""
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.2e}"
    return str(value)


def as_json(value):
    """Return JSON, a line a row of numbers; numbers that are not finite become null."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=1) + "\n"


def as_csv(rows):
    """Return rows as CSV with a header; None and numbers that are not finite are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(_plain(rows))
    return text.getvalue()


def save_figure(draw, path):
    """Draw a figure and write it as PNG and SVG.

    Args:
        draw: a function of an empty matplotlib `Figure` with the layout "constrained", which sets its size too.
        path: of the files, without their suffix.
    """
    import matplotlib  # takes a while
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        for suffix in SUFFIXES:
            with atomic_write(f"{path}.{suffix}", "wb", parents=True) as file:
                # Without its date a figure depends on the results alone.
                metadata = {"Date": None} if suffix == "svg" else {}
                figure.savefig(file, format=suffix, dpi=120, metadata=metadata)


def _is_number(value):
    return value is None or isinstance(value, int | float | np.number)


def _columns(text):
    return sum(not unicodedata.combining(character) for character in text)


def _plain(value):
    """Return nested values in plain Python, for JSON."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
