"""The numbers in the papers' tables, as CSV files with one number a line. Start at `number`."""

import csv
from functools import lru_cache
from pathlib import Path


@lru_cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return the lines of `name`.csv as dictionaries of strings."""
    with open(Path(__file__).parent / f"{name}.csv", encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def number(name: str, **where: str | int) -> float | None:
    """Return the number in the one line of `name`.csv whose columns match `where`, or None if there is no such line."""
    wanted = {key: str(value) for key, value in where.items()}
    found = [row["value"] for row in rows(name) if wanted.items() <= row.items()]
    if len(found) > 1:
        raise ValueError(f"{name}.csv has {len(found)} lines with {wanted}")
    return float(found[0]) if found else None


def bleu(name: str, **where: str | int) -> str:
    """Return a BLEU score of a paper with two decimals, or a dash if it prints none."""
    score = number(name, **where)
    return "–" if score is None else f"{score:.2f}"
