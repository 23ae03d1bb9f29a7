"""What the papers print in their tables, from `benchmarks/paper_tables/*.csv`.

The files hold one number a line, with the columns that say where it stands. They belong to the repository and not to
the package: without them every number is None.
"""

import csv
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks" / "paper_tables"


@lru_cache
def rows(name):
    """The lines of the file `name`.csv as dictionaries of words; none where the file is not there."""
    path = FOLDER / f"{name}.csv"
    if not path.is_file():
        return ()
    with open(path, encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def number(name, column="value", **where):
    """The number in the one line of `name`.csv whose columns hold what `where` says, or None where there is none."""
    wanted = {key: str(value) for key, value in where.items()}
    found = [row[column] for row in rows(name) if wanted.items() <= row.items()]
    if len(found) > 1:
        raise ValueError(f"{name}.csv has {len(found)} lines with {wanted}")
    return float(found[0]) if found else None


def bleu(name, **where):
    """A BLEU score as the papers print it, with two decimals, or a dash where they print none."""
    score = number(name, **where)
    return "–" if score is None else f"{score:.2f}"
