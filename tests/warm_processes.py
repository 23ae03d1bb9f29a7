"""Processes with Keras already imported, forked from one server so that tests of scripts start quickly.

Each has its own working folder, environment, streams and exit code.
"""

import contextlib
import multiprocessing
import os
import runpy
import signal
import sys
import tempfile
import threading
from multiprocessing.connection import wait
from unittest import mock

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.preloaded"])
LOCK = threading.Lock()  # one thread at a time starts a process or reads the exit code of one
SERVER = threading.Event()  # set once the server runs


def run_script(path, arguments, folder, environment, stdin=b""):
    """Run a script, or a module by name; return its exit code, and the bytes of standard output and standard error."""
    with started_script(path, arguments, folder, environment, stdin) as (process, output, errors):
        _join(process)
        return process.exitcode, output.read(), errors.read()


@contextlib.contextmanager
def started_script(path, arguments, folder, environment, stdin=b""):
    """Start a script, as `run_script`; return its process, and the files of its standard output and standard error.

    At the end of the block it is killed, if it still runs.
    """
    receiver, sender = CONTEXT.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile() as output, tempfile.NamedTemporaryFile() as errors:
        streams = receiver, output.name, errors.name
        process = CONTEXT.Process(target=_run, args=(path, arguments, str(folder), environment, streams))
        _start(process, environment)
        receiver.close()
        writer = threading.Thread(target=_write, args=(sender, stdin))
        writer.start()
        try:
            yield process, output, errors
        finally:
            process.kill()
            _join(process)
            writer.join()


def _start(process, environment):
    """Start a process. The first one starts the server, which is to have this environment too.

    Otherwise `os.environ` stays as it is, because other threads may be copying it.
    """
    with LOCK:
        first = not SERVER.is_set()
        with mock.patch.dict(os.environ, environment, clear=True) if first else contextlib.nullcontext():
            process.start()
        SERVER.set()


def _join(process):
    """Wait for the end of a process.

    Its exit code comes through a pipe, once, and a thread that starts another process reads the codes of every process
    that has ended.
    """
    wait([process.sentinel])
    with LOCK:
        process.join()


def _write(sender, data):
    with contextlib.suppress(BrokenPipeError), open(sender.fileno(), "wb", closefd=False) as pipe:
        pipe.write(data)
    sender.close()


def _run(path, arguments, folder, environment, streams):
    """The life of a process: puts everything in its place as a shell would, and runs the script."""
    stdin, *files = streams
    os.dup2(stdin.fileno(), 0)
    stdin.close()
    for number, name in enumerate(files, start=1):
        descriptor = os.open(name, os.O_WRONLY | os.O_TRUNC)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [path, *arguments]
    if path.endswith(".py"):
        runpy.run_path(path, run_name="__main__")
    else:
        runpy.run_module(path, run_name="__main__", alter_sys=True)
