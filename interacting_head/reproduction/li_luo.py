"""Li & Luo 2022: tables 3 to 5 and 9 (scores), 6 to 8 (seconds an epoch), and figures."""

from interacting_head.recipes import paper_tables
from interacting_head.reproduction.claims import Better, CellBetter, TimesAsLong
from interacting_head.reproduction.tables import (
    METRICS_OF_LI_LUO,
    SHORT,
    SMALL_STEPS,
    Cell,
    Experiment,
    Small,
    Table,
    register,
)

SCHEMES = ("multi_head", "fixed_head_size", "talking_heads", "interacting_head")
MEAN = "interacting_head (mean)"
"""This project's own variant: the mean of the queries in place of their sum."""

HEADS = (2, 4, 8, 16, 32, 64)
PRINTED = {
    "BLEU": "bleu",
    "WER": "wer_paper",
    "METEOR": "meteor",
    "ROUGE_L": "rouge_l",
    "CIDEr": "cider",
    "YiSi": "yisi0",
}
NEWSTEST = tuple(f"newstest{year}" for year in (2014, 2015, 2016, 2017))
IWSLT_TESTS = {"dev": ("dev",), "test": tuple(f"tst{year}" for year in range(2010, 2015))}
WMT_TESTS = {"dev": ("dev",), **{name: (name,) for name in NEWSTEST}}
TASKS = {"3": ("iwslt16_de_en", IWSLT_TESTS), "4": ("wmt17_en_de", WMT_TESTS), "5": ("wmt17_en_cs", WMT_TESTS)}
YISI = "The paper's YiSi is YiSi-1 with multilingual BERT; the number beside it here is YiSi-0, which needs no vectors."


def experiment(corpus, row, heads, *settings, variant=""):
    """Return the `Experiment` of a cell of tables 3 to 8."""
    if row == MEAN:
        settings, variant = (*settings, "model.attention.options.query_combination=mean"), f"mean{variant}"
    scheme = "interacting_head" if row == MEAN else row
    return Experiment(f"ih_{corpus}_{scheme}_h{heads}", settings, variant)


def scores(number):
    """Return the numbers of a table: `{(scheme, heads): {(test set, metric): number}}`."""
    found = {}
    for row in paper_tables.rows("interacting_head_tables3-5"):
        if row["table"] == f"table{number}" and row["value"]:
            cell = found.setdefault((row["attention"], int(row["num_heads"])), {})
            cell[row["subset"], row["metric"]] = float(row["value"])
    return found


def table_of_scores(number):
    """Return table 3, 4 or 5."""
    corpus, tests = TASKS[number]
    printed = scores(number)
    cells = tuple(
        Cell(row, f"h = {heads}", experiment(corpus, row, heads), printed.get((row, heads), {}))
        for row in (*SCHEMES, MEAN)
        for heads in HEADS
    )
    small = Small(
        {"dev": ("dev",), "test": ("test_2016_flickr",)},
        SHORT,
        f"{SMALL_STEPS}steps",
    )
    if number != "3":
        small = Small(
            {"newstest2014": ("newstest2014",), "test_2016_flickr": ("test_2016_flickr",)},
            only=lambda cell: (
                cell.row in ("multi_head", "talking_heads", "interacting_head")
                and cell.column in ("h = 4", "h = 8", "h = 16")
            ),
        )
    first_test = next(name for name in tests if name != "dev")
    here = {"test": first_test}
    claims = (
        Better(
            "interacting heads beat multi-head attention at every number of heads",
            "interacting_head",
            "multi_head",
            **here,
        ),
        Better(
            "the mean of queries beats multi-head attention at every number of heads (this project's)",
            MEAN,
            "multi_head",
            **here,
        ),
        Better(
            "interacting heads beat talking heads at every number of heads", "interacting_head", "talking_heads", **here
        ),
        Better(
            "interacting heads beat heads of fixed size at every number of heads",
            "interacting_head",
            "fixed_head_size",
            **here,
        ),
        CellBetter(
            "multi-head attention falls above the largest useful number of heads, d / n̄: 16 heads beat 32 and 64",
            tuple((("multi_head", "h = 16"), ("multi_head", f"h = {heads}")) for heads in (32, 64)),
            **here,
        ),
        CellBetter(
            "interacting heads do not fall as far: with 64 heads they beat multi-head attention with 64",
            ((("interacting_head", "h = 64"), ("multi_head", "h = 64")),),
            **here,
        ),
    )
    title = f"Scores by scheme and heads, {corpus} (Li & Luo 2022, table {number})"
    return Table(
        f"li_luo/{number}", title, cells, tests=tests, metrics=METRICS_OF_LI_LUO, printed_metrics=PRINTED, small=small,
        claims=claims, note=YISI,
    )  # fmt: skip


