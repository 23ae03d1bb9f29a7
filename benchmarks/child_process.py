"""Measurements in child processes, for settings of a whole process: allocator and threads."""

import multiprocessing
import os

from data.errors import InputError
from data.workers import end_with_parent
from interacting_head.console import RunError, allocator, importing_keras


class ChildProcess:
    """A new process that calls one function repeatedly; use as a context manager.

    ```
    with ChildProcess(function, threads=1) as child:
        result = child(argument)
    ```

    Args:
        function: an object with `__call__` keeps its attributes between calls.
        keep_memory: whether the process keeps freed memory, see `interacting_head.console.allocator`.
        threads: number of TensorFlow threads; default: TensorFlow's choice.
    """

    def __init__(self, function, keep_memory=True, threads=None):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_answer, args=(other, function, keep_memory, threads))
        self.process.start()
        other.close()

    def __call__(self, *arguments):
        self.connection.send(arguments)
        try:
            result = self.connection.recv()
        except EOFError:
            self.process.join()
            result = RuntimeError(f"the measuring process exited with code {self.process.exitcode}")
        if isinstance(result, Exception):
            raise result
        return result

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.connection.close()
        self.process.join()


def _answer(connection, function, keep_memory, threads):
    end_with_parent()
    if not keep_memory:
        os.environ[allocator.SWITCH] = "0"
    with importing_keras():
        import tensorflow as tf

        import layers  # noqa: F401

    if threads:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
    while True:
        try:
            arguments = connection.recv()
        except EOFError:  # the parent has closed the connection
            return
        try:
            connection.send(function(*arguments))
        except (InputError, RunError) as error:
            connection.send(error)
        except Exception as error:  # raised again in the parent
            connection.send(RuntimeError(f"{type(error).__name__}: {error}"))
