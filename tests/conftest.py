"""Parts that several files of tests share."""

import contextlib
import fcntl
import functools
import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests import tiny_corpus
from tests.command_line import TRAIN, run

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

gc.set_threshold(100_000, 20, 100)  # graphs are many objects that live long: looking through them takes minutes in all


def pytest_collection_modifyitems(items):
    """Skip what TensorFlow crashes in where `ONEDNN_MAX_CPU_ISA` imitates another processor."""
    if "ONEDNN_MAX_CPU_ISA" not in os.environ:
        return
    from interacting_head.training.precision import is_capped  # imports Keras

    for item in items:
        if is_capped() and "bfloat16" in item.name:
            item.add_marker(
                pytest.mark.skip(reason="bfloat16 crashes with this ONEDNN_MAX_CPU_ISA; unset it to run the test")
            )


def pytest_runtest_setup(item):
    """Start the processes of `command_line.run` before the first test that may need them; it takes seconds."""
    if any(getattr(value, "__module__", None) == "tests.command_line" for value in vars(item.module).values()):
        start_processes()


@functools.cache
def start_processes():
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), "eval_metrics.py", "--help")


@pytest.fixture(scope="module", autouse=True)
def forgotten_graphs():
    """Free the models and graphs of each file of tests before the next one begins."""
    yield
    if "keras" in sys.modules:
        sys.modules["keras"].utils.clear_session(free_memory=True)
        gc.freeze()  # what is left, libraries above all, need not be looked through again


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install -r requirements-test.txt"
    )
    if not CHROMIUM:
        pytest.skip("no browser is installed: install Chromium or Google Chrome, so that it is on the PATH")
    arguments = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    if os.getuid() == 0:
        arguments.append("--no-sandbox")  # it does not start for root otherwise
    with playwright.sync_playwright() as session:
        yield session.chromium.launch(executable_path=CHROMIUM, args=arguments)


@pytest.fixture(scope="session")
def workplace(tmp_path_factory):
    """A folder with a corpus, a configuration and a trained run, in which the commands are run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of all workers: the first trains for all
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "trained").exists():
            train(tmp_path_factory.mktemp("training")).rename(shared / "trained")
    folder = tmp_path_factory.mktemp("cli")
    shutil.copytree(shared / "trained", folder, dirs_exist_ok=True)
    return folder


def train(folder):
    """Train on a corpus in a folder, and return the folder."""
    files = tiny_corpus.write_corpus(folder)
    assert {path.name for path in files.values()} == {"train.de", "train.en", "dev.de", "dev.en"}
    (folder / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
    trained = run(folder, "train.py", *TRAIN, fresh=True)
    assert trained.code == 0, trained.errors
    (folder / "training.log").write_text(trained.errors)
    return folder


@pytest.fixture
def in_child():
    """Make functions that are called in a process of their own, see `tests.hostile.InChild`."""
    from tests.hostile import InChild

    with contextlib.ExitStack() as stack:
        yield lambda function: stack.enter_context(contextlib.closing(InChild(function)))
