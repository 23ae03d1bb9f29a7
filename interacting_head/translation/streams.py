"""Lines of text of a file, of a pipe as they arrive, or of someone who types."""

import contextlib
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from typing import TextIO

from data.errors import InputError
from data.text.parallel_text import decode_lines, open_text_file
from interacting_head.translation.windows import ALIGNED, aligned, never

STANDARD_INPUT = "standard input"
PROMPT = "> "
BLOCK = 1 << 16  # bytes read from a pipe at a time


def is_prompt(path: str) -> bool:
    """Return whether lines come from someone who types: `path` is `-`, and the standard input a terminal."""
    return path == "-" and None not in (sys.stdin, sys.stdout) and sys.stdin.isatty()


def name_of(path: str) -> str:
    """Return what messages call a file, or `-`."""
    return STANDARD_INPUT if path == "-" else path


def count_lines(path: str) -> int | None:
    """Return the number of lines of a file, all of them readable; None if it can be read only once."""
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        return None
    with open_text_file(path) as file:
        return sum(1 for _ in decode_lines(file, path))


def check_equal_counts(path: str, count: int | None, other_path: str, other_count: int | None):
    """Raise `InputError` if two texts have unequal numbers of lines; None is a number not known beforehand."""
    if None not in (count, other_count) and count != other_count:
        raise InputError(
            f"{name_of(path)} has {count:,} lines but {name_of(other_path)} has {other_count:,}; {ALIGNED}"
        )


@contextlib.contextmanager
def open_stream(path: str, other_path: str | None = None):
    """Open a text, and yield pairs of lines and a function that reports pauses, see `windows.windows`.

    Each line of someone who types is followed by a pause. A program that writes to a pipe may wait for an answer before
    it goes on, so a pipe pauses if no line is at hand.

    Args:
        path: a file, plain or .gz, or `-`: the standard input.
        other_path: another text, whose line n is the second of pair n; without it, the second is None.

    Raises:
        InputError: see `data.text.parallel_text.decode_lines` and `windows.aligned`.
    """
    with contextlib.ExitStack() as files:
        if is_prompt(path):
            lines, pauses = typed_lines(), lambda seconds: True
        else:
            file, pauses = files.enter_context(open_text_file(path)), never
            if path == "-" and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = _Pipe(file)
                pauses = file.pauses
            lines = decode_lines(file, name_of(path))
        if other_path is None:
            yield ((line, None) for line in lines), pauses
        else:
            others = decode_lines(files.enter_context(open_text_file(other_path)), name_of(other_path))
            yield aligned(lines, others, name_of(path), name_of(other_path)), pauses


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
