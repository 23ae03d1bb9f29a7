"""The cache folder: whatever is downloaded, generated or encoded once and used again."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from data.files import written_beside


def cache_folder() -> Path:
    """The folder `$INTERACTING_HEAD_CACHE`, or `~/.cache/interacting_head`; it need not exist yet."""
    return Path(os.environ.get("INTERACTING_HEAD_CACHE") or Path.home() / ".cache" / "interacting_head")


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Return `folder`; where it does not exist, `build(temporary_folder)` fills it first.

    Another process sees all of it or nothing, and of two processes that build at the same time one wins.

    Raises:
        InputError: when the place cannot be written to.
    """
    if folder.is_dir():
        return folder
    try:
        with written_beside(
            folder, parents=True, advice="set INTERACTING_HEAD_CACHE to a folder that can be written to"
        ) as temporary:
            temporary.mkdir()
            build(temporary)
            # Others who share the cache may read it.
            temporary.chmod(folder.parent.stat().st_mode & 0o777)
    except OSError:
        if not folder.is_dir():  # built by another process meanwhile
            raise
    return folder


def build_for_content(kind: str, content: list, build: Callable[[Path], None]) -> Path:
    """The folder of the cache for some content, which `build(temporary_folder)` fills where it does not exist.

    Args:
        kind: the folder of the cache that it lies in.
        content: whatever the result depends on, as JSON can hold it; first the format of the files, a number to be
            raised when `build` writes others from the same content.
        build: as for `build_once`.

    Raises:
        InputError: when the place cannot be written to.
    """
    key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
    return build_once(cache_folder() / kind / key, build)
