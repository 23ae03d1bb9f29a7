"""Training on several devices equals training on one: TensorFlow's logical CPU devices, JAX's, and two processes."""

import functools
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from data.errors import InputError
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.devices import Devices
from tests import tiny_corpus
from tests.backends import finish, needs_jax, start
from tests.command_line import wait_until
from tests.interacting_head.runs.equality import assert_equal_runs, weights
from tests.kills import logged
from tests.two_devices import CASES, STEPS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
# Sums in another order, 1e-7 of a gradient, are up to 10 times as much of a weight: the learning rate over Adam's ε.
TOLERANCE = 1e-5
ROUNDOFF = {"mixed_bfloat16": 2**-8, "mixed_float16": 2**-11}
"""The relative error of one number."""


def on_two_devices(folder, case):
    """Run `tests.two_devices` in a folder."""
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


def joined(found, name):
    """The values of a name, all weights one after another, in float64."""
    values = [found[name]] if name in found else arrays(found, name)
    return np.concatenate([np.ravel(value) for value in values]).astype("float64")


every_case = pytest.mark.parametrize("case", CASES)
in_float32 = pytest.mark.parametrize("case", [case for case in CASES if case not in ROUNDOFF])


@every_case
def test_every_step_has_a_different_loss_and_some_gradients_are_clipped(found, case):
    for results in found(case):
        assert len(set(results["losses"].tolist())) == len(set(results["norms"].tolist())) == STEPS
        assert (results["norms"] > 0.5).any()


@in_float32
def test_losses_and_gradient_norms_of_two_devices_equal_one(found, case):
    for name in ("losses", "norms"):
        one, two = (results[name] for results in found(case))
        np.testing.assert_allclose(two, one, rtol=TOLERANCE, err_msg=name)


@in_float32
@pytest.mark.parametrize("prefix", ["weights", "averages"])
def test_weights_and_their_moving_average_equal_one_device(found, case, prefix):
    ones, twos = (arrays(results, prefix) for results in found(case))
    assert len(ones) > 10
    for one, two in zip(ones, twos, strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("case", ROUNDOFF)
@pytest.mark.parametrize("name", ["losses", "norms", "weights", "averages"])
def test_two_devices_in_16_bits_are_as_close_to_float32_as_one(found, case, name):
    # How near that is depends on the processor: on the order of its sums, and on the bits that it adds in.
    exact = joined(found("float32")[0], name)
    scale = exact if name in ("losses", "norms") else 1.0
    of_one, of_two = (np.sqrt(np.mean(((joined(each, name) - exact) / scale) ** 2)) for each in found(case))
    assert of_two <= 4 * max(of_one, ROUNDOFF[case])


def test_the_moving_average_is_not_the_last_weights(found):
    for last, average in zip(*(arrays(found("float32")[1], name) for name in ("weights", "averages")), strict=True):
        assert not np.array_equal(last, average)


@pytest.mark.parametrize("devices", [1, 2])
def test_an_infinite_gradient_on_one_device_skips_the_step_on_all(found, devices):
    results = found("mixed_float16")[devices - 1]
    assert results["scale_after_poison"] == results["scale"] / 2
    for before, after in zip(*(arrays(results, name) for name in ("weights", "poisoned")), strict=True):
        np.testing.assert_array_equal(after, before)


def test_a_run_on_two_devices_goes_on_exactly(tmp_path):
    on_two_devices(tmp_path, "runs")
    stopped, whole = (RunDirectory(tmp_path / name) for name in ("stopped", "whole"))
    log = (stopped.path / "train.log").read_text(encoding="utf-8")
    assert "on cpu:0, cpu:1" in log
    assert f"resuming {stopped.path} at step 9" in log
    assert_equal_runs(stopped, whole)


def test_each_device_has_its_own_dropout_masks_also_after_a_stop(tmp_path):
    on_two_devices(tmp_path, "dropout")
    found = np.load(tmp_path / "masks.npz")
    masks = found["whole"].reshape(-1, 64)  # three steps on two devices
    assert len(np.unique(masks, axis=0)) == 6
    np.testing.assert_array_equal(found["resumed"], found["whole"][2:])


def test_several_machines_without_jax_are_an_error(monkeypatch):
    monkeypatch.setenv("KERAS_DISTRIBUTION_JOB_ADDRESSES", "127.0.0.1:1234")
    with pytest.raises(InputError, match="several machines train with JAX only: set KERAS_BACKEND=jax, or unset"):
        Devices.find()


def on_jax_devices(count):
    """Return environment variables that give a process a number of devices."""
    return {"XLA_FLAGS": f"--xla_backend_optimization_level=0 --xla_force_host_platform_device_count={count}"}


@pytest.fixture(scope="module")
def with_jax(tmp_path_factory):
    """A folder with the run `one`, trained with JAX on one device, and the command that trained it."""
    folder = tmp_path_factory.mktemp("jax")
    # Sentences of one length: JAX compiles for each. Batches for four devices are those for one.
    files = tiny_corpus.write_corpus(folder, words=(3, 3))
    settings = [*tiny_corpus.SETTINGS, "train.max_steps=14", "train.validation_interval=14", "train.log_interval=1"]
    settings += ["train.adam_epsilon=0.001", "train.gradient_accumulation_steps=2", "train.average_last=0"]
    settings += ["model.attention.scheme=dynamic_head_importance", "train.batch_tokens=192"]
    own = [word for name, path in files.items() for word in (f"--{name.replace('_', '-')}", path)]
    command = [ROOT / "train.py", *own, *(word for setting in settings for word in ("--set", setting))]
    finish(start("jax", [*command, "--run-dir", "one"], folder))
    return folder, command


def assert_equal_to_one(folder, name):
    """Check that a run has the weights and the scores of the run `one`, up to the order of sums."""
    run, expected = RunDirectory(folder / name), RunDirectory(folder / "one")
    for ours, theirs in zip(weights(run, "step-14"), weights(expected, "step-14"), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)
    for ours, theirs in zip(run.read_log(), expected.read_log(), strict=True):
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-5)
        assert ours["validation_loss"] == pytest.approx(theirs["validation_loss"], rel=1e-4)
        assert ours["validation_smoothed_loss"] == pytest.approx(theirs["validation_smoothed_loss"], rel=1e-4)


