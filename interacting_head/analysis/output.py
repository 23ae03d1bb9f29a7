"""Findings as a printed table, JSON, CSV and figures."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np

from data.files import atomic_write
from interacting_head.analysis.base import Findings
from interacting_head.analysis.figures import SUFFIXES, save_figure
from interacting_head.console.text_tables import aligned

MOST_ROWS = 60  # printed; the file has all


def write(findings: Findings, verb: str, folder: Path, runs: list[str]) -> list[str]:
    """Write the files of an analysis into `folder`, print its table and notes, and return the names of the files."""
    record = {"verb": verb, "runs": runs, "notes": findings.notes, "rows": findings.rows, **findings.data}
    texts = {f"{verb}.json": as_json(record), **findings.files}
    if findings.rows:
        texts[f"{verb}.csv"] = as_csv(findings.rows)
    for name, text in texts.items():
        with atomic_write(folder / name, parents=True, newline="") as file:
            file.write(text)
    for name, draw in findings.figures.items():
        save_figure(draw, folder / name)
    # Printed last: the files are complete even if nobody reads the output to its end.
    rows = findings.rows
    if len(rows) > MOST_ROWS:
        rows = (findings.summary or rows)[:MOST_ROWS]
    print(table(rows), end="")
    if more := len(findings.rows) - len(rows):
        print(f"… {more:,} more rows in {folder / verb}.csv")
    for note in findings.notes:
        print(note)
    return [*texts, *(f"{name}.{suffix}" for name in findings.figures for suffix in SUFFIXES)]


def table(rows: list[dict]) -> str:
    """Return rows as a text table with right-aligned numbers and a final line break; "" without rows."""
    if not rows:
        return ""
    names = list(rows[0])
    words = {
        number
        for number, name in enumerate(names)
        if not all(row[name] is None or isinstance(row[name], int | float | np.number) for row in rows)
    }
    lines = aligned([names, *([shown(row[name]) for name in names] for row in rows)], left=words)
    return "".join(f"{line}\n" for line in lines)


def shown(value: object) -> str:
    """Format a value of a row: four significant digits, – for None and numbers that are not finite."""
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.2e}"
    return str(value)


def as_json(value: object) -> str:
    """Return indented JSON; numbers that are not finite become null."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=1) + "\n"


def as_csv(rows: list[dict]) -> str:
    """Return rows as CSV with a header; None and numbers that are not finite become empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(_plain(rows))
    return text.getvalue()


def _plain(value):
    """Return nested values in plain Python, for JSON."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
