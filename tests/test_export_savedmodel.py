"""The commands `interacting-head export --format savedmodel` and `interacting-head translate --engine savedmodel`."""

import json

import pytest

from interacting_head.export import EXTRA
from tests.command_line import assert_refused, run_all

EXPORT = "interacting_head.export"
SOURCES = b"der hund sieht.\r\n\n   \nein mann hat das haus. \xe2\x80\xa8 der hund\nkatze"


@pytest.fixture(scope="module")
def exported(workplace):
    """The results of the export with some options; the run of `workplace` has the beam size 3."""
    (workplace / "other").mkdir()
    (workplace / "other" / "kept").write_text("as it was\n")
    command = ["-m", "trained", "--format", "savedmodel", "--ids-only", "-o"]
    cases = {
        "first": [*command, "models/en"],
        "other": [*command, "other"],
        "beam": [*command, "not-this", "--beam-size", "0"],
        "not its option": ["-m", "trained", "--format", "keras", "-o", "not-this", "--beam-size", "3"],
    }
    results = run_all(workplace, {name: (EXPORT, case, b"") for name, case in cases.items()})
    second = [*command, "models/en", "--checkpoint", "average"]
    return {**results, **run_all(workplace, {"second": (EXPORT, second, b"")})}


def test_each_export_is_one_more_version(workplace, exported):
    for name, folder in (("first", "models/en/1"), ("second", "models/en/2")):
        assert exported[name].code == 0, exported[name].errors
        assert exported[name].output.startswith(f"{folder}: savedmodel, ")
        assert exported[name].errors == ""
    assert {path.name for path in (workplace / "models" / "en").iterdir()} == {"1", "2"}
    names = {path.name for path in (workplace / "models" / "en" / "2").iterdir()}
    assert {"saved_model.pb", "variables", EXTRA} <= names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("other", "other holds kept, which is not a version of a model; name another folder"),
        ("beam", "beam_size must be a whole number of at least 1, got 0"),
        ("not its option", "--beam-size: the format keras has no such option; leave it out"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(workplace, exported, name, message):
    assert_refused(exported[name], message)
    assert not (workplace / "not-this").exists()
    assert [path.name for path in (workplace / "other").iterdir()] == ["kept"]


def test_the_engine_translates_as_the_run_does(workplace, exported):
    assert exported["first"].code == 0, exported["first"].errors
    n_best = ["--n-best", "3", "--output-type", "json"]
    cases = {
        "ours": ["-m", "trained", *n_best],
        "theirs": ["-m", "models/en/1", "--engine", "savedmodel", *n_best],
        "a run": ["-m", "trained", "--engine", "savedmodel"],
    }
    results = run_all(workplace, {name: ("translate.py", case, SOURCES) for name, case in cases.items()})
    ours, theirs = ([json.loads(line) for line in results[name].output.splitlines()] for name in ("ours", "theirs"))
    assert len(theirs) == 5, results["theirs"].errors
    for our, their in zip(ours, theirs, strict=True):
        for one, other in zip(our.get("n_best", [our]), their.get("n_best", [their]), strict=True):
            assert (other["translation"], other["token_ids"]) == (one["translation"], one["token_ids"])
            assert other["score"] == pytest.approx(one["score"], abs=1e-4)
            assert other["token_scores"] == pytest.approx(one["token_scores"], abs=1e-4)
    assert results["a run"].code == 2
    assert results["a run"].errors.startswith("error: trained is not a folder written by")
    assert results["a run"].errors.count("\n") == 1
