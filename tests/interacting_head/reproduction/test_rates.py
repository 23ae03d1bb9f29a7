"""Tables of learning rates: the first seed of a row chooses, the other seeds are trained with the chosen rate."""

import pytest
from matplotlib.figure import Figure

from interacting_head.reproduction.claims import HOLDS, INCONCLUSIVE
from interacting_head.reproduction.command_line import further_runs, listed
from interacting_head.reproduction.figures import draw_rates
from interacting_head.reproduction.report import rates
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.scored import Rates
from interacting_head.reproduction.tables import TABLES, Run
from tests.interacting_head.reproduction.made_up import entry, record, statistics

TABLE = TABLES["interacting/folded"]
OWN, STANDARD = "knocking_heads, own parameters", "knocking_heads, standard parameters"
COLUMNS = ("0.0015", "0.003", "0.006")


def write(results, row, column, seed, score, share=0.8, table=TABLE):
    """Store a made-up run of a cell that has converged."""
    [experiment] = [cell.experiment for cell in table.cells if (cell.row, cell.column) == (row, column)]
    run = Run(experiment, seed)
    found = record(run, {test: {"sacrebleu": entry(score), "bleu": entry(score)} for test in ("dev", "test")})
    for step in found["log"]:
        step["validation_loss"] = 2.0
    results.write_run(run.name, found, {("test", "sacrebleu"): statistics(seed, share)})
    return run


@pytest.fixture
def results(tmp_path):
    """Results in which 0.003 is the best rate of both rows for the first seed."""
    results = Results(tmp_path)
    for row in (OWN, STANDARD):
        for column, score in zip(COLUMNS, (30.0, 31.0, 29.0), strict=True):
            write(results, row, column, 1, score)
    return results


def test_further_seeds_are_trained_with_the_rate_that_the_first_one_chose(results):
    runs = further_runs(TABLE, 3, True, results)
    chosen = [cell.experiment for cell in TABLE.cells if cell.row in (OWN, STANDARD) and cell.column == "0.003"]
    assert runs == [Run(experiment, seed) for seed in (2, 3) for experiment in chosen]
    assert further_runs(TABLE, 1, True, results) == []


def test_further_seeds_are_trained_in_cells_that_a_claim_names(tmp_path):
    table = TABLES["interacting/learning_rate"]
    runs = further_runs(table, 2, True, Results(tmp_path))
    lowest = [cell.experiment for cell in table.cells if cell.column == "0.00075"]
    assert runs == [Run(experiment, 2) for experiment in lowest]
    [_, line] = listed([table], 3, Results(tmp_path))
    assert int(line.split()[1]) == len(table.cells) + 2 * (len(lowest) + len({cell.row for cell in table.cells}))


def test_later_seeds_do_not_change_the_choice(results):
    for seed in (2, 3):
        write(results, OWN, "0.003", seed, 20.0)
    assert Rates(TABLE, True, 3, results).best_column(OWN) == "0.003"


def test_a_row_that_lacks_a_rate_has_no_best_one(results):
    scored = Rates(TABLE, True, 3, results)
    assert scored.best_column("interacting_head, own parameters") is None
    write(results, "interacting_head, own parameters", "0.003", 1, 30.0)
    assert Rates(TABLE, True, 3, results).best_column("interacting_head, own parameters") is None
    lines = rates(scored)
    assert [line.split(" | ")[:2] for line in lines[2:4]] == [[f"| {OWN}", "0.003"], [f"| {STANDARD}", "0.003"]]
    assert lines[4] == ""


@pytest.mark.parametrize(
    ("others", "word"),
    [((31.0, 31.01), HOLDS), ((31.1, 30.9), HOLDS), ((28.0, 35.0), INCONCLUSIVE)],
)
def test_rows_are_compared_at_their_best_rates(results, others, word):
    for seed, score in enumerate(others, start=2):
        write(results, OWN, "0.003", seed, score)
        write(results, STANDARD, "0.003", seed, 31.0)
    [claim] = [claim for claim in TABLE.claims if claim.statement.startswith("knocking_heads learns")]
    verdict = claim.decide(Rates(TABLE, True, 3, results))
    assert verdict.word == word
    assert "0.003" in verdict.reason


def test_the_list_counts_one_rate_of_each_row_for_further_seeds(tmp_path):
    [_, line] = listed([TABLE], 3, Results(tmp_path))
    assert int(line.split()[1]) == 30 + 2 * 10


def test_a_table_with_many_schemes_shows_each_at_its_best_rate(tmp_path):
    table, results, figure = TABLES["interacting/schemes"], Results(tmp_path), Figure()
    for scheme, best in (("multi_head", "0.006"), ("talking_heads", "0.0015")):
        for column in COLUMNS:
            write(results, f"{scheme}, 8 heads", column, 1, 31.0 if column == best else 30.0, table=table)
        write(results, f"{scheme}, 8 heads", best, 2, 33.0, table=table)
    draw_rates(Rates(table, True, 2, results), figure)
    few, many = figure.axes
    assert (few.get_title(), many.get_title()) == ("4 heads", "8 heads")
    assert len(few.lines) == 0
    points, mean, baseline, *others = [line.get_xydata().tolist() for line in many.lines]
    assert points == [[31.0, 0.0], [33.0, 0.0]]
    assert mean == [[32.0, 0.0]]
    assert [x for x, _ in baseline] == [32.0, 32.0]
    assert others == [[[31.0, 2.0], [33.0, 2.0]], [[32.0, 2.0]]]
    assert [label.get_text() for label in few.get_yticklabels()][:3] == [
        "multi_head",
        "fixed_head_size",
        "talking_heads",
    ]
