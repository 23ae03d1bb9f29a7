"""Fetching a published file: checked before it appears in its place."""

import hashlib
import http.client
import urllib.request
from pathlib import Path

from tqdm import tqdm

from data.errors import InputError
from data.files import atomic_write

TIMEOUT = 30  # seconds without an answer
# Some servers refuse Python's own name (manythings.org answers 406).
USER_AGENT = "Mozilla/5.0 (compatible; interacting-head)"
BLOCK = 1 << 20  # bytes


def download(address: str, path: Path, sha256: str | None = None) -> str:
    """Fetch `address` into the file `path`, making its folder, and return the SHA-256 of the content.

    Raises:
        InputError: when the address cannot be reached, or the content is cut short or does not match `sha256`. Nothing
            is left behind then.
    """
    digest = hashlib.sha256()
    request = urllib.request.Request(address, headers={"User-Agent": USER_AGENT})
    try:
        with atomic_write(path, "wb", parents=True) as file:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
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
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"could not download {address}: {getattr(error, 'reason', None) or error}") from error
    return digest.hexdigest()
