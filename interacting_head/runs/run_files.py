"""Files of a run directory that may be damaged: JSON, and weights that end with a seal.

A seal is a line that says what the weights belong to, and a line with a checksum of all before it. HDF5 is parsed in
C, which damage can bring down: a sealed file is checked first, an unsealed one is taken as it is.
"""

import hashlib
import json
import re
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import sha256

SEAL = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
LENGTH = 73  # bytes of the checksum's line, which HDF5 ignores
OWNER = b"\nconfiguration {"  # the beginning of the line before it, which earlier programs did not write
LONGEST = 1 << 20  # bytes of that line, more than a configuration can have
BLOCK = 1 << 20  # bytes
ADVICE = "is damaged; copy it again from where the run directory came from"


def seal(path: Path, owner: dict):
    """Add two lines to the end of a file: what it belongs to, in JSON, and the SHA-256 of all before."""
    with open(path, "ab") as file:
        file.write(f"\nconfiguration {json.dumps(owner)}".encode())
    digest = sha256(path)
    with open(path, "ab") as file:
        file.write(f"\nsha256 {digest}\n".encode())


def check_seal(path: Path) -> dict | None:
    """Return what a file belongs to: the `owner` given to `seal`.

    Returns:
        An empty dictionary where the seal has a checksum alone, and None where there is no seal.

    Raises:
        InputError: where the file differs from what was sealed, or lacks the end of its seal.
    """
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        left = max(0, file.seek(0, 2) - LENGTH)
        file.seek(max(0, left - LONGEST))
        tail = file.read()
        found, before = SEAL.fullmatch(tail[-LENGTH:]), tail[:-LENGTH]
        file.seek(0)
        while found and (block := file.read(min(left, BLOCK))):
            digest.update(block)
            left -= len(block)
    is_damaged = found[1].decode() != digest.hexdigest() if found else OWNER in tail
    line = before[before.rfind(b"\n") :]
    try:
        if is_damaged:
            raise ValueError("the checksum differs")
        if not found:
            return None
        return json.loads(line.removeprefix(b"\nconfiguration ")) if line.startswith(OWNER) else {}
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} {ADVICE}, or give another --checkpoint") from error


def read_json(path: Path):
    """Return the value in a JSON file, or None where there is none; raise `InputError` where it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} {ADVICE}") from error


def read_state(path: Path) -> tuple[list[np.ndarray], dict]:
    """Return the arrays and the dictionary of a checkpoint's state, empty ones where the file is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return [file[f"arr_{index}"] for index in range(len(file.files) - 1)], dict(json.loads(str(file["state"])))
    except Exception:  # NumPy and zipfile raise many kinds for a damaged file
        return [], {}


def read_records(path: Path) -> list[dict]:
    """Return the records of a log, one JSON object with a `step` a line, without a last line that a crash cut off.

    Raises:
        InputError: where it is damaged; it names the line.
    """
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            continue
        try:
            record = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or type(record.get("step")) is not int:
            raise InputError(f"{path}, line {number}, {ADVICE}, or start a new training with --no-resume")
        records.append(record)
    return records


def read_text_record(path: Path) -> dict:
    """Return the object in text.json, empty where there is no such file.

    Raises:
        InputError: where it is damaged: `languages` and `subwords` are pairs of words, `digests` a dictionary.
    """
    if (record := read_json(path)) is None:
        return {}
    pairs = [record.get(name, ["", ""]) for name in ("languages", "subwords")] if isinstance(record, dict) else [None]
    are_pairs = all(isinstance(pair, list) and [type(item) for item in pair] == [str, str] for pair in pairs)
    if not are_pairs or not isinstance(record.get("digests", {}), dict):
        raise InputError(f"{path} {ADVICE}")
    return record
