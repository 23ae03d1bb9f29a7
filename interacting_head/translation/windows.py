"""Items of a long stream some at a time, two streams in step, and several calls side by side."""

import itertools
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from data.errors import InputError

HELD = 1 << 22  # characters of a list of items, after which it ends
PAUSE = 0.2  # seconds without an item after which those that have come are worked off


def windows(items, first, largest=None, pauses=lambda seconds: False, size=lambda item: 0):
    """Yield the items as lists, the first of `first` items, each further one twice as long, up to `largest`.

    An empty list comes before each wait for an item: what has been yielded is to be worked off before more is asked
    for, or else its results would wait too.

    Args:
        items: an iterable.
        first, largest: numbers of items; `largest` is `first` by default, and never more are held.
        pauses: a function that is asked after each item and returns whether no other comes within so many seconds;
            if none comes within `PAUSE`, the list ends there.
        size: a function that gives the size of an item; where that of all reaches `HELD`, the list ends.
    """
    window, count, held = [], first, 0
    for item in items:
        window.append(item)
        held += size(item)
        if waits := pauses(0):
            yield []
        if len(window) >= count or held >= HELD or (waits and pauses(PAUSE)):
            yield window
            window, count, held = [], min(2 * count, largest or first), 0
            if waits:
                yield []
    if window:
        yield window


def characters(item):
    """Return the number of characters of a line, or of all of a tuple of lines."""
    return len(item) if isinstance(item, str) else sum(map(len, item))


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


AHEAD = 2  # calls that are prepared while others are under way
ALIGNED = "line n of one must belong to line n of the other"


def side_by_side(function, arguments, calls, waiting=0):
    """Yield each tuple of arguments and what a function returns for it, in order, so many calls at a time.

    Arguments are asked for ahead of results, in the thread of the caller, while the calls are under way: as many as
    there are calls and `AHEAD` more. What asking for them raises is raised after the results of those before.

    Args:
        function: is called by other threads, unless one call is made at a time.
        arguments: an iterable of tuples. None among them: all results before are taken before more is asked for.
        calls: number of calls at a time.
        waiting: of further ones, for a function that queues them itself.
    """
    if calls < 2:
        yield from ((one, function(*one)) for one in arguments if one is not None)
        return
    failures, begun, threads = [], deque(), calls + waiting

    def given():
        try:
            yield from arguments
        except Exception as error:
            failures.append(error)

    def oldest():
        one, future = begun.popleft()
        return one, future.result()

    pool = ThreadPoolExecutor(threads)
    try:
        for one in given():
            if one is not None:
                begun.append((one, pool.submit(function, *one)))
            while len(begun) > (0 if one is None else threads + AHEAD - 1):
                yield oldest()
        while begun:
            yield oldest()
    finally:
        pool.shutdown(cancel_futures=True)
    if failures:
        raise failures[0]