def table_of_times(number, of):
    """Return table 6, 7 or 8, whose corpus is that of table `of`."""
    corpus, _ = TASKS[of]
    rows = [
        row for row in paper_tables.rows("interacting_head_tables6-8_epoch_seconds") if row["table"] == f"table{number}"
    ]
    printed = {(row["attention"], int(row["num_heads"])): float(row["seconds_per_epoch"]) for row in rows}
    cells = []
    for (scheme, heads), seconds in printed.items():
        row, settings, variant = AS_PRINTED.get(scheme, (scheme, (), ""))
        one = experiment(corpus, scheme, heads, *settings, variant=variant)
        cells.append(Cell(row, f"h = {heads}", one, {("", "seconds"): seconds}))
    cells += [
        Cell("interacting_head", f"h = {heads}", experiment(corpus, "interacting_head", heads)) for heads in HEADS
    ]
    ratio = printed["interacting_head", 16] / printed["multi_head", 16]
    claims = (
        TimesAsLong(f"interacting heads take {ratio:.2f} times as long as multi-head at 16 heads (the printed loop)",
                    PRINTED_LOOP, column="h = 16", ratio=ratio),
        TimesAsLong(f"interacting heads take {ratio:.2f} times as long at 16 heads (Algorithm 1 folded)",
                    "interacting_head", column="h = 16", ratio=ratio),
    )  # fmt: skip
    title = f"Seconds an epoch, {corpus.replace('_', ' ')} (Li & Luo 2022, table {number} and figure {int(number) - 2})"
    return Table(f"li_luo/{number}", title, tuple(cells), "epoch_seconds", small=Small({}), claims=claims)


PRINTED_LOOP = "interacting_head, printed loop"
AS_PRINTED = {
    "interacting_head": (PRINTED_LOOP, ("model.attention.options.implementation=printed_loop",), "loop"),
}
"""Scheme → row, settings and variant of what the paper timed, where that is not the layer's default."""


def beyond(number="9"):
    """Return table 9: interacting heads beyond the largest useful number."""
    printed = {}
    for row in paper_tables.rows("interacting_head_table9_beyond_hmax_bleu"):
        printed.setdefault(int(row["num_heads"]), {})[row["subset"], "BLEU"] = float(row["value"])
    cells = [
        Cell("interacting_head", f"h = {h}", experiment("iwslt16_de_en", "interacting_head", h), printed.get(h, {}))
        for h in HEADS
    ]
    small = table_of_scores("3").small
    claims = (
        CellBetter(
            "interacting heads fall above the largest useful number of heads: 16 heads beat 32 and 64",
            tuple((("interacting_head", "h = 16"), ("interacting_head", f"h = {heads}")) for heads in (32, 64)),
        ),
    )
    title = "Interacting heads beyond the largest useful number (Li & Luo 2022, table 9)"
    return Table(
        f"li_luo/{number}",
        title,
        tuple(cells),
        tests=IWSLT_TESTS,
        metrics=METRICS_OF_LI_LUO,
        small=small,
        claims=claims,
    )


register(Table("li_luo/1", "Sizes of corpora (table 1)", command="python -m data.stats CORPUS --model-dim 512"))
register(table_of_scores("3"))
register(table_of_scores("4"))
register(table_of_scores("5"))
register(table_of_times("6", "3"))
register(table_of_times("7", "4"))
register(table_of_times("8", "5"))
register(beyond())
register(Table("li_luo/figure_3", "Lengths of sentences (figure 3)", command="python -m data.stats CORPUS --plot FILE"))
