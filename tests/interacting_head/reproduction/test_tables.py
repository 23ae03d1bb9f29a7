"""Tables: their recipes, runs, test sets and metrics, and the papers' numbers in their cells."""

import dataclasses
from collections import Counter

import pytest

from data.corpora.corpus import open_corpus
from data.corpora.mixes import parse_mix
from data.corpora.registry import KNOWN_CORPORA
from interacting_head.analysis.command_line import parse_arguments
from interacting_head.metrics import METRICS
from interacting_head.recipes import RECIPES, paper_tables
from interacting_head.recipes.multi_hop import layers_of
from interacting_head.reproduction.claims import SameSize, Slower
from interacting_head.reproduction.statistics import LOSS
from interacting_head.reproduction.tables import TABLES, Run
from tests import skip_reasons
from tests.data.conftest import CORPORA
from tests.interacting_head.reproduction.printed import printed_gains

SIZED = [
    (name, small)
    for name, table in TABLES.items()
    for small in (False, True)
    if table.cells and (table.small is not None or not small)
]
UNPRINTED = "§ 4.2, figure 3", "§ 4.6.2", "§ 4.6.4", "§ 7"
"""Sections with claims for which their papers print no numbers."""
WITHOUT_NUMBERS = (
    "dhicm/layers",
    "dhicm/figure_1",
    "dhicm/figure_2",
    "dhicm/figure_3",
    "mlmha/figure_3",
    "mlmha/figure_8",
)
"""Tables and figures without any."""
PAPERS = {"li_luo", "dhicm", "multi_hop", "mlmha"}
LI_LUO = {"3": "table3", "4": "table4", "5": "table5"}


def sized(name, small):
    return TABLES[name].in_size(small)


def test_every_paper_has_tables():
    assert {name.split("/")[0] for name in TABLES} == {*PAPERS, "interacting", "quickstart"}
    assert all(bool(table.cells) != bool(table.command) for table in TABLES.values())


@pytest.mark.parametrize(("name", "small"), SIZED)
def test_each_cell_is_a_known_recipe_whose_configuration_can_be_made(name, small):
    table = sized(name, small)
    assert table.cells
    runs = {run.experiment: run for run in TABLES[name].in_size(small).runs(1)}
    for cell in table.cells:
        assert cell.experiment.recipe in RECIPES
        run = runs.get(cell.experiment, Run(cell.experiment, 1))
        assert run.config.train.seed == 1
        if small:
            assert cell.experiment.recipe.endswith("_small")


@pytest.mark.parametrize(("name", "small"), SIZED)
def test_a_place_holds_one_cell_and_an_experiment_has_one_place(name, small):
    table = sized(name, small)
    assert max(Counter((cell.row, cell.column) for cell in table.cells).values()) == 1
    if table.measure in ("analysis", "by_length"):  # columns are places in a model, or lengths
        return
    assert max(Counter(cell.experiment for cell in table.cells).values()) == 1


def test_a_name_of_a_run_means_one_recipe_and_configuration_in_all_tables():
    trainings, tests = {}, {}
    for name, small in SIZED:
        table = sized(name, small)
        for run in table.runs(2):
            training = run.experiment.recipe, run.config
            assert trainings.setdefault(run.name, training) == training
            cell = next(cell for cell in table.cells if cell.experiment == run.experiment)
            for test, splits in table.splits_of(cell).items():  # one store serves all tables that share the run
                assert tests.setdefault((run.name, test), splits) == splits


def test_runs_are_ordered_by_seed_without_duplicates():
    runs = sized("li_luo/3", True).runs(3)
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert len(set(runs)) == len(runs) == 3 * len(sized("li_luo/3", True).cells) == 3 * (5 * 5 + 4 + 3)
    assert runs[0].name == f"ih_iwslt16_de_en_multi_head_h2_small-seed1-{runs[0].experiment.digest}"


