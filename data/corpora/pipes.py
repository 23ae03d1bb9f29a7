"""Text that comes through a pipe, such as `<(zcat train.gz)`: kept in the cache, since it is read more than once."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from data.cache import build_for_content, cache_folder
from data.errors import InputError
from data.files import full_disk_named, make_folder

FORMAT = 1  # of the cache: raise it when the files written here change
BLOCK = 1 << 20  # bytes


def kept_text(path: str | Path) -> Path:
    """Return the absolute path of a file, for a pipe such as `<(zcat train.gz)` of a copy of its content in the cache.

    A text is read more than once. The same content gives the same file, so that a training that was begun on a pipe
    continues with the same command.

    Raises:
        InputError: when nothing comes through the pipe, or the cache cannot be written to.
    """
    if not Path(path).is_fifo():
        return Path(os.path.abspath(path))
    folder, digest = cache_folder(), hashlib.sha256()
    make_folder(folder, "set INTERACTING_HEAD_CACHE to a folder that can be written to")
    # Without a name: nothing of it is left where the process is killed.
    with full_disk_named(folder), tempfile.TemporaryFile(dir=folder) as copy:
        with open(path, "rb") as pipe:
            while block := pipe.read(BLOCK):
                digest.update(block)
                copy.write(block)
        if not copy.tell():
            raise InputError(f"nothing came through the pipe {path}; check the command that writes to it")

        def build(temporary):
            copy.seek(0)
            with open(temporary / "text", "wb") as file:
                shutil.copyfileobj(copy, file)

        return Path(os.path.abspath(build_for_content("pipes", [FORMAT, digest.hexdigest()], build))) / "text"