@needs_jax
@pytest.mark.parametrize("devices", [2, 4])
def test_several_devices_with_jax_equal_one(with_jax, devices):
    folder, command = with_jax
    name = f"devices-{devices}"
    finish(start("jax", [*command, "--run-dir", name], folder, on_jax_devices(devices)))
    assert f"on {', '.join(f'cpu:{number}' for number in range(devices))}" in (folder / name / "train.log").read_text()
    assert_equal_to_one(folder, name)


@pytest.mark.parametrize(
    ("backend", "devices"),
    [("tensorflow", 2), pytest.param("jax", 2, marks=needs_jax), pytest.param("jax", 4, marks=needs_jax)],
)
def test_several_devices_share_the_rows_of_a_search_and_of_scores(tmp_path, backend, devices):
    arguments = ["-m", "tests.several_devices", tmp_path / "found.npz", str(devices)]
    finish(start(backend, arguments, tmp_path, on_jax_devices(devices)))
    found = dict(np.load(tmp_path / "found.npz"))
    assert found.pop("one devices") == 1
    assert found.pop("several devices") == devices
    for name in [name for name in found if name.startswith("one ")]:
        several = found[name.replace("one ", "several ")]
        np.testing.assert_allclose(several, found[name], rtol=1e-4, atol=1e-5, err_msg=name)


@needs_jax
def test_two_processes_with_jax_equal_one_even_after_a_stop(with_jax):
    folder, command = with_jax

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
            processes.append(start("jax", [*command, *run_dir], folder, together))
        return processes

    seen = logged(folder / "two-0" / "train.log", " step 3 of 14")
    stopped = start_two()
    wait_until(seen, stopped[0], seconds=300)
    stopped[1].send_signal(signal.SIGTERM)  # only to one of them
    steps = {re.search(r"stopped by SIGTERM at step (\d+);", finish(process)[1])[1] for process in stopped}
    assert len(steps) == 1
    assert steps < {str(step) for step in range(1, 15)}
    for process in start_two():
        finish(process)
    for process in range(2):
        assert_equal_to_one(folder, f"two-{process}")
