"""Line-aligned files and tab-separated tables."""

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from data.errors import InputError
from data.readers.alignment import Segment, aligned, one_line
from data.text.parallel_text import read_lines


def read_plain(*paths: str | Path) -> Iterator[tuple[str, ...]]:
    """Yield line n of every file (plain or gzip) unchanged.

    Raises:
        InputError: as `data.text.parallel_text.read_lines` does, and for different numbers of lines.
    """
    return aligned(paths, [_segments(path) for path in paths], "lines")


def _segments(path):
    return (Segment(number, "", line) for number, line in enumerate(read_lines(path), start=1))


def read_table(
    path: str | Path,
    columns: Sequence[int] | Sequence[str],
    width: int | None = None,
    null: Sequence[str] = (),
    separator: str | None = None,
    escaped: bool = False,
) -> Iterator[tuple[str, ...]]:
    """Yield the chosen columns of a tab-separated file (plain or gzip) without quoting.

    Rows with an empty cell in a chosen column are left out: they separate the documents of News Commentary, and lack a
    translation in multilingual tables. Runs of white space become one blank.

    Args:
        columns: numbers counted from 0, or names in the first row.
        width: required number of columns; default: as in the first row with names, otherwise any that suffices.
        null: texts that mark a cell as a missing translation.
        separator: boundary of segments within a cell; becomes a blank.
        escaped: whether to resolve special characters that Moses escaped (`&apos;`, `&#91;`).

    Raises:
        InputError: for a row with too few columns or an unknown name, with file and line, and as
            `data.text.parallel_text.read_lines` does.
    """
    lines = enumerate(read_lines(path), start=1)
    if isinstance(columns[0], str):
        header = next(lines)[1].split("\t")
        if unknown := [name for name in columns if name not in header]:
            raise InputError(f"{path}, line 1: no column {', '.join(unknown)}; the columns are {', '.join(header)}")
        columns, width = [header.index(name) for name in columns], len(header)
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != width if width else len(cells) <= max(columns):
            if not line.strip():
                continue
            needed = f"{width}" if width else f"{max(columns) + 1} or more"
            raise InputError(f"{path}, line {number}: {len(cells)} tab-separated columns where {needed} are expected")
        chosen = [cells[column] for column in columns]
        if separator is not None:
            chosen = [cell.replace(separator, " ") for cell in chosen]
        if escaped:
            chosen = map(html.unescape, chosen)
        row = tuple(map(one_line, chosen))
        if all(row) and not any(mark in cell for mark in null for cell in row):
            yield row
