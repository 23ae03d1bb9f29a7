"""Searches of hyper-parameters: stages, resumption, results, and the real command."""

import contextlib
import csv
import errno
import functools
import io
import itertools
import os
import signal
from typing import NamedTuple
from unittest import mock

import optuna
import pytest
import tensorflow as tf
from optuna.storages import JournalStorage

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import ExperimentConfig, load_config, override
from interacting_head.console import RunError
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.callbacks import Progress
from interacting_head.tune.search import Journal, Search, default_space, load_space, run_name
from tests import tiny_corpus
from tests.command_line import run, start, wait_until
from tests.kills import contents

SPACE = """
architecture:
  train.learning_rate: [1.0, 0.1]
  model.attention.num_heads: [1, 2]
worse:
  train.learning_rate: [1.0e+30, 1.0e-9]
  model.feed_forward_dim: [16]
last:
  train.learning_rate: [0.3]
  train.validation_bleu: [true]
"""
"""Its losses after two steps: above 8 at a rate of 1, below 5 at 0.1 and 0.3, about 6 at 1e-9, none at 1e30."""
LAST = "last,learning_rate=0.3,validation_bleu=True"
RANGES = """
one:
  train.learning_rate: {low: 1e-4, high: 1e-2, log: true}
  train.warmup_steps: {low: 10, high: 1000}
  model.dropout: [0.1, 0.3]
"""
SMALLEST = [
    *("model.model_dim=8", "model.feed_forward_dim=8", "train.warmup_steps=1", "train.validation_interval=1"),
    *("train.validation_bleu=false", "train.best_metric=loss", "train.average_last=0", "decode.max_length=1"),
]
CONFIG = override(ExperimentConfig(), ["model.encoder_layers=1", "model.decoder_layers=1"])


@pytest.fixture(scope="module", autouse=True)
def without_graphs():
    """Have TensorFlow compute step by step: making a graph takes seconds, and these trainings are short."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@contextlib.contextmanager
def after_first_step(of, act):
    """In the block, call `act` after the first step of a training: `of` counts the trainings that begin."""
    original, begun = Progress.on_train_batch_end, itertools.count(1)

    def on_train_batch_end(progress, batch, logs=None):
        original(progress, batch, logs)
        if progress.step == 1 and next(begun) == of:
            act()

    with mock.patch.object(Progress, "on_train_batch_end", on_train_batch_end):
        yield


def searched(folder, space, steps, trials=None):
    """A search with trainings of some steps; the same call continues it."""
    files = tiny_corpus.write_corpus(folder)
    (folder / "space.yaml").write_text(space)
    config = tiny_corpus.configuration(files, *SMALLEST, f"train.max_steps={steps}")
    return Search(config, load_space(folder / "space.yaml"), folder / "search", trials)


def ran(search):
    """Run a search; return its result, and the lines that it writes to standard error."""
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        received = search.run()
    return received, errors.getvalue().splitlines()


class Stopped(NamedTuple):
    """A search that was stopped twice, and what its three calls gave."""

    search: Search
    calls: list
    best: ExperimentConfig  # of best.yaml when the search was stopped in the last stage


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A search of seven trainings of two steps, stopped in the third by SIGTERM and in the seventh by SIGINT."""
    folder = tmp_path_factory.mktemp("stopped")
    with after_first_step(3, functools.partial(signal.raise_signal, signal.SIGTERM)):
        calls = [ran(searched(folder, SPACE, 2))]
    with after_first_step(4, functools.partial(signal.raise_signal, signal.SIGINT)):  # the third has its first step
        calls.append(ran(searched(folder, SPACE, 2)))
    best = load_config(folder / "search" / "best.yaml")
    search = searched(folder, SPACE, 2)
    calls.append(ran(search))
    return Stopped(search, calls, best)


@pytest.fixture(scope="module")
def search(stopped):
    """That search, which is finished."""
    return stopped.search


