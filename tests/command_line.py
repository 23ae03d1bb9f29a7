"""Helpers that start the command-line scripts in separate processes."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import tiny_corpus
from tests.warm_processes import run_script, started_script

ROOT = Path(__file__).parents[1]

SETTINGS = [
    *("train.max_steps=120", "train.validation_interval=40", "train.batch_tokens=256", "model.dropout=0"),
    "decode.beam_size=3",
]
OWN = ["--source", "train.de", "--target", "train.en", "--dev-source", "dev.de", "--dev-target", "dev.en"]
TINY = [*OWN, *(word for setting in [*tiny_corpus.SETTINGS, *SETTINGS] for word in ("--set", setting))]
"""Arguments after a recipe or configuration: the corpus of `tiny_corpus`, and a model that learns it in seconds."""
TRAIN = ["tiny.yaml", *TINY, "--run-dir", "trained"]


class Result(NamedTuple):
    """The end of a process."""

    code: int
    output: str
    errors: str


def environment(folder):
    hidden = ("CORPORA_DIR", "TF_CPP_MIN_LOG_LEVEL", "KERAS_BACKEND", "COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "INTERACTING_HEAD_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}


def start(folder, script, *arguments, **options):
    """Start a script, or a module such as `interacting_head.tune`, with default handling of SIGINT as in a terminal."""
    what = [str(ROOT / script)] if script.endswith(".py") else ["-m", script]
    command = [sys.executable, *what, *map(str, arguments)]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def wait_until(condition, process, seconds=120):
    """Wait for something that a process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            pytest.fail(f"{process.args} did not do what was waited for; it wrote {process.communicate()}")
        time.sleep(0.02)


def started(folder, script, *arguments):
    """A script that runs in a folder, with Keras imported: see `warm_processes.started_script`."""
    path = str(ROOT / script) if script.endswith(".py") else script
    return started_script(path, list(map(str, arguments)), folder, environment(folder))


def run(folder, script, *arguments, stdin=b"", fresh=False, variables=None):
    """Run a script to its end; whatever happens, it shows no traceback.

    Args:
        folder, script: as in `start`.
        stdin: bytes of its standard input, a pipe.
        fresh: whether to start a new Python, as users do: seconds for the import of Keras.
        variables: further environment variables, unless `fresh`.
    """
    if fresh:
        process = start(folder, script, *arguments, stdin=subprocess.PIPE)
        output, errors = process.communicate(stdin)
        code = process.returncode
    else:
        path = str(ROOT / script) if script.endswith(".py") else script
        code, output, errors = run_script(
            path, list(map(str, arguments)), folder, {**environment(folder), **(variables or {})}, stdin
        )
    assert b"Traceback" not in errors, errors.decode("utf-8")
    return Result(code, output.decode("utf-8"), errors.decode("utf-8"))


def assert_refused(result, message):
    """That bad input gave one line with a message, nothing else, and exit code 2."""
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: ")
    assert result.errors.count("\n") == 1
    assert message in result.errors


def run_all(folder, cases):
    """Run {name: (script, arguments, stdin)}, two at a time, and return {name: Result}."""
    with ThreadPoolExecutor(2) as pool:
        started = {
            name: pool.submit(run, folder, script, *arguments, stdin=stdin)
            for name, (script, arguments, stdin) in cases.items()
        }
        return {name: result.result() for name, result in started.items()}
