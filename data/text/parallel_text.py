"""Strict, streaming reading of line-aligned files."""

import contextlib
import gzip
import hashlib
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from data.errors import InputError, counted

SIDES = ("source", "target")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE = 1 << 24  # bytes: a small gzip file can hold a line that fills the RAM


def read_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, plain or gzip, by `decode_lines`; raise `InputError` if it is empty."""
    empty = True
    with open_text_file(path) as file:
        for line in decode_lines(file, path):
            empty = False
            yield line
    if empty:
        raise InputError(f"{path} is empty; give a text with one sentence per line")


def open_text_file(path: str | Path) -> BinaryIO:
    """Open a plain or gzipped file for `decode_lines`, or raise `InputError`; `-` is standard input, plain."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("the standard input is closed; name a file")
        return sys.stdin.buffer  # no peeking for gzip: that would wait for typed input
    with _explained_damage(path):
        file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
        # gzip's magic number never begins UTF-8 text.
        is_gzip = str(path).endswith(".gz") or file.peek(2)[:2] == b"\x1f\x8b"
        return gzip.GzipFile(fileobj=file) if is_gzip else file


def display_name(path: str | Path) -> str:
    """Return the name of a file, or of `-`, for messages and tables."""
    return "standard input" if str(path) == "-" else str(path)


def count_lines(path: str | Path, most: int) -> int:
    """Return the number of lines of a plain or gzipped file, at most `most`."""
    with _explained_damage(path), open_text_file(path) as file:
        return sum(1 for _ in islice(iter(partial(file.readline, LONGEST_LINE), b""), most))


def decode_lines(file: BinaryIO, name: str | Path) -> Iterator[str]:
    """Yield the lines of an open binary file; `name` is for messages.

    Lines end only at `"\\n"`, never at U+2028, U+0085 or a form feed, so that line-aligned files stay aligned. One
    `"\\r"` before it is dropped, as is a byte order mark at the start. Raises `InputError`, with the line number, for
    invalid UTF-8 and lines of more than `LONGEST_LINE` bytes, and for a damaged gzip file.
    """
    number = 0
    try:
        with _explained_damage(name):
            # Reading lines of a binary file splits at b"\n" and nowhere else.
            for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise InputError(
                        f"{name}, line {number}: more than {LONGEST_LINE:,} bytes; give a text file with one sentence "
                        "per line"
                    )
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}, line {number}: not UTF-8 text ({error.reason} at byte {error.start + 1} of the line); "
            "convert the file to UTF-8"
        ) from error


def content_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file's (decompressed) content; raise `InputError` if it cannot be read."""
    with _explained_damage(path), open_text_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def _explained_damage(name):
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the gzip file is truncated or damaged; fetch or compress it again") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}; check the name") from error


@dataclass(frozen=True)
class ParallelText:
    """Two line-aligned UTF-8 files, plain or `.gz`."""

    source: Path
    target: Path

    def __post_init__(self):
        object.__setattr__(self, "source", Path(self.source))
        object.__setattr__(self, "target", Path(self.target))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield (source line, target line); raise `InputError` for an unreadable file and different lengths."""
        sources = targets = 0
        for source, target in zip_longest(read_lines(self.source), read_lines(self.target)):
            sources += source is not None
            targets += target is not None
            # Past the end of the shorter file, lines of the longer one are only counted.
            if sources == targets:
                yield source, target
        if sources != targets:
            raise InputError(
                f"{self.source} has {counted(sources, 'line')} but {self.target} has {targets:,}; line n of one must "
                "translate line n of the other"
            )

    def check(self) -> int:
        """Read both files to the end and return the number of pairs; raise what `pairs` raises."""
        return sum(1 for _ in self.pairs())

    def digests(self) -> list[str]:
        """Return `content_digest` of both files."""
        return [content_digest(self.source), content_digest(self.target)]


def text_bar(
    text: ParallelText,
    task: str,
    progress: bool = True,
    items: Iterable | None = None,
    unit: str = "pairs",
    sides: int = 1,
) -> tqdm:
    """Return a progress bar, shown only on a terminal, over `items` (`sides` of them a pair) or for `update` calls."""
    shown = progress and sys.stderr is not None and sys.stderr.isatty()
    total = sides * count_lines(text.source, sys.maxsize) if shown else None
    return tqdm(items, task, total, unit=f" {unit}", disable=not shown)
