"""Searches of hyper-parameters: stages, resumption, results, and the real command."""

import csv
import errno
import os
import signal

import optuna
import pytest
from optuna.storages import JournalStorage

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import ExperimentConfig, load_config, override
from interacting_head.console import RunError
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.trainer import DivergedError
from interacting_head.tune.search import Journal, Search, default_space, load_space
from tests import tiny_corpus
from tests.command_line import run, start, wait_until

SPACE = """
architecture:
  model.attention.num_heads: [2, 4]
  model.feed_forward_dim: [64, 128]
regularization:
  model.dropout: [0.1, 0.3, 0.5]
"""
CONFIG = override(ExperimentConfig(), ["model.encoder_layers=1", "model.decoder_layers=1"])


class FakeTraining:
    """Stands for `training.train`: its loss is least at 4 heads, 64 hidden units and a dropout of 0.3."""

    def __init__(self, stop_at=None, stop_by=signal.SIGINT, diverges=lambda config: False):
        self.runs, self.stop_at, self.stop_by, self.diverges = [], stop_at, stop_by, diverges

    def __call__(self, config, run_dir, corpora_dir=None):
        run = RunDirectory(run_dir)
        run.create_or_check(config)
        self.runs.append(run.path.name)
        if len(self.runs) == self.stop_at:
            return int(self.stop_by)
        if self.diverges(config):
            raise DivergedError("the training has diverged")
        model = config.model
        loss = 2 - model.attention.num_heads / 8 + model.feed_forward_dim / 1000 + abs(model.dropout - 0.3)
        for step, more in ((10, 1.0), (20, 0.0), (30, 0.5)):
            run.append_log({"step": step, "validation_loss": loss + more, "bleu": 10.0 + step})
        return None


@pytest.fixture
def space(tmp_path):
    path = tmp_path / "space.yaml"
    path.write_text(SPACE)
    return load_space(path)


@pytest.fixture
def train(monkeypatch):
    def use(**settings):
        fake = FakeTraining(**settings)
        monkeypatch.setattr("keras.backend.clear_session", lambda: None)  # slow among many tests
        monkeypatch.setattr("interacting_head.training.trainer.train", fake)
        return fake

    return use


