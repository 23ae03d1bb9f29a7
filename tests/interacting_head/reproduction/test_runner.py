"""The runner with tiny trainings.

Tests of scheduling need many runs, and runs that never end. Their commands, `replayed.py`, copy a run that was trained
and translated in earnest.
"""

import contextlib
import gzip
import io
import json
import math
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from data.errors import InputError
from interacting_head.metrics import evaluate
from interacting_head.reproduction import scoring
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import Runner, estimated_seconds, gpus, shares_of_cores
from interacting_head.reproduction.tables import TEST, Experiment, Run
from interacting_head.runs.run_directory import RunDirectory
from tests import tiny_corpus
from tests.interacting_head.reproduction import replayed
from tests.tiny_commands import write_tiny

SETTINGS = (
    *tiny_corpus.SETTINGS,
    *("data.corpus=tiny", "model.model_dim=8", "model.feed_forward_dim=8", "train.max_steps=1"),
    *("train.validation_bleu=false", "train.best_metric=loss", "train.average_last=0"),
    *("decode.beam_size=1", "decode.max_length=4"),
)


def run_of(seed, *settings):
    return Run(Experiment("quickstart", (*SETTINGS, *settings), "tiny"), seed)


MADE, OTHER = run_of(1), run_of(2)


def wanted(*runs, metrics=("sacrebleu",)):
    return [(run, TEST, metrics) for run in runs]


def make(folder, works, corpora=None, **options):
    """Have a runner make runs below a folder; return it, and what it writes to standard error."""
    runner = Runner(Results(folder / "results"), folder / "runs", corpora and str(corpora), **options)
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        runner.make(works)
    return runner, errors.getvalue()


