"""The way of a stream through an engine: windows of items, several calls side by side, results in order."""

import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from data.errors import InputError

HELD = 1 << 22  # characters of a list of items, after which it ends
PAUSE = 0.2  # seconds without an item after which those that have come are worked off
ALIGNED = "line n of one must belong to line n of the other"


def never(seconds: float) -> bool:
    """Return False: a stream without pauses."""
    return False


def windows(items: Iterable, first: int, largest: int | None = None, pauses=never, size=lambda item: 0) -> Iterator:
    """Yield the items as lists, the first of `first` items, each further one twice as long, up to `largest`.

    An empty list comes before each wait for an item, so that results of the lists before need not wait too.

    Args:
        first, largest: numbers of items; `largest` is `first` by default.
        pauses: a function that is asked after each item and returns whether no other comes within a number of seconds;
            if none comes within `PAUSE`, the list ends there.
        size: a function that gives the size of an item; the list ends when the sum of its sizes reaches `HELD`.
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


def characters(texts: Iterable[str | None]) -> int:
    """Return the number of characters of several texts; None is none."""
    return sum(map(len, filter(None, texts)))


def aligned(lines: Iterable, others: Iterable, name: str, other_name: str) -> Iterator[tuple]:
    """Yield pairs of two iterables that must be equally long; the names stand in messages.

    Raises:
        InputError: if one of the two ends before the other.
    """
    missing = object()
    for number, (line, other) in enumerate(itertools.zip_longest(lines, others, fillvalue=missing)):
        if line is missing or other is missing:
            ended, longer = (name, other_name) if line is missing else (other_name, name)
            raise InputError(f"{ended} has {number:,} lines, but {longer} goes on; {ALIGNED}")
        yield line, other


class Calls:
    """Calls by several threads, or by the caller if one is made at a time; `waiting` further ones may be queued."""

    def __init__(self, at_a_time: int, waiting: int = 0):
        self._pool = ThreadPoolExecutor(at_a_time + waiting) if at_a_time > 1 else None

    def begin(self, function: Callable, *arguments) -> Callable:
        """Return a function that gives the result, as soon as it is there."""
        if self._pool is None:
            return functools.partial(function, *arguments)
        return self._pool.submit(function, *arguments).result

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def side_by_side(function: Callable, arguments: Iterable[tuple], at_a_time: int) -> Iterator[tuple]:
    """Yield each tuple of arguments and what a function returns for it, in order."""
    with Calls(at_a_time) as calls:
        for one, result in [(one, calls.begin(function, *one)) for one in arguments]:
            yield one, result()


def in_order(windows: Iterable[list], begin: Callable, ahead: int) -> Iterator:
    """Yield the results of each window, in order, while work on the next ones is under way.

    What reading or beginning a window raises is raised after the results of those before.

    Args:
        windows: of `windows`; at an empty one, all results are yielded before more is asked for.
        begin: a function that begins the work on a window and returns a function that gives its results.
        ahead: number of windows that are begun before the results of one are taken.
    """
    begun, failures = deque(), []

    def readable():
        try:
            for window in windows:
                yield [begin(window)] if window else []
        except Exception as error:
            failures.append(error)

    for results in readable():
        begun += results
        while len(begun) > (ahead if results else 0):
            yield begun.popleft()()
    while begun:
        yield begun.popleft()()
    if failures:
        raise failures[0]
