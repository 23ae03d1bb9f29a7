"""Exports that lie in a run directory: their place, and the record of what each was made from.

The verb `export` writes them. The verb `translate` looks here for one that belongs to the weights of a run. Nothing
here imports Keras.
"""

import dataclasses
import functools
import json
from collections.abc import Container
from pathlib import Path

from data.errors import InputError
from data.files import sha256, write_json
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.runs.run_folder import EXPORTS, WEIGHTS

RECORD = "export.json"
"""File of an exported folder; the programs that read the formats open files by name, and pass over this one."""

UNQUANTIZED = "float32"


@dataclasses.dataclass(frozen=True)
class ExportRecord:
    """The contents of `export.json`.

    Attributes:
        format: the name of the format.
        checkpoint: `best`, `average`, `ema` or `step-N`; None for a model of no run.
        weights_sha256: the SHA-256 of that file of weights; None for a model of no run.
        quantization: how weights are stored.
        version: the version of this project.
    """

    format: str
    checkpoint: str | None
    weights_sha256: str | None
    quantization: str
    version: str

    @classmethod
    def read(cls, folder: Path) -> "ExportRecord | None":
        """Return the record of an exported folder, or None if it has none that can be read."""
        try:
            record = cls(**json.loads((folder / RECORD).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return record if isinstance(record.format, str) and isinstance(record.quantization, str) else None

    def write(self, folder: Path) -> None:
        """Write the record into an exported folder."""
        write_json(folder / RECORD, dataclasses.asdict(self))


def open_run(path: str | Path, engines: Container[str]) -> RunDirectory:
    """Return `RunDirectory.open(path)`; for an export, the error names the engine among `engines` that reads it."""
    record = ExportRecord.read(Path(path))
    if record is not None and record.format in engines:
        raise InputError(f"{path} is an export, not a run directory; give --engine {record.format} too")
    return RunDirectory.open(path)


def export_folder(run: RunDirectory, file_format: str) -> Path:
    """Return the folder in a run directory for an export, whether or not it is there."""
    return run.path / EXPORTS / file_format


def checkpoint_name(weights: Path) -> str:
    """Return the name of a checkpoint by its file of weights."""
    return weights.name.removesuffix(WEIGHTS)


def weights_sha256(weights: Path) -> str:
    """Return the SHA-256 of a file of weights, which a process computes once as long as the file stays the same."""
    state = weights.stat()
    return _sha256_of_state(weights, state.st_ino, state.st_size, state.st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _sha256_of_state(weights, inode, size, modified):
    """Return the SHA-256 of a file; its state is only part of the key."""
    return sha256(weights)


def why_unfit(folder: Path, weights: Path) -> str | None:
    """Return why an exported folder does not stand for a file of weights in float32, or None if it does."""
    record = ExportRecord.read(folder)
    if record is None:
        return f"{folder} does not say what it was made from; remove it and export the run again"
    if record.quantization != UNQUANTIZED:
        return f"{folder} is quantized ({record.quantization}); -m {folder} --engine {record.format} uses it"
    if record.weights_sha256 != weights_sha256(weights):
        return f"{folder} was made from other weights; remove it and export the run again"
    return None


def fitting_export(run: RunDirectory, file_format: str, checkpoint: str | None = None) -> Path | None:
    """Return the export in a run directory that stands for a checkpoint in float32, or None."""
    folder = export_folder(run, file_format)
    return folder if folder.is_dir() and why_unfit(folder, run.find_weights(checkpoint)) is None else None


def check_not_exported(folder: Path, weights: Path, quantization: str | None) -> None:
    """Raise `InputError` if a folder holds an export; the message says how it differs from the requested one."""
    record = ExportRecord.read(folder)
    if record is None:
        return
    wanted = quantization or UNQUANTIZED
    if record.weights_sha256 != weights_sha256(weights):
        found = f"was made from other weights ({record.checkpoint})"
    elif record.quantization != wanted:
        found = f"has {record.quantization} weights, and {wanted} is asked for"
    else:
        found = f"was made from these weights ({record.checkpoint}, {wanted}) already"
    raise InputError(f"{folder} {found}; remove it to export again, or name another folder with -o")
