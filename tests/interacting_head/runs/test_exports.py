import dataclasses
import hashlib
import os

import pytest

from data.errors import InputError
from interacting_head.export import FORMATS
from interacting_head.runs import exports
from interacting_head.runs.exports import (
    ExportRecord,
    check_not_exported,
    fitting_export,
    open_run,
    weights_sha256,
    why_unfit,
)
from interacting_head.runs.run_directory import RunDirectory

WEIGHTS = b"weights"
RECORD = ExportRecord("ctranslate2", "best", hashlib.sha256(WEIGHTS).hexdigest(), "float32", "0.1")


@pytest.fixture
def run(tmp_path):
    """A run with weights, and an empty folder for an export."""
    (tmp_path / "best.weights.h5").write_bytes(WEIGHTS)
    (tmp_path / "average.weights.h5").write_bytes(b"others")
    (tmp_path / "exports" / "ctranslate2").mkdir(parents=True)
    return RunDirectory(tmp_path)


def test_a_record_is_read_as_it_was_written(tmp_path):
    RECORD.write(tmp_path)
    assert ExportRecord.read(tmp_path) == RECORD


@pytest.mark.parametrize(
    ("file_format", "message"),
    [
        ("ctranslate2", "out is an export, not a run directory; give --engine ctranslate2 too"),
        ("other", "out is not a ru"),
    ],
)
def test_an_export_in_place_of_a_run_names_its_engine(tmp_path, file_format, message):
    (tmp_path / "out").mkdir()
    dataclasses.replace(RECORD, format=file_format).write(tmp_path / "out")
    with pytest.raises(InputError, match=message):
        open_run(tmp_path / "out", {"keras", "ctranslate2"})


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"[]", b"{}", b'{"format": "keras"}', b"[" * 10**6])
def test_a_record_that_cannot_be_read_is_none(tmp_path, content):
    if content is not None:
        (tmp_path / "export.json").write_bytes(content)
    assert ExportRecord.read(tmp_path) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"checkpoint": "step-7", "version": "9"}, None),  # the weights count, not their name
        ({"weights_sha256": "0" * 64}, "was made from other weights; remove it and export the run again"),
        ({"weights_sha256": None}, "was made from other weights"),
        ({"quantization": "int8"}, "is quantized (int8); -m "),
        (None, "does not say what it was made from"),
    ],
)
def test_an_export_fits_float32_weights_that_it_was_made_from(run, changes, reason):
    folder = run.path / "exports" / "ctranslate2"
    if changes is not None:
        dataclasses.replace(RECORD, **changes).write(folder)
    found = why_unfit(folder, run.find_weights())
    assert found is None if reason is None else found.startswith(f"{folder} {reason}")
    assert fitting_export(run, "ctranslate2") == (folder if reason is None else None)
    assert fitting_export(run, "ctranslate2", "average") is None
    assert fitting_export(run, "keras") is None


@pytest.mark.parametrize(
    ("checkpoint", "quantization", "message"),
    [
        (None, None, r"was made from these weights \(best, float32\) already; remove it to export again, or name"),
        (None, "int8", "has float32 weights, and int8 is asked for"),
        ("average", None, r"was made from other weights \(best\)"),
    ],
)
def test_an_export_that_is_there_is_kept(run, checkpoint, quantization, message):
    folder = run.path / "exports" / "ctranslate2"
    check_not_exported(folder, run.find_weights(checkpoint), quantization)  # there is none yet
    RECORD.write(folder)
    with pytest.raises(InputError, match=message):
        check_not_exported(folder, run.find_weights(checkpoint), quantization)


def test_weights_are_read_once_until_they_change(run, monkeypatch):
    read = []
    monkeypatch.setattr(exports, "sha256", lambda path: read.append(path) or f"digest {len(read)}")
    weights = run.find_weights()
    assert [weights_sha256(weights), weights_sha256(weights)] == ["digest 1", "digest 1"]
    (run.path / "new").write_bytes(WEIGHTS)
    os.replace(run.path / "new", weights)
    assert weights_sha256(weights) == "digest 2"


def test_formats_have_names_for_folders():
    assert all(name.isidentifier() for name in FORMATS)
