"""The runner, with trainings and scoring replaced by stand-ins."""

import json
import os
import threading
import time
import types
from collections import Counter

import pytest

from data.errors import InputError
from interacting_head.console import RunError
from interacting_head.reproduction import runner as module
from interacting_head.reproduction import scoring
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import Runner, gpus, shares_of_cores
from interacting_head.reproduction.tables import TABLES
from tests.interacting_head.reproduction.made_up import entry, record, statistics

TABLE = TABLES["quickstart/heads"]
RUNS = TABLE.runs(2)


class Work:
    """Stands for `call` and `score_run`.

    Args:
        failing: names of runs whose training fails.
        seconds: that a training takes.
        endless: whether it goes on until it is stopped.
    """

    def __init__(self, failing=(), seconds=0.0, endless=False):
        self.failing, self.seconds = failing, seconds
        self.endless = endless
        self.trained, self.scored, self.environments = [], [], {}
        self.busy, self.most_busy, self.lock = Counter(), Counter(), threading.Lock()
        self.now = 0.0  # of a clock that each training sets forward by a minute

    def call(self, arguments, log, environment=None):
        name = arguments[arguments.index("--run-dir") + 1].name
        device = environment.get("CUDA_VISIBLE_DEVICES")
        with self.lock:
            self.trained.append((name, [str(word) for word in arguments]))
            self.environments[name] = environment
            self.busy[device] += 1
            self.most_busy[device] = max(self.most_busy[device], self.busy[device])
            self.now += 60
        time.sleep(self.seconds)
        with self.lock:
            self.busy[device] -= 1
        if self.endless:
            scoring.STOPPED.wait()
            raise RunError("the training was stopped before it finished")
        if name in self.failing:
            raise RunError("train ended with code 1: error: it has diverged")

    def score_run(self, run_dir, splits_of, metrics, corpora_dir, former, former_statistics, environment, embedder):
        self.scored.append(types.SimpleNamespace(name=run_dir.name, former=former, environment=environment))
        [run] = [run for run in RUNS if run.name == run_dir.name]
        scores = {test: {name: entry(20.0 + run.seed, name) for name in metrics} for test in splits_of}
        return record(run, scores), {("test", "sacrebleu"): statistics(run.seed, 0.5)}


