import os
import subprocess
import sys

import pytest

from benchmarks.child_process import ChildProcess
from interacting_head.console import allocator
from tests.command_line import environment

MEASURE = """
import signal
from benchmarks.child_process import ChildProcess

def measure():
    print("measuring", flush=True)
    signal.pause()

if __name__ == "__main__":
    with ChildProcess(measure) as child:
        child()
"""


class Counter:
    """Count its calls; tell what the process is like."""

    def __init__(self):
        self.calls = 0

    def __call__(self, what):
        self.calls += 1
        if what == "end":
            os._exit(3)
        return {"calls": self.calls, "allocator": allocator.description()}[what]


@pytest.fixture(scope="module")
def child():
    with ChildProcess(Counter(), keep_memory=False, threads=1) as child:
        child("calls")
        yield child


def test_a_function_keeps_its_state_between_calls_and_returns_errors(child):
    count = child("calls")
    with pytest.raises(RuntimeError, match="KeyError: 'nothing'"):
        child("nothing")
    assert child("calls") == count + 2


def test_the_allocator_is_as_it_was_asked_for(child):
    assert "kept" not in child("allocator")


def test_a_process_that_ends_is_an_error():
    with (
        ChildProcess(Counter(), keep_memory=False, threads=1) as child,
        pytest.raises(RuntimeError, match="exited with code 3"),
    ):
        child("end")


def test_a_process_ends_with_a_killed_parent(tmp_path):
    script = tmp_path / "measure.py"
    script.write_text(MEASURE)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment(tmp_path)) as parent:
        assert parent.stdout.readline() == b"measuring\n"
        parent.kill()
        assert parent.communicate(timeout=120) == (b"", None)  # returns when no process can write any more
