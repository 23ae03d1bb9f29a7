"""Measurements of times, column by column, with the measuring process replaced by a stand-in."""

import dataclasses
import json
import subprocess
import types
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.console import RunError
from interacting_head.reproduction import measurements
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import check_test_sets
from interacting_head.reproduction.scored import Counted, Timed, result_name
from interacting_head.reproduction.tables import TABLES
from tests.command_line import ROOT

TABLE = TABLES["li_luo/6"].in_size(True)
COLUMNS = [f"h = {heads}" for heads in (2, 4, 8, 16, 32, 64)]


@pytest.fixture
def measured(monkeypatch):
    """The columns that are measured; one that is added to the second list fails."""
    columns, failing, given = [], [], []

    def run(command, env, check, timeout):
        name, size, column, output, corpora_dir, *settings = command[3:]
        assert (name, size, settings) == ("li_luo/6", "small", given)
        assert (corpora_dir, env["PYTHONPATH"]) == ("corpora", str(ROOT))
        columns.append(column)
        if timeout == 0:
            raise subprocess.TimeoutExpired(command, timeout)
        rows = [cell.row for cell in TABLE.cells if cell.column == column]
        seconds = {row: 10.0 + number for number, row in enumerate(rows)}
        turns = {row: [one / 10, one / 11] for row, one in seconds.items()}
        found = {"seconds": seconds, "turns": turns, "precision": "float32", "processor": "a processor"}
        Path(output).write_text(json.dumps(found))
        return types.SimpleNamespace(returncode=int(column in failing))

    monkeypatch.setattr(measurements.subprocess, "run", run)
    monkeypatch.setattr(measurements, "check_test_sets", lambda *_: None)
    return columns, failing, given


def test_each_column_is_measured_once_and_stored_as_it_comes(tmp_path, monkeypatch, measured):
    columns, failing, _ = measured
    monkeypatch.chdir(tmp_path)
    results = Results("results")
    failing.append("h = 8")
    with pytest.raises(RunError, match="the measurement of li_luo/6, h = 8 ended with code 1"):
        measurements.measure_seconds(TABLE, True, results, "times", "corpora")
    assert columns == COLUMNS[:3]
    assert list(results.read("epoch_seconds", "times")["seconds"]["multi_head"]) == COLUMNS[:2]
    failing.clear()
    columns.clear()
    for _ in range(2):
        measurements.measure_seconds(TABLE, True, results, "times", "corpora")
    assert columns == COLUMNS[2:]
    record = results.read("epoch_seconds", "times")
    cells = {(row, column) for row, seconds in record["seconds"].items() for column in seconds}
    assert cells == {(cell.row, cell.column) for cell in TABLE.cells}
    assert record["turns"]["multi_head"]["h = 2"] == [1.0, 10 / 11]
    assert record["how"] == measurements.HOW


def test_a_missing_corpus_is_reported_before_a_measurement(tmp_path, monkeypatch, measured):
    monkeypatch.setattr(measurements, "check_test_sets", check_test_sets)
    with pytest.raises(InputError, match="corpora folder"):
        measurements.measure_seconds(TABLE, True, Results(tmp_path), "times", tmp_path / "corpora")
    assert measured[0] == []


def test_each_column_keeps_the_processor_it_was_measured_on(tmp_path, monkeypatch, measured):
    monkeypatch.chdir(tmp_path)
    results = Results("results")
    # As earlier versions stored it, one for all columns.
    seconds = {"multi_head": {"h = 2": 1.0}}
    former = {"how": measurements.HOW, "seconds": seconds, "precision": "mixed_bfloat16", "processor": "another"}
    results.write("epoch_seconds", "times", former)
    measured[1].append("h = 4")
    cells = tuple(cell for cell in TABLE.cells if cell.column != "h = 2")
    with pytest.raises(RunError, match="h = 4"):
        measurements.measure_seconds(dataclasses.replace(TABLE, cells=cells), True, results, "times", "corpora")
    assert results.read("epoch_seconds", "times")["processor"] == {"h = 2": "another"}
    measured[1].clear()
    measurements.measure_seconds(dataclasses.replace(TABLE, cells=cells), True, results, "times", "corpora")
    record = results.read("epoch_seconds", "times")
    assert record["processor"] == {"h = 2": "another", **dict.fromkeys(COLUMNS[1:], "a processor")}
    assert record["precision"] == {"h = 2": "mixed_bfloat16", **dict.fromkeys(COLUMNS[1:], "float32")}


def test_the_settings_of_a_table_are_measured(tmp_path, monkeypatch, measured):
    columns, _, given = measured
    monkeypatch.chdir(tmp_path)
    results, settings = Results("results"), ["model.feed_forward_dim=64"]
    table = TABLE.with_settings(settings)
    given += settings
    for _ in range(2):
        measurements.measure_seconds(table, True, results, result_name(table, small=True), "corpora", settings=settings)
    assert columns == COLUMNS
    found = {name: Timed(one, True, 1, results) for name, one in (("other", table), ("usual", TABLE))}
    assert found["other"].numbers()["multi_head"] == dict.fromkeys(COLUMNS, 10.0)
    assert found["usual"].numbers() == {}


def test_parameters_count_only_for_their_configuration(tmp_path):
    table, results, cell = TABLES["li_luo/sizes"], Results(tmp_path), ("multi_head", "h = 2")
    narrow = table.with_settings(["model.model_dim=64", "model.feed_forward_dim=64"])
    narrow = dataclasses.replace(narrow, cells=narrow.cells[:1])
    measurements.count_parameters(narrow, results, result_name(narrow, small=False))
    found = [Counted(one, False, 1, results).number(*cell) for one in (narrow, table)]
    assert found[0] > 0
    assert found[1] is None
    measurements.count_parameters(narrow, results, result_name(table, small=False))  # as by an earlier recipe
    found = [Counted(one, False, 1, results).number(*cell) for one in (narrow, table)]
    assert found[0] > 0
    assert found[1] is None


def test_nothing_further_is_measured_at_the_end_of_a_budget(tmp_path, measured, capsys, monkeypatch):
    columns, *_ = measured
    monkeypatch.chdir(tmp_path)
    measurements.measure_seconds(TABLE, True, Results("results"), "times", "corpora", end=float("-inf"))
    assert columns == COLUMNS[:1]
    assert capsys.readouterr().err.endswith("li_luo/6, h = 2: not measured, the budget is used up\n")
    assert Results("results").read("epoch_seconds", "times") is None
