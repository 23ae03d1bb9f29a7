"""The command `interacting-head reproduce`."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from interacting_head.console.machine import processor
from interacting_head.reproduction.scored import result_name
from interacting_head.reproduction.tables import TABLES
from tests import tiny_corpus
from tests.backends import finish as finish_on
from tests.backends import needs_jax
from tests.backends import start as start_on
from tests.command_line import assert_refused, run, start, wait_until
from tests.kills import appears
from tests.tiny_commands import REPRODUCE, write_tiny

COMMAND = "interacting_head.reproduce"
WRONG = {
    "no table": ([], "name a table, such as li_luo/3; --list shows them"),
    "an unknown table": (["li_lou/3"], "unknown table 'li_lou/3'; did you mean li_luo/3?"),
    "a table like no other": (["xyz"], "unknown table 'xyz'; --list shows the tables"),
    "a figure without runs": (
        ["mlmha/figure_5"],
        "has no runs; see: interacting-head reproduce mlmha/figure_8",
    ),
    "a drawing": (["li_luo/figure_1"], "has no runs: it is a drawing of the architecture"),
    "no seeds": (["quickstart/heads", "--seeds", "0"], "--seeds must be at least 1, got 0"),
    "no time": (["quickstart/heads", "--budget", "0"], "--budget must be above 0, got 0.0"),
    "no number": (["quickstart/heads", "--budget", "nan"], "--budget must be above 0, got nan"),
    "no small table": (["multi_hop/2", "--small"], "multi_hop/2 has no small version; leave --small out"),
    "no table for a pattern": (["li_lou/*"], "no table matches 'li_lou/*'; --list shows the tables"),
    "no small table for a pattern": (["*_hop/2*", "--small"], "no small table matches '*_hop/2*'"),
    "no run for a pattern": (["quickstart/*", "--only", "h3"], "no run of quickstart/heads matches 'h3'"),
    "a file for the report": (
        ["quickstart/heads", "--budget", "1e-9", "-o", "/dev/null/x"],
        "into /dev/null/x: /dev/null is a file; name a writable folder",
    ),
    "a file for the runs": (
        ["quickstart/heads", "--budget", "1e-9", "--runs-dir", "/dev/null/x", "-o", "out"],
        "cannot write into /dev/null/x: /dev/null is a file; name a writable folder",
    ),
    "one run together": (
        ["quickstart/heads", "--together", "1"],
        "must be at least 2, or 0 for none, got 1",
    ),
    "together on TensorFlow": (
        ["quickstart/heads", "--together", "2"],
        "--together needs JAX, but the backend is tensorflow; set KERAS_BACKEND to jax",
    ),
    "an unknown option": (["quickstart/heads", "--seed", "1"], "unrecognized arguments: --seed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_one_line_and_exit_code_2(tmp_path, name):
    arguments, message = WRONG[name]
    assert_refused(run(tmp_path, COMMAND, *arguments), message)
    assert list(tmp_path.iterdir()) == []


def test_the_tables_are_listed_with_their_runs(tmp_path):
    result = run(tmp_path, COMMAND, "--list")
    assert (result.code, result.errors) == (0, "")
    head, *rows = result.output.splitlines()
    assert head.split() == ["table", "runs", "hours", "small", "hours", "title"]
    fields = {row.split()[0]: row.split() for row in rows}
    # Eight rows with six numbers of heads and the equations with four, three seeds; in the small one five rows with
    # five numbers of heads, the equations with four, and three variants with one.
    assert fields["li_luo/3"][1:5:2] == ["156", "96"]
    assert fields["multi_hop/2"][1:5:2] == ["12", "–"]
    assert fields["li_luo/figure_3"][1:5] == ["–"] * 4
    assert rows[-1].startswith("quickstart/heads ")
    assert float(fields["quickstart/heads"][2]) < 1
    assert list(tmp_path.iterdir()) == []


def test_some_tables_are_listed_with_as_many_seeds_as_asked_for(tmp_path):
    result = run(tmp_path, COMMAND, "dhicm/*", "--list", "--seeds", "1")
    rows = [row.split()[:2] for row in result.output.splitlines()[1:]]
    figures = [["dhicm/figure_1", "3"], ["dhicm/figure_2", "3"], ["dhicm/figure_3", "2"]]
    trained = [["dhicm/3", "10"], ["dhicm/4", "21"], ["dhicm/layers", "9"]]
    assert rows == [*trained, ["dhicm/sizes", "–"], *figures]


def test_the_list_counts_the_chosen_runs_with_their_settings(tmp_path):
    arguments = "--list", "quickstart/heads", "interacting/learning_rate"
    head, quickstart, rates = run(tmp_path, COMMAND, *arguments).output.splitlines()
    assert quickstart.split()[1] == "12"
    assert head.index("title") == quickstart.index("Two schemes") == rates.index("BLEU by")
    settings = "--set", "train.max_steps=3", "data.corpus=multi30k"
    _, quickstart, rates = run(tmp_path, COMMAND, *arguments, *settings, "--only", "h4-seed1").output.splitlines()
    assert quickstart.split()[1:3] == ["2", "0.0"]
    assert quickstart.endswith("[multi30k]")
    assert rates.split()[1:3] == ["–", "–"]


def test_the_report_of_no_results_counts_all_claims_as_not_run(tmp_path):
    result = run(tmp_path, COMMAND, "--report", "-o", "results")
    assert (result.code, result.output) == (0, "")
    assert result.errors == "0 tables in results/REPRODUCTION.md\n"
    assert json.loads((tmp_path / "results/REPRODUCTION.json").read_text()) == {}
    text = (tmp_path / "results/REPRODUCTION.md").read_text(encoding="utf-8")
    assert re.search(r"\nNot run: \d+ claims on full-size tables or on tables that lack cells\.\n", text)
    assert "**" not in text.split("## Claims")[1]
    assert {path.name for path in tmp_path.rglob("*")} == {"results", "REPRODUCTION.md", "REPRODUCTION.json"}


def begin(folder, *arguments):
    """Start the command in a process group of its own."""
    return start(folder, "tests.tiny_reproduction", *arguments, start_new_session=True)


def finish(process):
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    assert b"Traceback" not in errors
    return errors.decode()


def written(folder, *suffixes):
    """Name → bytes of the files of these kinds, temporary ones left out."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if ".partial-" not in str(path)}


