"""Lines of text, some at a time: of a file, of a pipe as they arrive, or of someone who types."""

import contextlib
import os
import select
import stat
import sys
from collections import deque

from data.errors import InputError
from data.text.parallel_text import decode_lines, open_text_file
from interacting_head.translation.prompt import typed_lines
from interacting_head.translation.windows import ALIGNED, aligned, characters, windows

STANDARD_INPUT = "standard input"
BLOCK = 1 << 16  # bytes read from a pipe at a time


def is_prompt(path):
    """Return whether lines come from someone who types: `path` is `-`, and the standard input a terminal."""
    return path == "-" and None not in (sys.stdin, sys.stdout) and sys.stdin.isatty()


def name_of(path):
    """Return how messages call a file, or `-`."""
    return STANDARD_INPUT if path == "-" else path


def count_lines(path):
    """Return the number of lines of a file, every one of them readable; None if it can be read only once.

    Raises:
        InputError: where it cannot be opened, or a line is not UTF-8.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        return None
    with open_text_file(path) as file:
        return sum(1 for _ in decode_lines(file, path))


def check_equal_counts(path, count, other_path, other_count):
    """Raise `InputError` if two texts have unequal numbers of lines; None is a number not known beforehand."""
    if None not in (count, other_count) and count != other_count:
        raise InputError(
            f"{name_of(path)} has {count:,} lines but {name_of(other_path)} has {other_count:,}; {ALIGNED}"
        )


def line_windows(path, beside, first, largest):
    """Yield the lines of a text as lists, at first of `first` lines, then of twice as many each time.

    From a terminal each line comes alone. From a pipe the lines that have come, where no more come for a while: a
    program that waits for an answer before it goes on gets one.

    Args:
        path: a file, plain or .gz, or `-`: the standard input.
        beside: another one, whose line n belongs to line n of the text; None without.
        first, largest: numbers of lines; never more than the largest are held, and fewer of long ones.

    Yields:
        Two lists: lines, and those beside them or None. Without lines: see `windows.windows`.

    Raises:
        InputError: see `data.text.parallel_text.decode_lines` and `windows.aligned`; lines before have been yielded.
    """
    with contextlib.ExitStack() as files:
        if is_prompt(path):
            lines, pauses = typed_lines(), lambda seconds: True
        else:
            file, pauses = files.enter_context(open_text_file(path)), lambda seconds: False
            if path == "-" and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = _Pipe(file)
                pauses = file.pauses
            lines = decode_lines(file, name_of(path))
        if beside is None:
            yield from ((window, None) for window in windows(lines, first, largest, pauses, characters))
            return
        others = decode_lines(files.enter_context(open_text_file(beside)), name_of(beside))
        pairs = aligned(lines, others, name_of(path), name_of(beside))
        for window in windows(pairs, first, largest, pauses, characters):
            yield tuple(map(list, zip(*window, strict=True))) or ([], [])


class _Pipe:
    """The lines of a pipe as bytes, and a test for the need to wait for the next.

    Args:
        file: a buffered binary file, of which nothing has been read.
    """

    def __init__(self, file):
        self._file, self._lines, self._begun = file, deque(), []

    def readline(self, limit):
        """Return the next line with its line break, nothing at the end; of a line longer than `limit` a part of it."""
        while not self._lines:
            block = self._file.read1(BLOCK)  # waits for something, not for all of it
            *ended, rest = block.split(b"\n")
            if ended:
                ended[0] = b"".join([*self._begun, ended[0]])
                self._lines.extend(line + b"\n" for line in ended)
                self._begun = []
            self._begun.append(rest)
            if not block or sum(map(len, self._begun)) > limit:
                self._lines.append(b"".join(self._begun))
                self._begun = []
        return self._lines.popleft()

    def pauses(self, seconds):
        """Return whether no line is at hand and nothing arrives for so many seconds."""
        return not self._lines and not select.select([self._file], [], [], seconds)[0]
