"""The cache folder: what is downloaded, generated or encoded once and used again."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from data.errors import InputError


def cache_folder() -> Path:
    """The folder `$INTERACTING_HEAD_CACHE`, or `~/.cache/interacting_head`; it need not exist yet."""
    return Path(os.environ.get("INTERACTING_HEAD_CACHE") or Path.home() / ".cache" / "interacting_head")


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Returns `folder`; where it does not exist, `build(temporary_folder)` fills it first.

    The temporary folder stands beside `folder` and is renamed when complete: another process sees all of it
    or nothing, and of two processes that build at the same time one wins.

    Raises:
        InputError: when the place cannot be written to.
    """
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".partial-"))
    except OSError as error:
        raise InputError(
            f"cannot write to {folder.parent}: {error.strerror}; set INTERACTING_HEAD_CACHE to a folder that "
            "can be written to"
        ) from error
    try:
        build(temporary)
        # mkdtemp makes a private folder; this one may be shared as far as its surroundings are.
        temporary.chmod(folder.parent.stat().st_mode & 0o777)
        try:
            temporary.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder
