import dataclasses
import hashlib
import json

import pytest

from interacting_head.runs.exports import ExportRecord
from interacting_head.runs.run_directory import VERSION
from interacting_head.translation.engines import choice
from interacting_head.translation.engines.choice import choose_engine

WEIGHTS = b"weights"
RECORD = ExportRecord("ctranslate2", "best", hashlib.sha256(WEIGHTS).hexdigest(), "float32", "0.1")


def make_run(path, record=RECORD):
    """A folder with weights, and with an export that has a record."""
    path.mkdir()
    (path / "best.weights.h5").write_bytes(WEIGHTS)
    (path / "config.yaml").write_text("decode: {max_length: 100}")
    (path / "average.weights.h5").write_bytes(b"others")
    if record is not None:
        (path / "exports" / "ctranslate2").mkdir(parents=True)
        record.write(path / "exports" / "ctranslate2")
    return path


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """CTranslate2 counts as installed, and other packages as missing."""
    monkeypatch.setattr(choice.importlib.util, "find_spec", lambda name: name == "ctranslate2" or None)


def test_an_export_that_fits_is_chosen_and_named(tmp_path):
    run = make_run(tmp_path / "run")
    line = f"engine ctranslate2: {run}/exports/ctranslate2 (--engine keras uses Keras)"
    assert choose_engine([run]) == ("ctranslate2", line)
    assert choose_engine([run], wanted={"score"}, max_source_length=4095)[1] == line


def test_without_an_export_there_is_no_choice_and_no_line(tmp_path):
    run = make_run(tmp_path / "run", record=None)
    assert choose_engine([run, run], wanted={"sampling"}) == ("keras", None)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"wanted": {"sampling"}}, "--engine ctranslate2 does not support sampling; --sample needs --engine keras"),
        ({"wanted": {"details"}}, "--with needs --engine keras"),
        ({"max_source_length": 4096}, "--max-source-length must be at most 4,095 with --engine ctranslate2"),
        ({"search": {"max_length": 4096}}, "max_length 4096 is too large for ctranslate2, which gives at most 4,095"),
        ({"search": {"no_repeat_ngram": 2}}, "ctranslate2 searches otherwise with --min-length or --no-repeat-ngram"),
        (
            {"search": {"length_penalty": 1.5}},
            "often ends its search too early for a length penalty of 1.5",
        ),
        ({"wanted": {"prefix"}}, "often ends its search too early with --prefix, whose probability it does not count"),
        ({"search": {"min_length": 2}}, "ctranslate2 searches otherwise with --min-length or --no-repeat-ngram"),
        ({"checkpoint": "average"}, "was made from other weights; remove it and export the run again"),
    ],
)
def test_options_that_the_export_does_not_serve_choose_keras(tmp_path, options, reason):
    engine, line = choose_engine([make_run(tmp_path / "run")], **options)
    assert engine == "keras"
    assert line.startswith("engine keras: ")
    assert reason in line


@pytest.mark.parametrize(
    "search", [{"beam_size": 1}, {"length_penalty_type": "none"}, {"length_penalty": 0.0}], ids=str
)
def test_prefixes_are_served_where_lengths_do_not_count(tmp_path, search):
    run = make_run(tmp_path / "run")
    assert choose_engine([run], wanted={"prefix"}, search=search)[0] == "ctranslate2"
    assert choose_engine([run], search={"length_penalty": 1.5, **search})[0] == "ctranslate2"


def test_an_ensemble_a_stale_and_a_quantised_export_choose_keras(tmp_path):
    run = make_run(tmp_path / "run")
    stale = make_run(tmp_path / "stale", dataclasses.replace(RECORD, weights_sha256="0" * 64))
    small = make_run(tmp_path / "small", dataclasses.replace(RECORD, quantization="int8"))
    for paths, reason in (
        ([run, run], "supports only one model"),
        ([stale], "was made from other weights"),
        ([small], f"is quantized (int8); -m {small}/exports/ctranslate2 --engine ctranslate2 uses it"),
    ):
        engine, line = choose_engine(paths)
        assert engine == "keras"
        assert reason in line


@pytest.mark.parametrize(
    ("in_run", "in_export", "expected"),
    [
        (None, "mean", "keras"),
        ("head 1", "head 1", "ctranslate2"),
        ("head 2", "head 1", "keras"),
        ("mean", None, "keras"),
    ],
)
def test_alignments_need_an_export_with_the_attention_of_the_run(tmp_path, in_run, in_export, expected):
    run = make_run(tmp_path / "run")
    folder = run / "exports" / "ctranslate2" / "text"
    folder.mkdir()
    for path, head in ((run, in_run), (folder, in_export)):
        (path / "config.yaml").write_text("{}\n")
        (path / "VERSION").write_text(f"{VERSION}\n")
        if head is not None:
            (path / "alignment.json").write_text(json.dumps({"layer": 1, "head": head}))
    assert choose_engine([run], wanted={"alignment"})[0] == expected
    assert choose_engine([run])[0] == "ctranslate2"


def test_a_missing_package_chooses_keras_and_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(choice.importlib.util, "find_spec", lambda name: None)
    engine, line = choose_engine([make_run(tmp_path / "run")])
    assert engine == "keras"
    assert line.endswith("needs the package ctranslate2; pip install -r requirements-export.txt")
