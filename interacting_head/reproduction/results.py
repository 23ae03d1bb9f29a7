"""Stored results: for each run a JSON file with configuration, losses and scores, and BLEU's statistics beside it."""

import json
from pathlib import Path

import numpy as np

from data.files import atomic_write, written_beside
from interacting_head.config import differences, from_dict

FORMAT = 1


def is_trained_as(config, stored):
    """Return whether a stored configuration, `config.to_dict`, is an `ExperimentConfig`; `auto` stands for any."""
    differing = differences(config, from_dict(stored))
    return not differing or (list(differing) == ["train.precision"] and config.train.precision == "auto")


class Results:
    """A folder of results: `runs/NAME.json` and `runs/NAME.npz`, `epoch_seconds/NAME.json`, `parameters/NAME.json`,
    `analyses/TABLE/RUN.json`.

    Args:
        folder: its path; it need not exist.
    """

    def __init__(self, folder):
        self.folder = Path(folder)

    def run(self, run):
        """Return the record of a `tables.Run`, or None where none with its configuration has been scored."""
        return self._of_run("runs", run)

    def write_run(self, name, record, statistics):
        """Write the record of a run, and `{(test set, metric): statistics (N, K)}` of its sentences."""
        with written_beside(self._path("runs", name, "npz"), parents=True) as path:
            arrays = {"/".join(key): compact(value) for key, value in statistics.items()}
            np.savez_compressed(path, **arrays)
        self._write("runs", name, record)

    def statistics(self, name):
        """Return `{(test set, metric): statistics (N, K)}` of a run."""
        with np.load(self._path("runs", name, "npz"), allow_pickle=False) as arrays:
            return {tuple(key.split("/")): arrays[key].astype("float64") for key in arrays.files}

    def epoch_seconds(self, name):
        """Return the record of the times of a table, or None where they have not been measured."""
        return self._read("epoch_seconds", name)

    def write_epoch_seconds(self, name, record):
        """Write the record of the times of a table."""
        self._write("epoch_seconds", name, record)

    def counts(self, name):
        """Return the record of the parameters of a table, or None where they have not been counted."""
        return self._read("parameters", name)

    def write_counts(self, name, record):
        """Write the record of the parameters of a table."""
        self._write("parameters", name, record)

    def analysis(self, table, run):
        """Return the record of a `tables.Run` in an analysis, or None where none with its configuration is stored."""
        return self._of_run(f"analyses/{table}", run)

    def write_analysis(self, table, run, record):
        """Write the record of a `tables.Run` in an analysis."""
        self._write(f"analyses/{table}", run.name, record)

    def _of_run(self, kind, run):
        record = self._read(kind, run.name)
        return record if record and is_trained_as(run.config, record["config"]) else None

    def _path(self, kind, name, suffix):
        return self.folder / kind / f"{name}.{suffix}"

    def _read(self, kind, name):
        path = self._path(kind, name, "json")
        if not path.is_file():
            return None
        record = json.loads(path.read_text(encoding="utf-8"))
        return record if record.get("format") == FORMAT else None

    def _write(self, kind, name, record):
        with atomic_write(self._path(kind, name, "json"), parents=True) as file:
            json.dump({"format": FORMAT, **record}, file, indent=1, ensure_ascii=False)
            file.write("\n")


def compact(statistics):
    """Return statistics in the smallest type that holds them: counts as int16, others as float32."""
    counts = statistics.astype("int16")
    return counts if np.array_equal(counts, statistics) else statistics.astype("float32")
