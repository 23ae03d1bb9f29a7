"""Reports of made-up results: the same to the byte each time, with the numbers that are stored."""

import math
import re
from statistics import fmean, stdev

import pytest
from matplotlib.figure import Figure

from data.errors import InputError
from interacting_head.reproduction.claims import FAILS, HOLDS, NO_DIFFERENCE, NOT_RUN, UNDECIDED, Better, Verdict
from interacting_head.reproduction.command_line import write_report
from interacting_head.reproduction.figures import draw_scores
from interacting_head.reproduction.report import HEADER, decided_claims, report
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.scored import CONVERGED, Scored, fall_at_end, result_name
from interacting_head.reproduction.scoring import SEARCH_ENDS
from interacting_head.reproduction.tables import TABLES, Run
from tests.interacting_head.reproduction.made_up import entry, record, statistics

UNAVAILABLE = "METEOR needs Java, but 'java' was not found"
SMALL = ("interacting_head", "h = 8"), ("multi_head", "h = 8"), ("multi_head", "h = 16")
"""Cells of li_luo/3 that have been run in small size, with two seeds each."""


def quickstart_score(run):
    return 20.0 + 10 * run.seed + int(run.experiment.variant[-1])


def small_score(run, test):
    heads = int(re.search(r"_h(\d+)", run.experiment.recipe)[1])
    return {"dev": 30.0, "test": 20.0}[test] + heads / 8 + run.seed / 100


