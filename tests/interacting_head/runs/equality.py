"""Comparison of run directories."""

import contextlib
import resource

import numpy as np

from interacting_head.model.building import build_model


def weights(run, name):
    """The arrays in a file of weights."""
    model = build_model(run.config, *run.subwords())
    model.load_weights(run.find_weights(name))
    return model.get_weights()


def assert_equal_runs(run, expected):
    """Bit for bit, as far as the clock has no part in it."""
    assert run.steps() == expected.steps()
    for name in ("best", "average", *(f"step-{step}" for step in expected.steps())):
        for ours, theirs in zip(weights(run, name), weights(expected, name), strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    for step in expected.steps():
        (_, ours, state), (_, theirs, expected_state) = run.load_checkpoint(step), expected.load_checkpoint(step)
        for array, expected_array in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(array, expected_array)
        assert without_clock(state) == without_clock(expected_state)
    assert list(map(without_clock, run.read_log())) == list(map(without_clock, expected.read_log()))
    assert without_clock(run.read_json("metrics.json")) == without_clock(expected.read_json("metrics.json"))


def without_clock(record):
    """A record without its times and memory, and without the loss since the last line of the log."""
    clocked = ("seconds", "tokens_per_second", "loss", "peak_memory")
    record = {name: value for name, value in record.items() if name not in clocked}
    return {name: without_clock(value) if isinstance(value, dict) else value for name, value in record.items()}


@contextlib.contextmanager
def full_disk(size):
    """Let no file of this process grow above a size, in bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
