import threading

import pytest

from interacting_head.serve.worker import TOGETHER, OverloadError, Worker

SECONDS = 30


@pytest.fixture
def worker():
    worker = Worker(capacity=4)
    yield worker
    assert worker.stop(SECONDS)


@pytest.fixture
def gate(worker):
    """Hold the worker up until it is set."""
    opened, entered = threading.Event(), threading.Event()

    def wait(payloads):
        entered.set()
        assert opened.wait(SECONDS)
        return payloads

    worker.submit(wait, "gate")
    assert entered.wait(SECONDS)
    yield opened
    opened.set()


def test_a_result_that_is_an_exception_is_raised_for_its_payload_alone(worker, gate):
    def checked(payloads):
        return [ValueError("odd") if payload % 2 else payload for payload in payloads]

    futures = [worker.submit(checked, number, size=1) for number in range(3)]
    gate.set()
    assert (futures[0].result(SECONDS), futures[2].result(SECONDS)) == (0, 2)
    with pytest.raises(ValueError, match="odd"):
        futures[1].result(SECONDS)


def called_together(payloads):
    return [(payload, len(payloads)) for payload in payloads]


def test_each_payload_gets_its_own_result(worker):
    futures = [worker.submit(called_together, number, size=1) for number in range(4)]
    assert [future.result(SECONDS)[0] for future in futures] == [0, 1, 2, 3]


def test_waiting_calls_of_the_same_kind_are_made_together(worker, gate):
    alike = [worker.submit(called_together, number, key=4, size=1) for number in range(2)]
    other = worker.submit(called_together, "other", key=5, size=1)
    last = worker.submit(called_together, "last", key=4, size=1)
    gate.set()
    assert [future.result(SECONDS) for future in [*alike, last]] == [(0, 3), (1, 3), ("last", 3)]
    assert other.result(SECONDS) == ("other", 1)


def test_large_calls_are_made_alone(worker, gate):
    futures = [worker.submit(called_together, size, size=size) for size in (TOGETHER - 1, 1, 1)]
    alone = worker.submit(called_together, "alone")
    gate.set()
    assert [future.result(SECONDS)[1] for future in futures] == [2, 2, 1]
    assert alone.result(SECONDS) == ("alone", 1)


def test_an_error_of_a_call_does_not_affect_the_next_call(worker):
    def fail(payloads):
        raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        worker.submit(fail, 1).result(SECONDS)
    assert worker.submit(called_together, 2).result(SECONDS) == (2, 1)


def test_no_more_than_the_capacity_waits(worker, gate):
    for number in range(4):
        worker.submit(called_together, number)
    assert worker.waiting == 4
    with pytest.raises(OverloadError):
        worker.submit(called_together, 5)


def test_cancelled_work_leaves_its_place_in_the_queue(worker, gate):
    cancelled = [worker.submit(called_together, number) for number in range(4)]
    assert all(future.cancel() for future in cancelled)
    assert worker.waiting == 0
    kept = worker.submit(called_together, 5)
    gate.set()
    assert kept.result(SECONDS) == (5, 1)


def test_cancelled_work_is_not_done(worker, gate):
    done = []
    cancelled = worker.submit(lambda payloads: done.append(1) or payloads, 1)
    assert cancelled.cancel()
    gate.set()
    assert worker.submit(called_together, 2).result(SECONDS) == (2, 1)
    assert not done


def test_a_stopped_worker_cancels_what_waits_and_takes_nothing(gate, worker):
    waiting = worker.submit(called_together, 1)
    assert not worker.stop(0.01)  # the present call goes on
    assert waiting.cancelled()
    with pytest.raises(OverloadError):
        worker.submit(called_together, 2)
    gate.set()
    assert worker.stop(SECONDS)
