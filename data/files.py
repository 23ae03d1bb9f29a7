"""Files and folders that are written beside their place and renamed when whole."""

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from data.errors import InputError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of the errors of a full disk, a used-up quota, and a file larger than allowed."""


ADVICE = "name a folder that can be written to"


def make_folder(path, advice=ADVICE):
    """Make a folder, and those that it lies in, where there is none.

    Raises:
        InputError: when it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; {advice}") from error


@contextlib.contextmanager
def full_disk_named(path):
    """Give an `OSError` of a full disk in the block the name of the file that is written, which it lacks."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


@contextlib.contextmanager
def written_beside(path, parents=False, advice=ADVICE):
    """Yield a path of the same name in a folder of its own, for a file or a folder that the block makes there.

    It is renamed to `path` when the block ends without error, and removed otherwise: whoever looks at `path` finds all
    of it or nothing. A file takes the place of a former one, a folder only that of an empty one.

    Args:
        path: the place.
        parents: whether to make the folder of `path` where it does not exist.
        advice: the end of the error message.

    Raises:
        InputError: when nothing can be written beside `path`.
        OSError: when there is no room, see `full_disk_named`; when a folder cannot be renamed since one that is not
            empty stands in its place.
    """
    path = Path(os.path.realpath(path))
    if parents:
        make_folder(path.parent, advice)
    try:
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=".partial-"))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; {advice}") from error
    try:
        with full_disk_named(path):
            # Not the folder itself, which is private: below it everything has the usual permissions.
            yield folder / path.name
            os.replace(folder / path.name, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_new_folder(path):
    """Raise `InputError` where `path` is a file or a folder that holds something."""
    path = Path(path)
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} exists and is not an empty folder; name another, or remove it first")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; {ADVICE}") from error


@contextlib.contextmanager
def new_folder(path):
    """Yield a folder beside `path`, which is renamed to `path` when the block ends without error.

    Raises:
        InputError: where `path` is a file or a folder that holds something, or cannot be written.
    """
    check_new_folder(path)
    with written_beside(path, parents=True) as partial:
        partial.mkdir()
        yield partial


@contextlib.contextmanager
def sole_use(folder):
    """Make a folder where it does not exist, and keep others who ask for the same out of it while the block runs.

    A process that ends in any way lets go of it.

    Raises:
        InputError: when it cannot be made, or another process has it.
    """
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder} is in use by another command; wait for its end, or name another folder"
            raise InputError(message) from error
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic_write(path, mode="w", parents=False, **kwargs):
    """Open a file `written_beside` `path`; text is UTF-8 unless told otherwise.

    A device or a pipe (`/dev/null`, `>(command)`) is written to as it is.

    Raises:
        InputError: when `path` is a folder, or its folder does not exist or cannot be written to.
    """
    if "b" not in mode:
        kwargs.setdefault("encoding", "utf-8")
    if os.path.isdir(path):
        raise InputError(f"cannot write {path}: it is a folder; name a file")
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, mode, **kwargs) as file:
            yield file
        return
    with written_beside(path, parents) as partial, open(partial, mode, **kwargs) as file:
        yield file


def check_room(path, size):
    """Make an empty file, or raise `OSError` where its disk has no room for `size` bytes."""
    with open(path, "wb") as file:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno in NO_ROOM:  # others: the file system cannot tell
                raise OSError(error.errno, error.strerror, str(path)) from error
        file.truncate(0)
