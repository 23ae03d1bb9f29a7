"""Lines of a pipe."""

import os
import threading

import pytest

from data.errors import InputError
from data.text import parallel_text
from interacting_head.translation import streams


def piped(monkeypatch, content):
    """Make bytes the standard input, through a pipe."""
    reader, writer = os.pipe()
    monkeypatch.setattr("sys.stdin", os.fdopen(reader))

    def write():
        with os.fdopen(writer, "wb") as file:
            file.write(content)

    threading.Thread(target=write, daemon=True).start()


def lines(first=2, largest=4):
    with streams.open_windows("-", None, first, largest) as windows:
        return [line for window in windows for line, _ in window]


@pytest.mark.parametrize("block", [1, 3, 1 << 16])
def test_lines_of_a_pipe_arrive_as_they_were_written(monkeypatch, block):
    monkeypatch.setattr(streams, "BLOCK", block)
    piped(monkeypatch, b"one\n\ntwo three\nwithout an end")
    assert lines() == ["one", "", "two three", "without an end"]


def test_a_line_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(parallel_text, "LONGEST_LINE", 100_000)
    piped(monkeypatch, b"one\n" + b"x" * 300_000)
    with pytest.raises(InputError, match="standard input, line 2: more than 100,000 bytes"):
        lines()


def test_a_line_of_a_named_pipe_is_there_before_the_next_one_is_written(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    seen, written = threading.Event(), []

    def write():
        with open(tmp_path / "pipe", "wb", buffering=0) as file:
            file.write(b"one\n")
            written.append(seen.wait(60))
            file.write(b"two\n")

    threading.Thread(target=write, daemon=True).start()
    with streams.open_windows(str(tmp_path / "pipe"), None, 4, 4) as windows:
        found = []
        for window in windows:
            found += [line for line, _ in window]
            if found == ["one"]:
                seen.set()
    assert (found, written) == (["one", "two"], [True])
