"""interacting-head analyze through the real command line."""

import csv
import json

import pytest

from tests.command_line import assert_refused, run
from tests.interacting_head.analysis import untrained_runs
from tests.interacting_head.export import exports

MODULE = "interacting_head.analyze"
GOLD = "0-0 1-1 2-2 3?3 4-4\n0-0 1-1\n0-0 2-2\n\n0-0 1-1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with three runs and a text."""
    folder = tmp_path_factory.mktemp("analyze")
    both = exports.subwords(folder)
    for scheme in ("dynamic_head_importance", "multi_layer", "multi_hop"):
        untrained_runs.make(folder / scheme, both, scheme=scheme)
    untrained_runs.write_text(folder)
    (folder / "gold").write_text(GOLD)
    (folder / "gold.short").write_text("0-0\n")
    (folder / "gold.beyond").write_text(GOLD.replace("0-0 1-1\n", "0-0 7-1\n", 1))
    return folder


TEXT = ("-i", "source.de", "-r", "target.en")


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


WRONG = {
    "a reference at the standard input": (["-r", "-"], "-r must be a file, not standard input: every run reads it"),
    "results in a run": (["-r", "target.en", "-o", "multi_hop"], "multi_hop is a run directory; name another folder"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_places_are_one_line_and_exit_code_2(folder, name):
    arguments, message = WRONG[name]
    found = run(folder, MODULE, "attention", "-m", "multi_hop", "-i", "source.de", *arguments)
    assert_refused(found, message)


@pytest.mark.slow
def test_attention_of_two_runs_is_a_table_numbers_and_figures(folder):
    options = ("--as-printed", "--sites", "cross")
    found = run(folder, MODULE, "attention", "-m", "multi_hop", "multi_layer", *TEXT, *options)
    assert found.code == 0, found.errors
    assert found.output.startswith("run")
    assert "multi_hop: skipped 1 empty sentence of source.de" in found.output
    table = rows(folder / "analysis" / "attention.csv")
    heads = [row for row in table if (row["run"], row["site"], row["layer"]) == ("multi_layer", "cross", "1")]
    assert [row["head"] for row in heads] == [
        *(f"encoder output {source}, head {head}" for source in (1, 2) for head in (1, 2)),
        "mean",
    ]
    for key in ("distance", "entropy"):
        assert float(heads[-1][key]) == pytest.approx(sum(float(row[key]) for row in heads[:-1]) / 4)
    assert len(json.loads((folder / "analysis" / "attention.json").read_text())["rows"]) == len(table)
    assert (folder / "analysis" / "attention-layers-as-printed.png").is_file()
    assert (folder / "analysis" / "attention-cross-entropy-as-printed.svg").is_file()


@pytest.mark.slow
def test_importance_of_runs_that_weigh_heads_at_different_places(folder):
    models = ("dynamic_head_importance", "multi_hop")
    found = run(folder, MODULE, "importance", "-m", *models, *TEXT, "--show", "1", "--parts", "2", "-o", "out")
    assert found.code == 0, found.errors
    places = {(row["run"], row["site"], row["layer"]) for row in rows(folder / "out" / "importance.csv")}
    assert places == {("multi_hop", "encoder", "2")} | {(models[0], x, "2") for x in ("encoder", "decoder", "cross")}
    names = {path.name for path in (folder / "out").iterdir()}
    assert {"importance.png", "importance-entropy.png", "importance-parts.png", "importance-sentence-1.png"} <= names


def test_alignments_come_as_pharaoh_lines_with_the_error_rate(folder):
    found = run(folder, MODULE, "alignment", "-m", "multi_hop", *TEXT, "--gold", "gold", "--show", "1", "-o", "aligned")
    assert found.code == 0, found.errors
    lines = (folder / "aligned" / "alignment.multi_hop.pharaoh").read_text().split("\n")
    sources, targets = untrained_runs.SOURCES, untrained_runs.TARGETS
    assert [len(line.split()) for line in lines] == [*(len(target.split()) for target in targets), 0]
    for line, source, target in zip(lines, sources, targets, strict=False):
        places = [tuple(map(int, link.split("-"))) for link in line.split()]
        assert all(i < len(source.split()) and j < len(target.split()) for i, j in places)
    (folder / "sign.de").write_text("die ▁ katze\nein hund\n")
    run(folder, MODULE, "alignment", "-m", "multi_hop", "-i", "sign.de", "--show", "0", "-o", "signs")
    assert (folder / "signs" / "alignment.multi_hop.pharaoh").read_text().startswith("\n")
    table = rows(folder / "aligned" / "alignment.csv")
    assert [(row["layer"], row["head"]) for row in table[-2:]] == [("2", "mean"), ("all", "mean")]
    assert all(0 <= float(row["aer"]) <= 1 for row in table)
    assert (folder / "aligned" / "alignment-sentence-1-multi_hop-heads.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["attention", "-m", "nowhere"], "nowhere is not a run directory"),
        (["attention", "-m", "multi_hop", "--sentences", "0"], "--sentences must be at least 1, got 0"),
        (["attention", "-m", "multi_hop", "-r", "target.en"], "-r is the reference translation of -i; give both"),
        (["attention", "-m", "multi_hop", "-i", "none.de"], "cannot read none.de"),
        (
            ["attention", "-m", "multi_hop", *TEXT, "-o", "gold"],
            "cannot write into gold: gold is a file; name a writable folder",
        ),
        (["importance", "-m", "multi_layer", *TEXT], "multi_layer: this model has no head importance"),
        (["importance", "-m", "multi_hop", "--parts", "0"], "--parts must be at least 1, got 0"),
        (["alignment", "-m", "multi_hop", "--layer", "3", *TEXT], "has the decoder layers 1 to 2"),
        (["alignment", "-m", "multi_hop", "--gold", "gold"], "give them with -i and -r"),
        (["alignment", "-m", "multi_hop", *TEXT, "--gold", "gold.short"], "gold.short has 1 line but source.de has 5"),
        (
            ["alignment", "-m", "multi_hop", *TEXT, "--gold", "gold.beyond"],
            "line 2: the gold alignment names source word",
        ),
    ],
)
def test_bad_input_gets_one_line(folder, arguments, message):
    assert_refused(run(folder, MODULE, *arguments), message)
    assert not (folder / "multi_hop" / "analysis").exists()
