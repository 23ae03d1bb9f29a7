"""`interacting-head analyze rank` and `weights`."""

import csv
import json

import pytest

from tests.command_line import assert_refused, run

TEXT = ["-i", "dev.de", "-r", "dev.en"]


def analyze(folder, verb, *arguments):
    return run(folder, "interacting_head.analyze", verb, "-m", "trained", *arguments)


@pytest.mark.slow
def test_rank_prints_a_table_and_writes_numbers_and_figures(workplace):
    result = analyze(workplace, "rank", *TEXT, "-o", "found")
    assert result.code == 0, result.errors
    with open(workplace / "found" / "rank.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["site"], row["layer"]) for row in rows] == [("encoder", "1"), ("decoder", "1"), ("cross", "1")]
    assert result.output.splitlines()[0].split() == list(rows[0])
    found = json.loads((workplace / "found" / "rank.json").read_text(encoding="utf-8"))
    assert len(found["heads"]["trained"]["encoder 1"]["logits_rank"]) == 2
    for name in ("rank", "rank-similarity", "rank-similarity-of-heads"):
        for suffix in ("png", "svg"):
            assert (workplace / "found" / f"{name}.{suffix}").stat().st_size > 1000
    assert_refused(analyze(workplace, "rank", *TEXT, "--tolerance", "2"), "--tolerance must be at least 0 and below 1")


def test_weights_of_interacting_heads_need_no_sentences(workplace):
    result = analyze(workplace, "weights", "-o", "found")
    assert result.code == 0, result.errors
    assert "agreement of kernels" in result.output
    assert (workplace / "found" / "weights-queries.png").exists()
