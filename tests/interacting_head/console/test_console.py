"""The environment in which commands import Keras."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from unittest import mock

import keras
import pytest

from data.errors import InputError
from interacting_head.console import allocator, importing_keras
from tests.backends import needs_jax
from tests.command_line import ROOT


def refusal():
    """The message with which the import is refused."""
    with pytest.raises(InputError) as raised, importing_keras():
        pytest.fail("nothing is imported")
    return str(raised.value)


@pytest.mark.parametrize("name", ["numpy", "openvino", "foo"])
def test_a_backend_that_the_project_does_not_run_on_is_refused(monkeypatch, name):
    monkeypatch.setenv("KERAS_BACKEND", name)
    assert refusal().startswith(f"the Keras backend '{name}' is not supported; set KERAS_BACKEND")


@mock.patch.dict(os.environ, {"TF_CPP_MIN_LOG_LEVEL": "0", allocator.SWITCH: "0"})
def test_a_backend_from_keras_json_is_refused_after_the_import(monkeypatch):
    monkeypatch.setattr(keras.config, "backend", lambda: "numpy")
    with pytest.raises(InputError, match="the Keras backend 'numpy' is not supported"), importing_keras():
        pass


@pytest.mark.parametrize("value", ["-3", "many", "1.5", "1000000"])
def test_a_number_of_threads_that_crashes_tensorflow_is_refused(monkeypatch, value):
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", value)
    assert refusal() == f"TF_NUM_INTRAOP_THREADS must be a whole number from 0 (all cores) to 4096, got {value!r}"


def test_a_limit_of_addresses_that_crashes_tensorflow_is_refused(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (2_000_000 * 1024, resource.RLIM_INFINITY))
    message = (
        "the address space of a process is limited to 1.9 GiB, but TensorFlow needs at least 3 GiB; raise the limit"
    )
    assert refusal().startswith(message)


@mock.patch.dict(os.environ, {"TF_CPP_MIN_LOG_LEVEL": "3", allocator.SWITCH: "0"})
def test_neither_a_home_nor_a_temporary_folder_is_needed(monkeypatch):
    def missing():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr("interacting_head.console.cache_folder", mock.Mock(side_effect=InputError("no home folder")))
    monkeypatch.setattr("tempfile.gettempdir", missing)
    with importing_keras():
        pass


@pytest.mark.parametrize("named", [None, "elsewhere"])
@mock.patch.dict(os.environ, {"TF_CPP_MIN_LOG_LEVEL": "0", allocator.SWITCH: "0"})
def test_jax_keeps_compiled_functions_in_the_cache_or_where_the_user_says(monkeypatch, tmp_path, named):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path))
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    if named:
        monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / named))
    with importing_keras():
        folder = Path(os.environ["JAX_COMPILATION_CACHE_DIR"])
    assert folder == tmp_path / named if named else folder.parent == tmp_path / "jax"


COMMANDS = [["train.py", "--list"], ["-m", "interacting_head.reproduce", "--list"]]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_an_output_without_utf_8_shows_other_letters_by_their_numbers(arguments):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.isascii()
    assert rb"\u2013" in ended.stdout


QUICK_IMPORT = """
import gc, sys
from interacting_head.console import importing_keras
with importing_keras():
    import keras
print(*(name for name in ("jax", "matplotlib") if name in sys.modules), gc.isenabled(), gc.get_freeze_count() > 1e5)
import matplotlib.pyplot
"""


@pytest.mark.parametrize(("backend", "imported"), [("tensorflow", ""), pytest.param("jax", "jax ", marks=needs_jax)])
def test_keras_is_imported_without_packages_that_it_does_not_need(backend, imported):
    environment = {**os.environ, "KERAS_BACKEND": backend}
    command = [sys.executable, "-c", QUICK_IMPORT]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, f"{imported}True True\n"), ended.stderr
