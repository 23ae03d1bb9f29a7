"""Weights that end with a seal.

A seal is a line that says what the weights belong to, and a line with a checksum of all before it. HDF5 is parsed in
C, which damage can bring down: a sealed file is checked first, an unsealed one is taken as it is.
"""

import hashlib
import json
import re
from pathlib import Path

from data.errors import InputError
from data.files import sha256

SEAL = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
LENGTH = 73  # bytes of the checksum's line, which HDF5 ignores
OWNER = b"\nconfiguration {"  # the beginning of the line before it, which earlier programs did not write
LONGEST = 1 << 20  # bytes of that line, more than a configuration can have
BLOCK = 1 << 20  # bytes
ADVICE = "is damaged; copy it again from where the run directory came from"


def seal(path: Path, owner: dict) -> None:
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
