"""The commands `interacting-head export` and `interacting-head translate --engine ctranslate2`."""

import json
import shutil
import subprocess
import sys

import pytest

from tests import skip_reasons
from tests.command_line import ROOT, assert_refused, environment, run, run_all

pytest.importorskip("ctranslate2", reason=skip_reasons.EXPORT)

SOURCES = b"der hund sieht.\r\n\n   \nein mann hat das haus. \xe2\x80\xa8 der hund\nkatze"


@pytest.fixture(scope="module")
def exported(workplace):
    """The results of the export."""
    (workplace / "full").mkdir()
    (workplace / "full" / "kept").write_text("as it was\n")
    command = ["-m", "trained", "--format"]
    cases = {
        "ctranslate2": [*command, "ctranslate2", "-o", "new/converted"],
        "full": [*command, "keras", "-o", "full"],
        "format": [*command, "onnx", "-o", "not-this"],
    }
    return run_all(workplace, {name: ("interacting_head.export", case, b"") for name, case in cases.items()})


@pytest.fixture(scope="module")
def translated(workplace, exported):
    """The results of translate.py with the converted model, and with its run."""
    assert exported["ctranslate2"].code == 0, exported["ctranslate2"].errors
    engine, n_best = ["--engine", "ctranslate2"], ["--n-best", "3", "--output-type", "json"]
    cases = {
        "ours": ["-m", "trained", *n_best],
        "converted": ["-m", "new/converted", *engine, *n_best],
        "run": ["-m", "trained", *engine],
        "ensemble": ["-m", "trained", "trained", *engine],
    }
    return run_all(workplace, {name: ("translate.py", case, SOURCES) for name, case in cases.items()})


def test_the_command_says_where_the_model_is(workplace, exported):
    assert exported["ctranslate2"].output.startswith("new/converted: ctranslate2, ")
    assert exported["ctranslate2"].errors == ""
    assert {path.name for path in (workplace / "new").iterdir()} == {"converted"}


@pytest.mark.parametrize(
    ("name", "message"), [("full", "full exists and is not an empty folder"), ("format", "invalid choice: 'onnx'")]
)
def test_bad_input_is_one_line_and_leaves_nothing(workplace, exported, name, message):
    assert_refused(exported[name], message)
    assert not (workplace / "not-this").exists()
    assert not list(workplace.glob(".partial-*"))
    assert [path.name for path in (workplace / "full").iterdir()] == ["kept"]


def test_the_converted_model_translates_like_the_run(translated):
    ours, theirs = (
        [json.loads(line) for line in translated[name].output.splitlines()] for name in ("ours", "converted")
    )
    assert len(theirs) == 5
    for our, their in zip(ours, theirs, strict=True):
        assert (their["translation"], their["token_ids"]) == (our["translation"], our["token_ids"])
        assert their["score"] == pytest.approx(our["score"], abs=1e-4)
        assert their["token_scores"] == pytest.approx(our["token_scores"], abs=1e-4)
        assert len(their.get("n_best", [])) == len(our.get("n_best", []))
    assert translated["run"].output.removesuffix("\n").split("\n") == [record["translation"] for record in ours]


def test_an_engine_refuses_an_ensemble(translated):
    code, output, errors = translated["ensemble"]
    assert (code, output) == (2, "")
    assert errors == "error: --engine ctranslate2 supports only one model; an ensemble needs --engine keras\n"


@pytest.fixture(scope="module")
def with_export(workplace):
    """A run with an export in it."""
    shutil.copytree(workplace / "trained", workplace / "own", ignore=shutil.ignore_patterns("exports"))
    done = run(workplace, "interacting_head.export", "-m", "own", "--format", "ctranslate2")
    assert (done.code, done.errors) == (0, "")
    assert done.output.startswith("own/exports/ctranslate2: ctranslate2, ")
    return workplace / "own"


def test_an_export_of_a_run_says_what_it_was_made_from(workplace, with_export):
    record = json.loads((with_export / "exports" / "ctranslate2" / "export.json").read_text())
    assert record.keys() == {"format", "checkpoint", "weights_sha256", "quantization", "version"}
    assert (record["format"], record["checkpoint"], record["quantization"]) == ("ctranslate2", "best", "float32")
    again = run(workplace, "interacting_head.export", "-m", "own", "--format", "ctranslate2", "--quantization", "int8")
    assert_refused(again, "own/exports/ctranslate2 has float32 weights, and int8 is asked for; remove it")


def test_translate_uses_the_export_of_a_run_without_keras(workplace, with_export, translated):
    code = (
        "import sys; from interacting_head.commands import translate; translate.main(); "
        "assert not {'tensorflow', 'keras', 'jax'} & set(sys.modules)"
    )
    for engine in ([], ["--engine", "ctranslate2"]):
        command = [sys.executable, "-c", code, "-m", "own", *engine]
        done = subprocess.run(command, cwd=workplace, env=environment(ROOT), input=SOURCES, capture_output=True)
        lines = done.stderr.decode().splitlines()
        assert done.returncode == 0, lines
        assert done.stdout.decode() == translated["run"].output
        named = ["engine ctranslate2: own/exports/ctranslate2 (--engine keras uses Keras)"]
        assert lines[:-1] == (named if engine == [] else [])


def test_translate_uses_keras_where_the_export_is_stale(workplace, with_export, translated):
    stale = shutil.copytree(with_export, workplace / "stale")
    shutil.copy(stale / "average.weights.h5", stale / "best.weights.h5")
    done = run(workplace, "translate.py", "-m", "stale", stdin=SOURCES)
    line, _ = done.errors.splitlines()
    reason = "stale/exports/ctranslate2 was made from other weights; remove it and export the run again"
    assert (done.code, line) == (0, f"engine keras: {reason}")
    silent = run(workplace, "translate.py", "-m", "stale", "--engine", "keras", stdin=SOURCES)
    assert silent.output == done.output
    assert silent.errors.count("\n") == 1
