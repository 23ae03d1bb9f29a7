"""Files of results, `benchmarks/results/NAME.json`, with the conditions of the measurement."""

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
        name: name of the result, and of its file in `benchmarks/results`.
        title: heading of its section in RESULTS.md.
        rows: list of dictionaries, one for each measurement.
        views: how RESULTS.md shows the rows: `{"caption", "index", "columns", "value", "digits"}` spreads the
            field `value` over the field `columns`; `{"caption", "fields"}` lists fields as they are. Both show the
            rows that hold all items of `where`, if that is given.
        conditions: dictionary of other conditions that affect the numbers; machine and versions are added.
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
    """Return the rows of an existing file of results that `rows` does not replace.

    Args:
        path: the file.
        rows: the rows measured.
        keys: the fields that identify a row.
    """

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
