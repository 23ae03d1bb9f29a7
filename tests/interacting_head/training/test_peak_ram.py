"""The RAM that a dry run predicts: from peaks that are known, and against steps on whole batches."""

import dataclasses
import os

import numpy as np
import pytest

from interacting_head.config import AttentionConfig, ExperimentConfig, ModelConfig, TrainConfig
from interacting_head.training import peak_ram

VOCABULARIES = 50, 60
CONFIG = ExperimentConfig(
    model=ModelConfig(
        AttentionConfig("multi_head", num_heads=2),
        model_dim=32,
        feed_forward_dim=64,
        encoder_layers=1,
        decoder_layers=1,
    ),
    train=TrainConfig(gradient_clip=1.0),
)
LARGE = dataclasses.replace(
    CONFIG,
    model=ModelConfig(
        AttentionConfig("interacting_head", num_heads=4),
        model_dim=256,
        feed_forward_dim=1024,
        encoder_layers=2,
        decoder_layers=2,
    ),
)


@pytest.fixture
def asked(monkeypatch):
    """Shapes whose peaks are asked for: 1,000 bytes, and 3 for each token, without a process."""
    shapes = []

    def in_new_process(function, config, vocabulary_sizes, lengths, sizes):
        assert function is peak_ram.measured
        shapes.extend((rows, *lengths) for rows in sizes)
        return [1000 + 3 * rows * sum(lengths) for rows in sizes]

    monkeypatch.setattr(peak_ram, "in_new_process", in_new_process)
    return shapes


@pytest.mark.parametrize(
    ("rows", "multiple", "parts"),
    [
        (37, 1, [9, 18]),
        (4, 1, [1, 2]),
        (3, 1, [3]),
        (1, 1, [1]),
        (40, 2, [10, 20]),
        (24, 4, [4, 12]),
        (4, 4, [4]),
    ],
)
def test_peaks_of_a_quarter_and_a_half_of_the_rows_tell_that_of_all(asked, rows, multiple, parts):
    peak = peak_ram.predicted(CONFIG, VOCABULARIES, (rows, 6, 5), multiple)
    assert asked == [(part, 6, 5) for part in parts]
    assert peak == pytest.approx(1000 + 3 * rows * 11)


def test_the_batch_with_the_most_attention_weights_is_asked_for_in_whole_parts(asked):
    config = dataclasses.replace(CONFIG, train=TrainConfig(accumulate_batches=2))
    shapes = np.array([[64, 6, 6], [48, 20, 19], [12, 24, 24]], dtype="int32")
    peak_ram.report(config, VOCABULARIES, shapes, replicas=3)
    assert asked == [(12, 20, 19), (24, 20, 19)]


def test_too_little_ram_is_told_with_what_helps(asked, monkeypatch):
    shapes = np.array([[2**20, 6, 5], [2, 10, 9]])
    monkeypatch.setattr(peak_ram, "machine_ram", lambda: 2**40)
    assert peak_ram.report(CONFIG, VOCABULARIES, shapes) == [
        "peak memory         about 33 MiB of 1024.0 GiB on this machine"
    ]
    monkeypatch.setattr(peak_ram, "machine_ram", lambda: 2**20)
    *_, advice = peak_ram.report(CONFIG, VOCABULARIES, shapes)
    assert advice.strip().startswith("too much: lower train.batch_tokens")


def test_a_process_that_dies_of_its_steps_is_told_as_too_little_ram(monkeypatch):
    monkeypatch.setattr(peak_ram, "in_new_process", lambda *arguments: None)
    monkeypatch.setattr(peak_ram, "machine_ram", lambda: 2**30)
    line, advice = peak_ram.report(CONFIG, VOCABULARIES, np.array([[4, 6, 5]]))
    assert line == "peak memory         more than this machine has: 1.0 GiB"
    assert advice.strip().startswith("too much: lower train.batch_tokens")


def test_the_death_of_a_process_leaves_no_result():
    assert peak_ram.in_new_process(len, "four") == 4
    assert peak_ram.in_new_process(os._exit, 9) is None


@pytest.mark.slow
def test_steps_that_cannot_be_allocated_leave_no_result():
    # An attention weight for each pair of a million tokens
    assert peak_ram.in_new_process(peak_ram.measured, CONFIG, VOCABULARIES, (2**20, 2**20), [1]) is None


@pytest.mark.slow
def test_the_peaks_of_a_process_are_those_of_steps_of_ascending_size():
    few, many = peak_ram.in_new_process(peak_ram.measured, CONFIG, VOCABULARIES, (40, 40), [4, 256])
    assert 2**26 < few < many < peak_ram.machine_ram()


@pytest.mark.slow
def test_the_prediction_is_the_peak_of_steps_on_whole_batches():
    vocabularies, (rows, *lengths) = (8000, 8000), (128, 32, 32)
    predicted = peak_ram.predicted(LARGE, vocabularies, (rows, *lengths))
    [peak] = peak_ram.in_new_process(peak_ram.measured, LARGE, vocabularies, lengths, [rows])
    assert predicted == pytest.approx(peak, rel=0.15)
