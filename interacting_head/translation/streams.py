"""Windows of lines from a file, from a pipe as they arrive, or as typed."""

import contextlib
import gzip
import io
import itertools
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from data.errors import InputError, counted
from data.text.parallel_text import decode_lines, display_name, open_text_file

BATCHES_IN_WINDOW = 64  # sorted by length at a time, so that any stream takes constant RAM
HELD = 1 << 22  # characters after which a window ends
PAUSE = 0.2  # seconds without a line after which a window ends
ALIGNED = "line n of one must correspond to line n of the other"
PROMPT = "> "
BLOCK = 1 << 16  # bytes read from a pipe at a time


def is_prompt(path: str) -> bool:
    """Return whether lines are typed: `path` is `-`, and standard input is a terminal."""
    return path == "-" and None not in (sys.stdin, sys.stdout) and sys.stdin.isatty()


def windows(
    pairs: Iterable[tuple], first: int, largest: int | None = None, pauses: Callable[[float], bool] | None = None
) -> Iterator[list[tuple]]:
    """Yield pairs of texts as lists: `first` pairs, then twice as many each time, up to `largest` (default: `first`).

    An empty list comes before each wait, so that earlier results can be written. A list ends early at `HELD`
    characters, or if no pair arrives within `PAUSE`, or before an `InputError` of the pairs. `pauses(seconds)` says
    whether no pair arrives in that time; None: the stream never pauses.
    """
    window, count, held = [], first, 0
    try:
        for pair in pairs:
            window.append(pair)
            held += sum(map(len, filter(None, pair)))
            if waits := pauses is not None and pauses(0):
                yield []
            if len(window) >= count or held >= HELD or (waits and pauses(PAUSE)):
                yield window
                window, count, held = [], min(2 * count, largest or first), 0
                if waits:
                    yield []
    except InputError:
        if window:
            yield window
        raise
    if window:
        yield window


def paired_lines(lines: Iterable, others: Iterable, name: str, other_name: str) -> Iterator[tuple]:
    """Yield pairs of two iterables; raise `InputError`, with their names, if one ends before the other."""
    missing = object()
    for number, (line, other) in enumerate(itertools.zip_longest(lines, others, fillvalue=missing)):
        if line is missing or other is missing:
            ended, longer = (name, other_name) if line is missing else (other_name, name)
            raise InputError(f"{ended} has {counted(number, 'line')}, but {longer} has more; {ALIGNED}")
        yield line, other


def checked_count(path: str, other_path: str | None = None) -> int | None:
    """Count and check the lines of a file; return None if it can be read only once.

    Raises `InputError` if another file is known to have a different number of lines.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        count = None
    else:
        with open_text_file(path) as file:
            count = sum(1 for _ in decode_lines(file, path))
    if other_path is not None and (other := checked_count(other_path)) != count and None not in (count, other):
        raise InputError(
            f"{display_name(path)} has {counted(count, 'line')} but {display_name(other_path)} has {other:,}; {ALIGNED}"
        )
    return count


@contextlib.contextmanager
def open_windows(path: str, other_path: str | None, first: int, largest: int) -> Iterator[Iterable[list[tuple]]]:
    """Open a file or `-` (standard input), and yield its `windows` of pairs of lines.

    Line n of the other text, or None without one, is the second of pair n. A typed line is followed by a pause. The
    program at the other end of a pipe may wait for an answer, so a pipe pauses if no line is available. Raises what
    `decode_lines` and `paired_lines` raise.
    """
    with contextlib.ExitStack() as files:
        if is_prompt(path):
            lines, pauses = typed_lines(), lambda seconds: True
        else:
            file, pauses = files.enter_context(open_text_file(path)), None
            # What gzip has read ahead cannot be seen.
            if not isinstance(file, gzip.GzipFile) and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = _Pipe(file)
                pauses = file.pauses
            lines = decode_lines(file, display_name(path))
        pairs = zip(lines, itertools.repeat(None))
        if other_path is not None:
            others = decode_lines(files.enter_context(open_text_file(other_path)), display_name(other_path))
            pairs = paired_lines(lines, others, display_name(path), display_name(other_path))
        yield windows(pairs, first, largest, pauses)


class _Pipe:
    """The lines of a buffered binary file, and a test of whether the next one is available."""

    def __init__(self, file):
        self._file, self._block = file, io.BytesIO()

    def readline(self, limit):
        """Return the next line with its line break, or a part of a line longer than `limit`; nothing at the end."""
        parts = [self._block.readline()]
        while not parts[-1].endswith(b"\n") and sum(map(len, parts)) <= limit:
            block = self._file.read1(BLOCK)  # waits for something, not for all of it
            if not block:
                break
            self._block = io.BytesIO(block)
            parts.append(self._block.readline())
        return b"".join(parts)

    def pauses(self, seconds):
        """Return whether no line is available and nothing arrives for a number of seconds."""
        is_at_hand = self._block.getvalue().find(b"\n", self._block.tell()) >= 0
        return not is_at_hand and not select.select([self._file], [], [], seconds)[0]


@contextlib.contextmanager
def separate_output() -> Iterator[TextIO]:
    """Yield a text file for standard output; redirect what is printed in the block to standard error.

    `input` prints its prompt on standard output, even into a file; redirected, the prompt stays on the terminal.
    """
    sys.stdout.flush()
    with open(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)
        try:
            yield output
        finally:
            sys.stdout.flush()
            os.dup2(output.fileno(), 1)


def typed_lines() -> Iterator[str]:
    """Yield typed lines, with editing and history if Python has readline.

    Ctrl-D ends the input. Ctrl-C discards the line; a second one raises `KeyboardInterrupt`.
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (`input` uses it from now on)
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    interrupted = False
    while True:
        try:
            line = input(PROMPT if sys.stderr.isatty() else "")
            interrupted = False
            line.encode("utf-8")
        except EOFError:
            print(file=sys.stderr)
            return
        except UnicodeEncodeError:
            print("this line is not UTF-8; set the terminal to UTF-8", file=sys.stderr)
            continue
        except KeyboardInterrupt:
            print(file=sys.stderr)
            if interrupted:
                raise
            interrupted = True
            continue
        yield line
