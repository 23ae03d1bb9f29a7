"""Hostile input by hypothesis: random bytes, and valid files with changes.

Code must return a result or one line with exit code 2, within seconds. Examples are deterministic: a few in
`make test`, 2,000 for each kind of input in `make test-all`.
"""

import contextlib
import io
import signal
import sys
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from benchmarks.child_process import ChildProcess
from data import command_line

MOST_SECONDS = 5  # of CPU time, so that other work on the machine does not count
DEADLINE = 20  # seconds, for what waits and does not compute

few_and_many = pytest.mark.parametrize("examples", [25, pytest.param(2000, marks=pytest.mark.slow)])
"""Mark of a test with an argument `examples`, for `attempts`."""
many = pytest.mark.parametrize("examples", [pytest.param(2000, marks=pytest.mark.slow)])
"""The same where a few would be slow."""


def attempts(examples):
    """Return `settings` for a number of examples; nothing is written, and no clock decides."""
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],  # failures are not shrunk, which would take minutes
        suppress_health_check=list(HealthCheck),
    )


class Hang(BaseException):
    """Error of a call that takes too long; `except Exception` does not catch it."""


@contextlib.contextmanager
def seconds_at_most(seconds=MOST_SECONDS):
    """End the block by `Hang` when it computes for longer, or waits for `DEADLINE`."""

    def end(*_):
        raise Hang(f"takes more than {seconds} s of the processor's time, or {DEADLINE} s")

    alarms = {signal.SIGPROF: (signal.ITIMER_PROF, seconds), signal.SIGALRM: (signal.ITIMER_REAL, DEADLINE)}
    former = {number: signal.signal(number, end) for number in alarms}
    for timer, after in alarms.values():
        signal.setitimer(timer, after)
    try:
        yield
    finally:
        for number, (timer, _) in alarms.items():
            signal.setitimer(timer, 0)
            signal.signal(number, former[number])


def refusal(function, *arguments):
    """Return the one line with which a command refuses bad input, or None if it succeeds; anything else fails the test.

    Args:
        function: called with the arguments, as a command's `main` is; what it returns is no exit code.
    """

    def main():
        function(*arguments)

    errors = io.StringIO()
    with seconds_at_most(), mock.patch.object(command_line.gc, "freeze"), contextlib.redirect_stderr(errors):
        try:
            command_line.run(main)
        except SystemExit as ended:
            code = ended.code
    lines = errors.getvalue()
    if code == 0:
        return None
    assert code == 2, lines
    assert lines.startswith("error: "), lines
    assert lines.count("\n") == 1, lines
    assert lines[:-1].isprintable(), lines
    return lines


CHANGES = ("replace", "insert", "delete", "cut", "repeat", "flip")
changes = st.lists(
    st.tuples(st.sampled_from(CHANGES), st.integers(0, sys.maxsize), st.binary(min_size=1, max_size=8)),
    min_size=1,
    max_size=4,
)
"""Changes of a file's bytes, for `changed`."""


def changed(content, made):
    """The bytes `content` after some `changes`."""
    content = bytearray(content)
    for kind, number, new in made:
        place = number % (len(content) + 1)
        match kind:
            case "replace":
                content[place : place + len(new)] = new
            case "insert":
                content[place:place] = new
            case "delete":
                del content[place : place + len(new)]
            case "cut":
                del content[place:]
            case "repeat":
                content[place:place] = content[place : place + 64] * len(new)
            case "flip" if place < len(content):
                content[place] ^= 1 << new[0] % 8
    return bytes(content)


def changed_or_any(*valid):
    """A strategy of bytes: any at all, or one of these contents changed."""
    of_valid = st.builds(changed, st.sampled_from([v.encode() if isinstance(v, str) else v for v in valid]), changes)
    return st.binary(max_size=400) | of_valid


class InChild:
    """A function that is called in a process of its own, which it may bring down: that fails the test.

    Args:
        function: of a module; its arguments and its result go from process to process.
    """

    def __init__(self, function):
        self.function, self.stack = function, None

    def __call__(self, *arguments):
        if self.stack is None:
            self.stack = contextlib.ExitStack()
            self.child = self.stack.enter_context(ChildProcess(self.function))
        try:
            with seconds_at_most():  # C does not hear the child's own alarm
                return self.child(*arguments)
        except BaseException:
            self.child.process.kill()
            self.close()
            raise

    def close(self):
        if self.stack is not None:
            self.stack.close()
            self.stack = None
