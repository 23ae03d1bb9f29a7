"""Files and folders that are written beside their place and renamed when whole."""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from data.errors import InputError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of the errors of a full disk, a used-up quota, and a file larger than allowed."""


UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Numbers of the errors of a disk that is only read, and of missing permissions."""

STANDARD_OUTPUT = "the standard output"
ADVICE = "name a folder that can be written to"
PARTIAL = ".partial-"
"""How the names of folders begin in which `written_beside` has what is not yet complete."""


def make_folder(path, advice=ADVICE):
    """Make a folder, and those that it lies in, where there is none.

    Raises:
        InputError: when it cannot be made.
        OSError: when there is no room.
    """
    with _refused(path, advice):
        Path(path).mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def _refused(path, advice=ADVICE):
    """Turn an `OSError` of the block into an `InputError`, but for that of a full disk, which names `path` then."""
    try:
        with full_disk_named(path):
            yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
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
    of it or nothing. A file takes the place of a former one, a folder only that of an empty one. What a process has
    left that was killed in the block is removed by the next one that writes beside it.

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
    with _refused(path, advice):
        remove_abandoned(path.parent)
        folder, lock = _locked_folder(path.parent)
    try:
        with full_disk_named(path):
            # Not the folder itself, which is private: below it everything has the usual permissions.
            yield folder / path.name
            os.replace(folder / path.name, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked_folder(parent):
    """A new folder in `parent`, and a file descriptor that locks it until it is closed or the process ends."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=PARTIAL))
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another process has taken it for an abandoned one
            continue
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)


def remove_abandoned(parent):
    """Remove the folders of `written_beside` in `parent` whose process has ended, which holds no lock any more."""
    for folder in Path(parent).glob(f"{PARTIAL}*"):
        with contextlib.suppress(OSError):  # of another user, at work, or a file system without locks
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def check_plain(path):
    """Raise `InputError` where `path`, or something in this folder, is a pipe or a device: reading may never end.

    For files that are read more than once, or by libraries. What does not exist is no error.
    """
    inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    for place in (path, *inside):
        if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):
            raise InputError(f"{place} is a pipe or a device, which cannot be read here; write it to a file")


def check_folder(path):
    """Raise `InputError` where a file stands in the place of a folder or of one that it lies in."""
    existing = next(place for place in (Path(path), *Path(path).absolute().parents) if place.exists())
    if not existing.is_dir():
        raise InputError(f"cannot write into {path}: {existing} is a file; {ADVICE}")


def check_new_folder(path):
    """Raise `InputError` where `path` is a file or a folder that holds something."""
    path = Path(path)
    with _refused(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} exists and is not an empty folder; name another, or remove it first")


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
        with full_disk_named(path), open(path, mode, **kwargs) as file:
            yield file
        return
    with written_beside(path, parents) as partial, open(partial, mode, **kwargs) as file:
        yield file


def sha256(path):
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_file(source, path, parents=True):
    """Copy a file to `path`, `written_beside` it."""
    with written_beside(path, parents) as partial:
        shutil.copyfile(source, partial)


def copy_folder(source, path):
    """Copy a folder of files to `path`, which does not exist yet.

    `shutil.copytree` would go on after an error, and not say which of them was that of a full disk.
    """
    Path(path).mkdir(parents=True)
    for file in Path(source).iterdir():
        shutil.copyfile(file, Path(path) / file.name)


def check_folder_room(folder, size):
    """Raise `OSError` where the disk of a folder has no room for a file of `size` bytes; nothing is left there.

    For libraries and processes that tell of a full disk in ways of their own, or not at all.
    """
    path = Path(folder) / "room"
    try:
        with full_disk_named(folder):
            check_room(path, size)
    finally:
        path.unlink(missing_ok=True)


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
