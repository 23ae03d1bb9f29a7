"""Room for the checkpoints of a training."""

import shutil

import pytest

from data.errors import InputError
from interacting_head.run_directory import RunDirectory
from interacting_head.training.checkpoints import bytes_in_words
from interacting_head.training.devices import Devices
from interacting_head.training.run_text import open_text
from interacting_head.training.trainer import Trainer, train
from tests import tiny_corpus

pytestmark = pytest.mark.usefixtures("cache")
LARGER = ["model.model_dim=256", "model.feed_forward_dim=1024"]  # so that what HDF5 adds is small beside weights


@pytest.fixture
def free(monkeypatch):
    """Sets the bytes that are free on all disks."""

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


def test_a_training_whose_checkpoints_do_not_fit_is_refused_with_both_numbers_before_it_begins(files, tmp_path, free):
    free(10 * 2**20)
    config = tiny_corpus.configuration(files, *LARGER, "train.keep_last=3", "train.keep_best=1")
    message = r"take \d+ MiB, and the disk of .*run has 10 MiB for them; lower train.keep_last \(3\) or train.keep_best"
    with pytest.raises(InputError, match=message):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_what_is_asked_for_is_what_a_training_takes(files, tmp_path, trainer, free):
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
    with pytest.raises(InputError, match="the checkpoints of this training take"):
        checkpoints.check_room(validations=5)
    checkpoints.check_room(validations=1)


def test_bytes_are_told_in_words():
    assert [bytes_in_words(size) for size in (5 * 2**20, 3 * 2**29)] == ["5 MiB", "1.5 GiB"]
