"""The numbers that the papers print in their tables: CSV files with one number a line, and their reading.

In come a file's name and columns that say where a number stands, out goes the number. Start at `number`.
"""

import csv
from functools import lru_cache
from pathlib import Path


@lru_cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return the lines of the file `name`.csv as dictionaries of words."""
    with open(Path(__file__).parent / f"{name}.csv", encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def number(name: str, **where: str | int) -> float | None:
    """Return the number in the one line of `name`.csv whose columns hold what `where` says, or None without one."""
    wanted = {key: str(value) for key, value in where.items()}
    found = [row["value"] for row in rows(name) if wanted.items() <= row.items()]
    if len(found) > 1:
        raise ValueError(f"{name}.csv has {len(found)} lines with {wanted}")
    return float(found[0]) if found else None


def bleu(name: str, **where: str | int) -> str:
    """Return a BLEU score as the papers print it, with two decimals, or a dash where they print none."""
    score = number(name, **where)
    return "–" if score is None else f"{score:.2f}"
