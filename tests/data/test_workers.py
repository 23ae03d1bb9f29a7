import functools
import os

import pytest

from data import workers
from data.command_line import RunError
from data.workers import ALONE, CHUNK, available_cores, map_chunks


def total(chunk):
    return sum(chunk), len(chunk), os.getpid()


def fail_at(number, chunk):
    if number in chunk:
        raise ValueError(f"{number} is bad")
    return chunk[0]


def die(chunk):
    os.kill(os.getpid(), 9)


def test_results_come_in_the_order_of_the_items_from_several_processes():
    count = 7 * CHUNK + 3
    results = list(map_chunks(total, range(count), processes=2))
    assert [size for _, size, _ in results] == [CHUNK] * 7 + [3]
    assert sum(result for result, _, _ in results) == sum(range(count))
    assert results[0][0] < results[1][0] < results[6][0]
    assert os.getpid() not in {process for _, _, process in results}


@pytest.mark.parametrize("count", [1, ALONE * CHUNK])
def test_little_work_is_done_in_this_process(count):
    results = list(map_chunks(total, range(count)))
    assert sum(result for result, _, _ in results) == sum(range(count))
    assert {process for _, _, process in results} == {os.getpid()}


def test_no_items_give_no_results():
    assert list(map_chunks(total, [])) == []


def test_one_process_needs_no_other():
    assert {process for _, _, process in map_chunks(total, range(2 * CHUNK), processes=1)} == {os.getpid()}


def test_an_error_in_a_process_arrives_here():
    with pytest.raises(ValueError, match="5005 is bad"):
        list(map_chunks(functools.partial(fail_at, 5005), range(5 * CHUNK), processes=2))


def test_an_error_of_the_items_arrives_here():
    def items():
        yield from range(7 * CHUNK)
        raise ValueError("a bad line")

    with pytest.raises(ValueError, match="a bad line"):
        list(map_chunks(total, items(), processes=2))


def test_a_killed_process_is_an_error():
    with pytest.raises(RunError, match="a text-processing worker ended: memory ran out, or"):
        list(map_chunks(die, range(7 * CHUNK), processes=2))


def test_few_chunks_are_under_way_at_a_time():
    drawn = 0

    def items():
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    results = map_chunks(total, items(), processes=2)
    next(results)
    assert drawn < 12 * CHUNK
    results.close()


def test_the_cores_are_counted(monkeypatch):
    assert 1 <= available_cores() <= os.cpu_count()
    monkeypatch.delattr(workers.os, "sched_getaffinity")
    assert available_cores() == os.cpu_count()
