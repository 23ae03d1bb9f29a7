"""Values in YAML."""

import pytest

from interacting_head.config import assignment, yaml_files

VALUES = [
    True,
    0,
    -3,
    0.1,
    1e-05,
    -2.5e30,
    float("inf"),
    "",
    "noam",
    "true",
    "10",
    "1e-5",
    "null",
    " a ",
    "a: b, [c] # d",
]
VALUES += ["it's", '"', "\\", "two\nlines", "\U0001f600", "\udcff", "é", "- a", "x" * 300 + " y"]


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_an_assignment_is_one_line_and_gives_the_value_back(value):
    key, _, text = assignment("data.source", value).partition("=")
    assert key == "data.source"
    assert len(text.splitlines()) == 1
    found = yaml_files.from_yaml(text, "a value")
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("word", ["no", "2024-05-01", "2024-05-01 10:20:30", "="])
def test_words_that_only_yaml_1_1_reads_otherwise_are_strings(word):
    assert yaml_files.from_yaml(word, "a value") == word
    assert yaml_files.from_yaml(yaml_files.to_yaml({"a": word}), "a value") == {"a": word}
