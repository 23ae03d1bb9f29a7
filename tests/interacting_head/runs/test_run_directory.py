import errno
import logging
import os

import pytest

from data.errors import InputError
from interacting_head.config import ExperimentConfig
from interacting_head.runs import run_folder
from interacting_head.runs.run_directory import PRUNING, RunDirectory
from interacting_head.training.log import logging_to
from tests.interacting_head import tiny
from tests.interacting_head.runs.equality import full_disk
from tests.kills import left_behind


def test_weights_without_room_on_the_disk_leave_the_older_ones(tmp_path):
    run, model = tiny.run(tmp_path / "run")
    path = run.weights_path("best")
    run.save_weights(model, path)
    saved = path.read_bytes()
    with full_disk(len(saved) // 2), pytest.raises(OSError, match="File too large"):
        run.save_weights(model, path)
    assert [file.name for file in run.path.glob("*.h5")] == [path.name]
    assert not left_behind(tmp_path)
    assert path.read_bytes() == saved
    run.save_weights(model, path)


def test_a_run_with_heads_removed_is_not_trained_on(tmp_path):
    run, config = RunDirectory(tmp_path / "pruned"), ExperimentConfig()
    assert run.create_or_check(config)
    run.write_json(PRUNING, {"removed": []})
    with pytest.raises(InputError, match="has had heads removed, so its training cannot be resumed"):
        run.create_or_check(config)
    run_folder.clear(run.path)
    assert run.create_or_check(config)


def test_the_room_checked_for_weights_suffices(tmp_path):
    run, model = tiny.run(tmp_path / "run", encoder_layers=6, scheme="multi_hop")
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("interacting_head.runs.run_directory.check_room", lambda path, size: asked.append(size))
        run.save_weights(model, run.weights_path("best"))
    assert run.weights_path("best").stat().st_size < asked[0]


def test_a_log_without_room_on_the_disk_ends_the_work(tmp_path):
    def work():
        with logging_to(tmp_path / "train.log"):
            for _ in range(100):
                logging.getLogger("interacting_head").info("a" * 100)

    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        work()


@pytest.fixture
def stopped(tmp_path):
    """A run with checkpoints of the steps 5 and 10, and no others."""
    run = RunDirectory(tmp_path / "run")
    run.create_or_check(ExperimentConfig())
    for step in (5, 10):
        for kind in ("weights.h5", "state.npz"):
            (run.path / "checkpoints" / f"step-{step}.{kind}").write_text("")
    return run


def test_a_training_before_its_first_validation_has_its_newest_checkpoint(stopped):
    assert stopped.find_weights().name == "step-10.weights.h5"
    stopped.append_log({"step": 20})  # killed before the best weights were saved
    assert stopped.find_weights().name == "step-10.weights.h5"


@pytest.mark.parametrize("sign", ["log.jsonl", "metrics.json", "average.weights.h5", "ema.weights.h5"])
def test_an_error_about_missing_best_weights_lists_what_there_is(stopped, sign):
    if sign == "log.jsonl":
        stopped.append_log({"step": 10})
    else:
        (stopped.path / sign).write_text("{}")
    message = r"best\.weights\.h5 is missing; copy it again from .*, or choose another --checkpoint: step-5, "
    with pytest.raises(InputError, match=message):
        stopped.find_weights()
    assert stopped.find_weights("step-5").name == "step-5.weights.h5"


def test_an_empty_name_of_a_checkpoint_does_not_mean_the_best(stopped):
    (stopped.path / "best.weights.h5").write_text("")
    with pytest.raises(InputError, match="has no checkpoint ''; it has step-5, step-10, best"):
        stopped.find_weights("")


def test_a_folder_without_a_version_is_not_a_run(stopped):
    (stopped.path / "VERSION").unlink()
    with pytest.raises(
        InputError, match=r"is not a run directory \(it has no VERSION\); name the directory of one run"
    ):
        RunDirectory.open(stopped.path)


PIPES = ["VERSION", "text.json", "best.weights.h5", "subwords/source.model", "truecasing/target.truecase"]


@pytest.mark.parametrize("name", [*PIPES, "checkpoints/step-1.weights.h5", "checkpoints/step-1.state.npz"])
def test_a_pipe_in_the_place_of_a_file_is_an_error_that_names_it(tmp_path, name):
    run = RunDirectory(tmp_path)
    run.create_or_check(ExperimentConfig())
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    for refused in (lambda: RunDirectory.open(tmp_path), lambda: run.create_or_check(ExperimentConfig())):
        with pytest.raises(InputError, match=f"{name} is a pipe or a device, which cannot be read here"):
            refused()


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.EIO, "Input/output error"), PermissionError(13, "x")])
def test_a_checkpoint_that_cannot_be_read_at_present_is_not_damaged(stopped, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("numpy.load", fail)
    with pytest.raises(type(error)):
        stopped.load_checkpoint(10)
    monkeypatch.undo()
    path = stopped.path / "checkpoints" / "step-10.state.npz"
    for content in (b"", b"PK", path.read_bytes()[:-30]):
        path.write_bytes(content)
        assert stopped.load_checkpoint(10) is None
