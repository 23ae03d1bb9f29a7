"""Windows of a stream: their sizes, their order, and what is under way at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from data.errors import InputError
from interacting_head.search.options import SearchOptions
from interacting_head.translation import streams
from interacting_head.translation.engines.engine import Engine, Hypothesis
from interacting_head.translation.streams import PAUSE, windows
from interacting_head.translation.translator import Translator
from tests.echo_engine import Letters


class Watched(Engine):
    """Give each line back, after a function has been called with it."""

    name = "keras"

    def __init__(self, calls_at_a_time, watch=lambda line: None):
        self.calls_at_a_time, self.watch = calls_at_a_time, watch

    @classmethod
    def open(cls, paths, checkpoint=None):
        return cls(1), None

    def search(self, sentences, options, rows, token_scores=True):
        for sentence in sentences:
            self.watch("".join(map(chr, sentence.source)))
        return [[Hypothesis(-1.0, sentence.source, [-1.0])] for sentence in sentences]

    def score(self, pairs, rows):
        return [[-1.0] * (len(ids) + 1) for _, ids in pairs]


class Windows:
    """Windows of a stream; remembers how many have been asked for."""

    def __init__(self, windows):
        self.windows, self.count = windows, 0

    def __iter__(self):
        for window in self.windows:
            self.count += 1
            yield [(line, None) for line in window]


def translated(given, calls_at_a_time, watch=lambda line: None, **how):
    """Yield the texts of each window."""
    engine = Watched(calls_at_a_time, watch)
    translator = Translator(engine, Letters, Letters, options=SearchOptions(), batch_size=1, **how)
    for lines, found in translator.translate_windows(given):
        assert lines == [best.text for best, *_ in found]
        yield lines


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_results_come_in_the_order_of_their_lines(calls):
    first_is_done = threading.Event()

    def watch(line):
        if line == "a" and calls > 1:
            first_is_done.set()
        if line == "zz" and calls > 1:
            assert first_is_done.wait(60)  # the second call overtakes the first

    lines = [["zz", "a", *"bcdefg"]]
    assert list(translated(Windows(lines), calls, watch)) == lines


@pytest.mark.parametrize(("calls", "asked"), [(1, [1, 2, 3]), (2, [2, 3, 4])])
def test_a_limited_number_of_windows_is_read_ahead_of_results(calls, asked):
    given = Windows([[str(number)] for number in range(100)])
    results = translated(given, calls)
    for number, count in enumerate(asked):
        assert (next(results), given.count) == ([str(number)], count)


def test_the_next_window_is_begun_while_one_is_under_way():
    second_has_begun = threading.Event()

    def watch(line):
        if line == "1":
            second_has_begun.set()
        assert second_has_begun.wait(60)

    assert list(translated(Windows([["0"], ["1"], ["2"]]), 2, watch)) == [["0"], ["1"], ["2"]]


def test_an_empty_window_yields_all_results_so_far():
    given = Windows([["1"], ["2"], [], ["3"], []])
    results = translated(given, 4)
    assert [next(results), next(results)] == [["1"], ["2"]]
    assert given.count == 3
    assert list(results) == [["3"]]


@pytest.mark.parametrize("calls", [1, 2])
def test_an_error_while_reading_comes_after_the_earlier_results(calls):
    def lines():
        yield "1"
        yield "2"
        raise InputError("line 3")

    results = translated(([(line, None)] for line in lines()), calls)
    assert [next(results), next(results)] == [["1"], ["2"]]
    with pytest.raises(InputError, match="line 3"):
        next(results)
    engine = Watched(calls)
    engine.score = lambda pairs, rows: [[0.0] * (len(target) + 1) for _, target in pairs]
    scored = Translator(engine, Letters, Letters, max_source_length=5).score(["a", "b", "long " * 9], "abc", 1)
    assert [next(scored).text, next(scored).text] == ["a", "b"]
    with pytest.raises(InputError, match="line 3 has more than 5 sub-words"):
        next(scored)


@pytest.mark.parametrize("calls", [1, 3])
def test_a_failed_call_ends_all_further_calls(calls):
    done = []

    def watch(line):
        if line == "2":
            raise ValueError("call 2")
        done.append(line)

    given = Windows([[str(number)] for number in range(1000)])
    results = translated(given, calls, watch)
    assert [next(results), next(results)] == [["0"], ["1"]]
    with pytest.raises(ValueError, match="call 2"):
        next(results)
    assert len(done) <= given.count < 10


def test_calls_that_have_not_begun_are_dropped_at_the_end(monkeypatch):
    may_end, begun, shutdown = threading.Event(), [], ThreadPoolExecutor.shutdown

    def shut_down(pool, wait=True, *, cancel_futures=False):
        shutdown(pool, wait=False, cancel_futures=cancel_futures)
        may_end.set()  # only now
        shutdown(pool, wait=wait)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", shut_down)

    def wait(number):
        begun.append(number)
        assert may_end.wait(60)

    with Watched(2).calls() as begin:
        for number in range(9):
            begin(wait, number)
    assert len(begun) < 9


def pairs(lines):
    return [(line, None) for line in lines]


def test_windows_double_up_to_the_largest():
    assert [len(window) for window in windows(pairs("x" * 100), 4, 16)] == [4, 8, 16, 16, 16, 16, 16, 8]


def test_windows_of_long_lines_hold_few(monkeypatch):
    monkeypatch.setattr(streams, "HELD", 10)
    lines = ["x" * 9, "x", "x" * 20, "", "x", "x"]
    assert [len(window) for window in windows(pairs(lines), 4)] == [2, 1, 3]
    assert [len(window) for window in windows([("x" * 5, "y" * 5)] * 2, 4)] == [1, 1]


def test_empty_windows_precede_waits_and_a_long_wait_ends_a_window():
    waits = {1: 0.0, 3: 1.0, 5: 0.0}  # after these items nothing comes for this number of seconds, and a moment
    seen = []

    def pauses(seconds):
        return seen[-1] in waits and waits[seen[-1]] >= seconds

    def watched():
        for item in range(7):
            seen.append(item)
            yield str(item), None

    found = [[int(line) for line, _ in window] for window in windows(watched(), 6, pauses=pauses)]
    assert found == [[], [], [0, 1, 2, 3], [], [], [4, 5, 6]]
    assert PAUSE < 1