def test_another_setting_gives_a_run_another_name():
    run = sized("li_luo/3", True).runs(1)[0]

    def with_setting(setting):
        settings = *run.experiment.settings, setting
        return run._replace(experiment=dataclasses.replace(run.experiment, settings=settings))

    assert len({run.name, run._replace(seed=2).name, with_setting("train.max_steps=251").name}) == 3
    assert with_setting(f"train.max_steps={run.config.train.max_steps}").name == run.name


def test_each_seed_draws_its_own_subset_of_a_corpus():
    for name in ("dhicm/4", "li_luo/3"):
        for run in sized(name, False).runs(3):
            drawn = run.config.data.train_pairs is not None
            assert run.config.data.seed == (run.seed if drawn else 1)
            assert (f"data.seed={run.seed}" in run.settings) == drawn == (name == "dhicm/4" and "160k" not in run.name)


@pytest.mark.parametrize(("name", "small"), SIZED)
def test_metrics_and_test_sets_of_claims_exist(name, small):
    table = sized(name, small)
    if table.analysis:
        assert {claim.metric for claim in table.claims} <= set(table.metrics)
        return
    assert set(table.metrics) <= set(METRICS)
    assert set(table.printed_metrics.values()) <= ({LOSS} if table.measure == "losses" else set(METRICS))
    assert table.metrics[0] == "sacrebleu"
    for claim in table.claims:
        if table.measure == "scores":
            assert claim.test in table.tests
            assert claim.metric in table.metrics


@pytest.mark.parametrize(("name", "small"), [*((name, small) for name, small in SIZED if not small), ("mlmha/6", True)])
def test_each_claim_holds_of_the_numbers_that_the_paper_prints(name, small):
    table = sized(name, small)  # small tables of other papers have other numbers of heads or pairs
    for claim in table.claims:
        gains = printed_gains(claim, table)
        assert all(gain > 0 for gain in gains), (claim.statement, gains)
        # This project's own claims are about rows that the paper does not have.
        assert gains or not claim.source or claim.source in UNPRINTED or name in WITHOUT_NUMBERS, claim.statement


@pytest.mark.parametrize(("name", "small"), SIZED)
def test_claims_are_about_cells_of_the_table(name, small):
    table = TABLES[name].in_size(small)
    # Cells of both sizes: claims of a small table may name cells that it lacks.
    cells = list(dict.fromkeys((cell.row, cell.column) for one in (TABLES[name], table) for cell in one.cells))
    for claim in table.claims:
        if isinstance(claim, Slower):
            assert {(row, column) for row in (claim.row, claim.baseline) for column in claim.columns} <= set(cells)
            continue
        if isinstance(claim, SameSize):
            assert {cell for both in claim.pairs for cell in both} <= set(cells)
            continue
        contrasts = claim.contrasts(cells, lambda cell: 0.0)
        assert contrasts
        assert {cell for contrast in contrasts for _, cell in contrast.terms} <= set(cells)
        if hasattr(claim, "pairs"):
            assert len(contrasts) == len(claim.pairs)


def published_splits(corpus):
    """The splits of a corpus, or a mix, in the registry."""
    if "+" in corpus:
        return set.union(*({"train", "dev"}, *(published_splits(part.corpus) for part in parse_mix(corpus))))
    known = KNOWN_CORPORA[corpus]
    splits = known.splits if hasattr(known, "splits") else [file.split for file in known.files]
    # Some exist in two of more languages only, whose codes follow a point.
    return {split.split(".")[0] for split in splits} | ({"dev", "test"} if getattr(known, "cut", None) else set())


@pytest.mark.parametrize(("name", "small"), [one for one in SIZED if one[0] != "quickstart/heads"])
def test_the_corpus_of_each_cell_has_the_splits_that_it_is_scored_on(name, small):
    table = sized(name, small)
    for cell in table.cells:
        run = Run(cell.experiment, 1)
        for splits in table.splits_of(cell).values():
            assert set(splits) <= published_splits(run.config.data.corpus), (cell, splits)


