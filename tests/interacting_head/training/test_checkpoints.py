"""Room for the checkpoints of a training."""

import math
import os
import shutil
import tempfile

import pytest

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.config import override
from interacting_head.model import compilation
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import checkpoints, setup
from interacting_head.training.checkpoints import bytes_in_words
from interacting_head.training.devices import Devices
from interacting_head.training.run_text import open_text
from interacting_head.training.trainer import Trainer, train
from tests import tiny_corpus

pytestmark = pytest.mark.usefixtures("cache")
LARGER = [
    "model.model_dim=256",
    "model.feed_forward_dim=1024",
]  # so that what HDF5 adds is small compared with the weights


@pytest.fixture
def free(monkeypatch):
    """Set the bytes that are free on all disks."""

    def use(size):
        usage = shutil._ntuple_diskusage(2**40, 2**40 - size, size)
        monkeypatch.setattr("shutil.disk_usage", lambda path: usage)

    return use


@pytest.fixture
def trainer(files, tmp_path):
    def make(*settings):
        config = tiny_corpus.configuration(files, *LARGER, *settings)
        run = RunDirectory(tmp_path / "run")
        run.create_or_check(config)
        return Trainer(config, run, open_text(config.data, None), Devices.find())

    return make


def test_a_training_whose_checkpoints_do_not_fit_is_refused(files, tmp_path, free):
    free(10 * 2**20)
    config = tiny_corpus.configuration(files, *LARGER, "train.keep_last=3", "train.keep_best=1")
    message = r"need \d+ MiB, but the disk of .*run has room for 10 MiB; lower train.keep_last \(3\) or train.keep_best"
    with pytest.raises(InputError, match=message):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_the_requested_room_is_what_a_training_takes(files, tmp_path, trainer, free):
    settings = ["train.ema_decay=0.9", "train.keep_best=1", "train.keep_last=2", "train.validation_interval=5"]
    config = tiny_corpus.configuration(files, *LARGER, *settings)
    assert train(config, tmp_path / "run") is None
    path = tmp_path / "run"
    weights = (path / "best.weights.h5").stat().st_size
    state = next((path / "checkpoints").glob("*.npz")).stat().st_size
    needed = 4 * (weights + state) + 3 * weights  # two of the last, the best, one being written; best, ema, average
    checkpoints = trainer(*settings).checkpoints
    existing = sum(file.stat().st_size for file in [*path.glob("*.h5"), *(path / "checkpoints").iterdir()])
    free(round(1.02 * needed) - existing)
    checkpoints.check_room(validations=5)
    free(round(0.9 * needed) - existing)
    with pytest.raises(InputError, match="the checkpoints of this training need"):
        checkpoints.check_room(validations=5)
    checkpoints.check_room(validations=1)


def test_a_former_run_is_room_but_not_for_the_first_checkpoint(trainer, free):
    checkpoints = trainer("train.keep_last=2").checkpoints
    folder = checkpoints.run.path
    weights = 4 * checkpoints.model.count_params()
    checkpoint = weights + 4 * sum(math.prod(variable.shape) for variable in checkpoints._state_variables())
    former = folder / ".former-run" / "best.weights.h5"
    former.parent.mkdir()
    with open(former, "wb") as file:
        file.truncate(3 * checkpoint + 2 * weights)
    free(checkpoint + weights)
    checkpoints.check_room(validations=5)
    free(checkpoint + weights - 1)
    message = "first checkpoint of this training, saved before the previous run is removed, needs .*; free up space"
    with pytest.raises(InputError, match=message):
        checkpoints.check_room(validations=5)
    former.unlink()
    free(checkpoint + weights)
    with pytest.raises(InputError, match="the checkpoints of this training need"):
        checkpoints.check_room(validations=5)


@pytest.mark.skipif(
    not os.path.isdir("/dev/shm"),
    reason="this system has no second disk at /dev/shm, which Linux has; run the test on Linux",
)
def test_checkpoints_on_another_disk_need_room_there(trainer, tmp_path, monkeypatch):
    checkpoints = trainer("train.keep_last=2").checkpoints
    folder = checkpoints.run.path
    with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
        if os.stat(other).st_dev == folder.stat().st_dev:
            pytest.skip("temporary files are on /dev/shm, too: set TMPDIR to a folder on another disk")
        (folder / "checkpoints").rmdir()
        (folder / "checkpoints").symlink_to(other)
        weights = 4 * checkpoints.model.count_params()
        room = {folder: 2 * weights, folder / "checkpoints": 2**40}
        monkeypatch.setattr("shutil.disk_usage", lambda path: shutil._ntuple_diskusage(2**40, 0, room[path]))
        checkpoints.check_room(validations=5)
        room[folder / "checkpoints"] = 2 * weights
        with pytest.raises(
            InputError, match=f"the disk of {folder}/checkpoints has room for .*; lower train.keep_last"
        ):
            checkpoints.check_room(validations=5)


def test_bytes_are_written_with_units():
    assert [bytes_in_words(size) for size in (5 * 2**20, 3 * 2**29)] == ["5 MiB", "1.5 GiB"]


