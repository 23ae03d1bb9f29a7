"""Windows of lines: of a file, of a pipe as they arrive, or of someone who types."""

import contextlib
import io
import itertools
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from data.errors import InputError
from data.text.parallel_text import decode_lines, open_text_file

HELD = 1 << 22  # characters of a window, after which it ends
PAUSE = 0.2  # seconds without a line after which a window ends
ALIGNED = "line n of one must belong to line n of the other"
STANDARD_INPUT = "standard input"
PROMPT = "> "
BLOCK = 1 << 16  # bytes read from a pipe at a time


def is_prompt(path: str) -> bool:
    """Return whether lines come from someone who types: `path` is `-`, and the standard input a terminal."""
    return path == "-" and None not in (sys.stdin, sys.stdout) and sys.stdin.isatty()


def name_of(path: str) -> str:
    """Return what messages call a file, or `-`."""
    return STANDARD_INPUT if path == "-" else path


def windows(
    pairs: Iterable[tuple], first: int, largest: int | None = None, pauses: Callable[[float], bool] | None = None
) -> Iterator[list[tuple]]:
    """Yield pairs of texts as lists, the first of `first` pairs, each further one twice as long, up to `largest`.

    An empty list comes before each wait for a pair, so that results of the lists before need not wait too. A list ends
    early if it holds `HELD` characters, or if no pair comes within `PAUSE`. `pauses` is a function that returns whether
    no other pair comes within a number of seconds; None: the stream never pauses. `largest` is `first` by default.
    """
    window, count, held = [], first, 0
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
    if window:
        yield window


def aligned(lines: Iterable, others: Iterable, name: str, other_name: str) -> Iterator[tuple]:
    """Yield pairs of two iterables; `InputError`, with their names, if one ends before the other."""
    missing = object()
    for number, (line, other) in enumerate(itertools.zip_longest(lines, others, fillvalue=missing)):
        if line is missing or other is missing:
            ended, longer = (name, other_name) if line is missing else (other_name, name)
            raise InputError(f"{ended} has {number:,} lines, but {longer} goes on; {ALIGNED}")
        yield line, other


def count_lines(path: str, other_path: str | None = None) -> int | None:
    """Return the number of lines of a file, all of them readable; None if it can be read only once.

    `InputError` if another file has more or fewer, as far as that is known.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        count = None
    else:
        with open_text_file(path) as file:
            count = sum(1 for _ in decode_lines(file, path))
    if other_path is not None and (other := count_lines(other_path)) != count and None not in (count, other):
        raise InputError(f"{name_of(path)} has {count:,} lines but {name_of(other_path)} has {other:,}; {ALIGNED}")
    return count


@contextlib.contextmanager
def open_windows(path: str, other_path: str | None, first: int, largest: int) -> Iterator[Iterable[list[tuple]]]:
    """Open a text, a file or `-` (the standard input), and yield its `windows` of pairs of lines.

    Line n of the other text is the second of pair n; without it, the second is None. Each line of someone who types is
    followed by a pause. A program that writes to a pipe may wait for an answer before it goes on, so a pipe pauses if
    no line is at hand.

    Raises:
        InputError: see `data.text.parallel_text.decode_lines` and `aligned`.
    """
    with contextlib.ExitStack() as files:
        if is_prompt(path):
            lines, pauses = typed_lines(), lambda seconds: True
        else:
            file, pauses = files.enter_context(open_text_file(path)), None
            if path == "-" and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = _Pipe(file)
                pauses = file.pauses
            lines = decode_lines(file, name_of(path))
        pairs = zip(lines, itertools.repeat(None))
        if other_path is not None:
            others = decode_lines(files.enter_context(open_text_file(other_path)), name_of(other_path))
            pairs = aligned(lines, others, name_of(path), name_of(other_path))
        yield windows(pairs, first, largest, pauses)


class _Pipe:
    """The lines of a buffered binary file of which nothing has been read, and a test for the need to wait."""

    def __init__(self, file):
        self._file, self._block = file, io.BytesIO()

    def readline(self, limit):
        """Return the next line with its line break, nothing at the end; of a line longer than `limit` a part of it."""
        parts = [self._block.readline()]
        while not parts[-1].endswith(b"\n") and sum(map(len, parts)) <= limit:
            block = self._file.read1(BLOCK)  # waits for something, not for all of it
            if not block:
                break
            self._block = io.BytesIO(block)
            parts.append(self._block.readline())
        return b"".join(parts)

    def pauses(self, seconds):
        """Return whether no line is at hand and nothing arrives for a number of seconds."""
        is_at_hand = self._block.getvalue().find(b"\n", self._block.tell()) >= 0
        return not is_at_hand and not select.select([self._file], [], [], seconds)[0]


@contextlib.contextmanager
def separate_output() -> Iterator[TextIO]:
    """Yield a text file for the standard output; what is printed in the block goes to the standard error.

    `input` prints its prompt on the standard output, even into a file. With the standard error in its place the prompt,
    and the editing of the line, stay on the terminal.
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
    """Yield lines as they are typed, with editing and a history if Python has readline.

    Ctrl-D ends it. Ctrl-C discards the line, and a second one in its place raises `KeyboardInterrupt`.
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
            print("this line is not UTF-8 text; set the terminal to UTF-8", file=sys.stderr)
            continue
        except KeyboardInterrupt:
            print(file=sys.stderr)
            if interrupted:
                raise
            interrupted = True
            continue
        yield line