def small_runs():
    cells = {cell.experiment: (cell.row, cell.column) for cell in TABLES["li_luo/3"].in_size(True).cells}
    runs = TABLES["li_luo/3"].in_size(True).runs(2)
    return {run: cells[run.experiment] for run in runs if cells[run.experiment] in SMALL}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with results of all runs of quickstart/heads and some of li_luo/3 in small size."""
    folder = tmp_path_factory.mktemp("out")
    results = Results(folder / "results" / "reproduction")
    for run in TABLES["quickstart/heads"].runs(2):
        scores = {"test": {"sacrebleu": entry(quickstart_score(run)), "bleu": entry(1.5, "bleu")}}
        kept = {("test", "sacrebleu"): statistics(run.seed, 0.9)}
        results.write_run(run.name, record(run, scores), kept)
    for run in small_runs():
        scores = {
            test: {"sacrebleu": entry(small_score(run, test)), "meteor": {"unavailable": UNAVAILABLE}}
            for test in ("dev", "test")
        }
        kept = {(test, "sacrebleu"): statistics(run.seed, 0.8) for test in scores}
        results.write_run(run.name, record(run, scores, seconds=120.0), kept)
    return folder


@pytest.fixture(scope="module")
def reported(folder):
    return report(Results(folder / "results" / "reproduction"), seeds=3)


def section(markdown, name):
    """The text of a table in a report."""
    [found] = [part for part in markdown.split("\n## ") if part.startswith(name)]
    return found


def grid(section, caption):
    """`{(row, column): text}` of the table that follows a line."""
    lines = section.split(caption)[1].strip("\n").splitlines()
    _, *columns, _ = (word.strip() for word in lines[0].split("|")[1:])
    found = {}
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        row, *texts, _ = (word.strip() for word in line.split("|")[1:])
        found.update({(row, column): text for column, text in zip(columns, texts, strict=True)})
    return found


def test_a_report_is_the_same_to_the_byte_each_time(folder):
    results = Results(folder / "results" / "reproduction")
    written = []
    for _ in range(2):
        write_report(results, 3, folder)
        written.append({path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()})
    assert written[0] == written[1]
    names = {path.name for path in written[0]}
    assert {"REPRODUCTION.md", "REPRODUCTION.json"} < names
    figures = {f"{name}.{suffix}" for name in ("quickstart_heads", "li_luo_3_small") for suffix in ("png", "svg")}
    assert figures < names
    text = (folder / "REPRODUCTION.md").read_text(encoding="utf-8")
    for link in re.findall(r"!\[.*\]\((.*)\)", text):
        assert (folder / link).is_file()
    assert text.count("![") == 6  # li_luo/9 and interacting/… share runs with li_luo/3


DAMAGED = {
    "runs/{}.json": "{} is damaged; restore it, or remove it to make it again",
    "runs/{}.npz": "{} is damaged; restore it, or remove .*.json to score the run again",
    "discussion.md": "{} is not UTF-8; save it as UTF-8",
}


def read(results, run):
    report(results, 1)
    results.statistics(run.name)


@pytest.mark.parametrize("place", DAMAGED)
def test_a_damaged_result_is_named(tmp_path, place):
    results, run = Results(tmp_path), TABLES["quickstart/heads"].runs(1)[0]
    results.write_run(run.name, record(run, {}), {("test", "sacrebleu"): statistics(1, 0.5)})
    path = results.folder / place.format(run.name)
    path.write_bytes((path.read_bytes() if path.is_file() else b"")[:100] + b"\xff")
    with pytest.raises(InputError, match=DAMAGED[place].format(re.escape(str(path)))):
        read(results, run)


def test_a_result_with_an_unknown_configuration_key_is_named(tmp_path):
    results, run = Results(tmp_path), TABLES["quickstart/heads"].runs(1)[0]
    stored = record(run, {})
    stored["config"]["train"]["max_stps"] = 5
    results.write_run(run.name, stored, {})
    message = rf"{re.escape(run.name)}\.json: unknown configuration key train\.max_stps; did you mean .*; correct it"
    with pytest.raises(InputError, match=message):
        report(results, 1)


def test_missing_statistics_of_a_stored_run_are_named(tmp_path):
    with pytest.raises(InputError, match=r"a\.npz is missing; restore it, or remove a\.json to score the run again"):
        Results(tmp_path).statistics("a")


def test_only_tables_with_results_are_reported(reported):
    markdown, found = reported
    assert markdown.startswith(HEADER)
    sharing = "interacting/learning_rate", "interacting/schemes", "interacting/folded"
    assert set(found) == {"quickstart/heads", "li_luo/3 (small)", "li_luo/9 (small)", *sharing}
    tables = ["li_luo/3,", "li_luo/9,", *(f"{name}:" for name in sharing), "quickstart/heads"]
    assert re.findall(r"\n## (\S+)", markdown) == ["Decided", "Claims", *tables]


def test_decided_claims_have_a_row_by_table_and_a_column_by_verdict():
    words = {"a": HOLDS, "b": UNDECIDED, "c": FAILS, "d": HOLDS}, {"e": NOT_RUN}, {"f": NO_DIFFERENCE}
    claims = [
        (table, Better(statement, "§ 1", "row", "other row"), Verdict(word, "a reason"))
        for table, verdicts in zip(("paper/1", "paper/2", "paper/3"), words, strict=True)
        for statement, word in verdicts.items()
    ]
    heading, _, *table, counts, not_run, _ = decided_claims(claims)
    assert heading == "## Decided claims"
    assert table[0] == "| table | holds here | does not hold here | no difference larger than 0.5 |"
    assert table[2:4] == ["| paper/1 | a<br>d | c |  |", "| paper/3 |  |  | f |"]
    words = "holds here, 2; does not hold here, 1; no difference larger than 0.5, 1; inconclusive, 0; not decided, 1"
    assert counts == f"Verdicts on 5 claims: {words}."
    assert not_run.startswith("Not run: 1 claims ")


def test_without_decided_claims_there_is_no_table_of_them():
    claims = [("paper/1", Better("a", "§ 1", "row", "other row"), Verdict(UNDECIDED, "a reason"))]
    assert not [line for line in decided_claims(claims) if line.startswith("|")]


def test_scores_are_mean_and_deviation_of_the_stored_ones(reported):
    markdown, found = reported
    table = grid(section(markdown, "quickstart/heads"), "test, `sacrebleu`:")
    assert len(table) == 4
    for cell in TABLES["quickstart/heads"].cells:
        runs = [run for run in TABLES["quickstart/heads"].runs(2) if run.experiment == cell.experiment]
        scores = [quickstart_score(run) for run in runs]
        assert table[cell.row, cell.column] == f"{fmean(scores):.2f} ± {stdev(scores):.2f} (2)"
        [stored] = [
            one for one in found["quickstart/heads"]["cells"] if (one["row"], one["column"]) == (cell.row, cell.column)
        ]
        assert stored["ours"]["test"]["sacrebleu"] == {
            "mean": pytest.approx(fmean(scores)),
            "deviation": pytest.approx(stdev(scores)),
            "seeds": 2,
        }
        assert stored["runs"] == [run.name for run in runs]


def test_seeds_beyond_the_requested_number_do_not_count(folder):
    markdown, _ = report(Results(folder / "results" / "reproduction"), seeds=1)
    table = grid(section(markdown, "quickstart/heads"), "test, `sacrebleu`:")
    assert table["multi_head", "h = 2"] == "32.00"
    assert "- 4 runs, " in section(markdown, "quickstart/heads")


@pytest.mark.parametrize("test", ["dev", "test"])
def test_a_missing_cell_is_a_dash_with_the_number_of_the_paper(reported, test):
    table = TABLES["li_luo/3"].in_size(True)
    text = section(reported[0], "li_luo/3, small: dev, test_2016_flickr")
    ours, theirs = grid(text, f"{test}, `sacrebleu`:"), grid(text, f"{test}, `bleu` (the paper's BLEU):")
    for cell in table.cells:
        place = cell.row, cell.column
        scores = [small_score(run, test) for run, where in small_runs().items() if where == place]
        assert ours[place] == (f"{fmean(scores):.2f} ± {stdev(scores):.2f} (2)" if place in SMALL else "–")
        printed = cell.printed.get((test, "BLEU"))
        assert theirs[place] == "–" + (f" [{printed:.2f}]" if printed is not None else "")


def test_full_size_tables_show_the_difference_from_the_paper(tmp_path):
    table, results = TABLES["li_luo/3"], Results(tmp_path)
    [cell] = [cell for cell in table.cells if (cell.row, cell.column) == ("multi_head", "h = 8")]
    for seed, bleu in ((1, 24.0), (2, 25.0)):
        run = Run(cell.experiment, seed)
        results.write_run(run.name, record(run, {"test": {"bleu": entry(bleu, "bleu")}}), {})
    markdown, _ = report(results, seeds=3)
    scores = grid(section(markdown, "li_luo/3"), "test, `bleu` (the paper's BLEU):")
    assert scores["multi_head", "h = 8"] == "24.50 ± 0.71 (2) [24.38, +0.12]"
    assert scores["multi_head", "h = 16"] == "– [25.18]"


def test_a_metric_that_is_unavailable_is_named_with_its_reason(reported):
    assert f"\n- not computed, `meteor`: {UNAVAILABLE}\n" in section(reported[0], "li_luo/3")
    assert "not computed" not in section(reported[0], "quickstart/heads")


def test_signatures_processors_and_times_are_listed(reported):
    text = section(reported[0], "li_luo/3")
    assert "\n- signature of `sacrebleu`: `sacrebleu|version:made-up`\n" in text
    assert (
        "\n- 6 runs, 0.2 hours of training (2.0 to 2.0 minutes each, including any delays by other work on the machine)"
        ", a processor\n" in text
    )


def test_rows_are_named_that_were_trained_several_at_a_time(tmp_path):
    table, results = TABLES["quickstart/heads"], Results(tmp_path)
    row, runs = table.cells[0].row, table.runs(2)
    in_row = [run for run in runs if run.experiment in {cell.experiment for cell in table.cells if cell.row == row}]
    for run in runs:
        one = record(run, {"test": {"sacrebleu": entry(quickstart_score(run))}})
        results.write_run(run.name, one | ({"trained_together": 3} if run in in_row and run.seed == 2 else {}), {})
    text = section(report(results, seeds=2)[0], "quickstart/heads")
    [line] = [line for line in text.splitlines() if line.startswith("- trained several at a time")]
    assert line.endswith(f", each counted with its share of the time: {row} ({len(in_row) // 2} of {len(in_row)})")


def test_scores_from_searches_that_could_end_too_early_are_counted(tmp_path):
    runs = TABLES["quickstart/heads"].runs(1)
    results = Results(tmp_path)
    for number, run in enumerate(runs):
        one = record(run, {"test": {"sacrebleu": entry(quickstart_score(run))}})
        if number:
            one |= {"search_ends": SEARCH_ENDS}
        results.write_run(run.name, one, {})
    markdown, _ = report(results, seeds=1)
    assert "- 1 of the runs translated with the beam search of version 0.2" in section(markdown, "quickstart/heads")


def test_costs_are_means_over_the_runs_that_have_a_record_of_them(tmp_path):
    table, results = TABLES["quickstart/heads"], Results(tmp_path)
    for run in table.runs(2):
        one = record(run, {"test": {"sacrebleu": entry(quickstart_score(run))}})
        if run.seed == 2:
            one |= {"parameters": 1_234_567, "epoch_seconds": 9.6, "sentences_per_second": 50.2, "peak_memory": 2**30}
        results.write_run(run.name, one, {})
    text = section(report(results, seeds=2)[0], "quickstart/heads")
    row = table.cells[0].row
    first = next(line for line in text.split("Parameters, ")[1].splitlines() if line.startswith(f"| {row} |"))
    assert first.startswith(f"| {row} | 1.23 M, 10 s, 50/s, 1.00 GiB |")
    assert "Parameters, " not in section(report(results, seeds=1)[0], "quickstart/heads")


def test_computed_yisi_1_is_shown_with_the_number_of_the_paper(tmp_path):
    table, results = TABLES["li_luo/3"], Results(tmp_path)
    [run] = [run for run in table.runs(1) if run.experiment == table.cells[0].experiment]
    results.write_run(run.name, record(run, {"test": {"yisi1": entry(70.0, "yisi1")}}), {})
    text = section(report(results, seeds=1)[0], "li_luo/3")
    printed = table.cells[0].printed["test", "YiSi"]
    shown = grid(text, "test, `yisi1` (the paper's YiSi):")["multi_head", "h = 2"]
    assert shown == f"70.00 [{printed:.2f}, {70 - printed:+.2f}]"


def test_settings_in_which_all_runs_differ_from_the_paper_are_listed(reported):
    [line] = [line for line in section(reported[0], "li_luo/3").splitlines() if line.startswith("- settings that")]
    settings = dict(one.split("=", 1) for one in re.findall(r"`(.*?)`", line))
    run = next(iter(small_runs()))
    for setting in TABLES["li_luo/3"].small.settings:
        key, value = setting.split("=")
        assert settings[key] == value
    assert settings["data.corpus"] == run.config.data.corpus == "multi30k"
    assert not {"train.seed", "model.attention.num_heads", "model.attention.scheme"} & set(settings)
    assert "settings that differ" not in section(reported[0], "quickstart/heads")


def test_claims_whose_cells_are_missing_count_as_not_run(reported):
    markdown, found = reported
    claims = {one["claim"]: one for one in found["li_luo/3 (small)"]["claims"]}
    assert len(claims) == len(TABLES["li_luo/3"].in_size(True).claims)
    words = [one["word"] for one in claims.values()]
    assert words == [NOT_RUN] * len(words)
    beats = claims["interacting heads beat multi-head attention at every number of heads up to 8"]
    assert beats["reason"].startswith("so far h = 8: +0.00 [+0.00, +0.00] over seeds, [")  # one has both rows
    sizes = [(table, size) for table in TABLES.values() for size in ((False, True) if table.small else (False,))]
    total = sum(len(table.in_size(size).claims) for table, size in sizes)
    listed = [line for line in section(markdown, "Claims").splitlines() if "| **" in line]
    assert len(listed) == 1
    assert listed[0].startswith("| quickstart/heads | ")
    assert "| **not decided** | h = 2: " in listed[0]  # the effect follows the word
    assert f"\nNot run: {total - 1} claims on full-size tables or on tables that lack cells.\n" in markdown


def test_losses_and_times_have_separate_tables(tmp_path):
    results = Results(tmp_path)
    losses, times = TABLES["multi_hop/5"], TABLES["li_luo/6"].in_size(True)
    for run in losses.runs(2):
        results.write_run(run.name, record(run, {"test": {"sacrebleu": entry(20.0)}}), {})
    seconds = {"multi_head": {"h = 16": 10.0}, "interacting_head, printed loop": {"h = 16": 21.0}}
    name = result_name(times, True)
    digests = {row: {} for row in seconds}
    for cell in times.cells:
        if cell.column in seconds.get(cell.row, {}):
            digests[cell.row][cell.column] = cell.experiment.digest
    measured = {"how": "by a clock", "seconds": seconds}
    measured |= {"precision": {"h = 16": "float32"}, "processor": {"h = 16": "a processor"}}
    results.write("epoch_seconds", name, {**measured, "digests": digests})
    markdown, found = report(results, seeds=3)
    text = section(markdown, "multi_hop/5")
    validations = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| \d", line)]
    assert [line[0] for line in validations] == ["1", "2"]
    for (number, *of_cells), step in zip(validations, (100, 200), strict=True):
        for cell, words in zip(losses.cells, of_cells, strict=True):
            printed = cell.printed.get((f"epoch {number}", "loss"))
            ours = f"{(4 - step / 100 - 0.15) / math.log(2):.3f}"  # the paper's logarithms are to base 2
            assert words == (ours if printed is None else f"{ours} [{printed:.2f}]")
    text = section(markdown, "li_luo/6, small\n")
    table = grid(text, "[the paper's]:")
    assert set(table) == {
        (row, column) for row in {c.row for c in times.cells} for column in {c.column for c in times.cells}
    }
    assert table["multi_head", "h = 16"] == "10.0 (1.00) [690 (1.00)]"
    assert table["interacting_head, printed loop", "h = 16"] == "21.0 (2.10) [1470 (2.13)]"
    assert table["multi_head", "h = 8"] == "– [655 (1.00)]"
    assert text.endswith("by a clock; float32, a processor.\n")
    assert found["li_luo/6 (small)"]["seconds"] == seconds
    results.write("epoch_seconds", name, {**measured, "digests": {"multi_head": digests["multi_head"]}})
    text = section(report(results, seeds=3)[0], "li_luo/6, small\n")
    shown = grid(text, "[the paper's]:")["interacting_head, printed loop", "h = 16"]
    assert shown == "– [1470 (2.13)]"  # of another configuration
    claims = [(one["word"], one["reason"]) for one in found["li_luo/6 (small)"]["claims"]]
    assert claims == [("inconclusive", "h = 16: 2.10 times"), *[(NOT_RUN, "")] * 3]


def test_the_fall_of_the_loss_is_measured_in_the_last_fifth():
    def fall(*losses):
        return fall_at_end([{"step": 100 * number, "validation_loss": x} for number, x in enumerate(losses, start=1)])

    assert fall(5.0, 4.0, 3.0, 2.0, 1.9) == pytest.approx(0.05)
    assert fall(5.0, 4.0, 3.0, 2.0, 1.99) == pytest.approx(CONVERGED / 2)
    assert fall(5.0, 4.0) == pytest.approx((4.4 - 4.0) / 4.4)  # 1.6 of two validations: between them
    assert fall(5.0, 4.0, 4.5) < 0
    assert fall(4.0) == math.inf


def test_a_side_has_converged_by_the_mean_over_its_seeds():
    table = object.__new__(Scored)
    falls = {"little": 0.004, "much": 0.015, "more": 0.018}
    table.records = {
        name: {"log": [{"step": step, "validation_loss": loss} for step, loss in ((80, 2.0), (100, 2.0 * (1 - fall)))]}
        for name, fall in falls.items()
    }

    def converged(*names):
        return table.have_converged([(name, "c") for name in names])

    assert converged("little")
    assert converged("little", "much")
    assert not converged("much")
    assert not converged("little", "more")


def test_a_side_catches_up_if_as_much_training_again_closes_the_gap():
    def record(*losses, corpus="multi30k", smoothing=0.1):
        log = [{"step": 100 * number, "validation_loss": loss} for number, loss in enumerate(losses, start=1)]
        return {"config": {"data": {"corpus": corpus}, "train": {"label_smoothing": smoothing}}, "log": log}

    table = object.__new__(Scored)
    losses = {"slow": (5.0, 4.0, 3.0, 2.0, 1.9), "near": (3.0, 2.0, 1.8, 1.6, 1.5), "far": (3.0, 2.0, 1.8, 1.6, 1.4)}
    table.records = {name: record(*one) for name, one in losses.items()} | {"first": record(4.0)}
    table.records |= {"other text": record(1.0, corpus="mix"), "smoothed": record(1.0, smoothing=0.4)}
    # The loss 1.9 falls by 5 % in a fifth: 1.9 · 0.95⁵ = 1.47.
    ours = {other: table.catch_up([("slow", "c")], [(other, "c")]) for other in table.records}
    expected = {"slow": True, "near": True, "far": False, "first": True, "other text": True, "smoothed": True}
    assert ours == expected
    assert table.catch_up([("first", "c")], [("far", "c")])  # how fast it falls is not known
    # Means over seeds: the loss 1.9 falls by 2.5 %, and 1.9 · 0.975⁵ = 1.674.
    table.records |= {"flat": record(2.0, 1.9, 1.9, 1.9, 1.9), "a": record(1.4), "b": record(1.93), "c": record(1.96)}
    sides = [[(name, "c") for name in names] for names in (("slow", "flat"), ("a", "b"), ("a", "c"))]
    assert [table.catch_up(sides[0], other) for other in sides[1:]] == [False, True]
    # Seeds may draw different text, as long as partners share it.
    table.records |= {"other slow": record(5.0, 4.0, 3.0, 2.0, 1.9, corpus="mix"), "other b": record(1.4, corpus="mix")}
    assert not table.catch_up([("slow", "c"), ("other slow", "c")], [("a", "c"), ("other b", "c")])
    assert table.catch_up([("other slow", "c"), ("slow", "c")], [("a", "c"), ("other b", "c")])


def test_the_steps_of_every_run_are_reported(reported):
    text = section(reported[0], "li_luo/3")
    assert "\n- steps: 200\n" in text
    [line] = [line for line in section(reported[0], "li_luo/9").splitlines() if line.startswith("- steps")]
    assert line == "- steps: 200"


def test_settings_in_which_runs_differ_are_reported_for_each(tmp_path):
    table, results = TABLES["dhicm/3"].in_size(True), Results(tmp_path)
    for run in table.runs(1):
        results.write_run(run.name, record(run, {"test": {"sacrebleu": entry(20.0)}}), {})
    markdown, _ = report(results, seeds=1)
    lines = [line for line in section(markdown, "dhicm/3").splitlines() if line.startswith("- additional settings of ")]
    for corpus, column in (("tatoeba_en-be", "Be-En"), ("tatoeba_en-hi", "Hi-En")):
        [line] = [line for line in lines if f"`data.corpus={corpus}`" in line and "DHICM" in line]
        assert column in line
        assert "`train.max_steps=" in line


def test_the_points_of_a_column_stand_side_by_side(folder):
    scored = Scored(TABLES["quickstart/heads"], False, 2, Results(folder / "results" / "reproduction"))
    figure = Figure()
    draw_scores(scored, figure)
    [axes] = figure.axes
    places = [x for row in axes.containers for x in row.lines[0].get_xdata()]
    assert sorted(map(round, places)) == [0, 0, 1, 1]
    assert len(set(places)) == 4


@pytest.mark.parametrize(("name", "style"), [("li_luo/3", "-"), ("dhicm/3", "None")])
def test_only_columns_in_an_order_are_joined_by_lines(tmp_path, name, style):
    table, results = TABLES[name].in_size(True), Results(tmp_path)
    for run in table.runs(1):
        scores = {test: {"sacrebleu": entry(20.0)} for test in table.tests}
        results.write_run(run.name, record(run, scores), {})
    figure = Figure()
    draw_scores(Scored(table, True, 1, results), figure)
    assert {row.lines[0].get_linestyle() for row in figure.axes[0].containers} == {style}
