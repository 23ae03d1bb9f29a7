"""The RAM that a dry run predicts: from peaks that are known, and against steps on whole batches."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interacting_head.config import AttentionConfig, ExperimentConfig, ModelConfig, TrainConfig
from interacting_head.training import peak_ram
from interacting_head.training.devices import machine_ram

ROOT = Path(__file__).parents[3]
VOCABULARIES = 50, 50
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
def test_peaks_of_a_quarter_and_a_half_of_the_rows_predict_the_whole(asked, rows, multiple, parts):
    peak = peak_ram.predicted(CONFIG, VOCABULARIES, (rows, 6, 5), multiple)
    assert asked == [(part, 6, 5) for part in parts]
    assert peak == pytest.approx(1000 + 3 * rows * 11)


def test_the_death_of_a_process_leaves_no_result():
    assert peak_ram.in_new_process(len, "four") == 4
    assert peak_ram.in_new_process(os._exit, 9) is None


def test_a_killed_dry_run_leaves_no_process_behind():
    work = "import time; print('measuring', flush=True); time.sleep(60)"
    code = f"from interacting_head.training.peak_ram import in_new_process; in_new_process(exec, {work!r})"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "measuring\n"
        process.kill()
        process.communicate(timeout=30)  # waits for all processes that have its standard output


@pytest.mark.slow
def test_a_model_that_cannot_be_allocated_leaves_no_result():
    # 512 TiB of weights: more than a process can address, so that nothing is filled
    config = dataclasses.replace(CONFIG, model=dataclasses.replace(CONFIG.model, feed_forward_dim=2**42))
    assert peak_ram.in_new_process(peak_ram.measured, config, VOCABULARIES, (6, 5), [1]) is None


@pytest.mark.slow
def test_the_peaks_of_a_process_grow_with_the_size_of_its_steps():
    few, many = peak_ram.in_new_process(peak_ram.measured, CONFIG, VOCABULARIES, (40, 40), [4, 256])
    assert 2**26 < few < many < machine_ram()


@pytest.mark.slow
def test_the_prediction_is_the_peak_of_steps_on_whole_batches():
    vocabularies, (rows, *lengths) = (8000, 8000), (128, 32, 32)
    predicted = peak_ram.predicted(LARGE, vocabularies, (rows, *lengths))
    [peak] = peak_ram.in_new_process(peak_ram.measured, LARGE, vocabularies, lengths, [rows])
    assert predicted == pytest.approx(peak, rel=0.15)
