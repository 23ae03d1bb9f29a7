"""Fetching a published file: beside its place, checked, then renamed."""

import contextlib
import hashlib
import http.client
import os
import tempfile
import urllib.request
from pathlib import Path

from tqdm import tqdm

from data.errors import InputError

TIMEOUT = 30  # seconds without an answer
# Some servers refuse Python's own name (manythings.org answers 406).
USER_AGENT = "Mozilla/5.0 (compatible; interacting-head)"
BLOCK = 1 << 20  # bytes


def download(address: str, path: Path, sha256: str | None = None) -> str:
    """Fetches `address` into the file `path` and returns the SHA-256 of the content.

    Args:
        address: of the published file.
        path: the file to write; its folder is made where it does not exist.
        sha256: what the content must have; None where the publisher changes the file from time to time.

    Raises:
        InputError: when the address cannot be reached, the content is cut short or is not the expected one.
            Nothing is left behind then.
    """
    temporary = None
    digest = hashlib.sha256()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
        request = urllib.request.Request(address, headers={"User-Agent": USER_AGENT})
        with open(descriptor, "wb") as file, urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            expected = int(response.headers.get("Content-Length") or 0)
            with tqdm(total=expected or None, unit="B", unit_scale=True, desc=path.name, disable=None) as bar:
                while block := response.read(BLOCK):
                    file.write(block)
                    digest.update(block)
                    bar.update(len(block))
            if expected and file.tell() != expected:
                raise InputError(f"could not download {address}: {file.tell():,} of {expected:,} bytes arrived")
        if sha256 not in (None, digest.hexdigest()):
            raise InputError(f"{address} has the SHA-256 {digest.hexdigest()} where {sha256} is expected")
        os.chmod(temporary, path.parent.stat().st_mode & 0o666)
        os.replace(temporary, path)
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"could not download {address}: {getattr(error, 'reason', None) or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
    return digest.hexdigest()
