"""Analyses of runs: what is called, what is stored, and how the report and claims read it."""

import contextlib
import dataclasses
import json
import types

import numpy as np
import pytest

from interacting_head import config as configuration
from interacting_head.console import RunError
from interacting_head.metrics import METRICS, Options
from interacting_head.reproduction import analyses
from interacting_head.reproduction.analyses import analyse
from interacting_head.reproduction.claims import FAILS, HOLDS, NOT_RUN, Above
from interacting_head.reproduction.report import report
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.scored import MEASURES, result_name
from interacting_head.reproduction.scoring import SOURCE_LENGTH
from interacting_head.reproduction.tables import TABLES
from tests.interacting_head.reproduction.made_up import record

MASKS = TABLES["mlmha/7"].in_size(True)
NAME = result_name(MASKS, True)
CONVERGED = [{"step": step, "validation_loss": 2.0, "seconds": 60.0} for step in (80, 100)]


def differences(run):
    """Rows of `analyze masking`: without the lowest layer most is lost, without the others as much as the seed."""
    losses = {1: -9.0 - run.seed / 10, 2: -0.1 * run.seed, 3: -0.2 * run.seed, 4: -0.3 * run.seed}
    rows = [{"run": run.name, "layer": "all", "number": number, "difference": loss} for number, loss in losses.items()]
    return [{"run": run.name, "layer": None, "number": None, "difference": None}, *rows, {**rows[0], "layer": 1}]


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """Stand-in for a `Runner` whose runs are trained at once, with a stand-in for `analyze`."""
    runs = {run.name: run for run in MASKS.runs(3)}
    found = types.SimpleNamespace(
        results=Results(tmp_path / "results"), runs_dir=tmp_path / "runs", corpora_dir="corpora",
        failed={}, left_out=[], trained=[], calls=[], broken=False, ends_within=lambda seconds: False,
        stopped_at_the_end=contextlib.nullcontext,
    )  # fmt: skip
    found.train = lambda runs, splits_of: found.trained.extend(runs)
    found.folder, found.environment = lambda run: found.runs_dir / run.name, dict

    def call(arguments, log, environment):
        found.calls.append([str(word) for word in arguments])
        if found.broken:
            raise RunError("analyze ended with code 1: error: no")
        words = found.calls[-1]
        output = tmp_path / words[words.index("-o") + 1]
        names = [word.split("/")[-1] for word in words if word.startswith(str(found.runs_dir))]
        rows = [row for name in names for row in differences(runs[name])]
        (output / "masking.json").write_text(json.dumps({"rows": rows}))
        for suffix in ("png", "svg"):
            (output / f"masking.{suffix}").write_text(f"of {len(names)} runs")

    def opened(folder):
        config = runs[folder.name].config
        return types.SimpleNamespace(config=config, read_log=lambda: CONVERGED, read_json=lambda name: {"steps": 100})

    monkeypatch.setattr(analyses, "call", call)
    monkeypatch.setattr(analyses.RunDirectory, "open", opened)
    return found


def test_the_runs_of_a_seed_are_trained_and_analysed_together_and_once(runner):
    for _ in range(2):
        analyse(MASKS, MASKS.runs(3), runner, NAME)
    assert runner.trained == MASKS.runs(3)
    assert len(runner.calls) == 3
    for seed, words in enumerate(runner.calls, start=1):
        assert words[:2] == ["analyze", "masking"]
        assert words[-2:] == ["--split", "test_2016_flickr"]
        assert [word.rpartition("/")[2] for word in words if word.startswith(str(runner.runs_dir))] == [
            run.name for run in MASKS.runs(3) if run.seed == seed
        ]
    figure = runner.results.folder / "figures" / f"{NAME}.png"
    assert figure.read_text() == "of 4 runs"


def test_a_figure_of_one_sentence_is_drawn_from_a_sentence_of_ours(runner):
    ours = MASKS.analysis._replace(sentence=("ein Hut", "a hat"))
    texts, call, options = [], analyses.call, ("-i", "-r")

    def read(arguments, log, environment):
        given = [arguments[arguments.index(option) + 1] for option in options if option in arguments]
        texts.append([path.read_text() for path in given])
        call(arguments, log, environment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyses, "call", read)
        analyse(dataclasses.replace(MASKS, analysis=ours), MASKS.runs(2), runner, NAME)
    assert texts == [[], ["ein Hut\n", "a hat\n"], []]
    assert (runner.results.folder / "figures" / f"{NAME}.png").read_text() == "of 4 runs"


