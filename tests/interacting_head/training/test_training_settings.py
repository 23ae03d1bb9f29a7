"""The settings of a training: validations, averages, its end, and errors."""

import math

import keras
import numpy as np
import pytest

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.console import RunError
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.callbacks import duration
from interacting_head.training.setup import number_of_steps, steps_between_validations
from interacting_head.training.trainer import train
from interacting_head.translation.translator import Translator
from tests import tiny_corpus
from tests.interacting_head.runs.equality import weights

pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize(("settings", "interval"), [([], 10), (["train.validation_epochs=3"], 21)], ids=str)
def test_the_interval_of_validations_is_in_steps_or_in_epochs(settings, interval):
    assert steps_between_validations(tiny_corpus.configuration({}, *settings).train, batches_per_epoch=7) == interval


@pytest.mark.slow
def test_validations_may_come_by_epochs_and_without_translations(files, tmp_path):
    settings = ["train.validation_epochs=2", "train.validation_bleu=false", "train.best_metric=smoothed_loss"]
    config = tiny_corpus.configuration(files, *settings, "train.batch_tokens=256", "train.average_last=0")
    train(config, tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    records = run.read_log()
    epoch = records[0]["step"] // 2
    assert [record["step"] for record in records] == [*range(2 * epoch, 25, 2 * epoch), 25]
    assert len(records) > 2
    assert [record["epoch"] for record in records] == [math.ceil(record["step"] / epoch) for record in records]
    assert all("bleu" not in record for record in records)
    best = min(records, key=lambda record: record["validation_smoothed_loss"])
    assert run.read_json("metrics.json")["best_step"] == best["step"]
    log = (run.path / "train.log").read_text(encoding="utf-8")
    assert "BLEU" not in log
    assert "  source     " not in log


def test_a_folder_that_tensorflow_cannot_open_is_refused(files, tmp_path):
    with pytest.raises(InputError, match="this name is not UTF-8, which TensorFlow cannot open; rename the folder"):
        train(tiny_corpus.configuration(files), tmp_path / "a\udcff")
    assert list(tmp_path.glob("a*")) == []


def test_a_training_in_16_bits_leaves_later_models_their_precision(files, tmp_path):
    before = keras.config.dtype_policy().name
    train(tiny_corpus.configuration(files, "train.max_steps=1", "train.precision=mixed_bfloat16"), tmp_path / "run")
    assert keras.config.dtype_policy().name == before == "float32"


@pytest.mark.slow
def test_the_moving_average_and_the_best_checkpoints_are_kept(files, tmp_path):
    settings = ["train.ema_decay=0.5", "train.keep_last=1", "train.keep_best=2", "train.validation_interval=5"]
    train(tiny_corpus.configuration(files, *settings, "train.best_metric=loss"), tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    losses = {record["step"]: record["validation_loss"] for record in run.read_log()}
    assert list(losses) == [5, 10, 15, 20, 25]
    assert set(run.steps()) == {25, *sorted(losses, key=losses.get)[:2]}
    metrics = run.read_json("metrics.json")
    assert metrics["average"]["steps"] == [25]
    assert metrics["ema"]["validation_loss"] == pytest.approx(losses[25], rel=0.2)
    assert metrics["ema"]["validation_loss"] != losses[25]
    translated = Translator.from_run(run.path, checkpoint="ema").engine.models[0].get_weights()
    for weight, expected, last in zip(translated, weights(run, "ema"), weights(run, "step-25"), strict=True):
        np.testing.assert_array_equal(weight, expected)
        assert not np.array_equal(weight, last)


@pytest.mark.slow
def test_a_training_that_diverges_is_an_error(files, tmp_path):
    config = tiny_corpus.configuration(files, "train.learning_rate=1e30", "train.validation_interval=4")
    with pytest.raises(RunError, match="validation loss at step 4 is nan: training has diverged"):
        train(config, tmp_path / "run")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("data.vocabulary_size=5000", "set data.vocabulary_size \\(--vocabulary-size\\) to at most"),
        ("train.batch_tokens=4", "set train.batch_tokens to at least"),
        ("model.attention.scheme=none", "unknown attention scheme 'none'; known: multi_head, "),
        (
            "train.gradient_accumulation_steps=2000000000",
            "128 × 2000000000, must be below 2147483648",
        ),
        ("train.schedule=cosin", r"unknown train.schedule 'cosin'; did you mean cosine\?"),
        ("model.attention.num_heads=5", "does not divide"),
        ("data.max_length=1", "no pair is left"),
        ("data.corpus=quickstart", "two texts to train on: data.corpus=quickstart, and files of your own"),
        ("data.dev_target=null", "your own text needs four files, .*; add --dev-target"),
        ("data.source=none.de", "--source none.de: no such file"),
    ],
)
def test_a_configuration_that_cannot_be_trained_leaves_no_run_behind(files, tmp_path, setting, message):
    with pytest.raises(InputError, match=message):
        train(tiny_corpus.configuration(files, setting), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_development_text_without_a_whole_pair_leaves_no_run_behind(files, tmp_path):
    sides = {"dev_source": "eins\n\n", "dev_target": "\ntwo\n"}
    for name, text in sides.items():
        (tmp_path / name).write_text(text)
    config = tiny_corpus.configuration(files, *(f"data.{name}={tmp_path / name}" for name in sides))
    with pytest.raises(InputError, match="contain no pair of non-empty lines"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_epochs_and_steps_both_end_a_training(config):
    def steps(*settings):
        return number_of_steps(configuration.override(config, settings).train, 7)

    assert steps() == config.train.max_steps
    assert steps("train.max_epochs=3") == 21
    assert steps("train.max_epochs=4") == config.train.max_steps


def test_times_are_shown_in_hours_minutes_and_seconds():
    assert [duration(seconds) for seconds in (0, 59.6, 3600, 36_061)] == ["0:00:00", "0:01:00", "1:00:00", "10:01:01"]
