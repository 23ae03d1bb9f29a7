"""Safe unpacking of tar archives (plain, gzip, bzip2, xz), zip archives and Debian packages."""

import bz2
import contextlib
import errno
import fnmatch
import gzip
import lzma
import re
import stat
import tarfile
import zipfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from tqdm import tqdm

from data.errors import InputError
from data.files import NO_ROOM

LARGEST_MEMBER = 8 << 30  # bytes that one file may unpack to; the largest one needed has 1.2 GB
MOST_MEMBERS = 200_000
MOST_TIMES = 100  # largest ratio of unpacked to packed size; text has 3 to 10
ALWAYS_ALLOWED = 64 << 20  # bytes
BLOCK = 1 << 20  # bytes
LARGEST_READ = 1 << 20  # bytes: no header of a tar archive is larger
DEBIAN_MAGIC = b"!<arch>\n"
COMPRESSIONS = {b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file), b"BZh": bz2.BZ2File, b"\xfd7zXZ": lzma.LZMAFile}
"""The first bytes of a compressed file → function of the file that reads it."""


def unpack(archive: str | Path, folder: str | Path, wanted: Collection[str]) -> dict[str, Path]:
    """Write the files `wanted` of an archive under `folder` and return {name in the archive: path}.

    `wanted` are names in the archive, or patterns with `*`; each must match. Raises `InputError` if the archive is
    damaged, lacks a file, has a path outside the folder, a link instead of a wanted file, or implausibly many or large
    files. Partial output stays: unpack into a temporary folder.
    """
    folder = Path(folder)
    written: dict[str, Path] = {}
    literal = {name for name in wanted if "*" not in name}
    patterns = {name: re.compile(fnmatch.translate(name)) for name in wanted if "*" in name}
    try:
        room = max(ALWAYS_ALLOWED, MOST_TIMES * Path(archive).stat().st_size)
        with contextlib.closing(_members(archive, room)) as members:
            for count, (name, is_file, open_member) in enumerate(members, start=1):
                _check_path(archive, name)
                if count > MOST_MEMBERS:
                    raise InputError(f"{archive} contains more than {MOST_MEMBERS:,} files: not unpacked")
                name = str(PurePosixPath(name))
                if name in literal or any(pattern.match(name) for pattern in patterns.values()):
                    if not is_file:
                        raise InputError(f"{archive}: {name} is a link or a device, not a regular file")
                    written[name] = folder / name
                    with open_member() as source:
                        room -= _copy(source, written[name], f"{name} in {archive}", min(room, LARGEST_MEMBER))
    except InputError:
        raise
    except Exception as error:  # tarfile and zipfile raise many kinds for a damaged file
        if isinstance(error, FileNotFoundError | IsADirectoryError | PermissionError):
            raise InputError(f"cannot read {archive}: {error.strerror}; check the name") from error
        if isinstance(error, OSError) and error.errno in (*NO_ROOM, errno.EIO, errno.EROFS):
            raise  # no fault of the archive
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{archive} is not an archive, or is truncated or damaged ({reason}); fetch it again"
        ) from error
    missing = sorted(literal - written.keys())
    missing += [name for name, pattern in patterns.items() if not any(map(pattern.match, written))]
    if missing:
        raise InputError(f"{archive} does not contain {', '.join(missing)}; check that it is the right file")
    return written


def _members(archive, room):
    """Yield the name of each member, whether it is a plain file, and a function that opens it."""
    with open(archive, "rb") as plain:
        magic = plain.read(8)
        plain.seek(0)
        size = Path(archive).stat().st_size
        with tqdm.wrapattr(plain, "read", total=size, desc=Path(archive).name, disable=None, leave=False) as file:
            if magic.startswith(b"PK"):
                yield from _zip_members(file)
                return
            if magic == DEBIAN_MAGIC:
                _seek_debian_data(file, archive)
            yield from _tar_members(file, archive, room)


def _tar_members(file, archive, room):
    place = file.tell()
    magic = file.read(8)
    file.seek(place)
    file = next((unpacked(file) for start, unpacked in COMPRESSIONS.items() if magic.startswith(start)), file)
    forward = _Forward(file, archive, room)
    with tarfile.open(fileobj=forward, mode="r:") as tar:
        for member in tar:
            forward.check(tar.offset)  # its end
            if not member.isdir():
                yield member.name, member.isreg(), lambda member=member: tar.extractfile(member)
        while tar.fileobj.read(BLOCK):
            pass  # to the end, where compressed data store their checksum


class _Forward:
    """A forward-only file with a limit of `most` bytes, because a header can demand anything."""

    def __init__(self, file, archive, most):
        self.file, self.archive, self.most = file, archive, most + file.tell()

    def tell(self):
        return self.file.tell()

    def read(self, size):
        if not 0 <= size <= LARGEST_READ:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        self.check(self.tell() + size)
        return self.file.read(size)

    def seek(self, place):
        if place < self.tell():
            raise tarfile.ReadError("a header that points backwards")
        self.check(place)
        return self.file.seek(place)

    def check(self, place):
        if place > self.most + BLOCK:
            raise InputError(f"{self.archive} unpacks to more than {self.most:,} bytes: not unpacked")


def _zip_members(file):
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                mode = stat.S_IFMT(member.external_attr >> 16)
                yield member.filename, mode in (0, stat.S_IFREG), lambda member=member: archive.open(member)


def _seek_debian_data(file, archive):
    """Move to the tar archive of files within a Debian package, an `ar` archive."""
    file.seek(len(DEBIAN_MAGIC))
    while header := file.read(60):
        name, size = header[:16].decode("ascii", "replace").strip().rstrip("/"), header[48:58].strip()
        if len(header) < 60 or header[58:] != b"`\n" or not size.isdigit():
            break
        if name.startswith("data.tar"):
            return
        file.seek(int(size) + int(size) % 2, 1)  # members begin at even offsets
    raise InputError(f"{archive} is truncated or not a Debian package; fetch it again")


def _check_path(archive, name):
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or re.match("[A-Za-z]:", name) or "\0" in name:
        raise InputError(f"{archive} contains the path {name!r}, which points outside the folder: not unpacked")


def _copy(source, path, name, most):
    """Write a file of at most `most` bytes and return its size."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{name} has a file as its parent folder: not unpacked") from error
    size = 0
    with open(path, "wb") as file:
        while block := source.read(BLOCK):
            size += len(block)  # counted here, because a header may lie
            if size > most:
                raise InputError(f"{name} unpacks to more than {most:,} bytes: not unpacked")
            file.write(block)
    return size
