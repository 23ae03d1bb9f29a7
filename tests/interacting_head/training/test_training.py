"""Trainings of a tiny model in this process."""

import os
import shutil
import signal

import keras
import numpy as np
import pytest
import tensorflow as tf

from data.errors import InputError
from data.files import sole_use
from interacting_head.config import override, to_yaml
from interacting_head.console import RunError
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.callbacks import Progress
from interacting_head.training.devices import Devices
from interacting_head.training.run_text import open_text
from interacting_head.training.trainer import Trainer, train
from interacting_head.translation.translator import Translator
from tests import tiny_corpus
from tests.interacting_head.runs.equality import assert_equal_runs, full_disk, weights

STEPS = 25
SCORES = "validation_loss", "validation_smoothed_loss", "perplexity", "accuracy", "bleu"
pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture(scope="module")
def finished(config, tmp_path_factory):
    """The run directory of a training without interruptions; not to be changed."""
    path = tmp_path_factory.mktemp("runs") / "finished"
    assert train(config, path) is None
    return RunDirectory(path)


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of that run directory."""
    shutil.copytree(finished.path, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


@pytest.fixture
def stop_at(monkeypatch):
    """Have this process receive signals at certain steps."""
    original = Progress.on_train_batch_end

    def send(signals):
        def on_train_batch_end(progress, batch, logs=None):
            original(progress, batch, logs)
            if progress.step in signals:
                os.kill(os.getpid(), signals.pop(progress.step))

        monkeypatch.setattr(Progress, "on_train_batch_end", on_train_batch_end)

    return send


def test_a_run_directory_holds_what_it_should(finished, config):
    names = {path.name for path in finished.path.iterdir()}
    assert names == {
        *("VERSION", "config.yaml", "text.json", "subwords", "checkpoints", "best.weights.h5", "average.weights.h5"),
        *("log.jsonl", "train.log", "metrics.json", "tensorboard"),
    }
    assert finished.config == config
    assert {path.name for path in (finished.path / "checkpoints").iterdir()} == {
        f"step-{step}.{kind}" for step in (20, 25) for kind in ("weights.h5", "state.npz")
    }
    assert list((finished.path / "tensorboard").glob("*tfevents*"))


def test_the_log_has_one_record_a_validation_and_one_at_the_end(finished):
    records = finished.read_log()
    assert [record["step"] for record in records] == [10, 20, 25]
    assert set(records[0]) == {
        *("step", "seconds", "epoch", "loss", "learning_rate", "tokens_per_second"),
        *SCORES,
    }
    for record in records:
        assert all(np.isfinite(value) for value in record.values())
        assert record["perplexity"] == pytest.approx(np.exp(record["validation_loss"]))
        assert record["validation_smoothed_loss"] > record["validation_loss"] * 0.9  # (1 − ε) of it, and ε of more
        # The rate of the next step
        assert record["learning_rate"] == pytest.approx(0.01 * (10 / (record["step"] + 1)) ** 0.5, rel=1e-5)
        assert record["tokens_per_second"] > 0
    seconds = [record["seconds"] for record in records]
    assert 0 < seconds[0] < seconds[1] < seconds[2]
    lines = (finished.path / "train.log").read_text(encoding="utf-8")
    for step in (5, 10, 15, 20, 25):
        assert f"step {step} of 25, epoch " in lines
    assert lines.count("validation at step 25: ") == 1
    assert lines.count("  source     ") == 9


@pytest.mark.parametrize("is_emptied", [True, False], ids=["emptied", "removed"])
def test_a_finished_run_without_checkpoints_stays_as_it_is(copied, config, is_emptied):
    shutil.rmtree(copied.path / "checkpoints")
    if is_emptied:
        (copied.path / "checkpoints").mkdir()
    names = ("best.weights.h5", "log.jsonl", "metrics.json")
    before = [(copied.path / name).read_bytes() for name in names]
    assert train(config, copied.path) is None
    assert [(copied.path / name).read_bytes() for name in names] == before
    assert (copied.path / "train.log").read_text().endswith("is finished after 25 steps: nothing to do\n")


def test_the_loss_falls(finished):
    records = finished.read_log()
    assert records[0]["loss"] > records[1]["loss"] > records[2]["loss"]
    assert records[0]["validation_loss"] > records[2]["validation_loss"]
    assert records[0]["loss"] < np.log(300) + 1


def test_metrics_name_the_best_validation(finished):
    metrics, records = finished.read_json("metrics.json"), finished.read_log()
    best = max(records, key=lambda record: record["bleu"])
    assert (metrics["steps"], metrics["best_step"], metrics["best"]) == (STEPS, best["step"], best)
    assert metrics["average"]["steps"] == [20, 25]
    assert metrics["parameters"] == sum(array.size for array in weights(finished, "best"))
    assert metrics["tokens_per_epoch"] > 36
    assert metrics["peak_memory"] > 2**26
    assert set(metrics["average"]) == {"steps", *SCORES}


def test_the_average_is_the_mean_of_the_last_checkpoints(finished):
    for mean, *parts in zip(*(weights(finished, name) for name in ("average", "step-20", "step-25")), strict=True):
        np.testing.assert_allclose(mean, np.mean(parts, axis=0), rtol=1e-6, atol=1e-8)
        assert mean.dtype == "float32"


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_the_same_command_continues(config, finished, tmp_path):
    run = RunDirectory(tmp_path / "run")
    largest = max(path.stat().st_size for path in finished.path.rglob("*.state.npz"))
    message = f"cannot write {run.path}.*: File too large; {run.path} has no checkpoint yet; free up space"
    with full_disk(largest - 1000), pytest.raises(RunError, match=message):
        train(config, run.path)
    assert train(config, run.path) is None
    assert_equal_runs(run, finished)


@pytest.mark.slow
def test_a_validation_stopped_by_a_signal_is_made_up_for(config, finished, tmp_path, monkeypatch, capfd):
    run = RunDirectory(tmp_path / "run")
    translate = Translator.translate

    def interrupted(translator, *arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        yield from translate(translator, *arguments, **options)

    monkeypatch.setattr(Translator, "translate", interrupted)
    assert train(config, run.path) == signal.SIGTERM
    assert "stopped by SIGTERM at step 10" in capfd.readouterr().err
    assert run.steps() == [10]
    assert run.read_log() == []
    monkeypatch.undo()
    assert train(config, run.path) is None
    assert_equal_runs(run, finished)


def test_a_finished_run_reports_it_and_changes_nothing(copied, config, capfd):
    before = {path: path.stat().st_mtime_ns for path in copied.path.rglob("*.*5")}
    assert train(config, copied.path) is None
    assert f"{copied.path} is finished after 25 steps: nothing to do" in capfd.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in copied.path.rglob("*.*5")} == before


def test_weights_do_not_outlive_their_training(copied, config, monkeypatch):
    ranks, free = [], Trainer.free

    def observed(trainer):
        variables = (*trainer.training_model.variables, *trainer.training_model.optimizer.variables)
        handles = [(variable.value.handle, variable.value.dtype) for variable in variables]
        free(trainer)
        ranks.extend(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype).ndim for handle, dtype in handles)

    monkeypatch.setattr(Trainer, "free", observed)
    assert train(config, copied.path) is None
    assert len(ranks) > 100
    assert not any(ranks)


def test_a_lower_number_of_steps_ends_a_run_without_more_validations(copied, config):
    copied.remove_checkpoints([25])
    (copied.path / "metrics.json").unlink()
    for settings in (["train.max_steps=15"], []):  # a finished run does not continue
        edited = override(config, settings)
        (copied.path / "config.yaml").write_text(to_yaml(edited))
        assert train(edited, copied.path) is None
        assert [record["step"] for record in copied.read_log()] == [10, 20]
        assert (copied.steps(), copied.read_json("metrics.json")["steps"]) == ([20], 20)


def test_a_run_whose_best_weights_are_missing_is_not_continued(copied, config):
    (copied.path / "best.weights.h5").unlink()
    (copied.path / "metrics.json").unlink()
    with pytest.raises(InputError, match=r"best\.weights\.h5, the weights of step \d+, is missing; copy it again"):
        train(config, copied.path)


@pytest.mark.slow
def test_a_run_killed_before_its_last_files_writes_them(copied, config, finished):
    (copied.path / "metrics.json").unlink()
    (copied.path / "average.weights.h5").unlink()
    assert train(config, copied.path) is None
    assert_equal_runs(copied, finished)


@pytest.mark.slow
def test_a_stopped_run_goes_on_exactly(config, finished, tmp_path, stop_at, capfd):
    run = RunDirectory(tmp_path / "run")
    # Twice between two validations, and at a step that is the last and has a validation
    stops = {14: signal.SIGTERM, 17: signal.SIGINT, 25: signal.SIGTERM}
    stop_at(dict(stops))
    for step, number in stops.items():
        assert train(config, run.path) == number
        name = signal.Signals(number).name
        assert f"stopped by {name} at step {step}; saved in {run.path}" in capfd.readouterr().err
        assert run.steps()[-1] == step
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert train(config, run.path) is None
    assert_equal_runs(run, finished)


@pytest.fixture
def continued(copied, config, capfd):
    """A run whose last checkpoint was damaged after its training, trained once more, and what that said."""
    newest = copied.path / "checkpoints" / "step-25.state.npz"
    newest.write_bytes(newest.read_bytes()[:-200])
    with open(copied.path / "log.jsonl", "a") as file:
        file.write('{"step": 2')  # a line that was cut off
    assert train(config, copied.path) is None
    return copied, capfd.readouterr().err


def test_a_damaged_checkpoint_gives_way_to_the_one_before_it(continued, finished):
    run, errors = continued
    assert "removed the damaged checkpoint of step 25; using the one before it" in errors
    assert f"resuming {run.path} at step 20" in errors
    assert_equal_runs(run, finished)


@pytest.mark.slow
def test_damaged_weights_are_noticed(copied, config, finished):
    for step, position in {25: 5000, 20: -3000}.items():
        path = copied.path / "checkpoints" / f"step-{step}.weights.h5"
        content = bytearray(path.read_bytes())
        content[position] ^= 1
        path.write_bytes(content)
    with pytest.raises(InputError, match="has no intact checkpoint, but the training has had validations"):
        train(config, copied.path)
    assert (copied.path / "best.weights.h5").read_bytes() == (finished.path / "best.weights.h5").read_bytes()
    assert train(config, copied.path, resume=False) is None
    assert_equal_runs(copied, finished)


def test_another_configuration_on_a_run_names_the_keys_that_differ(copied, files):
    other = tiny_corpus.configuration(files, "model.dropout=0.2", "train.seed=3")
    with pytest.raises(InputError) as raised:
        train(other, copied.path)
    assert "model.dropout (0.1 there, 0.2 now), train.seed (1 there, 3 now); " in str(raised.value)
    assert "model_dim" not in str(raised.value)


def test_a_run_directory_in_which_another_training_is_at_work_is_refused(copied, config):
    log = (copied.path / "train.log").read_bytes()
    for resume in (True, False):
        with sole_use(copied.path), pytest.raises(InputError, match="is in use by another command; wait until it ends"):
            train(config, copied.path, resume=resume)
    assert (copied.path / "train.log").read_bytes() == log
    assert train(config, copied.path) is None


@pytest.mark.slow
def test_patience_ends_a_training_and_no_resume_discards_it(copied, files):
    (copied.path / "notes.txt").write_text("mine")
    settings = ["train.learning_rate=1e-9", "train.validation_interval=2", "train.patience=2", "train.average_last=0"]
    assert train(tiny_corpus.configuration(files, *settings), copied.path, resume=False) is None
    assert [record["step"] for record in copied.read_log()] == [2, 4, 6]
    metrics = copied.read_json("metrics.json")
    assert (metrics["steps"], metrics["best_step"]) == (6, 2)
    assert "average" not in metrics
    assert not (copied.path / "average.weights.h5").exists()
    assert copied.steps() == [4, 6]
    assert (copied.path / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_the_scale_of_the_loss_is_saved_and_restored(files, tmp_path, stop_at):
    config = tiny_corpus.configuration(files, "train.precision=mixed_float16")
    run = RunDirectory(tmp_path / "run")
    stop_at({3: signal.SIGTERM})
    try:
        assert train(config, run.path) == signal.SIGTERM
        again = Trainer(config, run, open_text(config.data, None), Devices.find())
    finally:
        keras.config.set_dtype_policy("float32")
    optimizer = again.training_model.optimizer
    assert isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
    assert int(optimizer.iterations) == int(optimizer.step_counter) == 3
    for ours, saved in zip(again.checkpoints._state_variables(), run.load_checkpoint(3)[1], strict=True):
        np.testing.assert_array_equal(keras.ops.convert_to_numpy(ours.value), saved)
    for ours, saved in zip(again.model.get_weights(), weights(run, "step-3"), strict=True):
        np.testing.assert_array_equal(ours, saved)