def printed_in(name):
    """The numbers in the cells of a table: `{(row, column, test set, metric): number}`."""
    return {
        (cell.row, cell.column, *where): number for cell in TABLES[name].cells for where, number in cell.printed.items()
    }


@pytest.mark.parametrize("number", LI_LUO)
def test_every_score_of_li_luo_is_in_its_cell_only(number):
    expected = {
        (row["attention"], f"h = {row['num_heads']}", row["subset"], row["metric"]): float(row["value"])
        for row in paper_tables.rows("interacting_head_tables3-5")
        if row["table"] == LI_LUO[number] and row["value"]
    }
    assert len(expected) > 200
    assert printed_in(f"li_luo/{number}") == expected
    table = TABLES[f"li_luo/{number}"]
    for _, _, test, metric in expected:
        assert test in table.tests
        assert table.printed_metrics[metric] in table.metrics


def test_every_number_of_table_9_of_li_luo_is_in_its_cell():
    of_table_3 = {
        place: number
        for place, number in printed_in("li_luo/3").items()
        if place[0] in ("multi_head", "interacting_head")
    }
    assert printed_in("li_luo/9") == of_table_3 | {
        ("interacting_head", f"h = {row['num_heads']}", row["subset"], "BLEU"): float(row["value"])
        for row in paper_tables.rows("interacting_head_table9_beyond_hmax_bleu")
    }


@pytest.mark.parametrize("number", "678")
def test_every_time_of_li_luo_is_in_its_cell(number):
    rows = {"interacting_head": "interacting_head, printed loop"}
    assert printed_in(f"li_luo/{number}") == {
        (rows.get(row["attention"], row["attention"]), f"h = {row['num_heads']}", "", "seconds"): float(
            row["seconds_per_epoch"]
        )
        for row in paper_tables.rows("interacting_head_tables6-8_epoch_seconds")
        if row["table"] == f"table{number}"
    }


def by_recipe(name):
    """The printed BLEU of the cells of a table: `{recipe: number}`."""
    found = {cell.experiment.recipe: cell.printed["test", "BLEU"] for cell in TABLES[name].cells if cell.printed}
    assert len(found) == len(printed_in(name))
    return found


def test_every_printed_loss_of_iida_et_al_is_in_its_cell():
    columns = {"baseline": "baseline", "layer 6": "layer_6"}
    columns |= {f"layers {first} to 6": f"layers_{first}-6" for first in range(1, 6)}
    lines = paper_tables.rows("multi_hop_table5_validation_loss")
    assert len(lines) * len(columns) == 42
    found = printed_in("multi_hop/5")
    for place, column in columns.items():
        by_epoch = {int(line["epoch"]): float(line[column]) for line in lines}
        for epoch, loss in by_epoch.items():
            assert found.pop(("de-en", place, f"epoch {epoch}", "loss")) == loss
        assert found.pop(("de-en", place, "first", "loss")) == by_epoch[1]
        assert found.pop(("de-en", place, "lowest", "loss")) == min(by_epoch.values())
    assert not found


CORPORA_OF_DHICM = {
    "wmt17_de_en (newstest14+17)": "wmt17_de_en",
    "iwslt14_de_en": "iwslt14_de_en_{}k",
}


@pytest.mark.parametrize("number", "34")
def test_every_bleu_of_goindani_and_shrivastava_is_in_its_cell(number):
    expected = {}
    for row in paper_tables.rows("dynamic_head_importance"):
        if (row["table"], row["metric"]) == (f"table{number}", "BLEU"):
            corpus = CORPORA_OF_DHICM.get(row["dataset"], row["dataset"])
            recipe = f"dhicm_{corpus.format(int(row['train_pairs']) // 1000)}_{row['model']}"
            expected[recipe] = float(row["value"])
    found = by_recipe(f"dhicm/{number}")
    multi_hop = found.pop("mhop_wmt17_de_en_layer_4", None)  # printed by Iida et al., of the same text
    assert (found, multi_hop) == (expected, {"3": 23.91, "4": None}[number])


