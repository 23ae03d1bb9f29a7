"""Trainings that take the place of a run, and those that fail before they have a checkpoint."""

import shutil
import signal

import pytest

from data.errors import InputError
from interacting_head.console import RunError
from interacting_head.runs import run_folder
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import trainer
from interacting_head.training.trainer import train
from interacting_head.training.training_model import TrainingModel
from tests import tiny_corpus
from tests.interacting_head.out_of_memory import raised_by_the_backend
from tests.kills import contents

pytestmark = pytest.mark.usefixtures("cache")
SHORT = ["train.max_steps=4", "train.validation_interval=2", "train.average_last=0", "train.validation_bleu=false"]
SHORT += ["train.best_metric=loss"]


@pytest.fixture(scope="module")
def finished(files, tmp_path_factory):
    """The run directory of a short training; not to be changed."""
    path = tmp_path_factory.mktemp("runs") / "finished"
    assert train(tiny_corpus.configuration(files, *SHORT), path) is None
    return path


@pytest.fixture(params=["folder", "link"])
def run(request, finished, tmp_path):
    """A copy of that run directory; `checkpoints` may be a link."""
    shutil.copytree(finished, tmp_path / "run")
    if request.param == "link":
        (tmp_path / "run" / "checkpoints").rename(tmp_path / "disk")
        (tmp_path / "run" / "checkpoints").symlink_to("../disk")
    (tmp_path / "run" / "checkpoints" / "notes.txt").write_text("mine")
    return RunDirectory(tmp_path / "run")


def raiser(error):
    def fail(*arguments, **options):
        raise error

    return fail


FAILURES = {
    "a vocabulary too large": (["data.vocabulary_size=9000"], None, InputError),
    "a batch too small": (["train.batch_tokens=2"], None, InputError),
    "another size of the vocabulary": (["data.vocabulary_size=[300,310]"], None, InputError),
    "no memory": (["model.model_dim=16"], "memory", RunError),
    "Ctrl-C": (["model.model_dim=16"], KeyboardInterrupt(), KeyboardInterrupt),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_before_the_first_checkpoint_keeps_the_former_run(run, files, name, monkeypatch):
    settings, error, expected = FAILURES[name]
    if error is not None:
        error = raised_by_the_backend() if error == "memory" else error
        monkeypatch.setattr(TrainingModel, "fit", raiser(error))
    before = contents(run.path)
    with pytest.raises(expected):
        train(tiny_corpus.configuration(files, *SHORT, *settings), run.path, resume=False)
    assert contents(run.path) == before


@pytest.mark.slow
def test_the_former_run_is_removed_once_the_new_one_has_a_checkpoint(run, files, monkeypatch):
    link, seen, validate = (run.path / "checkpoints").is_symlink(), [], trainer.Trainer.validate

    def watched(self, stop):
        seen.append((self.state.step, RunDirectory(run.path / ".former-run").steps()))
        validate(self, stop)

    monkeypatch.setattr(trainer.Trainer, "validate", watched)
    assert train(tiny_corpus.configuration(files, *SHORT, "train.max_steps=6"), run.path, resume=False) is None
    assert seen == [(2, [2, 4]), (4, []), (6, [])]
    assert not list(run.path.rglob(".former-run*"))
    assert [record["step"] for record in run.read_log()] == [2, 4, 6]
    assert run.steps() == [4, 6]
    assert (run.path / "checkpoints").is_symlink() == link
    assert (run.path / "checkpoints" / "notes.txt").read_text() == "mine"


def test_a_kill_before_the_first_checkpoint_keeps_the_former_run(run, files, caplog):
    config, before = run.config, contents(run.path)
    run_folder.set_aside(run.path)  # and what a new training has written when it is killed
    run.create_or_check(tiny_corpus.configuration(files, *SHORT, "model.model_dim=16"))
    (run.path / "train.log").write_text("new")
    assert train(config, run.path) is None
    assert "the previous run was restored, because the new one saved no checkpoint" in caplog.text
    after = contents(run.path)
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} <= {"train.log", "metrics.json"}


@pytest.mark.slow
def test_a_stopped_training_continues_without_the_run_before_it(run, files, monkeypatch):
    def stopped(self, *arguments, callbacks, **options):
        fit(self, *arguments, callbacks=callbacks, **{**options, "steps_per_epoch": 1})
        stop = callbacks.callbacks[1]
        stop.received = signal.SIGTERM

    fit = TrainingModel.fit
    config = tiny_corpus.configuration(files, *SHORT, "train.max_steps=6")
    with monkeypatch.context() as patch:
        patch.setattr(TrainingModel, "fit", stopped)
        assert train(config, run.path, resume=False) == signal.SIGTERM
    assert run.steps() == [1]
    assert run.config == config
    assert train(config, run.path) is None
    assert run.read_json("metrics.json")["steps"] == 6


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["notes.txt"], "is not empty and not a run directory: it has notes.txt but no config.yaml; choose another"),
        (["config.yaml", "checkpoints/model.pt"], "is not a run directory (it has no VERSION); name the directory"),
        (
            ["config.yaml", "VERSION", "checkpoints/model.pt"],
            "has format version mine, but this program reads 1, 2 and 3; see CHANGE",
        ),
    ],
)
def test_a_folder_with_other_files_is_refused_and_kept(tmp_path, files, resume, names, message):
    for name in names:
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_text("mine")
    before = contents(tmp_path / "run")
    with pytest.raises(InputError) as raised:
        train(tiny_corpus.configuration(files, *SHORT), tmp_path / "run", resume=resume)
    assert message in str(raised.value)
    assert contents(tmp_path / "run") == before


def test_no_training_begins_where_its_checkpoints_cannot_be_found(run, files):
    shutil.move(run.path / "checkpoints", run.path.parent / "elsewhere")
    (run.path / "checkpoints").unlink(missing_ok=True)
    (run.path / "checkpoints").symlink_to("../nowhere")
    before = run.read_log()
    for resume in (True, False):
        with pytest.raises(InputError, match=r"checkpoints is a link to \.\./nowhere, which does not exist"):
            train(run.config, run.path, resume=resume)
    assert run.read_log() == before
