import re
import sys

import pytest

from benchmarks import long_runs
from interacting_head.console import RunError

# A line fills the pipe: the process is no further than one line ahead of those who read, however slow they are.
PRINTS = """
import sys
for number in range(11, 101):
    print(f" step {number} of 100, and", "more" * 2**14, file=sys.stderr, flush=True)
"""
LEAKS = """
kept = []
for _ in range(40):
    kept.append(bytearray(b"x" * 2_000_000))
    print("more" * 2**14, flush=True)
"""


def test_steps_are_counted_and_constant_memory_does_not_grow():
    pattern = re.compile(r" step (\d+) of 100, ")
    row = long_runs.watched([sys.executable, "-c", PRINTS], 100, 1, "stderr", pattern)
    assert row["number"] == 90
    assert abs(row["growth, MiB"]) < 5


def test_memory_that_grows_is_seen():
    row = long_runs.watched([sys.executable, "-c", LEAKS], 40, 1, "stdout")
    assert row["growth, MiB"] > 20


def test_a_failing_command_is_an_error():
    with pytest.raises(RunError, match="ended with code 3"):
        long_runs.watched([sys.executable, "-c", "raise SystemExit(3)"], 40, 1, "stdout")