def without_times(report):
    """The lines of a report without the one with hours and those with costs."""
    lines = report.decode("utf-8").splitlines()
    kept = [line for line in lines if " hours of training (" not in line and " GiB |" not in line]
    assert len(kept) == len(lines) - 3
    return kept


MOMENTS = (
    "runs/*multi_head*/checkpoints/step-*",
    "runs/*multi_head*/translations/*",
    "out/results/*multi_head*.json",
    "runs/*interacting_head*/checkpoints/step-*",
    "runs/*interacting_head*/translations/*",
    "out/results/*interacting_head*.json",
)
"""Files that appear one after another while a table is made."""


@needs_jax
@pytest.mark.slow
def test_runs_train_together(tmp_path):
    options = ["--together", "2", "--seeds", "2", "--set", "train.average_last=0"]
    process = start_on("jax", ["-m", "tests.tiny_reproduction", *REPRODUCE, *options], write_tiny(tmp_path))
    _, errors = finish_on(process)
    assert "4 of 4 runs train together\n" in errors
    assert errors.count(", trained in ") == 4
    records = [json.loads(path.read_text()) for path in (tmp_path / "out/results/reproduction/runs").glob("*.json")]
    assert [record["trained_together"] for record in records] == [2] * 4
    assert {record["processor"] for record in records} == {processor()}
    report = (tmp_path / "out/REPRODUCTION.md").read_text()
    assert "share of the time: multi_head (2 of 2); interacting_head (2 of 2)\n" in report
    assert len(list((tmp_path / "runs").glob("*/best.weights.h5"))) == 4


@pytest.mark.slow
def test_a_table_that_is_killed_three_times_ends_like_one_that_was_not(tmp_path):
    whole, killed = write_tiny(tmp_path / "whole"), write_tiny(tmp_path / "killed")
    assert finish(begin(whole, *REPRODUCE)).count(", trained in ") == 2

    draw = random.Random(1)
    for moment in sorted(draw.sample(range(len(MOMENTS)), 3)):
        seen = appears(killed, MOMENTS[moment])
        process = begin(killed, *REPRODUCE)
        wait_until(seen, process, seconds=300)
        time.sleep(draw.uniform(0, 0.02))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    finish(begin(killed, *REPRODUCE))

    ours, expected = killed / "out", whole / "out"
    assert without_times((ours / "REPRODUCTION.md").read_bytes()) == without_times(
        (expected / "REPRODUCTION.md").read_bytes()
    )
    names = "REPRODUCTION.json", *written(expected, ".png", ".svg", ".npz")
    assert len(names) == 1 + 2 + 2
    for name in names:
        assert (ours / name).read_bytes() == (expected / name).read_bytes(), name
    for run_dir in sorted((whole / "runs").glob("quickstart-tiny-*-seed1")):
        stored = run_dir / "translations" / "test.en.gz"
        assert list(stored.parent.iterdir()) == [stored]
        translations = gzip.decompress(stored.read_bytes())
        assert translations.count(b"\n") == 6
        assert (killed / stored.relative_to(whole)).read_bytes() == stored.read_bytes()
        record = json.loads((expected / f"results/reproduction/runs/{run_dir.name}.json").read_text(encoding="utf-8"))
        again = json.loads((ours / f"results/reproduction/runs/{run_dir.name}.json").read_text(encoding="utf-8"))
        assert set(record["scores"]["test"]) == {"sacrebleu", "bleu"}
        for key in ("config", "steps", "best_step", "scores"):
            assert again[key] == record[key]

    # Nothing is run again, neither by the report nor by the command itself; the report is the same to the byte.
    before = written(ours, ".md", ".json", ".png", ".svg", ".npz")
    logs = written(killed / "runs", ".log", ".jsonl")
    shutil.rmtree(ours / "results" / "reproduction" / "figures")
    (ours / "REPRODUCTION.md").unlink()
    assert finish(begin(killed, "--report", "-o", "out")) == f"1 table in {Path('out/REPRODUCTION.md')}\n"
    assert written(ours, ".md", ".json", ".png", ".svg", ".npz") == before
    finish(begin(killed, *REPRODUCE))
    assert written(ours, ".md", ".json", ".png", ".svg", ".npz") == before
    assert written(killed / "runs", ".log", ".jsonl") == logs


