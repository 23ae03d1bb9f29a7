import threading

import pytest

from interacting_head.translation import windows as windows_module
from interacting_head.translation.windows import AHEAD, PAUSE, characters, side_by_side, windows


class Asked:
    """Numbers as tuples of arguments; remembers how many have been asked for."""

    def __init__(self, numbers):
        self.numbers, self.count = numbers, 0

    def __iter__(self):
        for number in self.numbers:
            self.count += 1
            yield None if number is None else (number,)


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_results_come_in_the_order_of_their_arguments(calls):
    first_is_done = threading.Event()

    def square(number):
        if number == 1 and calls > 1:
            first_is_done.set()
        if number == 0 and calls > 1:
            assert first_is_done.wait(60)  # the second call overtakes the first
        return number**2

    found = list(side_by_side(square, Asked(range(20)), calls))
    assert found == [((number,), number**2) for number in range(20)]


def test_arguments_are_asked_for_while_calls_are_under_way_but_not_without_end():
    asked, may_end = Asked(range(100)), threading.Event()

    def wait(number):
        assert may_end.wait(60)
        return number

    results = side_by_side(wait, asked, 2, waiting=1)
    threading.Timer(0.05, may_end.set).start()
    next(results)
    assert asked.count == 3 + AHEAD
    next(results)
    assert asked.count == 4 + AHEAD
    results.close()


def test_before_more_is_asked_for_than_none_all_results_have_been_taken():
    asked = Asked([1, 2, None, 3, None])
    results = side_by_side(lambda number: number, asked, 4)
    assert [next(results)[1], next(results)[1]] == [1, 2]
    assert asked.count == 3
    assert [result for _, result in results] == [3]


@pytest.mark.parametrize("calls", [1, 3])
def test_what_asking_raises_comes_after_the_results_of_what_was_asked_for_before(calls):
    def arguments():
        yield (1,)
        yield (2,)
        raise ValueError("line 3")

    found = []
    taken = (found.append(result) for _, result in side_by_side(abs, arguments(), calls))
    with pytest.raises(ValueError, match="line 3"):
        list(taken)
    assert found == [1, 2]


@pytest.mark.parametrize("calls", [1, 3])
def test_a_failed_call_ends_all(calls):
    begun = []

    def fail(number):
        begun.append(number)
        if number == 2:
            raise ValueError("call 2")
        return number

    results = side_by_side(fail, Asked(range(1000)), calls)
    with pytest.raises(ValueError, match="call 2"):
        list(results)
    assert len(begun) < 20


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
