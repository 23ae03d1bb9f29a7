import argparse
import os

import pytest

from benchmarks import pipeline_speed
from tests.data.conftest import sentences


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    for language, seed in (("de", 1), ("en", 2)):
        for split, count in (("train", 300), ("dev", 20)):
            path = tmp_path / "corpora" / "some" / f"{split}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in sentences(count, seed)), encoding="utf-8")
    monkeypatch.setattr(pipeline_speed, "CORPORA", {"some": ("some", "de", "en"), "mix": ("some", "de", "en")})
    monkeypatch.setattr(pipeline_speed, "MIX", ("some",))
    monkeypatch.setattr(pipeline_speed, "PLANNED", 1000)
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    parser = argparse.ArgumentParser()
    pipeline_speed.add_arguments(parser)
    options = ["--corpora-dir", str(tmp_path / "corpora"), "--corpora", "some", "--vocabulary-size", "350"]
    return lambda *more: parser.parse_args([*more, *options])


def test_preparation_is_measured_for_each_profile(arguments):
    rows = pipeline_speed.measure(arguments("prepare"))["prepare"]
    assert [(row["corpus"], row["profile"], row["pairs"]) for row in rows] == [
        ("some", "raw", 320),
        ("some", "truecased", 320),
    ]
    for row in rows:
        # Seconds are rounded to tenths, and pairs a second to whole numbers, whatever the speed.
        # Both are rounded: the times that they allow overlap.
        assert 320 / (row["pairs/s"] + 0.5) <= row["seconds"] + 0.051
        assert row["pairs/s"] < 1 or 320 / (row["pairs/s"] - 0.5) >= row["seconds"] - 0.051
        stages = [row[f"{stage} s"] for stage in ("text", "sub-words", "encoding")]
        assert sum(stages) <= row["seconds"] + 0.05 * 4 + 0.001
        assert 10 < row["peak MiB"] < 10 * 2**10  # Python with NumPy; in KiB or bytes it would be above that


def test_a_mix_is_as_large_as_asked_for(arguments):
    (row,) = pipeline_speed.measure(arguments("memory", "--memory-pairs", "1000", "--profiles", "raw"))["memory"]
    assert row["corpus"] == "mix × 4"
    assert row["pairs"] == 4 * 300 + 20


def test_batches_are_measured_in_both_ways(arguments):
    rows = pipeline_speed.measure(arguments("input", "--training-speed", "100"))["input"]
    assert [row["way"] for row in rows] == ["NumPy", "tf.data", "plan", "plan, static shapes"]
    for row in rows:
        # Both are rounded, to a tenth and to a whole number, whatever the speed.
        assert row["over training"] == pytest.approx(row["tokens/s"] / 100, abs=0.05 + 0.005 + 1e-6)


def test_memory_of_this_process_is_seen():
    block = bytearray(os.urandom(50_000_000))
    assert pipeline_speed.resident_bytes(os.getpid()) > len(block)
