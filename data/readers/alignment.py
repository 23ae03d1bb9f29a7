"""Shared by readers: segments with their places, and the check that sides belong together."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from data.errors import InputError


class Segment(NamedTuple):
    """A line of text, its place in the file, and what its counterpart must share."""

    line: int
    identity: str
    text: str


def one_line(text: str) -> str:
    """Return the text with each run of white space, line breaks and no-break spaces included, as one blank."""
    return " ".join(text.split())


def aligned(paths: Iterable[Path], sides: Iterable[Iterable[Segment]], what: str) -> Iterator[tuple[str, ...]]:
    """Yield the texts of segments at the same place on each side.

    `what` is the name of a segment in messages, such as `lines`.

    Raises:
        InputError: when counterparts have different identities, or at the end when the numbers of segments differ.
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
                    f"{paths[0]}, line {group[0].line} ({group[0].identity}) does not fit {path}, line "
                    f"{segment.line} ({segment.identity}): the {what} of one must translate those of the other"
                )
        yield tuple(segment.text for segment in group)
    if len(set(counts)) > 1:
        numbers = ", ".join(f"{path} has {count:,} {what}" for path, count in zip(paths, counts, strict=True))
        raise InputError(f"{numbers}: {what} of one must translate those of the other, one by one")