def test_a_checkpoint_knows_what_its_training_depends_on(trainer, monkeypatch, caplog):
    begun = trainer("train.best_metric=loss")
    begun.state.step = 3
    begun.checkpoints.save(begun.state)
    monkeypatch.setattr(checkpoints, "compiles_training_step", lambda: True)
    assert trainer("train.best_metric=loss").state.step == 3
    assert "started with batches of all shapes, resumed with few: batches are composed differently" in caplog.text
    monkeypatch.setattr(compilation, "_parts_side_by_side", 2)
    assert trainer("train.best_metric=loss").state.parts_side_by_side == 2
    assert "started with 1 parallel parts per batch, resumed with 2: dropout masks differ" in caplog.text


@pytest.mark.parametrize(
    ("setting", "changes"),
    [
        ("train.max_epochs=3", "training ends at step {} instead of {}"),
        ("train.validation_epochs=3", "validations come at multiples of {} instead of {}"),
        ("train.max_steps=500", None),
    ],
)
def test_epochs_of_another_number_of_batches_are_reported(trainer, monkeypatch, caplog, setting, changes):
    settings = ["train.max_steps=500", setting]
    first = trainer(*settings)
    first.state.step = 3
    first.checkpoints.save(first.state)
    monkeypatch.setattr(setup, "compiles_training_step", lambda: True)
    begun, now = (one.batches.batches_in_epoch for one in (first, trainer(*settings)))
    assert begun != now
    report = f"an epoch has {now} batches instead of {begun}: {changes}".format(3 * now, 3 * begun)
    assert [line for line in caplog.messages if line.startswith("an epoch has")] == [report] * (changes is not None)


@pytest.mark.parametrize(
    ("begun", "changed"),
    [
        ("train.best_metric=loss", "train.best_metric=bleu"),
        ("train.ema_decay=0.9", "train.ema_decay=0.99"),
        ("train.ema_decay=null", "train.ema_decay=0.9"),
        ("train.precision=float32", "train.precision=mixed_bfloat16"),
        ("train.label_smoothing=0.1", "train.label_smoothing=0.0"),
    ],
)
def test_settings_of_the_stored_state_cannot_change(trainer, begun, changed):
    by_smoothed_loss = ["train.best_metric=smoothed_loss"] if "smoothing" in begun else []
    first = trainer(begun, *by_smoothed_loss)
    first.state.step = first.state.best_step = 3
    first.run.append_log({"step": 3, "validation_loss": 1.0, "validation_smoothed_loss": 1.5, "bleu": 1.0})
    first.run.weights_path("best").touch()
    first.checkpoints.save(first.state)
    (first.run.path / "config.yaml").write_text(configuration.to_yaml(override(first.run.config, [changed])))
    name, value = begun.split("=")
    value = "None" if value == "null" else value
    with pytest.raises(InputError, match=f"began with {name}={value}, got .*, which training cannot change; set it"):
        trainer(begun, changed, *by_smoothed_loss)


@pytest.mark.parametrize(("begun", "changed"), [(0.0, 0.1), (0.1, 0.0)])
def test_dropout_may_be_switched_on_and_off(trainer, caplog, begun, changed):
    begun, changed = (f"model.dropout={rate}" for rate in (begun, changed))
    first = trainer(begun)
    first.state.step = 3
    first.checkpoints.save(first.state)
    (first.run.path / "config.yaml").write_text(configuration.to_yaml(override(first.run.config, [changed])))
    assert trainer(changed).state.step == 3
    assert "dropout was switched on or off" in caplog.text
    caplog.clear()
    (first.run.path / "config.yaml").write_text(configuration.to_yaml(override(first.run.config, [begun])))
    assert trainer(begun).state.step == 3
    assert "dropout was switched on or off" not in caplog.text


def test_a_validation_without_a_checkpoint_is_logged_once(trainer):
    first = trainer()
    first.state.step = 3  # stopped during its validation
    first.checkpoints.save(first.state)
    first.run.append_log({"step": 3, "validation_loss": 1.0, "bleu": 1.0})  # continued, and killed before it was saved
    assert trainer().state.validated_step == 0
    assert first.run.read_log() == []


def test_label_smoothing_may_change_if_the_best_does_not_depend_on_it(trainer):
    first = trainer("train.best_metric=loss")
    first.state.step = 3
    first.checkpoints.save(first.state)
    changed = ["train.best_metric=loss", "train.label_smoothing=0.0"]
    (first.run.path / "config.yaml").write_text(configuration.to_yaml(override(first.run.config, changed)))
    assert trainer(*changed).state.step == 3


def test_a_training_that_has_lost_its_checkpoints_does_not_start_again(trainer):
    first = trainer()
    for step in (3, 6):
        first.run.append_log({"step": step, "validation_loss": 1.0, "bleu": 1.0})
    first.run.weights_path("best").write_bytes(b"the best weights")
    with pytest.raises(InputError, match="has no intact checkpoint, but the training has had validations; mount"):
        trainer()
    assert [record["step"] for record in first.run.read_log()] == [3, 6]
    assert first.run.weights_path("best").read_bytes() == b"the best weights"
