import threading

import pytest

from interacting_head.translation import windows as windows_module
from interacting_head.translation.windows import PAUSE, Calls, characters, in_order, side_by_side, windows


class Windows:
    """Windows of a stream; remembers how many have been asked for."""

    def __init__(self, windows):
        self.windows, self.count = windows, 0

    def __iter__(self):
        for window in self.windows:
            self.count += 1
            yield window


def begin_in(calls, function=list):
    return lambda window: calls.begin(function, window)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_the_order_of_their_arguments(count):
    first_is_done = threading.Event()

    def square(number):
        if number == 1 and count > 1:
            first_is_done.set()
        if number == 0 and count > 1:
            assert first_is_done.wait(60)  # the second call overtakes the first
        return number**2

    found = list(side_by_side(square, ((number,) for number in range(20)), count))
    assert found == [((number,), number**2) for number in range(20)]


@pytest.mark.parametrize(("ahead", "asked"), [(0, [1, 2, 3]), (1, [2, 3, 4])])
def test_windows_are_asked_for_ahead_of_results_but_not_without_end(ahead, asked):
    given = Windows([[number] for number in range(100)])
    with Calls(1 + ahead) as calls:
        results = in_order(given, begin_in(calls), ahead)
        for number, count in enumerate(asked):
            assert (next(results), given.count) == ([number], count)


def test_the_next_window_is_begun_while_one_is_under_way():
    second_has_begun = threading.Event()

    def wait(window):
        if window == [1]:
            second_has_begun.set()
        assert second_has_begun.wait(60)
        return window

    with Calls(2) as calls:
        assert list(in_order([[0], [1], [2]], begin_in(calls, wait), 1)) == [[0], [1], [2]]


def test_before_more_is_asked_for_than_an_empty_window_all_results_are_given():
    given = Windows([[1], [2], [], [3], []])
    with Calls(4) as calls:
        results = in_order(given, begin_in(calls), 1)
        assert [next(results), next(results)] == [[1], [2]]
        assert given.count == 3
        assert list(results) == [[3]]


@pytest.mark.parametrize("ahead", [0, 1])
def test_what_reading_or_beginning_raises_comes_after_the_results_before(ahead):
    def lines():
        yield [1]
        yield [2]
        raise ValueError("line 3")

    def refuse(window):
        if window == [3]:
            raise ValueError("line 3")
        return lambda: window

    for given, begin in ((lines(), lambda window: lambda: window), ([[1], [2], [3], [4]], refuse)):
        results = in_order(given, begin, ahead)
        assert [next(results), next(results)] == [[1], [2]]
        with pytest.raises(ValueError, match="line 3"):
            next(results)


@pytest.mark.parametrize("count", [1, 3])
def test_a_failed_call_ends_all(count):
    done = []

    def fail(window):
        if window == [2]:
            raise ValueError("call 2")
        done.append(window)
        return window

    given = Windows([[number] for number in range(1000)])
    with Calls(count) as calls:
        results = in_order(given, begin_in(calls, fail), count - 1)
        assert [next(results), next(results)] == [[0], [1]]
        with pytest.raises(ValueError, match="call 2"):
            next(results)
    assert len(done) <= given.count < 10


def test_calls_that_have_not_begun_never_do_after_an_end():
    may_end, begun = threading.Event(), []

    def wait(number):
        begun.append(number)
        assert may_end.wait(60)

    with Calls(2) as calls:
        for number in range(9):
            calls.begin(wait, number)
        threading.Timer(0.1, may_end.set).start()
    assert len(begun) < 9


def test_windows_double_up_to_the_largest():
    assert [len(window) for window in windows(range(100), 4, 16)] == [4, 8, 16, 16, 16, 16, 16, 8]


def test_windows_of_long_lines_hold_few(monkeypatch):
    monkeypatch.setattr(windows_module, "HELD", 10)
    lines = ["x" * 9, "x", "x" * 20, "", "x", "x"]
    assert [len(window) for window in windows(lines, 4, size=characters)] == [2, 1, 3]
    pairs = [("x" * 5, "y" * 5)] * 2
    assert [len(window) for window in windows(pairs, 4, size=characters)] == [1, 1]


def test_an_empty_window_comes_before_each_wait_and_a_long_one_ends_the_window():
    waits = {1: 0.0, 3: 1.0, 5: 0.0}  # after these items nothing comes for so many seconds, and a moment
    items, seen = iter(range(7)), []

    def pauses(seconds):
        return seen[-1] in waits and waits[seen[-1]] >= seconds

    def watched():
        for item in items:
            seen.append(item)
            yield item

    assert list(windows(watched(), 6, pauses=pauses)) == [[], [], [0, 1, 2, 3], [], [], [4, 5, 6]]
    assert PAUSE < 1
