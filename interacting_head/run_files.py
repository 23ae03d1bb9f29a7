"""Files of a run directory that may be damaged: JSON, and weights that end with a checksum of all that stands before.

HDF5 is parsed in C, which damage can bring down: a sealed file is checked before, an unsealed one is taken as it is.
"""

import hashlib
import json
import re
import warnings

from data.errors import InputError

SEAL = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
LENGTH = 73  # bytes of a seal, which HDF5 leaves out of account
BLOCK = 1 << 20  # bytes
ADVICE = "is damaged; copy it again from where the run directory came from"


def sha256(path):
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(path):
    """Adds the SHA-256 of a file to its end."""
    digest = sha256(path)
    with open(path, "ab") as file:
        file.write(f"\nsha256 {digest}\n".encode())


def check_seal(path):
    """Raises `InputError` where a file has a seal and is not what was sealed."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        left = max(0, file.seek(0, 2) - LENGTH)
        file.seek(left)
        found = SEAL.fullmatch(file.read())
        file.seek(0)
        while found and (block := file.read(min(left, BLOCK))):
            digest.update(block)
            left -= len(block)
    if found and found[1].decode() != digest.hexdigest():
        raise InputError(f"{path} {ADVICE}, or give another --checkpoint")


def read_json(path):
    """The value in a JSON file, or None where there is none. Raises `InputError` where it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} {ADVICE}") from error


def read_records(path):
    """The records of a log, one JSON object with a `step` a line; a line that was cut off by a crash is not one.

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
            raise InputError(f"{path}, line {number}, {ADVICE}, or start the training anew with --no-resume")
        records.append(record)
    return records


def load_weights(model, path):
    """Loads weights from a file into a Keras model; raises `InputError` where they are damaged or of another model."""
    check_seal(path)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            model.load_weights(path)
        if warned:  # of some weights that a file lacks Keras only warns, and keeps fresh ones
            raise ValueError(str(warned[0].message))
    except Exception as error:  # h5py and Keras raise many kinds for a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is damaged ({reason}); give another --checkpoint") from error


def read_text_record(path):
    """The object in text.json, or None where there is none.

    Raises:
        InputError: where it is damaged: `languages` and `subwords` are pairs of words, `digests` a dictionary.
    """
    record = read_json(path)
    if record is None:
        return None
    pairs = [record.get(name, ["", ""]) for name in ("languages", "subwords")] if isinstance(record, dict) else [None]
    are_pairs = all(isinstance(pair, list) and [type(item) for item in pair] == [str, str] for pair in pairs)
    if not are_pairs or not isinstance(record.get("digests", {}), dict):
        raise InputError(f"{path} {ADVICE}")
    return record
