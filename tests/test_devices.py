"""Training on two devices equals training on one: TensorFlow's logical CPU devices, and two processes with JAX."""

import functools
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from interacting_head.run_directory import RunDirectory
from tests import tiny_corpus
from tests.interacting_head.runs import assert_equal_runs, weights
from tests.test_backends import start
from tests.two_devices import CASES, STEPS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
# Of losses and weights, relative: 8 bits of mantissa in bfloat16, 11 in float16. In float32 sums in another order, 1e-7
# of a gradient, are up to 10 times as much of a weight: the learning rate over Adam's ε.
TOLERANCES = {"float32": 5e-6, "parts": 5e-6, "mixed_bfloat16": 2**-7, "mixed_float16": 2**-10}


def on_two_devices(folder, case):
    """Runs `tests.two_devices` in a folder."""
    environment = {**os.environ, "INTERACTING_HEAD_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "tests.two_devices", str(folder), case]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A function that gives the arrays of a case with one device and with two, by name."""

    @functools.cache
    def found(case):
        folder = tmp_path_factory.mktemp(case)
        on_two_devices(folder, case)
        return tuple(dict(np.load(folder / f"{devices}.npz")) for devices in (1, 2))

    return found


def arrays(found, prefix):
    return [found[f"{prefix}_{index}"] for index in range(sum(name.startswith(f"{prefix}_") for name in found))]


every_case = pytest.mark.parametrize("case", CASES)


@every_case
def test_losses_and_gradient_norms_of_two_devices_are_those_of_one(found, case):
    for name in ("losses", "norms"):
        one, two = (results[name] for results in found(case))
        assert len(set(one.tolist())) == STEPS
        np.testing.assert_allclose(two, one, rtol=2 * TOLERANCES[case], err_msg=name)
    assert (found(case)[0]["norms"] > 0.5).any()  # some of them are clipped


@every_case
@pytest.mark.parametrize("prefix", ["weights", "averages"])
def test_weights_and_their_moving_average_are_those_of_one_device(found, case, prefix):
    ones, twos = (arrays(results, prefix) for results in found(case))
    assert len(ones) > 10
    for one, two in zip(ones, twos, strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=2 * TOLERANCES[case])


def test_the_moving_average_is_not_the_last_weights(found):
    for last, average in zip(*(arrays(found("float32")[1], name) for name in ("weights", "averages")), strict=True):
        assert not np.array_equal(last, average)


@pytest.mark.parametrize("devices", [1, 2])
def test_an_infinite_gradient_on_one_device_skips_the_step_and_halves_the_scale_on_all(found, devices):
    results = found("mixed_float16")[devices - 1]
    assert results["scale_after_poison"] == results["scale"] / 2
    for before, after in zip(*(arrays(results, name) for name in ("weights", "poisoned")), strict=True):
        np.testing.assert_array_equal(after, before)


def test_a_run_on_two_devices_goes_on_exactly(tmp_path):
    on_two_devices(tmp_path, "runs")
    stopped, whole = (RunDirectory(tmp_path / name) for name in ("stopped", "whole"))
    log = (stopped.path / "train.log").read_text(encoding="utf-8")
    assert "on cpu:0, cpu:1" in log
    assert f"continuing {stopped.path} at step 9" in log
    assert_equal_runs(stopped, whole)


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs jax")
def test_two_processes_with_jax_equal_one_also_after_a_stop(tmp_path):
    # Sentences of one length: JAX compiles for each, and batches for two devices are those for one.
    files = tiny_corpus.write_corpus(tmp_path, words=(3, 3))
    settings = [*tiny_corpus.SETTINGS, "train.max_steps=14", "train.validation_interval=14", "train.log_interval=1"]
    settings += ["train.adam_epsilon=0.001", "train.accumulate_batches=2", "train.average_last=0"]
    own = [word for name, path in files.items() for word in (f"--{name.replace('_', '-')}", path)]
    arguments = [ROOT / "train.py", *own, *(word for setting in settings for word in ("--set", setting))]
    one = start("jax", [*arguments, "--run-dir", "one"], tmp_path)

    def start_two():
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        processes = []
        for process in range(2):
            together = {
                "KERAS_DISTRIBUTION_JOB_ADDRESSES": f"127.0.0.1:{port}",
                "KERAS_DISTRIBUTION_NUM_PROCESSES": "2",
                "KERAS_DISTRIBUTION_PROCESS_ID": str(process),
            }
            run_dir = ["--run-dir", f"two-{process}"]
            processes.append(start("jax", [*arguments, *run_dir], tmp_path, together))
        return processes

    stopped, log = start_two(), tmp_path / "two-0" / "train.log"
    deadline = time.monotonic() + 300
    while not (log.is_file() and " step 3 of 14" in log.read_text()):
        assert time.monotonic() < deadline
        assert stopped[0].poll() is None, stopped[0].communicate()
        time.sleep(0.01)
    stopped[1].send_signal(signal.SIGTERM)  # only to one of them
    steps = set()
    for process in stopped:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
        steps.add(re.search(r"stopped by SIGTERM at step (\d+);", errors)[1])
    assert len(steps) == 1
    for process in (*start_two(), one):
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    expected, *found = (RunDirectory(tmp_path / name) for name in ("one", "two-0", "two-1"))
    assert steps < {str(step) for step in range(1, 15)}
    for run in found:
        for ours, theirs in zip(weights(run, "step-14"), weights(expected, "step-14"), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)
        for ours, theirs in zip(run.read_log(), expected.read_log(), strict=True):
            assert ours["validation_loss"] == pytest.approx(theirs["validation_loss"], rel=1e-4)
