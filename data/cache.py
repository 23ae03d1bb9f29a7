"""The cache folder for anything that is downloaded, generated, piped or encoded once and used again."""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from data.errors import InputError
from data.files import full_disk_named, make_folder, sha256, written_atomically

CHECKSUMS = "SHA256SUMS"  # the file with the checksums of a cache folder, as sha256sum writes them
ADVICE = "set INTERACTING_HEAD_CACHE to a writable folder"


def cache_folder() -> Path:
    """Return `$INTERACTING_HEAD_CACHE`, or `~/.cache/interacting_head`; it need not exist yet."""
    if named := os.environ.get("INTERACTING_HEAD_CACHE"):
        return Path(named)
    try:
        return Path.home() / ".cache" / "interacting_head"
    except RuntimeError as error:
        raise InputError(f"this user has no home folder for the cache; {ADVICE}") from error


def build_once(
    folder: Path,
    build: Callable[[Path], None],
    unchecked: bool = False,
    is_current: Callable[[Path], bool] = lambda folder: True,
) -> Path:
    """Return `folder`; if it is missing, damaged by its checksums or not current, `build(temporary_folder)` fills it.

    Other processes see all of it or nothing; if two build at once, one wins. `unchecked` accepts folders and files
    without a checksum, which the user put there, and keeps these files. `is_current` says whether an intact folder has
    what `build` would write today. Raises `InputError` if the folder is not writable.
    """
    reason_to_build = partial(_reason_to_build, folder, unchecked, is_current)
    damage = reason_to_build()
    if damage is None:
        return folder
    if damage:
        warn_of_damage(folder, damage)
    try:
        with written_atomically(folder, parents=True, advice=ADVICE) as temporary:
            temporary.mkdir()
            build(temporary)
            lines = [f"{checksum}  {name}\n" for name, checksum in _checksums(temporary).items()]
            (temporary / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
            # Others who share the cache may read it.
            temporary.chmod(folder.parent.stat().st_mode & 0o777)
            if reason_to_build():  # another process may have built it meanwhile
                if unchecked and folder.is_dir():
                    _copy_others(folder, temporary)
                os.replace(folder, temporary.with_name("damaged"))  # removed with the folder that holds `temporary`
    except OSError:
        if reason_to_build() is not None:  # not built by another process either
            raise
    return folder


def build_for_content(kind: str, content: list, build: Callable[[Path], None]) -> Path:
    """Return the cache folder, of a `kind`, for some content; see `build_once`.

    `content` is everything the result depends on, as JSON values; the first is the format version of the files.
    """
    key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
    return build_once(cache_folder() / kind / key, build)


def warn_of_damage(path: Path, damage: str) -> None:
    """Warn that a file or folder of the cache is damaged or outdated and being rebuilt."""
    print(f"warning: {path}: {damage}; rebuilding it", file=sys.stderr)


def _reason_to_build(folder, unchecked, is_current):
    """Return what is wrong with a folder in a few words: "" if it is missing or empty, None if it can be used."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return ""
    if unchecked and folder.is_dir() and not (folder / CHECKSUMS).exists():
        return None
    try:
        stored, found = _stored_checksums(folder), _checksums(folder)
    except FileNotFoundError:
        return f"it has no {CHECKSUMS}"
    except (OSError, ValueError) as error:
        return f"cannot be read ({error})"
    differing = {name for name in stored if stored[name] != found.get(name)}
    if not unchecked:
        differing |= found.keys() - stored.keys()
    if differing or not stored:
        return f"{', '.join(sorted(differing)) or CHECKSUMS} is damaged"
    return None if is_current(folder) else "its definition has changed"


def _copy_others(folder, new):
    """Copy what has no stored checksum into a new version of a folder, unless it is there already."""
    stored = {}
    with contextlib.suppress(OSError, ValueError):  # they may be what is damaged
        stored = _stored_checksums(folder)
    for path in folder.iterdir():
        if path.name in stored or os.path.lexists(new / path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, new / path.name, symlinks=True)
        else:
            shutil.copy2(path, new / path.name, follow_symlinks=False)


def _stored_checksums(folder):
    return dict(line.split("  ", 1)[::-1] for line in (folder / CHECKSUMS).read_text("utf-8").splitlines())


def _checksums(folder):
    paths = (path for path in sorted(folder.iterdir()) if path.name != CHECKSUMS and path.is_file())
    return {path.name: sha256(path) for path in paths}


def kept_text(path: str | Path) -> Path:
    """Return the absolute path of a file; for a pipe such as `<(zcat train.gz)`, of a copy in the cache.

    The same content gives the same file, so the same command resumes a training on a pipe. Raises `InputError` when the
    pipe is empty or the cache is not writable.
    """
    if not Path(path).is_fifo():
        return Path(os.path.abspath(path))
    folder = cache_folder()
    make_folder(folder, ADVICE)
    # Without a name, so that nothing is left if the process is killed.
    with full_disk_named(folder), tempfile.TemporaryFile(dir=folder) as copy:
        with open(path, "rb") as pipe:
            shutil.copyfileobj(pipe, copy)
        if not copy.tell():
            raise InputError(f"the pipe {path} is empty; check the command that writes to it")
        copy.seek(0)
        digest = hashlib.file_digest(copy, "sha256").hexdigest()

        def build(temporary):
            copy.seek(0)
            with open(temporary / "text", "wb") as file:
                shutil.copyfileobj(copy, file)

        return Path(os.path.abspath(build_for_content("pipes", [1, digest], build))) / "text"
