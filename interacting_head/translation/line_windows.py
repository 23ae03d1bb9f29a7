"""Lines of text, some at a time: of a file, of a pipe as they arrive, or of someone who types."""

import itertools
import os
import select
import stat
import sys
from collections import deque

from data.errors import InputError
from data.text.parallel_text import decode_lines, open_text_file
from interacting_head.translation.prompt import typed_lines

STANDARD_INPUT = "standard input"
PAUSE = 0.2  # seconds without input after which what has come is worked off
BLOCK = 1 << 16  # bytes read from a pipe at a time


def is_prompt(path):
    """Whether lines come from someone who types: `path` is `-`, and the standard input a terminal."""
    return path == "-" and None not in (sys.stdin, sys.stdout) and sys.stdin.isatty()


def count_lines(path):
    """The number of lines of a file, every one of them readable; None for what can be read only once.

    Raises:
        InputError: where it cannot be opened, or a line is not UTF-8.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        return None
    with open_text_file(path) as file:
        return sum(1 for _ in decode_lines(file, path))


def windows(path, first, largest):
    """Yields the lines of a text as lists, at first of `first` lines, then of twice as many each time.

    From a terminal each line comes alone; from a pipe what has come, where no more comes for a while: a program that
    waits for an answer before it goes on gets one.

    Args:
        path: a file, plain or .gz, or `-`: the standard input.
        first, largest: numbers of lines; never more than the largest are held.

    Raises:
        InputError: see `data.text.parallel_text.decode_lines`; the lines before have been yielded.
    """
    if is_prompt(path):
        yield from ([line] for line in typed_lines())
        return
    with open_text_file(path) as file:
        pauses, name = (lambda: False), path
        if path == "-":
            name = STANDARD_INPUT
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = _Pipe(file)
                pauses = file.pauses
        window, size = [], first
        for line in decode_lines(file, name):
            window.append(line)
            if len(window) >= size or pauses():
                yield window
                window, size = [], min(2 * size, largest)
        if window:
            yield window


def aligned(windows_of_lines, path, name):
    """Yields each window together with as many lines of another file.

    Args:
        windows_of_lines: what `windows` gives.
        path: the other file, or `-`.
        name: what messages call the text of the windows.

    Raises:
        InputError: where one of the two ends before the other.
    """
    other = STANDARD_INPUT if path == "-" else path
    with open_text_file(path) as file:
        lines, count = decode_lines(file, other), 0
        for window in windows_of_lines:
            beside = list(itertools.islice(lines, len(window)))
            if len(beside) < len(window):
                raise InputError(f"{other} has {count + len(beside):,} lines, but {name} goes on; {_ALIGNED}")
            count += len(window)
            yield window, beside
        if next(lines, None) is not None:
            raise InputError(f"{name} has {count:,} lines, but {other} goes on; {_ALIGNED}")


def check_aligned(name, count, other_name, other_count):
    """Raises `InputError` where two texts have unequal numbers of lines; None is a number not known beforehand."""
    if None not in (count, other_count) and count != other_count:
        raise InputError(f"{name} has {count:,} lines but {other_name} has {other_count:,}; {_ALIGNED}")


_ALIGNED = "line n of one must belong to line n of the other"


class _Pipe:
    """The lines of a pipe as bytes, and whether the next must be waited for.

    Args:
        file: a buffered binary file, of which nothing has been read.
    """

    def __init__(self, file):
        self._file, self._lines, self._begun = file, deque(), []

    def __iter__(self):
        return self

    def __next__(self):
        while not self._lines:
            block = self._file.read1(BLOCK)  # waits for something, not for all of it
            *ended, rest = block.split(b"\n")
            if ended:
                ended[0] = b"".join([*self._begun, ended[0]])
                self._lines.extend(line + b"\n" for line in ended)
                self._begun = []
            self._begun.append(rest)
            if not block:
                last, self._begun = b"".join(self._begun), []
                if not last:
                    raise StopIteration
                return last
        return self._lines.popleft()

    def pauses(self):
        """Whether no line is at hand and nothing arrives for `PAUSE` seconds."""
        return not self._lines and not select.select([self._file], [], [], PAUSE)[0]