def rows(folder):
    with open(folder / "results.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_second_stage_starts_from_the_best_of_the_first(tmp_path, space, train):
    fake = train()
    assert Search(CONFIG, space, tmp_path / "search").run() is None
    assert len(fake.runs) == 2 * 2 + 3
    for name in fake.runs[4:]:
        model = load_config(tmp_path / "search" / "trials" / name / "config.yaml").model
        assert (model.attention.num_heads, model.feed_forward_dim) == (4, 64)
    best = load_config(tmp_path / "search" / "best.yaml")
    settings = ["model.attention.num_heads=4", "model.feed_forward_dim=64", "model.dropout=0.3"]
    assert best == override(CONFIG, settings)


LATER_STAGES_ARE_WORSE = """
architecture:
  model.attention.num_heads: [2, 4]
regularization:
  model.dropout: [0.2, 0.5]
size:
  model.feed_forward_dim: [64, 128]
"""


def test_the_best_of_all_trials_may_be_of_an_earlier_stage(tmp_path, train):
    config = override(CONFIG, ["model.dropout=0.3", "model.feed_forward_dim=100"])
    (tmp_path / "space.yaml").write_text(LATER_STAGES_ARE_WORSE)
    fake = train()
    Search(config, load_space(tmp_path / "space.yaml"), tmp_path / "search").run()
    best = override(config, ["model.attention.num_heads=4"])
    trials = {name: load_config(tmp_path / "search" / "trials" / name / "config.yaml") for name in fake.runs}
    size_128 = override(best, ["model.feed_forward_dim=128"])
    assert trials["size,feed_forward_dim=128"] == size_128  # not on top of a dropout of 0.2
    assert load_config(tmp_path / "search" / "best.yaml") == override(best, ["model.feed_forward_dim=64"])
    (tmp_path / "space.yaml").write_text(LATER_STAGES_ARE_WORSE.replace("64, 128", "128, 256"))
    Search(config, load_space(tmp_path / "space.yaml"), tmp_path / "other").run()
    assert load_config(tmp_path / "other" / "best.yaml") == best
    losses = {row["run"]: float(row["validation_loss"]) for row in rows(tmp_path / "other")}
    assert min(losses, key=losses.get) == "architecture,attention.num_heads=4"


REAL_SPACE = """
architecture:
  train.learning_rate: [0.2, 1.0e+30]
regularization:
  model.dropout: [0.5]
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A search with trainings of four steps; the second diverges."""
    folder = tmp_path_factory.mktemp("real")
    settings = ["train.max_steps=4", "train.validation_interval=1", "train.warmup_steps=1"]
    config = tiny_corpus.configuration(tiny_corpus.write_corpus(folder), *settings)
    (folder / "space.yaml").write_text(REAL_SPACE)
    search = Search(config, load_space(folder / "space.yaml"), folder / "search")
    assert search.run() is None
    return search


def test_the_score_of_a_trial_is_its_least_validation_loss(real):
    found = {row["run"]: row for row in rows(real.folder) if row["step"]}
    assert list(found) == ["architecture,learning_rate=0.2", "regularization,dropout=0.5"]
    for name, row in found.items():
        log = RunDirectory.open(real.folder / "trials" / name).read_log()
        best = min(log, key=lambda record: record["validation_loss"])
        assert [record["step"] for record in log] == [1, 2, 3, 4]
        assert (int(row["step"]), float(row["bleu"])) == (best["step"], pytest.approx(best["bleu"]))
        assert float(row["validation_loss"]) == pytest.approx(best["validation_loss"])
    assert found["architecture,learning_rate=0.2"]["step"] == "3"  # neither the first nor the last
    for stage in ("architecture", "regularization"):
        assert (real.folder / f"{stage}.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_of_a_stage_is_sorted_by_loss(tmp_path, space, train):
    train()
    Search(CONFIG, space, tmp_path / "search").run()
    losses = [float(row["validation_loss"]) for row in rows(tmp_path / "search")]
    assert losses[:4] == sorted(losses[:4])
    assert losses[4:] == sorted(losses[4:])


@pytest.mark.parametrize(
    ("stop_at", "stop_by"),
    [
        pytest.param(1, signal.SIGINT, marks=pytest.mark.slow),
        (3, signal.SIGTERM),
        pytest.param(6, signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_a_stopped_search_continues_with_the_training_that_was_stopped(tmp_path, space, train, stop_at, stop_by):
    whole = train()
    Search(CONFIG, space, tmp_path / "whole").run()
    first = train(stop_at=stop_at, stop_by=stop_by)
    assert Search(CONFIG, space, tmp_path / "search").run() == stop_by
    second = train()
    assert Search(CONFIG, space, tmp_path / "search").run() is None
    assert first.runs[-1] == second.runs[0]
    assert first.runs[:-1] + second.runs == whole.runs
    assert rows(tmp_path / "search") == rows(tmp_path / "whole")
    third = train()
    assert Search(CONFIG, space, tmp_path / "search").run() is None
    assert third.runs == []


def test_a_killed_trial_of_a_search_by_estimates_is_taken_up_again(tmp_path, space, train):
    class Killed(BaseException):
        pass

    train(diverges=lambda config: (_ for _ in ()).throw(Killed))
    with pytest.raises(Killed):
        Search(CONFIG, space, tmp_path / "search", trials=3).run()
    begun = {path.name for path in (tmp_path / "search" / "trials").iterdir()}
    fake = train()
    Search(CONFIG, space, tmp_path / "search", trials=3).run()
    assert {fake.runs[0]} == begun
    assert [row["stage"] for row in rows(tmp_path / "search")] == ["architecture"] * 3 + ["regularization"] * 3


def test_ranges_are_searched_by_estimates(tmp_path, train):
    (tmp_path / "space.yaml").write_text(
        "one: {train.learning_rate: {low: 1e-4, high: 1e-2, log: true}, train.warmup_steps: {low: 10, high: 1000}}"
    )
    space = load_space(tmp_path / "space.yaml")
    with pytest.raises(InputError, match=r"train.learning_rate of one is a range, .* give --trials N"):
        Search(CONFIG, space, tmp_path / "search")
    train()
    Search(CONFIG, space, tmp_path / "search", trials=4).run()
    found = rows(tmp_path / "search")
    assert len({row["train.learning_rate"] for row in found}) == 4
    assert all(1e-4 <= float(row["train.learning_rate"]) <= 1e-2 for row in found)
    assert all(10 <= int(row["train.warmup_steps"]) <= 1000 for row in found)


def test_a_diverging_training_does_not_count_as_finished_or_best(real, capsys):
    trial = load_config(real.folder / "trials" / "regularization,dropout=0.5" / "config.yaml")
    best = load_config(real.folder / "best.yaml")
    assert trial.train.learning_rate == best.train.learning_rate == 0.2
    real.print_table()
    assert "–" in capsys.readouterr().out.split("\nregularization")[0].rstrip().splitlines()[-1]


def test_a_stage_of_which_all_trainings_diverge_is_an_error(tmp_path, real):
    (tmp_path / "space.yaml").write_text("architecture: {train.learning_rate: [1.0e+30]}")
    with pytest.raises(RunError, match="all trials of the stage architecture diverged"):
        Search(real.config, load_space(tmp_path / "space.yaml"), tmp_path / "search").run()


def test_a_folder_of_another_search_is_an_error_that_names_what_differs(tmp_path, space, train):
    Search(CONFIG, space, tmp_path / "search")
    Search(CONFIG, space, tmp_path / "search")
    with pytest.raises(InputError, match="holds a search with different config and trials; "):
        Search(override(CONFIG, ["train.seed=2"]), space, tmp_path / "search", trials=3)
    with pytest.raises(InputError, match="holds something other than a search"):
        Search(CONFIG, space, tmp_path)


def test_a_search_whose_text_was_named_from_its_folder_is_continued(tmp_path, space, monkeypatch):
    names = {"source": "a.de", "target": "a.en", "dev_source": "b.de", "dev_target": "b.en"}
    relative, absolute = (
        override(CONFIG, [f"data.{key}={folder}{name}" for key, name in names.items()])
        for folder in ("", f"{tmp_path}/")
    )
    monkeypatch.chdir(tmp_path)
    Search(relative, space, tmp_path / "search")
    Search(absolute, space, tmp_path / "search")
    with pytest.raises(InputError, match="holds a search with different config; "):
        Search(override(absolute, ["data.source=c.de"]), space, tmp_path / "search")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("4", "must map stages"),
        ("one: [2]", "must map stages"),
        ("one: {}", "must map stages"),
        ("one: {model.dropout: []}", "model.dropout must be a list of numbers or words"),
        ("one: {model.dropout: {low: 0.5, high: 0.1}}", "model.dropout must be a list"),
        ("one: {model.dropout: {low: 0, high: 0.1, log: true}}", "model.dropout must be a list"),
        ("one: {model.dropuot: [0.1]}", "did you mean model.dropout?"),
        ("one: {model.dropout: [0.1, 1.5]}", "model.dropout must be below 1, got 1.5"),
        ("one: {data.vocabulary_size: [300, 400]}", "data.vocabulary_size of one changes the sub-words"),
        ("one: {data.max_length: [30, 40]}", "train one run for each value and compare BLEU"),
        ("one: {model.attention.num_heads: [8, 7]}", "num_heads 7 does not divide model_dim 512"),
    ],
)
def test_a_wrong_space_is_a_one_line_error_and_leaves_nothing(tmp_path, content, message):
    (tmp_path / "space.yaml").write_text(content)
    with pytest.raises(InputError) as raised:
        Search(CONFIG, load_space(tmp_path / "space.yaml"), tmp_path / "search")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "search").exists()


@pytest.mark.parametrize(
    ("recipe", "stages"),
    [
        ("multi30k_de_en", ["architecture", "regularization"]),
        ("dhicm_ted_be_en_dhicm", ["architecture", "regularization", "importance"]),
    ],
)
def test_the_default_space_fits_the_recipe(recipe, stages):
    config = recipes.get(recipe)
    space = default_space(config)
    assert list(space) == stages
    for keys in space.values():
        for key, distribution in keys.items():
            for value in distribution.choices:
                override(config, [f"{key}={value}"])


def studies(path):
    storage = JournalStorage(Journal(path))
    return optuna.create_study(storage=storage, study_name="size", load_if_exists=True)


def test_leftovers_of_a_killed_process_do_not_hinder_a_search(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path.relative_to(tmp_path) / "journal.log"
    study = studies(path)
    study.add_trial(optuna.trial.create_trial(value=1.0))
    os.symlink(path, f"{path}.lock")
    with open(path, "a") as file:
        file.write('{"op_code":4,"worker')
    for count in (1, 2):
        study = studies(path)
        assert len(study.trials) == count
        study.add_trial(optuna.trial.create_trial(value=2.0))
    assert [trial.value for trial in studies(path).trials] == [1.0, 2.0, 2.0]
    assert [name for name in os.listdir() if name != "journal.log"] == []


def test_a_full_disk_names_the_journal(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*journal.log'"):
        studies(tmp_path / "journal.log")


@pytest.mark.slow
def test_the_command_searches_stops_by_ctrl_c_and_continues(tmp_path):
    files = tiny_corpus.write_corpus(tmp_path)
    (tmp_path / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
    (tmp_path / "space.yaml").write_text("size: {model.attention.num_heads: [1, 2]}\n")
    own = [word for name, path in files.items() for word in (f"--{name.replace('_', '-')}", path.name)]
    settings = [word for setting in tiny_corpus.SETTINGS for word in ("--set", setting)]
    command = ["interacting_head.tune", "tiny.yaml", "--space", "space.yaml", *own, *settings]
    process = start(tmp_path, *command)
    log = tmp_path / "runs" / "tune-tiny-own-text" / "trials" / "size,attention.num_heads=1" / "train.log"
    wait_until(lambda: log.is_file() and "step 5 of" in log.read_text(), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert b"stopped by SIGINT; the same command continues" in errors
    result = run(tmp_path, *command)
    assert result.code == 0, result.errors
    assert "resuming " in result.errors
    assert "trial 2 of 2: model.attention.num_heads=2" in result.errors
    assert "\nsize\nvalidation_loss  bleu" in result.output
    assert result.output.endswith("best: interacting-head train runs/tune-tiny-own-text/best.yaml\n")
