"""Settings of the C library's allocator, each in a process of its own: they cannot be taken back."""

import json
import os
import subprocess
import sys

import pytest

from interacting_head.console import allocator
from tests.command_line import ROOT

is_glibc = "CS_GNU_LIBC_VERSION" in os.confstr_names
needs_glibc = pytest.mark.skipif(
    not is_glibc, reason="this system has another C library than glibc; run the test on a common Linux, such as Debian"
)

# Frees a large block, and tells what is left of it.
PROGRAM = """
import ctypes, json, os
from interacting_head.console import allocator

def pages():
    return int(open("/proc/self/statm").read().split()[1])

library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
allocator.keep_freed_memory()
before = pages()
block = library.malloc(64 * 2**20)
ctypes.memset(block, 1, 64 * 2**20)
library.free(block)
kept = (pages() - before) * os.sysconf("SC_PAGE_SIZE") / 2**20
print(json.dumps({"description": allocator.description(), "kept": kept}))
"""


def found(**variables):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_", "LD_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env={**inherited, **variables}, capture_output=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(("cores", "arenas"), [(1, [1]), (4, [1]), (5, []), (64, [])])
def test_threads_share_one_arena_on_few_cores(monkeypatch, cores, arenas):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)))
    most_arenas, _ = allocator.ONE_ARENA
    assert [value for parameter, value in allocator.settings() if parameter == most_arenas] == arenas


@needs_glibc
def test_freed_memory_stays_with_the_process():
    result = found()
    assert result["description"].startswith("glibc 2.")
    assert result["description"].endswith(", freed memory kept")
    assert result["kept"] > 60


@needs_glibc
@pytest.mark.parametrize(
    "variables",
    [{allocator.SWITCH: "0"}, {"MALLOC_ARENA_MAX": "2"}, {"GLIBC_TUNABLES": "glibc.malloc.arena_max=2"}],
    ids=lambda variables: next(iter(variables)),
)
def test_variables_of_the_environment_take_precedence(variables):
    result = found(**variables)
    assert result["description"].endswith(", as it is")
    assert result["kept"] < 10


@pytest.mark.parametrize(("name", "function"), allocator.OTHERS.items())
def test_a_preloaded_allocator_is_left_alone(monkeypatch, name, function):
    monkeypatch.setattr(allocator, "_has", lambda wanted: wanted == function)
    monkeypatch.setattr("ctypes.CDLL", None)  # a call would fail
    allocator.keep_freed_memory()
    assert allocator.description() == name


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr(allocator, "_glibc_version", lambda: None)
    monkeypatch.setattr(allocator, "preloaded", lambda: None)
    monkeypatch.setattr("ctypes.CDLL", None)
    allocator.keep_freed_memory()
    assert allocator.description() == "the system's"
