"""Items of a long stream some at a time, two streams in step, and several calls side by side."""

import itertools
from concurrent.futures import ThreadPoolExecutor

from data.errors import InputError


def windows(items, first, largest=None, pauses=lambda: False):
    """Yield the items as lists, the first of `first` items, each further one twice as long, up to `largest`.

    Args:
        items: an iterable.
        first, largest: numbers of items; `largest` is `first` by default, and never more are held.
        pauses: a function that is asked after each item; if it returns true, the list ends there.
    """
    window, size = [], first
    for item in items:
        window.append(item)
        if len(window) >= size or pauses():
            yield window
            window, size = [], min(2 * size, largest or first)
    if window:
        yield window


def aligned(lines, others, name, other_name):
    """Yield pairs of two iterables that must be equally long.

    Args:
        lines, others: the iterables.
        name, other_name: how messages call them.

    Raises:
        InputError: where one of the two ends before the other.
    """
    missing = object()
    for number, (line, other) in enumerate(itertools.zip_longest(lines, others, fillvalue=missing)):
        if line is missing or other is missing:
            ended, longer = (name, other_name) if line is missing else (other_name, name)
            raise InputError(f"{ended} has {number:,} lines, but {longer} goes on; {ALIGNED}")
        yield line, other


ALIGNED = "line n of one must belong to line n of the other"


def side_by_side(function, arguments, calls):
    """Yield the results of a function for each tuple of arguments, in order, so many calls at a time."""
    arguments = list(arguments)
    if min(len(arguments), calls) < 2:
        yield from itertools.starmap(function, arguments)
        return
    pool = ThreadPoolExecutor(calls)
    try:
        yield from pool.map(lambda given: function(*given), arguments)
    finally:
        pool.shutdown(cancel_futures=True)
