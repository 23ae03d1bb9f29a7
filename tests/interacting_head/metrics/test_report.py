"""The forms in which an evaluation is printed."""

import pytest

from interacting_head.metrics import Options
from interacting_head.metrics.evaluation import evaluate_systems
from interacting_head.metrics.report import format_table
from interacting_head.metrics.significance import Resampling
from tests.interacting_head.metrics.examples import SENTENCES, WORSE

LONG = "runs/a-run-with-a-rather-long-name/translations/of-the-test-set/test.en"


@pytest.fixture(scope="module")
def evaluation():
    systems = [(LONG, WORSE[:9]), (f"{LONG}.2", SENTENCES[:9])]
    sources = ["ein satz"] * 9
    return evaluate_systems(systems, [SENTENCES[:9]], ["bleu", "ter", "cider"], Options(), Resampling(), sources)


@pytest.mark.parametrize("columns", [80, 100])
def test_a_table_fits_into_the_terminal(evaluation, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    table = format_table(evaluation)
    assert columns - 15 < max(map(len, table.splitlines())) <= columns
    shortest = "".join(table.split())
    for name, result in evaluation.results.items():
        assert "".join(result.definition.split()) in shortest
        assert result.signature in shortest, name
    assert "…" in table
    assert "/of-the-test-set/test.en.2" in table if columns == 100 else "test.en.2" in table


def test_tables_do_not_fill_a_wide_terminal(evaluation, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    table = format_table(evaluation)
    assert max(map(len, table.split("paired bootstrap")[0].splitlines())) <= 110
    assert f"{LONG}.2" in table