def rows(folder):
    with open(folder / "results.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def logs(search):
    """{name of a training: its log}, without those that have none because they diverged at the first step."""
    found = {path.name: RunDirectory.open(path).read_log() for path in (search.folder / "trials").iterdir()}
    return {name: log for name, log in found.items() if log}


def trial(search, name):
    return load_config(search.folder / "trials" / name / "config.yaml")


def least(log):
    return min(log, key=lambda record: record["validation_loss"])


def best_of(search, *stages):
    """The configuration of the training with the least loss in these stages, by the logs."""
    losses = {name: least(log)["validation_loss"] for name, log in logs(search).items() if name.split(",")[0] in stages}
    return trial(search, min(losses, key=losses.get))


def test_a_stage_starts_from_the_best_trial_of_all_before_it(search):
    assert len(logs(search)) == 4 + 1 + 1
    best = best_of(search, "architecture")
    assert best.train.learning_rate == 0.1
    worse = override(best, ["train.learning_rate=1e-9", "model.feed_forward_dim=16"])
    assert trial(search, "worse,learning_rate=1e-09,feed_forward_dim=16") == worse
    not_upon_worse = override(best, ["train.learning_rate=0.3", "train.validation_bleu=true"])
    assert trial(search, LAST) == not_upon_worse


def test_the_best_of_all_trials_may_be_of_an_earlier_stage(search, stopped):
    assert stopped.best == search.best(before="last") == best_of(search, "architecture", "worse")
    assert stopped.best == best_of(search, "architecture")
    best = load_config(search.folder / "best.yaml")
    assert best == search.best() == best_of(search, "architecture", "worse", "last")
    assert best == trial(search, LAST)


def test_the_score_of_a_trial_is_its_least_validation_loss(search):
    found = {row["run"]: row for row in rows(search.folder) if row["step"]}
    assert found.keys() == logs(search).keys()
    for name, log in logs(search).items():
        best, row = least(log), found[name]
        assert [record["step"] for record in log] == [1, 2]
        assert float(row["validation_loss"]) == pytest.approx(best["validation_loss"])
        assert (row["step"], row["bleu"]) == (str(best["step"]), str(best.get("bleu", "")))
    assert found["architecture,learning_rate=1.0,attention.num_heads=2"]["step"] == "1"  # not always the last
    assert found[LAST]["step"] == "2"
    for stage in search.space:
        assert (search.folder / f"{stage}.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_of_a_stage_is_sorted_by_loss(search):
    found = rows(search.folder)
    assert [row["stage"] for row in found] == ["architecture"] * 4 + ["worse"] * 2 + ["last"]
    losses = [float(row["validation_loss"]) for row in found[:4]]
    assert losses == sorted(losses)
    rates = [row["train.learning_rate"] for row in found[:4]]
    assert rates == ["0.1", "0.1", "1.0", "1.0"]  # trained in the opposite order


def test_a_stopped_search_continues_with_the_training_that_was_stopped(stopped):
    assert [received for received, _ in stopped.calls] == [signal.SIGTERM, signal.SIGINT, None]
    begun = [[line.split(":")[0] for line in lines if ", trial " in line] for _, lines in stopped.calls]
    architecture = [f"architecture, trial {number} of 4" for number in (1, 2, 3, 4)]
    last = "last, trial 1 of 1"
    assert begun[0] == architecture[:3]
    assert begun[1] == [*architecture[2:], "worse, trial 1 of 2", "worse, trial 2 of 2", last]
    assert begun[2] == [last]
    for (_, lines), name in zip(stopped.calls, ("SIGTERM", "SIGINT"), strict=False):
        assert lines[-1] == f"stopped by {name}; the same command continues"
    for name in ("architecture,learning_rate=0.1,attention.num_heads=1", LAST):
        said = (stopped.search.folder / "trials" / name / "train.log").read_text(encoding="utf-8")
        assert said.count(" at step 1; saved in ") == said.count("resuming ") == 1


@pytest.mark.slow
def test_a_stopped_search_ends_like_one_that_was_not(tmp_path, search):
    whole = searched(tmp_path, SPACE, 2)
    assert ran(whole)[0] is None
    for ours, expected in zip(rows(search.folder), rows(whole.folder), strict=True):
        assert float(ours.pop("validation_loss") or "nan") == pytest.approx(
            float(expected.pop("validation_loss") or "nan"), nan_ok=True
        )
        assert ours == expected


def test_a_finished_search_trains_nothing(search):
    former = contents(search.folder / "trials")
    assert ran(searched(search.folder.parent, SPACE, 2)) == (None, [])
    assert contents(search.folder / "trials") == former


class Killed(BaseException):
    """End a training as a kill does: nothing handles it."""


@pytest.fixture(scope="module")
def estimated(tmp_path_factory):
    """A search by estimates that was killed in its first training; the names that it had by then."""
    folder = tmp_path_factory.mktemp("estimated")

    def kill():
        raise Killed

    with after_first_step(1, kill), pytest.raises(Killed):
        searched(folder, RANGES, 1, trials=2).run()
    begun = [path.name for path in (folder / "search" / "trials").iterdir()]
    search = searched(folder, RANGES, 1, trials=2)
    return search, begun, ran(search)


def test_a_killed_trial_of_a_search_by_estimates_is_taken_up_again(estimated):
    search, [begun], (received, lines) = estimated
    assert received is None
    found = rows(search.folder)
    assert [row["stage"] for row in found] == ["one", "one"]
    [row] = [row for row in found if row["run"] == begun]
    values = ", ".join(f"{key}={row[key]}" for key in search.space["one"])
    assert lines[0] == f"one, trial 1 of 2: {values}"


def test_ranges_are_searched_by_estimates(estimated):
    search = estimated[0]
    found = rows(search.folder)
    assert len({row["train.learning_rate"] for row in found}) == 2
    assert all(1e-4 <= float(row["train.learning_rate"]) <= 1e-2 for row in found)
    assert all(10 <= int(row["train.warmup_steps"]) <= 1000 for row in found)
    assert all(row["model.dropout"] in ("0.1", "0.3") for row in found)
    with pytest.raises(InputError, match=r"train.learning_rate of one is a range, .* give --trials N"):
        Search(search.config, search.space, search.folder)


@pytest.mark.parametrize("trials", [3, 9])
def test_trials_of_a_search_by_estimates_are_all_different(tmp_path, trials):
    space = "one: {train.warmup_steps: {low: 1, high: 2}, train.learning_rate: [1.0e+30, 0.1]}"
    search = searched(tmp_path, space, 1, trials)
    assert ran(search)[0] is None
    found = rows(search.folder)
    assert len({row["run"] for row in found}) == len(found) == min(trials, 4)


def test_with_metric_bleu_a_trial_has_the_score_of_its_highest_bleu(tmp_path):
    logs = {  # losses and BLEU, in place of these trainings' own: their BLEU is 0
        "one,learning_rate=0.1": [(2.0, 3.0), (1.0, 1.0)],
        "one,learning_rate=0.2": [(3.0, 2.0), (3.0, 4.0)],
    }

    class Logged(RunDirectory):
        def read_log(self):
            scores = enumerate(logs[self.path.name], start=1)
            return [{"step": step, "validation_loss": loss, "bleu": bleu} for step, (loss, bleu) in scores]

    config = tiny_corpus.configuration(
        tiny_corpus.write_corpus(tmp_path), *SMALLEST, "train.max_steps=1", "train.validation_bleu=true"
    )
    (tmp_path / "space.yaml").write_text("one: {train.learning_rate: [0.1, 0.2]}")
    space = load_space(tmp_path / "space.yaml")
    search = Search(config, space, tmp_path / "search", metric="bleu")
    with mock.patch("interacting_head.tune.search.RunDirectory", Logged):  # the training reads its own
        assert ran(search)[0] is None
    found = [(row["run"], row["validation_loss"], row["bleu"], row["step"]) for row in rows(search.folder)]
    assert found == [("one,learning_rate=0.2", "3.0", "4.0", "2"), ("one,learning_rate=0.1", "2.0", "3.0", "1")]
    assert load_config(search.folder / "best.yaml").train.learning_rate == 0.2
    with pytest.raises(InputError, match="holds a search with different metric; "):
        Search(config, space, search.folder)


def test_metric_bleu_needs_validations_with_bleu(tmp_path, space):
    config = override(CONFIG, ["train.validation_bleu=false", "train.best_metric=loss"])
    with pytest.raises(InputError, match=r"--metric bleu needs train\.validation_bleu=true"):
        Search(config, space, tmp_path / "search", metric="bleu")
    assert not (tmp_path / "search").exists()


def test_a_search_of_as_many_trials_as_combinations_is_a_grid(tmp_path):
    search = searched(tmp_path, "one: {train.learning_rate: [0.1, 0.2], train.warmup_steps: [1, 2]}", 1, trials=5)
    lines = ran(search)[1]
    begun = [line for line in lines if line.startswith("one, trial")]
    assert begun[0] == "one, trial 1 of 4: train.learning_rate=0.1, train.warmup_steps=1"
    assert begun[3] == "one, trial 4 of 4: train.learning_rate=0.2, train.warmup_steps=2"
    assert len(begun) == 4


def test_a_diverging_training_does_not_count_as_finished_or_best(search, capsys):
    [row] = [row for row in rows(search.folder) if row["train.learning_rate"] == "1e+30"]
    assert (row["stage"], row["validation_loss"], row["step"]) == ("worse", "", "")
    search.print_table()
    worse = capsys.readouterr().out.split("\nworse")[1].split("\nlast")[0]
    assert worse.rstrip().splitlines()[-1].split() == ["–", "–", "–", "1e+30", "16"]


@pytest.mark.parametrize(
    ("values", "trials", "message"),
    [
        (
            "model.attention.num_heads: [1, 4], model.model_dim: [8, 10]",
            4,
            "num_heads 4 does not divide model_dim 10",
        ),
        ("data.train_pairs: [10, 100000]", 2, "data.train_pairs must be from 1 to "),
    ],
    ids=["together", "the text"],
)
def test_values_that_do_not_fit_are_skipped_for_good(tmp_path, values, trials, message):
    space = f"one: {{{values}}}"
    search = searched(tmp_path, space, 1)
    received, lines = ran(search)
    assert received is None
    assert sum(message in line for line in lines) == 1
    scored = {row["run"]: bool(row["validation_loss"]) for row in rows(search.folder)}
    assert len(scored) == trials
    assert sum(scored.values()) == trials - 1
    assert ran(searched(tmp_path, space, 1)) == (None, [])


def test_the_name_of_a_trial_fits_a_file_system():
    parameters = {f"train.setting_{number}": number / 3 for number in range(12)}
    long, other = (run_name("one", {**parameters, "train.last": last}) for last in (1, 2))
    assert long.startswith("one,")
    assert long != other
    assert max(len(long), len(other)) < 50
    assert run_name("one", {"model.dropout": 0.1}) == "one,dropout=0.1"


def test_a_configuration_that_cannot_be_trained_is_refused_at_once(tmp_path, space):
    config = override(CONFIG, ["train.validation_bleu=false", "train.best_metric=bleu"])
    with pytest.raises(InputError, match=r"train\.best_metric is bleu, but train\.validation_bleu is false"):
        Search(config, space, tmp_path / "search")


def test_a_stage_of_which_all_trainings_diverge_is_an_error(tmp_path):
    search = searched(tmp_path, "architecture: {train.learning_rate: [1.0e+30]}", 1)
    with pytest.raises(RunError, match="all trials of the stage architecture diverged"):
        search.run()


@pytest.fixture
def space(tmp_path):
    """A space that is not searched."""
    path = tmp_path / "space.yaml"
    path.write_text("regularization: {model.dropout: [0.1, 0.3, 0.5]}")
    return load_space(path)


def test_a_folder_of_another_search_is_an_error_that_names_what_differs(tmp_path, space):
    Search(CONFIG, space, tmp_path / "search")
    Search(CONFIG, space, tmp_path / "search")
    with pytest.raises(InputError, match="holds a search with different config and trials; "):
        Search(override(CONFIG, ["train.seed=2"]), space, tmp_path / "search", trials=3)
    with pytest.raises(InputError, match="holds something other than a search"):
        Search(CONFIG, space, tmp_path)
    for content in ("{", "[]", "{}"):
        (tmp_path / "search" / "search.json").write_text(content)
        with pytest.raises(InputError, match=r"search\.json is damaged; restore it, or choose another --search-dir"):
            Search(CONFIG, space, tmp_path / "search")


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
        ("one/two: {model.dropout: [0.1]}", "the stage 'one/two' is also a file name; name it without '/'"),
        ("one: {model.dropout: []}", "model.dropout must be a list of numbers or words"),
        ("one: {model.dropout: [0.1, 0.3, 1e-1]}", "model.dropout has a value twice, in [0.1, 0.3, 0.1]; remove one"),
        ("one: {model.dropout: {low: 0.5, high: 0.1}}", "model.dropout must be a list"),
        ("one: {model.dropout: {low: 0, high: 0.1, log: true}}", "model.dropout must be a list"),
        ("one: {model.dropuot: [0.1]}", "did you mean model.dropout?"),
        ("one: {model.dropout: [0.1, 1.5]}", "model.dropout must be below 1, got 1.5"),
        ("one: {data.vocabulary_size: [300, 400]}", "data.vocabulary_size of one changes the sub-words"),
        ("one: {data.max_length: [30, 40]}", "train one run for each value and compare BLEU"),
        ("one: {model.attention.num_heads: [8, 7]}", "num_heads 7 does not divide model_dim 512"),
        ("one: {decode.beam_size: [1, 4]}", "decode.beam_size of one does not change the scores of a trial's"),
        ("one: {train.ema_decay: [0.9, 0.99]}", "train.ema_decay of one does not change the scores of a trial's"),
        ("one: {model.dropout: [0.1]}\none: {model.dropout: [0.2]}", "the key one is given more than once"),
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
    "content",
    [
        "one: {model.model_dim: [320, 330], model.attention.num_heads: [10, 11]}",
        "one: {model.model_dim: [320]}\ntwo: {model.attention.num_heads: [10]}",
        "one: {model.attention.scheme: [fixed_head_size, multi_head], model.attention.key_dim: [16, 24]}",
    ],
)
def test_a_value_may_fit_only_with_another_of_the_space(tmp_path, content):
    (tmp_path / "space.yaml").write_text(content)
    Search(override(CONFIG, ["model.attention.num_heads=8"]), load_space(tmp_path / "space.yaml"), tmp_path / "search")


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
