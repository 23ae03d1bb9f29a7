"""Seals at the end of weight files.

A seal is a line that says what the weights belong to, and a line with a checksum of everything before. Damaged HDF5 can
crash its C parser, so sealed files are checked first; unsealed ones are read unchecked.
"""

import hashlib
import json
import re
from pathlib import Path

from data.errors import InputError
from data.files import sha256

SEAL = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
LENGTH = 73  # bytes of the checksum line, which HDF5 ignores
OWNER = b"\nconfiguration {"  # the beginning of the line before it, which earlier versions did not write
LONGEST = 1 << 20  # bytes of that line, more than any configuration has
BLOCK = 1 << 20  # bytes
DAMAGED = "is damaged; copy it again from the original run directory"


def seal(path: Path, owner: dict) -> None:
    """Append two lines to a file: what it belongs to, in JSON, and the SHA-256 of everything before."""
    with open(path, "ab") as file:
        file.write(f"\nconfiguration {json.dumps(owner)}".encode())
    digest = sha256(path)
    with open(path, "ab") as file:
        file.write(f"\nsha256 {digest}\n".encode())


def check_seal(path: Path) -> dict | None:
    """Return the `owner` given to `seal`: an empty dictionary if the seal is only a checksum, None without a seal.

    Raises `InputError` if the file has changed, or the seal is incomplete.
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
        raise InputError(f"{path} {DAMAGED}, or give another --checkpoint") from error
