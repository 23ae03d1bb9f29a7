"""Stored results: for each run, a JSON file with configuration, losses and scores, and a file of metric statistics."""

import itertools
import json
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import write_json, written_atomically
from interacting_head.config import differences, from_dict
from interacting_head.reproduction.tables import Run

FORMAT = 1


class Results:
    """A folder of results, which need not exist: `runs/NAME.json`, `runs/NAME.npz`, `analyses/TABLE/RUN.json`.

    Tables without runs have `epoch_seconds/TABLE.json` or `parameters/TABLE.json`. `discussion.md`, written by people,
    says what the runs show. A file that is damaged, or missing next to its record, raises `InputError`.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def run(self, run: Run) -> dict | None:
        """Return the record of a run, or None if it has not been scored with this configuration."""
        return self._of_run("runs", run)

    def analysis(self, table: str, run: Run, arguments: Sequence[str]) -> dict | None:
        """Return the record of a run in an analysis, or None if none is stored for this configuration and arguments."""
        record = self._of_run(f"analyses/{table}", run)
        return record if record and record["analysis"] == list(arguments) else None

    def _of_run(self, kind, run):
        record = self.read(kind, run.name)
        if record is None:
            return None
        try:
            config = from_dict(record["config"])
        except InputError as error:
            path = self._path(kind, run.name, "json")
            raise InputError(f"{path}: {error}; correct it, or remove the file to make it again") from error
        differing = list(differences(run.config, config))
        # The precision `auto` matches any.
        is_same = not differing or (differing == ["train.precision"] and run.config.train.precision == "auto")
        return record if is_same else None

    def seeds(self) -> int:
        """Return the largest seed of a stored run or analysis, or 0."""
        paths = itertools.chain(*(self.folder.glob(pattern) for pattern in ("runs/*.json", "analyses/*/*.json")))
        found = (re.search(r"-seed(\d+)-", path.name) for path in paths)
        return max((int(one[1]) for one in found if one), default=0)

    def write_run(self, name: str, record: dict, statistics: dict[tuple[str, str], np.ndarray]) -> None:
        """Write the record of a run, and `{(test set, metric): statistics (N, K)}` of its sentences."""
        with written_atomically(self._path("runs", name, "npz"), parents=True) as path:
            np.savez_compressed(path, **{"/".join(key): _compact(value) for key, value in statistics.items()})
        self.write("runs", name, record)

    def statistics(self, name: str) -> dict[tuple[str, str], np.ndarray]:
        """Return `{(test set, metric): statistics (N, K)}` of a run."""
        path = self._path("runs", name, "npz")
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return {tuple(key.split("/")): arrays[key].astype("float64") for key in arrays.files}
        except (FileNotFoundError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            fault = "missing" if isinstance(error, FileNotFoundError) else "damaged"
            advice = f"restore it, or remove {path.with_suffix('.json').name} to score the run again"
            raise InputError(f"{path} is {fault}; {advice}") from error

    def discussion(self) -> list[str]:
        """Return the text of discussion.md, if there is one."""
        path = self.folder / "discussion.md"
        try:
            return [path.read_text(encoding="utf-8")] if path.is_file() else []
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8; save it as UTF-8") from error

    def read(self, kind: str, name: str) -> dict | None:
        """Return a record from the folder `kind`, or None if there is none."""
        path = self._path(kind, name, "json")
        if not path.is_file():
            return None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{path} is damaged; restore it, or remove it to make it again") from error
        if record.get("format") != FORMAT:
            return None
        return _by_column(record) if kind == "epoch_seconds" else record

    def write(self, kind: str, name: str, record: dict) -> None:
        """Write a record into the folder `kind`."""
        write_json(self._path(kind, name, "json"), {"format": FORMAT, **record}, indent=1, parents=True)

    def _path(self, kind, name, suffix):
        return self.folder / kind / f"{name}.{suffix}"


def _by_column(record):
    """Return a record of times with precision and processor by column; earlier versions stored one for all columns."""
    columns = dict.fromkeys(column for row in record["seconds"].values() for column in row)
    former = [name for name in ("precision", "processor") if isinstance(record[name], str)]
    return record | {name: dict.fromkeys(columns, record[name]) for name in former}


def _compact(statistics):
    """Return statistics in the smallest type that holds them: counts as int16, others as float32."""
    counts = statistics.astype("int16")
    return counts if np.array_equal(counts, statistics) else statistics.astype("float32")