def test_a_figure_shows_all_runs_of_the_first_seed_or_is_not_made(runner):
    figure = runner.results.folder / "figures" / f"{NAME}.png"
    first, *others = MASKS.runs(1)
    runner.folder(first).mkdir(parents=True)
    analyse(MASKS, [first], runner, NAME)
    assert not figure.exists()
    runner.failed[others[0].name] = "it has diverged"
    analyse(MASKS, MASKS.runs(1), runner, NAME)
    assert not figure.exists()
    runner.failed.clear()
    for run in others[1:]:
        runner.folder(run).mkdir()
    analyse(MASKS, MASKS.runs(1), runner, NAME)
    assert figure.read_text() == "of 4 runs"
    assert len(runner.calls) == 3


def test_measurements_are_reported_and_decide_claims(runner):
    analyse(MASKS, MASKS.runs(3), runner, NAME)
    markdown, found = report(runner.results, seeds=3)
    text = markdown.split("\n## mlmha/7, small: test_2016_flickr\n")[1]
    assert "\n| M-00 | 0.00 ± 0.00 (3) | -9.20 ± 0.10 (3) | -0.20 ± 0.10 (3) | -0.40" in text
    words = {one["claim"]: one["word"] for one in found["mlmha/7 (small)"]["claims"]}
    assert words["M-00 depends on the lowest layer more than on any other"] == HOLDS
    assert words["M-10 needs each of its layers"] != HOLDS  # of three seeds the deviation is half of the mean
    assert found["mlmha/7 (small)"]["cells"][0]["runs"] == [run.name for run in MASKS.runs(3) if "m00" in run.name]


def test_runs_that_failed_are_left_out_and_a_failed_analysis_is_reported(runner):
    runs = MASKS.runs(1)
    runner.failed[runs[0].name] = "it has diverged"
    analyse(MASKS, runs, runner, NAME)
    assert runner.results.analysis(NAME, runs[0], MASKS.analysis.arguments) is None
    assert runner.results.analysis(NAME, runs[1], MASKS.analysis.arguments) is not None
    assert runner.results.analysis(NAME, runs[1], ("masking", "--sentences", "9")) is None
    runner.broken = True
    analyse(MASKS, MASKS.runs(2), runner, NAME)
    assert [run.name in runner.failed for run in MASKS.runs(2)] == [True, False, False, False, True, True, True, True]


@pytest.mark.parametrize("answers", [[True], [False, True]], ids=["before", "meanwhile"])
def test_an_analysis_that_the_end_of_a_budget_stops_is_left_out(runner, answers):
    runner.broken, runner.ends_within = True, lambda seconds: answers.pop(0)
    analyse(MASKS, MASKS.runs(1), runner, NAME)
    assert (runner.failed, runner.left_out) == ({}, [run.name for run in MASKS.runs(1)])


def test_the_largest_seed_may_be_of_an_analysis(runner):
    analyse(MASKS, MASKS.runs(2), runner, NAME)
    assert runner.results.seeds() == 2


def test_a_claim_may_compare_a_measurement_with_a_bound(runner):
    analyse(MASKS, MASKS.runs(3), runner, NAME)
    scored = MEASURES["analysis"](MASKS, True, 3, runner.results)
    place = (("M-00", "layer 1"),)

    def word(bound, cells=place):
        return Above("x", "", of_cells=cells, bound=bound, metric="difference").decide(scored).word

    assert [word(-8.5), word(-9.9)] == [FAILS, HOLDS]
    assert word(0.0, cells=(("M-00", "layer 9"),)) == NOT_RUN


def test_scores_by_length_count_the_sentences_in_the_range(tmp_path):
    table, results = TABLES["mlmha/figure_3"].in_size(True), Results(tmp_path)
    metric = METRICS["sacrebleu"](Options())
    lines = [f"this is the sentence {number} of some of them" for number in range(6)]
    rows = metric.statistics([*lines[:3], "nothing", *lines[4:]], [lines])
    lengths = np.array([[9], [10], [19], [20], [40], [1]])
    for run in table.runs(1):
        kept = {("test", "sacrebleu"): rows, ("test", SOURCE_LENGTH): lengths}
        results.write_run(run.name, record(run, {"test": {}}), kept)
    scored = MEASURES[table.measure](table, True, 1, results)
    found = [scored.summary("B0", length, "test", "sacrebleu").mean for length in ("1–9", "10–19", "20–")]
    assert found[:2] == pytest.approx([100, 100])
    assert found[2] == pytest.approx(metric.score(rows[3:5].sum(axis=0)))
    [run] = scored.runs_of("B0", "20–")
    assert scored.statistics(run)["test", "sacrebleu"].tolist() == rows[3:5].tolist()
    assert configuration.to_dict(table.runs(1)[0].config) == scored.record_of(run)["config"]