@pytest.fixture
def use(monkeypatch):
    """A function that puts `Work` with these arguments in its place."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")

    def put(**arguments):
        work = Work(**arguments)
        monkeypatch.setattr(module, "call", work.call)
        monkeypatch.setattr(module, "score_run", work.score_run)
        monkeypatch.setattr(scoring, "STOPPED", threading.Event())
        monkeypatch.setattr(module, "estimated_seconds", lambda run, results: 60.0)
        monkeypatch.setattr(module, "time", types.SimpleNamespace(monotonic=lambda: work.now))
        return work

    return put


def wanted(metrics=("sacrebleu",)):
    return [(run, TABLE.tests, metrics) for run in RUNS]


def make(folder, metrics=("sacrebleu",), **options):
    runner = Runner(Results(folder / "results"), folder / "runs", **options)
    runner.make(wanted(metrics))
    return runner


def test_missing_runs_are_trained_with_their_settings_and_stored(tmp_path, use, capsys):
    work = use()
    runner = make(tmp_path, corpora_dir=tmp_path / "corpora")
    assert (runner.failed, runner.left_out) == ({}, [])
    assert [name for name, _ in work.trained] == [run.name for run in RUNS]
    for run, (name, arguments) in zip(RUNS, work.trained, strict=True):
        assert arguments[:3] == ["train", "quickstart", "--run-dir"]
        assert arguments[4:] == ["--set", *run.settings]
        assert f"train.seed={run.seed}" in arguments
        assert work.environments[name]["CORPORA_DIR"] == str(tmp_path / "corpora")
        stored = runner.results.run(run)
        assert (stored["run"], stored["recipe"]) == (name, "quickstart")
        assert stored["scores"]["test"]["sacrebleu"]["score"] == 20 + run.seed
        assert (runner.results.statistics(name)["test", "sacrebleu"] == statistics(run.seed, 0.5)).all()
    said = capsys.readouterr().err
    assert f"{RUNS[0].name}: sacrebleu 21.00, trained in 1.0 min" in said


def test_stored_runs_are_not_made_again(tmp_path, use):
    use()
    make(tmp_path)
    work = use()
    make(tmp_path)
    assert work.trained == work.scored == []


def test_only_missing_runs_are_made(tmp_path, use):
    use()
    runner = make(tmp_path)
    for kind in ("json", "npz"):
        (runner.results.folder / "runs" / f"{RUNS[3].name}.{kind}").unlink()
    work = use()
    make(tmp_path)
    assert [name for name, _ in work.trained] == [RUNS[3].name]


def test_a_run_with_another_configuration_is_not_taken_for_a_stored_one(tmp_path, use):
    use()
    results = make(tmp_path).results
    path = results.folder / "runs" / f"{RUNS[2].name}.json"
    stored = json.loads(path.read_text())
    stored["config"]["train"]["max_steps"] += 1
    path.write_text(json.dumps(stored))
    assert [run for run in RUNS if results.run(run) is None] == [RUNS[2]]
    work = use()
    make(tmp_path)
    assert [name for name, _ in work.trained] == [RUNS[2].name]


def test_a_missing_split_is_reported_before_training(tmp_path, use):
    work = use()
    runner = Runner(Results(tmp_path / "results"), tmp_path / "runs")
    with pytest.raises(InputError, match=r"corpus quickstart .* has no split 'tst2010'; it has dev, test, train"):
        runner.make([*wanted()[:1], (RUNS[1], {"test": ("test", "tst2010")}, ("sacrebleu",))])
    assert work.trained == []


def test_a_run_that_fails_is_reported_and_the_others_go_on(tmp_path, use, capsys):
    use(failing={RUNS[1].name})
    runner = make(tmp_path)
    assert runner.failed == {RUNS[1].name: "train ended with code 1: error: it has diverged"}
    assert [run.name for run in RUNS if runner.results.run(run) is None] == [RUNS[1].name]
    assert f"{RUNS[1].name}: failed: train ended with code 1" in capsys.readouterr().err
    work = use()
    assert make(tmp_path).failed == {}
    assert [name for name, _ in work.trained] == [RUNS[1].name]  # the same command tries it again


@pytest.mark.parametrize(("minutes", "done"), [(0.5, 0), (1, 1), (2.5, 2), (60, len(RUNS))])
def test_runs_that_would_not_end_in_time_are_not_begun(tmp_path, use, capsys, minutes, done):
    work = use()  # each takes a minute
    runner = make(tmp_path, budget=minutes / 60)
    assert [name for name, _ in work.trained] == [run.name for run in RUNS[:done]]
    assert runner.left_out == [run.name for run in RUNS[done:]]
    assert runner.failed == {}
    assert (
        capsys.readouterr().err.count("not started: it would take 1 min, more than the budget allows")
        == len(RUNS) - done
    )


def test_the_budget_is_for_all_tables_together(tmp_path, use):
    work = use()
    runner = Runner(Results(tmp_path / "results"), tmp_path / "runs", budget=3 / 60)
    runner.make(wanted()[:2])
    runner.make(wanted()[2:])
    assert len(work.trained) == 3
    assert len(runner.left_out) == len(RUNS) - 3


def test_a_run_is_stopped_at_the_end_of_the_budget(tmp_path, use, capsys, monkeypatch):
    work = use(endless=True)
    monkeypatch.setattr(module, "estimated_seconds", lambda run, results: 0.0)
    runner = make(tmp_path, budget=0.2 / 3600)
    assert [name for name, _ in work.trained] == [RUNS[0].name]
    assert runner.failed == {}
    assert runner.left_out == [run.name for run in RUNS]
    said = capsys.readouterr().err
    assert f"{RUNS[0].name}: stopped: the budget is used up; the same command continues\n" in said


def test_a_run_is_named_when_it_begins(tmp_path, use, capsys):
    use()
    make(tmp_path)
    said = capsys.readouterr().err
    assert f"{RUNS[0].name}: started, takes about 1 min, log in {tmp_path}/runs/{RUNS[0].name}.log\n" in said


def test_each_gpu_has_one_run_at_a_time_also_for_its_translations(tmp_path, use, monkeypatch):
    work = use(seconds=0.05)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    runner = make(tmp_path)
    assert set(work.most_busy) == {"2", "5"}
    assert max(work.most_busy.values()) == 1
    assert len(work.trained) == len(RUNS)
    for scored in work.scored:
        assert scored.environment == work.environments[scored.name]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,5"
    assert all(runner.results.run(run) for run in RUNS)


def test_a_machine_without_gpus_makes_one_run_at_a_time(tmp_path, use):
    work = use(seconds=0.01)
    make(tmp_path)
    assert work.most_busy == {"": 1}


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"),
    reason="this system does not let a process choose its cores, which Linux does; run the test on Linux",
)
def test_concurrent_runs_have_separate_cores(tmp_path, use, monkeypatch):
    work, chosen = use(seconds=0.05), {}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3, 4})
    monkeypatch.setattr(os, "sched_setaffinity", lambda process, cores: chosen.setdefault(frozenset(cores), process))
    make(tmp_path, jobs=2)
    assert chosen == {frozenset({0, 2, 4}): 0, frozenset({1, 3}): 0}
    assert work.most_busy == {"": 2}
    assert shares_of_cores(7) == [{0}, {1}, {2}, {3}, {4}, {0}, {1}]
    assert shares_of_cores(1) == [None]


@pytest.mark.parametrize(("variable", "devices"), {"": [], "0": ["0"], "1,3": ["1", "3"], "GPU-a,": ["GPU-a"]}.items())
def test_only_visible_gpus_are_used(monkeypatch, variable, devices):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)
    assert gpus() == devices


def test_no_gpus_are_found_without_the_tool_of_nvidia(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("PATH", "")
    assert gpus() == []


def test_a_further_metric_leads_to_scoring_with_what_is_stored(tmp_path, use):
    use()
    stored = make(tmp_path).results.run(RUNS[0])
    work = use()
    make(tmp_path, metrics=("sacrebleu", "bleu"))
    assert [scored.name for scored in work.scored] == [run.name for run in RUNS]
    assert work.scored[0].former == stored


def test_an_unavailable_first_metric_is_not_a_failure(tmp_path, use, capsys, monkeypatch):
    work = use()

    def unavailable(run_dir, *arguments):
        found, kept = work.score_run(run_dir, *arguments)
        found["scores"]["test"]["sacrebleu"] = {"unavailable": "no program"}
        return found, kept

    monkeypatch.setattr(module, "score_run", unavailable)
    runner = make(tmp_path)
    assert runner.failed == {}
    assert f"{RUNS[0].name}: sacrebleu not computed, trained in 1.0 min" in capsys.readouterr().err
