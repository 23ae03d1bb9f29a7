"""Line-aligned files and tab-separated tables, and the alignment check that all readers share."""

import html
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from data.errors import InputError
from data.text.parallel_text import read_lines


class Segment(NamedTuple):
    """A line of text, its line number, and an identity that its counterpart must share."""

    line: int
    identity: str
    text: str


def without_line_breaks(text: str) -> str:
    """Replace each run of white space, line breaks and no-break spaces included, by one blank."""
    return " ".join(text.split())


def aligned_segments(paths: Iterable[Path], sides: Iterable[Iterable[Segment]], what: str) -> Iterator[tuple[str, ...]]:
    """Yield the texts of segments at the same place on each side; `what` names segments in messages, as in `lines`.

    Raises `InputError` if counterparts have different identities, or at the end if the numbers of segments differ.
    """
    paths = list(paths)
    counts = [0] * len(paths)
    for group in zip_longest(*sides):
        for side, segment in enumerate(group):
            counts[side] += segment is not None
        if None in group:
            continue  # past the end of the shortest, the others are only counted
        for path, segment in zip(paths[1:], group[1:], strict=True):
            if segment.identity != group[0].identity:
                raise InputError(
                    f"{paths[0]}, line {group[0].line} ({group[0].identity}) does not match {path}, line "
                    f"{segment.line} ({segment.identity}): the {what} of the files must be translations of each other"
                )
        yield tuple(segment.text for segment in group)
    if len(set(counts)) > 1:
        numbers = ", ".join(f"{path} has {count:,} {what}" for path, count in zip(paths, counts, strict=True))
        raise InputError(f"{numbers}: the {what} of the files must be translations of each other")


def read_plain(*paths: str | Path) -> Iterator[tuple[str, ...]]:
    """Yield line n of every file (plain or gzip) unchanged."""
    sides = [(Segment(number, "", line) for number, line in enumerate(read_lines(path), start=1)) for path in paths]
    return aligned_segments(paths, sides, "lines")


def read_table(
    path: str | Path,
    columns: Sequence[int] | Sequence[str],
    width: int | None = None,
    null: Sequence[str] = (),
    separator: str | None = None,
    escaped: bool = False,
) -> Iterator[tuple[str, ...]]:
    """Yield the chosen columns of an unquoted tab-separated file (plain or gzip).

    Rows with an empty cell in a chosen column are skipped: they separate documents in News Commentary, and lack a
    translation in multilingual tables. Runs of white space become one blank.

    Args:
        columns: numbers from 0, or names in the first row.
        width: required number of columns if they are given by number; default: any. With names, it is the width of the
            first row.
        null: rows are skipped if a chosen cell contains one of these texts, which mark a missing translation.
        separator: boundary of segments within a cell; becomes a blank.
        escaped: whether to resolve characters escaped by Moses (`&apos;`, `&#91;`).

    Raises `InputError`, with file and line, for a row with the wrong number of columns, or an unknown name.
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
            raise InputError(f"{path}, line {number}: {len(cells)} tab-separated columns, expected {needed}")
        chosen = [cells[column] for column in columns]
        if separator is not None:
            chosen = [cell.replace(separator, " ") for cell in chosen]
        if escaped:
            chosen = map(html.unescape, chosen)
        row = tuple(map(without_line_breaks, chosen))
        if all(row) and not any(mark in cell for mark in null for cell in row):
            yield row
