"""Helpers that kill scripts at moments that are visible in their files."""

import os
import signal
import time
from fnmatch import fnmatch

from tests.command_line import ROOT, started


def entries(folder):
    """Return the files and folders below a folder, {(path, inode)}; a replaced file counts as new."""
    found = set()
    for parent, _, _ in os.walk(folder):
        try:
            found |= {(os.path.relpath(entry.path, folder), entry.inode()) for entry in os.scandir(parent)}
        except FileNotFoundError:  # removed meanwhile
            continue
    return found


def appears(folder, pattern):
    """Return a function that tells whether a new path below a folder matches a pattern."""
    former = entries(folder)
    return lambda: any(fnmatch(path, pattern) for path, _ in entries(folder) - former)


def logged(path, text, times=1):
    """Return a function that tells whether a text has been added to a file a number of times from now on."""

    def read():
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    former = len(read())
    return lambda: read()[former:].count(text) >= times


def kill(seen, delay, folder, script, *arguments):
    """Kill a script some seconds after `seen()` comes true; return whether it was still running."""
    with started(folder, script, *arguments) as (process, _, errors):
        while process.is_alive() and not seen():
            time.sleep(0.001)
        time.sleep(delay)
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL), errors.read().decode()
        return process.exitcode == -signal.SIGKILL


def contents(folder):
    """Name → bytes of the files below a folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def kill_at(pattern, delay, watched, folder, script, *arguments):
    """Have a script kill itself some seconds after something new appears; return whether it was still running.

    Args:
        pattern: that the path fits, as of `appears`.
        delay: seconds.
        watched: the folder below which it appears.
        folder, script, arguments: as of `command_line.started`.
    """
    path = str(ROOT / script) if script.endswith(".py") else script
    words = map(str, (watched, pattern, delay, path, *arguments))
    with started(folder, "tests.killed_at", *words) as (process, _, errors):
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL), errors.read().decode()
        return process.exitcode == -signal.SIGKILL


def left_behind(folder):
    """The folders below a folder of what commands have not completed."""
    return list(folder.rglob(".partial-*"))
