"""Result files, `benchmarks/results/NAME.json`, with the conditions of the measurement."""

import json
import platform
from pathlib import Path

from data.files import write_json
from data.workers import available_cores
from interacting_head.console.machine import processor, versions

FOLDER = Path(__file__).parent / "results"


def write(name, title, rows, views, conditions, path=None, machine_load=None):
    """Write a result.

    Args:
        title: heading of its section in RESULTS.md.
        rows: dictionaries, one for each measurement.
        views: how RESULTS.md shows the rows: `{"caption", "index", "columns", "value", "digits"}` pivots the field
            `value` by the field `columns`; `{"caption", "fields"}` lists fields. An optional `where` selects rows by
            the values of fields.
        conditions: conditions that affect the numbers; machine and versions are added.
        path: another file to write.
        machine_load: what else ran on the machine.
    """
    if machine_load:
        conditions = {**conditions, "machine load": machine_load}
    result = {"title": title, "conditions": {**conditions, **machine()}, "views": views, "rows": rows}
    FOLDER.mkdir(exist_ok=True)
    path = path or FOLDER / f"{name}.json"
    write_json(path, result, indent=1)
    return path


def former_rows(path, rows, keys):
    """Return the rows of an existing result file that `rows` does not replace; the fields `keys` identify a row."""

    def identity(row):
        return [row.get(key) for key in keys]

    former = json.loads(Path(path).read_text(encoding="utf-8"))["rows"] if Path(path).is_file() else []
    measured = [identity(row) for row in rows]
    return [row for row in former if identity(row) not in measured]


def machine():
    """Return processor, cores and versions."""
    return {
        "processor": processor(),
        "cores": available_cores(),
        "versions": ", ".join([f"Python {platform.python_version()}", *map(" ".join, versions().items())]),
    }
