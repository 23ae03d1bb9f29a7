"""Process long texts in chunks, with one process for each core."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice

from data.command_line import RunError

CHUNK = 5_000  # items handed to a process at a time
ALONE = 4  # chunks that take less time than starting more processes
_task = None  # of a worker process


def map_chunks(task: Callable[[list], object], items: Iterable, processes: int | None = None) -> Iterator:
    """Yield `task(chunk)` for chunks of the items, in order, computed in `processes` processes (default: one a core).

    A few chunks are computed in this process. RAM does not grow with the number of items. The task, which each process
    gets once, and the items must be picklable. Raises `RunError` if a process is killed, for example for lack of RAM.
    """
    items = iter(items)
    chunks = iter(lambda: list(islice(items, CHUNK)), [])
    first_chunks = list(islice(chunks, ALONE + 1))
    processes = processes or available_cores()
    if len(first_chunks) <= ALONE or processes == 1:
        yield from map(task, chain(first_chunks, chunks))
        return
    # Not forked: TensorFlow may run threads in this process.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(task,))
    try:
        under_way = deque()
        for chunk in chain(first_chunks, chunks):
            with _without_interrupts():  # a process may start here
                under_way.append(pool.submit(_run, chunk))
            if len(under_way) > 2 * processes:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BrokenProcessPool as error:
        raise RunError(
            "a text-processing worker ended: memory ran out, or the script that calls this lacks "
            "if __name__ == '__main__':, which new processes need"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def in_new_process(function: Callable, *arguments: object) -> object:
    """Return the result of a function in another process, or None if that dies, as it does for lack of RAM."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=end_with_parent) as pool:
        try:
            return pool.submit(function, *arguments).result()
        except BrokenProcessPool:
            return None


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _without_interrupts():
    """Delay keyboard interrupts, and make processes that start here ignore them: this process ends the others."""
    received = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which processes inherit
    handler = None
    with contextlib.suppress(ValueError):  # raised outside the main thread, which no interrupt reaches
        handler = signal.signal(signal.SIGINT, lambda *_: received.append(True))
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if received:
        raise KeyboardInterrupt


def _begin(task):
    global _task
    _task = task
    end_with_parent()


def end_with_parent() -> None:
    """Let this worker process exit with its parent: if that is killed, its workers would go on or wait forever."""

    def wait():
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _run(chunk):
    return _task(chunk)