FULL_SIZE = {
    "li_luo/3": ("iwslt16_de-en", "ih_iwslt16_de_en_multi_head_h2-"),
    "dhicm/3": ("wmt17_en-de", "dhicm_wmt17_de_en_dhicm-"),
    "multi_hop/2": ("wmt17_en-de", "mhop_wmt17_de_en_layer_4-"),
    "mlmha/2": ("wmt14_en-de", "mlmha_wmt14_en_de_m00_n6-"),
}
"""Table → the folder of its corpus and one of its runs."""
TWO_STEPS = [
    *("model.model_dim=16", "model.feed_forward_dim=16", "data.vocabulary_size=300", "train.batch_tokens=128"),
    *("train.max_steps=2", "train.max_epochs=null", "train.validation_interval=2", "train.validation_epochs=null"),
    *("train.log_interval=1", "decode.beam_size=2", "decode.max_length=8"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", FULL_SIZE)
def test_a_table_in_full_size_is_trained_and_scored(tmp_path, name):
    corpus, only = FULL_SIZE[name]
    folder = tmp_path / "corpora" / corpus
    folder.mkdir(parents=True)
    tiny_corpus.write_corpus(folder)
    cell = next(cell for cell in TABLES[name].cells if only == f"{cell.experiment.recipe}-")
    splits = {split for of_test in TABLES[name].splits_of(cell).values() for split in of_test}
    for split in splits - {"dev"}:
        for language in ("de", "en"):
            shutil.copy(folder / f"dev.{language}", folder / f"{split}.{language}")
    options = ["--seeds", "1", "--corpora-dir", "corpora", "--runs-dir", "runs", "-o", "out"]
    result = run(tmp_path, COMMAND, name, "--only", only, *options, "--set", *TWO_STEPS)
    assert result.code == 0, result.errors
    assert ", trained in " in result.errors
    [record] = (tmp_path / "out" / "results" / "reproduction" / "runs").glob("*.json")
    scores = json.loads(record.read_text(encoding="utf-8"))["scores"]
    assert set(scores) == set(TABLES[name].tests)
    assert all("score" in of_test["sacrebleu"] for of_test in scores.values())
    assert f"\n## {name}\n" in (tmp_path / "out" / "REPRODUCTION.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dhicm/figure_1", "dhicm/figure_3", "mlmha/7"])
def test_a_figure_is_made_with_its_trainings_and_its_analysis(tmp_path, name):
    folder = tmp_path / "corpora" / "multi30k"
    folder.mkdir(parents=True)
    tiny_corpus.write_corpus(folder)
    for language in ("de", "en"):
        shutil.copy(folder / f"dev.{language}", folder / f"test_2016_flickr.{language}")
    options = ["--small", "--seeds", "1", "--corpora-dir", "corpora", "--runs-dir", "runs", "-o", "out"]
    few = ["data.train_pairs=30"] if name == "dhicm/figure_1" else []
    result = run(tmp_path, COMMAND, name, *options, "--set", *TWO_STEPS, *few)
    assert result.code == 0, result.errors
    table = TABLES[name].in_size(True).with_settings([*TWO_STEPS, *few])
    of_table = result_name(table, True)
    stored = list((tmp_path / "out/results/reproduction/analyses" / of_table).glob("*.json"))
    assert len(stored) == len(table.runs(1)) == result.errors.count(": trained\n")
    values = json.loads(stored[0].read_text(encoding="utf-8"))["values"]
    assert set(values) == set(table.metrics)
    assert all(isinstance(number, float) for of_metric in values.values() for number in of_metric.values())
    report = (tmp_path / "out" / "REPRODUCTION.md").read_text(encoding="utf-8")
    assert f"\n## {name}, small: test_2016_flickr\n" in report
    assert f"](results/reproduction/figures/{of_table}.png)\n" in report
    assert (tmp_path / "out/results/reproduction/figures" / f"{of_table}.png").stat().st_size > 1000