def state(run_dir):
    """Path → bytes and time of what training and translation write: weights, scores, translations."""
    kinds = ("*.h5", "*.npz", "metrics.json", "translations/*")
    paths = sorted(path for kind in kinds for path in run_dir.rglob(kind))
    return {path.relative_to(run_dir).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


class Made(NamedTuple):
    """A run, and what there was of it when a further metric was asked for."""

    folder: Path
    corpora: Path
    runner: Runner
    said: str
    record: dict
    files: dict
    rescored: Runner


@pytest.fixture(scope="module")
def environment():
    """Without GPUs, and without another folder of corpora."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        patch.delenv("CORPORA_DIR", raising=False)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory, environment):
    """A run that is made with one metric, and then a further one."""
    folder = tmp_path_factory.mktemp("made")
    corpora = write_tiny(folder) / "corpora"
    runner, said = make(folder, wanted(MADE), corpora)
    record, files = runner.results.run(MADE), state(folder / "runs" / MADE.name)
    rescored, _ = make(folder, wanted(MADE, metrics=("sacrebleu", "bleu")), corpora)
    return Made(folder, corpora, runner, said, record, files, rescored)


@pytest.fixture
def replay(tmp_path, made, monkeypatch):
    """Put `replayed.py` in the place of the commands; return a function that returns the lines that it has written."""
    package = tmp_path / "interacting_head"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(replayed.__file__, package / "__main__.py")
    monkeypatch.chdir(tmp_path)  # where `python -m interacting_head` looks first
    monkeypatch.setenv("REPLAYED", str(made.folder / "runs" / MADE.name))
    monkeypatch.setenv("CORPORA_DIR", str(made.corpora))

    def commands():
        path = tmp_path / "commands.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    return commands


@pytest.fixture(autouse=True)
def not_stopped():
    """Let scripts begin again after a budget has ended."""
    yield
    scoring.STOPPED.clear()


def trained(commands):
    """The names of the runs that were trained, in order."""
    return [Path(line["words"][3]).name for line in commands if line["words"][0] == "train"]


def test_a_missing_run_is_trained_with_its_settings_and_stored(made):
    assert (made.runner.failed, made.runner.left_out) == ({}, [])
    trained = RunDirectory.open(made.folder / "runs" / MADE.name)
    assert trained.config == MADE.config  # and the corpus was found: CORPORA_DIR has reached the command
    assert [entry["step"] for entry in trained.read_log()] == [1]
    assert (made.record["run"], made.record["recipe"]) == (MADE.name, "quickstart")
    assert (made.record["steps"], made.record["log"]) == (1, trained.read_log())
    assert made.runner.results.statistics(MADE.name).keys() >= {("test", "sacrebleu")}


def test_the_score_is_of_the_translations_of_the_test_set(made):
    stored = gzip.decompress((made.folder / "runs" / MADE.name / "translations" / "test.en.gz").read_bytes())
    references = (made.corpora / "tiny" / "test.en").read_text(encoding="utf-8").splitlines()
    hypotheses = stored.decode("utf-8").split("\n")[:-1]
    assert len(hypotheses) == len(references) == 6
    score = evaluate(hypotheses, references, ["sacrebleu"], language="en")["sacrebleu"].score
    assert made.record["scores"]["test"]["sacrebleu"]["score"] == pytest.approx(score)


def test_a_run_is_named_when_it_begins_and_when_it_ends(made):
    log = made.folder / "runs" / f"{MADE.name}.log"
    minutes, score = made.record["seconds"] / 60, made.record["scores"]["test"]["sacrebleu"]["score"]
    assert f"{MADE.name}: started, takes about 0 min, log in {log}\n" in made.said
    assert f"{MADE.name}: sacrebleu {score:.2f}, trained in {minutes:.1f} min\n" in made.said
    assert "finished in " in log.read_text(encoding="utf-8")


def test_a_further_metric_is_computed_from_what_is_stored(made):
    assert (made.rescored.failed, made.rescored.left_out) == ({}, [])
    scores = made.rescored.results.run(MADE)["scores"]["test"]
    assert set(scores) == {"sacrebleu", "bleu"}
    assert scores["sacrebleu"] == made.record["scores"]["test"]["sacrebleu"]
    assert state(made.folder / "runs" / MADE.name) == made.files  # neither trained nor translated again


def missing(made, results, works):
    """The names of the runs that would be made; they fail, because there is no place for them."""
    runner = Runner(results, Path(os.devnull) / "runs", str(made.corpora))
    runner.make(works)
    return list(runner.failed)


def test_only_missing_runs_and_scores_are_made(made, capsys):
    results = Results(made.folder / "results")
    assert missing(made, results, wanted(MADE, metrics=("sacrebleu", "bleu"))) == []
    assert capsys.readouterr().err == ""
    assert missing(made, results, wanted(OTHER, MADE)) == [OTHER.name]
    assert missing(made, results, wanted(MADE, metrics=("sacrebleu", "chrf"))) == [MADE.name]


def test_a_run_with_another_configuration_is_not_taken_for_a_stored_one(made, tmp_path):
    results = Results(shutil.copytree(made.folder / "results", tmp_path / "results"))
    longer = run_of(1, "train.max_steps=2")
    assert missing(made, results, wanted(MADE, longer)) == [longer.name]
    path = results.folder / "runs" / f"{MADE.name}.json"
    stored = json.loads(path.read_text())
    stored["config"]["train"]["max_steps"] += 1
    path.write_text(json.dumps(stored))
    assert missing(made, results, wanted(MADE)) == [MADE.name]


def test_a_missing_split_is_reported_before_training(made, tmp_path):
    runner = Runner(Results(tmp_path / "results"), tmp_path / "runs", str(made.corpora))
    with pytest.raises(InputError, match=r"corpus tiny .* has no split 'tst2010'; it has dev, test, train"):
        runner.make([*wanted(MADE), (OTHER, {"test": ("test", "tst2010")}, ("sacrebleu",))])
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_is_reported_and_tried_again(tmp_path, replay):
    folder, log = tmp_path / "runs" / OTHER.name, tmp_path / "runs" / f"{OTHER.name}.log"
    folder.mkdir(parents=True)
    runner, said = make(tmp_path, wanted(OTHER, MADE))
    [message] = runner.failed.values()
    assert message == f"train ended with code 1: error: [Errno 17] File exists: {str(folder)!r} (see {log})"
    assert f"{OTHER.name}: failed: {message}\n" in said
    assert (runner.results.run(OTHER), runner.results.run(MADE)["run"]) == (None, MADE.name)  # the others go on
    folder.rmdir()
    runner, _ = make(tmp_path, wanted(OTHER, MADE))
    assert runner.failed == {}
    assert trained(replay()) == [OTHER.name, MADE.name, OTHER.name]
    assert runner.results.run(OTHER)["run"] == OTHER.name


def test_an_unavailable_first_metric_is_not_a_failure(tmp_path, replay):
    runner, said = make(tmp_path, wanted(MADE, metrics=("yisi1", "sacrebleu")))  # YiSi-1 lacks its vectors
    assert runner.failed == {}
    assert f"{MADE.name}: yisi1 not computed, trained in " in said


def test_runs_that_would_not_end_in_time_are_not_begun(tmp_path, replay):
    short, long = [run_of(seed) for seed in (1, 2)], [run_of(seed, "train.max_steps=1000000000") for seed in (1, 2)]
    runner, said = make(tmp_path, wanted(short[0], *long, short[1]), budget=1)
    assert trained(replay()) == [run.name for run in short]
    assert runner.left_out == [run.name for run in long]
    assert runner.failed == {}
    assert said.count("more than the budget allows") == len(long)


def test_a_run_is_stopped_at_the_end_of_the_budget_of_all_tables(tmp_path, replay, monkeypatch, capsys):
    monkeypatch.setenv("ENDLESS", "1")
    first, second, third = (run_of(seed) for seed in (1, 2, 3))
    runner = Runner(Results(tmp_path / "results"), tmp_path / "runs", budget=1000)
    with ThreadPoolExecutor(1) as pool:
        making = pool.submit(runner.make, wanted(first, second))
        while not trained(replay()):
            assert not making.done()
            time.sleep(0.01)
        runner.end = -math.inf  # as when the budget ends
        scoring.stop_running()
        making.result()
    scoring.STOPPED.clear()
    runner.make(wanted(third))
    assert runner.failed == {}
    assert runner.left_out == [first.name, second.name, third.name]
    said = capsys.readouterr().err
    assert said.count(": started, ") == 1
    assert said.count(": stopped: the budget is used up; the same command continues\n") == 1


@pytest.mark.slow
def test_a_training_that_was_stopped_or_diverged_goes_on(made, tmp_path):
    stopped = run_of(1, "train.max_steps=400", "train.log_interval=1", "train.validation_interval=400")
    diverged = run_of(1, "train.learning_rate=1e30")
    runner = Runner(Results(tmp_path / "results"), tmp_path / "runs", str(made.corpora), budget=1000)
    log = tmp_path / "runs" / f"{stopped.name}.log"
    with ThreadPoolExecutor(1) as pool:
        making = pool.submit(runner.make, wanted(stopped))
        while not (log.is_file() and "step 5 of" in log.read_text(encoding="utf-8")):
            assert not making.done()
            time.sleep(0.01)
        runner.end = -math.inf  # as when the budget ends
        scoring.stop_running()
        making.result()
    assert (runner.failed, runner.left_out) == ({}, [stopped.name])
    assert "stopped by SIGTERM at step" in log.read_text(encoding="utf-8")
    scoring.STOPPED.clear()

    runner, _ = make(tmp_path, wanted(diverged, stopped), made.corpora)
    assert "resuming " in log.read_text(encoding="utf-8")
    assert runner.results.run(stopped)["steps"] == 400
    assert list(runner.failed) == [diverged.name]
    assert "training has diverged" in runner.failed[diverged.name]
    runner, _ = make(tmp_path, wanted(diverged, stopped), made.corpora)  # tries only the failed one again
    assert list(runner.failed) == [diverged.name]
    assert log.read_text(encoding="utf-8").count("finished in ") == 1


def test_each_gpu_has_one_run_at_a_time_also_for_its_translations(tmp_path, replay, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    runs = [run_of(seed) for seed in range(1, 6)]
    runner, _ = make(tmp_path, wanted(*runs))
    assert runner.failed == {}  # as happens where a command finds its device in use
    assert {line["device"] for line in replay()} == {"2", "5"}
    assert sorted(trained(replay())) == sorted(run.name for run in runs)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,5"
    assert all(runner.results.run(run) for run in runs)


def test_a_machine_without_gpus_makes_one_run_at_a_time(tmp_path, replay):
    runs = [run_of(seed) for seed in range(1, 4)]
    runner, _ = make(tmp_path, wanted(*runs))
    assert runner.failed == {}
    assert [line["words"][0] for line in replay()] == ["train", "translate"] * len(runs)
    assert trained(replay()) == [run.name for run in runs]


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"),
    reason="this system does not let a process choose its cores, which Linux does; run the test on Linux",
)
def test_concurrent_runs_have_separate_cores(tmp_path, replay, monkeypatch):
    monkeypatch.setenv("MEET", "2")  # that they are concurrent
    cores, shares = os.sched_getaffinity(0), shares_of_cores(2)
    runs = [run_of(seed) for seed in range(1, 5)]
    runner, _ = make(tmp_path, wanted(*runs), jobs=2)
    assert runner.failed == {}
    assert {frozenset(line["cores"]) for line in replay()} == set(map(frozenset, shares))
    assert os.sched_getaffinity(0) == cores

    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3, 4})
    assert shares_of_cores(2) == [{0, 2, 4}, {1, 3}]
    assert shares_of_cores(7) == [{0}, {1}, {2}, {3}, {4}, {0}, {1}]
    assert shares_of_cores(1) == [None]


@pytest.mark.parametrize(
    ("variable", "devices"),
    {"": [], "0": ["0"], "1,3": ["1", "3"], "GPU-a,": ["GPU-a"], "-1": [], "1,-1,0": ["1"]}.items(),
)
def test_only_visible_gpus_are_used(monkeypatch, variable, devices):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)
    assert gpus() == devices


def test_no_gpus_are_found_without_the_tool_of_nvidia(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("PATH", "")
    assert gpus() == []


def test_seconds_are_estimated_from_runs_that_trained_alone(made):
    results, record = Results(made.folder / "estimated"), made.record
    computed = estimated_seconds(OTHER, results)
    results.write_run(MADE.name, {**record, "seconds": 100.0, "trained_together": 3}, {})
    assert estimated_seconds(OTHER, results) == computed
    results.write_run(MADE.name, {**record, "seconds": 100.0}, {})
    assert estimated_seconds(OTHER, results) == pytest.approx(110)


def test_seconds_grow_as_the_share_of_the_cores_shrinks(tmp_path):
    whole, half = (estimated_seconds(OTHER, Results(tmp_path), share) for share in (1, 1 / 2))
    assert half == pytest.approx(2 * whole)


@pytest.mark.slow
def test_remains_of_a_program_that_was_killed_are_removed(tmp_path, made):
    run = run_of(3)
    folder = tmp_path / "runs" / run.name
    left = RunDirectory(folder)
    left.create_or_check(run.config)
    for step in (1, 2):
        left.append_log({"step": step})
    make(tmp_path, wanted(run), made.corpora)
    assert [record["step"] for record in left.read_log()] == [1]
    assert (folder / "metrics.json").is_file()
