"""A folder that appears when all of it is written."""

import contextlib
from pathlib import Path

from data.errors import InputError
from data.files import written_beside


@contextlib.contextmanager
def new_folder(path):
    """Yield a folder beside `path`, which is renamed to `path` when the block ends without error.

    Raises:
        InputError: where `path` is a file or a folder that holds something, or cannot be written.
    """
    path = Path(path)
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} exists and is not an empty folder; name another, or remove it first")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; name a folder that can be written to") from error
    with written_beside(path, parents=True) as partial:
        partial.mkdir()
        yield partial