@pytest.mark.parametrize("number", "123")
def test_every_bleu_of_iida_et_al_is_in_its_cell(number):
    positions = {
        " ".join(map(str, layers_of(position))): position
        for position in ("baseline", *(f"layer_{one}" for one in range(1, 7)))
    }
    corpus = "wmt17" if number == "2" else "iwslt17"
    expected = {}
    for row in paper_tables.rows("multi_hop"):
        depth_of_table_1 = number == "3" and row["table"] == "table1" and row["second_hop_layers"] in ("", "4")
        if row["quantity"] == "BLEU" and (row["table"] == f"table{number}" or depth_of_table_1):
            layers = row["second_hop_layers"]
            position = positions.get(layers) or f"layers_{layers[0]}_to_{layers[-1]}"
            depth = "" if row["num_layers"] == "6" else f"_of_{row['num_layers']}"
            expected[f"mhop_{corpus}_{row['direction'].replace('-', '_')}_{position}{depth}"] = float(row["value"])
    assert by_recipe(f"multi_hop/{number}") == expected


@pytest.mark.parametrize("number", "2346")
def test_every_bleu_of_ampomah_et_al_is_in_its_cell(number):
    expected = []
    for row in paper_tables.rows("multi_layer_multi_head"):
        if (row["table"], row["quantity"]) == (f"table{number}", "BLEU"):
            name = row["model"].replace("_", " ")
            if number == "6":
                place = name, f"n = {row['n']}"
            else:
                place = (f"{name}, n = {row['n']}" if name.startswith("M-") else name), "BLEU"
            expected.append((*place, "test", "BLEU", float(row["value"])))
    found = [(*place, number) for place, number in printed_in(f"mlmha/{number}").items()]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("name", [name for name, small in SIZED if small and TABLES[name].measure != "epoch_seconds"])
def test_test_sets_of_small_tables_are_in_the_free_corpora(name):
    if not CORPORA.is_dir():
        pytest.skip(skip_reasons.CORPORA)
    table = sized(name, True)
    corpora = {}
    for run in table.runs(1):
        data = run.config.data
        key = data.corpus, data.source_language, data.target_language
        corpora[key] = corpora.get(key) or open_corpus(*key, CORPORA)
    assert table.tests
    for corpus in corpora.values():
        for splits in table.tests.values():
            for split in splits:
                assert next(iter(corpus.split(split).pairs()))


ANALYSES = [(name, small) for name, small in SIZED if TABLES[name].analysis]


def test_every_figure_that_rests_on_an_analysis_has_one():
    figures = "mlmha/7", "mlmha/figure_8", "dhicm/figure_1", "dhicm/figure_2", "dhicm/figure_3"
    assert {name for name, _ in ANALYSES} == set(figures)
    assert len(ANALYSES) == 2 * len(figures)


@pytest.mark.parametrize(("name", "small"), ANALYSES)
def test_every_analysis_is_a_valid_command_with_one_split(name, small):
    table = sized(name, small)
    verb, *options = table.analysis.arguments
    arguments = parse_arguments(words=[verb, *options, "-m", "run", "--split", "test"])
    assert arguments.analysis.name == verb
    assert [len(splits) for splits in table.tests.values()] == [1]


CAPTIONS = {"li_luo": (9, 6), "dhicm": (4, 3), "multi_hop": (5, 3), "mlmha": (7, 9)}
"""Paper → numbers of its tables and figures."""


def test_every_table_and_figure_of_the_papers_is_listed():
    for paper, (tables, figures) in CAPTIONS.items():
        names = [f"{paper}/{number}" for number in range(1, tables + 1)]
        names += [f"{paper}/figure_{number}" for number in range(1, figures + 1)]
        assert set(names) <= set(TABLES)


def test_a_table_made_by_another_table_names_an_existing_one():
    for table in TABLES.values():
        if "interacting_head.reproduce" in table.command:
            assert table.command.split()[-1] in TABLES
