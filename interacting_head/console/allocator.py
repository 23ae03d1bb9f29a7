"""Keeping freed memory in the process.

TensorFlow on a CPU allocates tensors with the C library's `malloc`. glibc returns large blocks to the system as soon as
they are free; the next step gets them again page by page, and the system zeroes each page.
"""

import ctypes
import os

from data.workers import available_cores

SWITCH = "INTERACTING_HEAD_KEEP_MEMORY"
"""Environment variable: 0 leaves the allocator unchanged."""

# Parameters of `mallopt`, by their numbers in glibc's malloc.h, and values.
SETTINGS = {
    -4: 0,  # M_MMAP_MAX: no block is mapped, and unmapped, on its own
    -1: 2**31 - 1,  # M_TRIM_THRESHOLD: bytes that may be free at the end of the heap
    -2: 256 * 2**20,  # M_TOP_PAD: bytes by which the heap grows beyond need
}
ONE_ARENA = (-8, 1)
"""M_ARENA_MAX: what one thread frees serves the others, but all of them wait for one lock."""
MOST_CORES = 4
"""Cores up to which one arena serves all threads."""
OTHERS = {"jemalloc": "mallctl", "tcmalloc": "tc_version", "mimalloc": "mi_version"}
"""Allocators that may be preloaded → a function that only they have."""

_is_kept = False


def keep_freed_memory() -> None:
    """Make glibc keep freed memory for the rest of this process; call it before TensorFlow is imported.

    Does nothing with another C library, a preloaded allocator, `SWITCH` set to 0, or glibc settings in the environment
    (`MALLOC_…`, `GLIBC_TUNABLES`).
    """
    global _is_kept
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    has_settings = any(name.startswith("MALLOC_") for name in os.environ) or "malloc" in tunables
    is_wanted = os.environ.get(SWITCH) != "0" and not has_settings
    if is_wanted and _glibc_version() and not preloaded():
        mallopt = ctypes.CDLL(None).mallopt
        succeeded = [mallopt(parameter, value) for parameter, value in settings()]
        _is_kept = all(succeeded)


def settings() -> list[tuple[int, int]]:
    """Return the parameters of `mallopt` and their values for the cores of this process."""
    has_few_cores = available_cores() <= MOST_CORES
    return [*SETTINGS.items(), ONE_ARENA] if has_few_cores else [*SETTINGS.items()]


def description() -> str:
    """Describe the allocator of this process, for logs and results."""
    if name := preloaded():
        return name
    if not (version := _glibc_version()):
        return "the system's"
    return f"glibc {version}, {'freed memory kept' if _is_kept else 'as it is'}"


def preloaded() -> str | None:
    """Return the name of an allocator that replaces the C library's, or None."""
    return next((name for name, function in OTHERS.items() if _has(function)), None)


def _glibc_version():
    try:
        return os.confstr("CS_GNU_LIBC_VERSION").removeprefix("glibc ")
    except (AttributeError, ValueError):
        return None


def _has(function):
    return os.name == "posix" and hasattr(ctypes.CDLL(None), function)
