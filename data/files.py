"""Files and folders: atomic writing, locks, checks before work begins, checksums."""

import contextlib
import csv
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from data.errors import InputError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # full disk, used-up quota, file larger than allowed
UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)
"""Read-only disk, missing permissions, a name that is too long."""
STANDARD_OUTPUT = "the standard output"
ADVICE = "name a writable folder"
PARTIAL = ".partial-"  # begins the names of folders in which `written_atomically` keeps incomplete files


def make_folder(path: str | Path, advice: str = ADVICE) -> None:
    """Create a folder and its parents if missing; raise `InputError` if that fails."""
    with _refused(path, advice):
        Path(path).mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def _refused(path, advice=ADVICE):
    """Turn an `OSError` into an `InputError`; a full disk stays an `OSError`, which then names `path`."""
    try:
        with full_disk_named(path):
            yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise InputError(f"cannot write {path}: {error.strerror}; {advice}") from error


@contextlib.contextmanager
def full_disk_named(path: str | Path) -> Iterator[None]:
    """Add the path of the file being written to a full-disk error, which lacks it."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


@contextlib.contextmanager
def written_atomically(path: str | Path, parents: bool = False, advice: str = ADVICE) -> Iterator[Path]:
    """Yield a temporary path for a file or folder, and rename it to `path` if the block succeeds.

    On failure it is removed, so `path` is always complete or absent. A file replaces an earlier one, a folder only an
    empty one (else `OSError`). The next process that writes here removes what a killed one left behind. `parents`
    creates the parent folder if missing; `advice` ends the `InputError` for a place that is not writable.
    """
    path = Path(os.path.realpath(path))
    if parents:
        make_folder(path.parent, advice)
    with _refused(path, advice):
        remove_abandoned(path.parent)
        folder, lock = _locked_folder(path.parent)
    try:
        with full_disk_named(path):
            # Not the folder itself, which is private; below it everything has the usual permissions.
            yield folder / path.name
            _replace(folder / path.name, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _replace(new, path):
    try:
        os.replace(new, path)
    except OSError as error:
        if error.errno != errno.EBUSY or not path.is_file():
            raise
        shutil.copyfile(new, path)  # mounted, as into a container: it can be written to, but not replaced


def _locked_folder(parent):
    """Create a folder in `parent`; return it and a file descriptor that locks it until closed."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=PARTIAL))
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another process took it for an abandoned one
            continue
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)


def remove_abandoned(parent: str | Path) -> None:
    """Remove the temporary folders in `parent` whose process has ended and so holds no lock."""
    for folder in Path(parent).glob(f"{PARTIAL}*"):
        with contextlib.suppress(OSError):  # another user's, still in use, or a file system without locks
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def check_plain(path: str | Path) -> None:
    """Raise `InputError` if `path`, or something in this folder, is a pipe or a device: reading it might never end.

    For files that are read more than once, or by libraries. Missing files are accepted.
    """
    inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    for place in (path, *inside):
        if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):
            raise InputError(f"{place} is a pipe or a device, which cannot be read here; save its content to a file")


def check_name(path: str | Path) -> None:
    """Raise `InputError` for a name that is not UTF-8, which TensorFlow cannot open."""
    try:
        os.fspath(path).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: this name is not UTF-8, which TensorFlow cannot open; rename the folder") from error


def check_folder(path: str | Path, advice: str = ADVICE) -> None:
    """Raise `InputError` if this folder or one of its parents is a file, or new files in it would be refused."""
    existing = next(place for place in (Path(path), *Path(path).absolute().parents) if place.exists())
    if not existing.is_dir():
        raise InputError(f"cannot write into {path}: {existing} is a file; {advice}")
    if not os.access(existing, os.W_OK | os.X_OK):
        is_read_only = os.statvfs(existing).f_flag & os.ST_RDONLY
        reason = os.strerror(errno.EROFS if is_read_only else errno.EACCES)
        raise InputError(f"cannot write {path}: {reason}; {advice}")


def check_not_mounted(path: str | Path) -> None:
    """Raise `InputError` if `path` is a mount point, which no other folder can replace."""
    if os.path.ismount(os.path.realpath(path)):
        raise InputError(f"{path} is a mount point, which cannot be replaced; name a folder in it")


def check_new_folder(path: str | Path) -> None:
    """Raise `InputError` unless `path` is missing or an empty folder, and no mount point."""
    path = Path(path)
    check_not_mounted(path)
    with _refused(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(
                f"{path} exists and is not an empty folder; choose another folder, or remove this one first"
            )


@contextlib.contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """Yield a folder next to `path`, renamed to `path` if the block succeeds; raise what `check_new_folder` raises."""
    check_new_folder(path)
    try:
        with written_atomically(path, parents=True) as partial:
            partial.mkdir()
            yield partial
    except OSError:
        check_new_folder(path)  # another process may have written it meanwhile
        raise


@contextlib.contextmanager
def sole_use(folder: str | Path) -> Iterator[None]:
    """Create a folder if missing, and lock it in the block; raise `InputError` if another process has locked it."""
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                message = f"{folder} is in use by another command; wait until it ends, or name another folder"
                raise InputError(message) from error
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic_write(path: str | Path, mode: str = "w", parents: bool = False, **kwargs: object) -> Iterator[IO]:
    """Open a file `written_atomically` to `path`, UTF-8 by default; write directly to a device or pipe (`/dev/null`).

    Raises `InputError` if `path` is empty or a folder, or its parent is missing or not writable.
    """
    if "b" not in mode:
        kwargs.setdefault("encoding", "utf-8")
    if not os.fspath(path):
        raise InputError("cannot write to an empty file name; name a file")
    if os.path.isdir(path):
        raise InputError(f"cannot write {path}: it is a folder; name a file")
    if os.path.exists(path) and not os.path.isfile(path):
        with full_disk_named(path), open(path, mode, **kwargs) as file:
            yield file
        return
    with written_atomically(path, parents) as partial, open(partial, mode, **kwargs) as file:
        yield file


def write_json(path: str | Path, value: object, indent: int | None = 2, parents: bool = False) -> None:
    """Write a value as JSON, with a final line break, by `atomic_write`."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        text = json.dumps(value, indent=indent)
    with atomic_write(path, parents=parents) as file:
        file.write(f"{text}\n")


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rows(path: str | Path) -> Iterator[dict[str, str]]:
    """Yield the rows of an unquoted tab-separated table as {column name in the first line: cell}."""
    with open(path, encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def copy_file(source: str | Path, path: str | Path) -> None:
    """Copy a file to `path` atomically, creating its folder."""
    with written_atomically(path, parents=True) as partial:
        shutil.copyfile(source, partial)


def copy_folder(source: str | Path, path: str | Path) -> None:
    """Copy a flat folder to a new folder; unlike `shutil.copytree`, stop at the first error."""
    Path(path).mkdir(parents=True)
    for file in Path(source).iterdir():
        shutil.copyfile(file, Path(path) / file.name)


def check_room(folder: str | Path, size: int) -> None:
    """Raise `OSError` if the disk of a folder has no room for `size` bytes; for libraries that report that badly."""
    with full_disk_named(folder), tempfile.TemporaryFile(dir=folder) as file:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno in NO_ROOM:  # others: the file system cannot tell
                raise
