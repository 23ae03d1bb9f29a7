"""Runs that were begun by each version of the format, stored in `old_runs/`, see the README there."""

import json
import shutil
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.runs.migrations import from_version_2
from interacting_head.runs.run_directory import VERSION, RunDirectory
from interacting_head.training.trainer import train
from tests import skip_reasons
from tests.command_line import OWN, assert_refused, run

STORED = Path(__file__).parent / "old_runs"
VERSIONS = "1", "2", "3"
STEPS, SAVED = 620, 600


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the stored runs and their text, in which this process works."""
    shutil.copytree(STORED, tmp_path / "old_runs")
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "old_runs")
    return tmp_path / "old_runs"


def test_each_version_of_the_format_has_a_run_that_it_began():
    assert VERSIONS[-1] == VERSION
    for version in VERSIONS:
        assert RunDirectory.open(STORED / f"version_{version}").version == version


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_each_version_translates_as_the_program_that_began_it(folder, version):
    result = run(folder, "translate.py", "-m", f"version_{version}", "-i", "dev.de", "--beam-size", "1")
    assert result.code == 0, result.errors
    assert result.output == (folder / f"version_{version}.en").read_text(encoding="utf-8")
    assert len(set(result.output.splitlines())) > 3


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_each_version_resumes_and_finishes(folder, version, capfd):
    old = RunDirectory.open(folder / f"version_{version}")
    before = old.read_log()
    assert old.steps() == [SAVED]
    assert train(old.config, old.path) is None
    assert f"resuming {old.path} at step {SAVED}" in capfd.readouterr().err
    assert (old.version, old.steps()[-1]) == (version, STEPS)
    assert old.read_json("metrics.json")["steps"] == STEPS
    log = old.read_log()
    assert log[: len(before)] == before
    # A continuation without the optimizer's state, or with other batches, would lose what was learnt.
    assert log[-1]["validation_loss"] < before[-1]["validation_loss"] + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_each_version_exports_and_its_export_translates_alike(folder, version):
    pytest.importorskip("ctranslate2", reason=skip_reasons.EXPORT)
    name = f"version_{version}"
    exported = run(folder, "interacting_head.export", "-m", name, "--format", "ctranslate2")
    assert exported.code == 0, exported.errors
    options = ["-m", name, "--engine", "ctranslate2", "-i", "dev.de", "--beam-size", "1"]
    result = run(folder, "translate.py", *options)
    assert result.code == 0, result.errors
    assert result.output == (folder / f"{name}.en").read_text(encoding="utf-8")


def test_the_words_of_version_1_are_read_as_they_were_meant():
    config = RunDirectory.open(STORED / "version_1").config
    assert "balanced_query" in (STORED / "version_1" / "config.yaml").read_text(encoding="utf-8")
    assert config.model.attention.options == {}
    assert (config.model.normalization, config.model.memory_normalization) == ("pre", "top")
    assert (config.data.max_words, config.data.max_ratio) == (80, 9)


def test_a_run_of_version_1_with_balanced_queries_is_not_trained_on(folder):
    old = RunDirectory.open(folder / "version_1")
    path = old.path / "config.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("balanced_query: false", "balanced_query: true"))
    with pytest.raises(InputError, match=r"format version 1 .* can translate, but not resume training; .*--no-resume"):
        train(old.config, old.path)


@pytest.mark.parametrize(("former", "present"), [("printed_loop", "listing"), ("by_query_head", "by_key_head")])
def test_the_words_of_version_2_are_read_as_they_were_meant(former, present):
    mapping = {
        "model": {"placements": [{"attention": {"options": {"implementation": former}}}]},
        "data": {"profile": "paper"},
        "train": {"accumulate_batches": 4},
    }
    upgraded = from_version_2(mapping)
    assert upgraded["model"]["placements"][0]["attention"]["options"] == {"implementation": present}
    assert upgraded["data"] == {
        "profile": "truecased",
    }
    assert upgraded["train"] == {"gradient_accumulation_steps": 4}
    assert mapping["data"] == {"profile": "paper"}
    assert from_version_2({"model": None, "data": [], "train": 3}) == {"model": None, "data": [], "train": 3}


def test_former_names_are_answered_with_the_present_ones(folder):
    for setting, message in [
        ("train.accumulate_batches=2", "train.accumulate_batches is now called train.gradient_accumulation_steps"),
        ("data.profile=paper", "data.profile: paper is now called truecased"),
        (
            "model.attention.options.implementation=printed_loop",
            "must be one of ('folded', 'head_pairs', 'listing'), got 'printed_loop'",
        ),
    ]:
        assert_refused(run(folder, "train.py", "quickstart", *OWN, "--set", setting), message)
    engine = run(folder, "translate.py", "-m", "version_3", "--engine", "tensorflow")
    assert_refused(engine, "argument --engine: 'tensorflow' is now called 'keras'")


def test_a_version_that_is_not_known_is_refused_in_one_line(folder):
    (folder / "version_2" / "VERSION").write_text("4\n")
    message = "version_2 has format version 4, but this program reads 1, 2 and 3; see CHANGELOG.md"
    assert_refused(run(folder, "translate.py", "-m", "version_2", "-i", "dev.de"), message)
    assert_refused(run(folder, "train.py", "quickstart", *OWN, "--run-dir", "version_2"), message)


def test_stored_runs_are_small():
    for version in VERSIONS:
        files = (STORED / f"version_{version}").rglob("*")
        assert sum(path.stat().st_size for path in files if path.is_file()) < 500_000
    assert json.loads((STORED / "version_1" / "text.json").read_text())["languages"] == ["de", "en"]
