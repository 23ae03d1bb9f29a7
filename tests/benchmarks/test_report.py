"""Results as tables."""

import json

from benchmarks import report, results

ROWS = [
    {"layer": "multi_head", "T": 25, "h": 2, "ratio": 1.0, "count": 1234567},
    {"layer": "multi_head", "T": 25, "h": 4, "ratio": 1.0, "count": 2},
    {"layer": "loop", "T": 25, "h": 4, "ratio": 2.345, "count": 3},
    {"layer": "loop", "T": 100, "h": 4, "ratio": 9.0, "count": 4},
]


def test_a_field_is_spread_over_columns_and_gaps_are_shown():
    view = {"where": {"T": 25}, "index": ["layer"], "columns": "h", "value": "ratio", "digits": 1}
    assert report.table(ROWS, view) == [
        "| layer | h 2 | h 4 |",
        "| --- | --- | --- |",
        "| multi_head | 1.0 | 1.0 |",
        "| loop | – | 2.3 |",
    ]


def test_fields_are_listed_as_they_are():
    lines = report.table(ROWS[:1], {"fields": ["layer", "count", "ratio", "absent"]})
    assert lines[2] == "| multi_head | 1,234,567 | 1.00 | – |"


def test_a_result_holds_its_conditions(tmp_path):
    path = results.write("x", "Title", ROWS, [], {"what": "a test"}, tmp_path / "x.json")
    result = json.loads(path.read_text())
    assert result["rows"] == ROWS
    assert result["conditions"]["what"] == "a test"
    assert {"processor", "cores", "versions"} <= result["conditions"].keys()
    assert report.section({**result, "conditions": {"what": "a test"}}) == "## Title\n- what: a test\n"
