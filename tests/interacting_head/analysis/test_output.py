import csv
import json

import numpy as np
import pytest
from matplotlib.figure import Figure

from interacting_head.analysis.base import Findings
from interacting_head.analysis.figures import HeatMap, draw_heat_maps, save_figure
from interacting_head.analysis.output import MOST_ROWS, as_csv, as_json, table, write

ROWS = [
    {"run": "a", "head": 1, "score": np.float32(0.5), "change": None},
    {"run": "longer", "head": 12, "score": float("nan"), "change": 12345.678},
]


def draw(figure):
    figure.subplots().plot([1, 2], label="$x$")


def test_tables_have_words_to_the_left_and_numbers_to_the_right():
    assert table(ROWS) == (
        "run     head  score    change\na          1    0.5         –\nlonger    12      –  1.23e+04\n"
    )
    assert table([]) == ""


def test_json_and_csv_hold_numpy_values_and_leave_missing_ones_empty():
    assert json.loads(as_json({"rows": ROWS, ("encoder", 1): np.eye(2), "count": np.int64(3)})) == {
        "rows": [{**ROWS[0], "score": 0.5}, {**ROWS[1], "score": None}],
        "('encoder', 1)": [[1, 0], [0, 1]],
        "count": 3,
    }
    lines = list(csv.DictReader(as_csv(ROWS).splitlines()))
    assert lines[0] == {"run": "a", "head": "1", "score": "0.5", "change": ""}
    assert lines[1]["score"] == ""


@pytest.mark.parametrize(("low", "limits"), [(0.1, (0.0, 0.6)), (-0.8, (-0.8, 0.8))])
def test_colours_of_a_heat_map_tell_negative_values_from_zero(low, limits):
    figure = Figure()
    draw_heat_maps(figure, [HeatMap("", np.array([[0.6, low]]), ["a"], ["b", "c"])])
    assert figure.axes[0].images[0].get_clim() == limits


def test_figures_are_the_same_bytes_each_time(tmp_path):
    for name in ("one", "other"):
        save_figure(draw, tmp_path / name)
    for suffix in ("png", "svg"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"other.{suffix}").read_bytes()


def test_everything_is_written_and_a_long_table_is_printed_in_part(tmp_path, capsys):
    findings = Findings(
        rows=[{"head": head} for head in range(100)],
        data={"more": [1, 2]},
        notes=["a note"],
        figures={"picture": draw},
        files={"links.txt": "0-0\n"},
    )
    written = write(findings, "verb", tmp_path / "new" / "folder", ["run"])
    assert set(written) == {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert set(written) == {"verb.json", "verb.csv", "picture.png", "picture.svg", "links.txt"}
    record = json.loads((tmp_path / "new" / "folder" / "verb.json").read_text())
    assert (record["runs"], record["notes"], record["more"], len(record["rows"])) == (["run"], ["a note"], [1, 2], 100)
    printed = capsys.readouterr().out
    assert "… 40 more rows in" in printed
    assert printed.endswith("a note\n")


def test_files_are_written_even_if_nobody_reads_the_table(tmp_path, monkeypatch):
    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", closed)
    with pytest.raises(BrokenPipeError):
        write(Findings([{"a": 1}]), "verb", tmp_path, ["run"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["verb.csv", "verb.json"]


def test_a_long_table_is_printed_as_its_summary(tmp_path, capsys):
    rows = [{"head": head} for head in [*range(100), "mean"]]
    write(Findings(rows=rows, summary=rows[-1:]), "verb", tmp_path, ["run"])
    head, mean, more = capsys.readouterr().out.splitlines()
    assert (head, mean) == ("head", "mean")
    assert more.startswith("… 100 more rows in")
    write(Findings(rows=rows[-3:], summary=rows[-1:]), "verb", tmp_path, ["run"])
    assert capsys.readouterr().out.split() == ["head", "98", "99", "mean"]


def test_summaries_are_cut_like_other_tables(tmp_path, capsys):
    rows = [{"head": head} for head in range(200)]
    write(Findings(rows=rows, summary=rows[100:]), "verb", tmp_path, ["run"])
    *_, last, more = capsys.readouterr().out.splitlines()
    assert (last.strip(), more.split()[1]) == (str(100 + MOST_ROWS - 1), str(200 - MOST_ROWS))
