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
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    parser = argparse.ArgumentParser()
    pipeline_speed.add_arguments(parser)
    options = ["--corpora-dir", str(tmp_path / "corpora"), "--corpora", "some", "--vocabulary-size", "350"]
    return lambda *more: parser.parse_args([*more, *options])


def test_preparation_is_measured_for_each_profile(arguments):
    rows = pipeline_speed.measure(arguments("prepare"))["prepare"]
    assert [(row["corpus"], row["profile"], row["pairs"]) for row in rows] == [
        ("some", "raw", 320),
        ("some", "paper", 320),
    ]
    for row in rows:
        assert row["pairs/s"] == pytest.approx(320 / row["seconds"], rel=0.2)
        assert sum(row[f"{stage} s"] for stage in ("text", "sub-words", "encoding")) <= row["seconds"]
        assert 10 < row["peak MiB"] < 2000


def test_a_mix_is_as_large_as_asked_for(arguments):
    (row,) = pipeline_speed.measure(arguments("memory", "--memory-pairs", "1000", "--profiles", "raw"))["memory"]
    assert row["corpus"] == "mix × 4"
    assert row["pairs"] == 4 * 300 + 20


def test_batches_are_measured_in_both_ways(arguments):
    rows = pipeline_speed.measure(arguments("input", "--training-speed", "100"))["input"]
    assert [row["way"] for row in rows] == ["NumPy", "tf.data"]
    for row in rows:
        assert row["over training"] == pytest.approx(row["tokens/s"] / 100, rel=0.01)


def test_memory_of_this_process_is_seen():
    block = bytearray(os.urandom(50_000_000))
    assert pipeline_speed._resident(os.getpid()) > len(block)
