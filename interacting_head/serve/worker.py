"""The thread in which models compute, and its queue."""

import collections
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple

TOGETHER = 2000  # characters of requests that share a call


class OverloadError(Exception):
    """The queue is full."""


class _Job(NamedTuple):
    function: object
    payload: object
    key: object
    size: int
    future: Future


class Worker:
    """Call functions in one thread, one at a time, in the order of requests, with a queue of `capacity` calls.

    Small similar calls are merged: searching a batch takes little longer than one sentence.
    """

    def __init__(self, capacity: int):
        self.capacity = capacity
        self._jobs = collections.deque()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="models", daemon=True)
        self._thread.start()

    def submit(self, function: Callable, payload: object, *, key: object = None, size: int = TOGETHER) -> Future:
        """Return the `Future` of one result.

        Args:
            function: takes a list of payloads and returns a list of results; an exception among them is raised for its
                payload alone.
            key: calls of the same function with equal keys are merged, up to a total size of `TOGETHER`.

        Raises `OverloadError` if the queue is full, or the worker has been stopped.
        """
        with self._changed:
            self._jobs = collections.deque(job for job in self._jobs if not job.future.cancelled())
            if self._stopped or len(self._jobs) >= self.capacity:
                raise OverloadError
            job = _Job(function, payload, key, size, Future())
            self._jobs.append(job)
            self._changed.notify()
        return job.future

    @property
    def waiting(self) -> int:
        """The number of calls in the queue without the cancelled ones."""
        with self._changed:
            return sum(not job.future.cancelled() for job in self._jobs)

    def stop(self, seconds: float) -> bool:
        """Cancel the queue, let the current call finish, and return whether it did within these seconds."""
        with self._changed:
            self._stopped = True
            for job in self._jobs:
                job.future.cancel()
            self._jobs.clear()
            self._changed.notify()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self):
        while jobs := self._next():
            jobs = [job for job in jobs if job.future.set_running_or_notify_cancel()]
            try:
                results = jobs[0].function([job.payload for job in jobs]) if jobs else []
            except Exception as error:
                results = [error] * len(jobs)
            for job, result in zip(jobs, results, strict=True):
                settle = job.future.set_exception if isinstance(result, Exception) else job.future.set_result
                settle(result)

    def _next(self):
        """Return the first job in the queue with all others that can be merged with it; nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._stopped)
            if self._stopped:
                return []
            first = self._jobs.popleft()
            chosen, size = [first], first.size
            for job in list(self._jobs):
                if (job.function, job.key) == (first.function, first.key) and size + job.size <= TOGETHER:
                    self._jobs.remove(job)
                    chosen.append(job)
                    size += job.size
            return chosen
