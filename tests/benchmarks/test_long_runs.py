import re
import sys

import pytest

from benchmarks import long_runs
from interacting_head.console import RunError

PRINTS = "import sys; [print(f' step {n} of 100, and more', file=sys.stderr, flush=True) for n in range(11, 101)]"
LEAKS = """
import time
kept = []
for _ in range(40):
    kept.append(bytearray(b"x" * 2_000_000))
    print(flush=True)
    time.sleep(0.03)
"""


def test_steps_are_those_of_this_process_and_constant_memory_does_not_grow():
    pattern = re.compile(r" step (\d+) of 100, ")
    row = long_runs.watched([sys.executable, "-c", PRINTS], 100, 10, "stderr", pattern)
    assert row["number"] == 90
    assert abs(row["growth, MiB"]) < 5


def test_memory_that_grows_is_seen():
    row = long_runs.watched([sys.executable, "-c", LEAKS], 40, 1, "stdout")
    assert row["growth, MiB"] > 20


def test_a_command_that_fails_is_an_error():
    with pytest.raises(RunError, match="ended with code 3"):
        long_runs.watched([sys.executable, "-c", "raise SystemExit(3)"], 40, 1, "stdout")
