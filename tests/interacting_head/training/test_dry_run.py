"""Lines of a dry run on RAM, from peaks that are known; test_train.py has a whole one."""

import numpy as np
import pytest

from interacting_head.config import ExperimentConfig, TrainConfig
from interacting_head.training import devices, peak_ram
from interacting_head.training.dry_run import memory_lines


@pytest.fixture
def asked(monkeypatch):
    """Shapes whose peaks are asked for, with what their rows are multiples of: 5 bytes for each row."""
    shapes = []

    def predicted(config, vocabulary_sizes, shape, multiple):
        shapes.append((tuple(shape), multiple))
        return 5 * shape[0]

    monkeypatch.setattr(peak_ram, "predicted", predicted)
    return shapes


def test_the_batch_with_the_most_attention_weights_is_measured(asked):
    config = ExperimentConfig(train=TrainConfig(gradient_accumulation_steps=2))
    shapes = np.array([[64, 6, 6], [48, 20, 19], [12, 24, 24]], dtype="int32")
    memory_lines(config, (50, 50), shapes, replicas=3)
    assert asked == [((48, 20, 19), 6)]


def test_too_little_ram_is_reported_with_advice(asked, monkeypatch):
    shapes = np.array([[2**20, 6, 5], [2, 10, 9]])
    monkeypatch.setattr(devices, "machine_ram", lambda: 2**40)
    assert memory_lines(ExperimentConfig(), (50, 50), shapes) == [
        "peak memory         about 5 MiB of 1024.0 GiB on this machine"
    ]
    monkeypatch.setattr(devices, "machine_ram", lambda: 2**20)
    *_, advice = memory_lines(ExperimentConfig(), (50, 50), shapes)
    assert advice.strip().startswith("too much: lower train.batch_tokens")


def test_a_process_that_dies_of_its_steps_means_too_little_ram(monkeypatch):
    monkeypatch.setattr(peak_ram, "predicted", lambda *arguments: None)
    monkeypatch.setattr(devices, "machine_ram", lambda: 2**30)
    line, advice = memory_lines(ExperimentConfig(), (50, 50), np.array([[4, 6, 5]]))
    assert line == "peak memory         more than this machine has: 1.0 GiB"
    assert advice.strip().startswith("too much: lower train.batch_tokens")
