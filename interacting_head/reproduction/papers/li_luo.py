"""Li & Luo 2022: tables 3 to 5 and 9 (scores), 6 to 8 (seconds an epoch), and figures."""

from interacting_head.recipes import paper_tables
from interacting_head.reproduction.claims import (
    AsFast,
    BestBetter,
    Better,
    CellBetter,
    Equivalent,
    NonInferior,
    SameSize,
    Slower,
)
from interacting_head.reproduction.tables import (
    DRAWING,
    METRICS_OF_LI_LUO,
    Cell,
    Experiment,
    Small,
    Table,
    register,
)

SCHEMES = ("multi_head", "fixed_head_size", "talking_heads", "interacting_head")
PAIRWISE = "interacting_head_pairwise"
"""Equations (10) to (12), of which the paper prints no numbers; up to 16 heads."""
MEAN, SCALED = "interacting_head (mean)", "interacting_head (sum / √h)"
"""This project's own variants: the mean of the queries in place of their sum, and the sum over √h."""
LETTER = "interacting_head (listing to the letter)"
BEFORE, AFTER = "talking_heads (before the softmax only)", "talking_heads (after the softmax only)"
VARIANTS = {
    MEAN: ("interacting_head", ("query_combination=mean",), "mean"),
    SCALED: ("interacting_head", ("query_combination=scaled_sum",), "scaled_sum"),
    LETTER: ("interacting_head", ("scaled=false", "cumulative=true"), "letter"),
    BEFORE: ("talking_heads", ("mix_after=false",), "before"),
    AFTER: ("talking_heads", ("mix_before=false",), "after"),
}
"""Row → scheme, options of its layer, and variant in names of runs."""
IN_TABLES = (MEAN, LETTER, BEFORE, AFTER)
"""Variants that this project adds to tables 3 to 5."""

HEADS = (2, 4, 8, 16, 32, 64)
BEST = 16
"""The number of heads with which the paper's multi-head models score best, and the largest below d / n̄."""
SMALL_HEADS, SMALL_BEST = HEADS[:5], 8
"""In small tables d / n̄ is 128 / 15 = 8.5."""
PRINTED = {
    "BLEU": "bleu",
    "WER": "wer_paper",
    "METEOR": "meteor",
    "ROUGE_L": "rouge_l",
    "CIDEr": "cider",
    "YiSi": "yisi0",
}
NEWSTEST = tuple(f"newstest{year}" for year in (2014, 2015, 2016, 2017))
IWSLT_TESTS = {"dev": ("dev",), "test": ("test",)}
WMT_TESTS = {"dev": ("dev",), **{name: (name,) for name in NEWSTEST}}
TASKS = {"3": ("iwslt16_de_en", IWSLT_TESTS), "4": ("wmt17_en_de", WMT_TESTS), "5": ("wmt17_en_cs", WMT_TESTS)}
YISI = "The paper's YiSi is YiSi-1 with multilingual BERT; the number beside it here is YiSi-0, which needs no vectors."


def experiment(corpus, row, heads, *settings, variant="", size=""):
    """Return the `Experiment` of a cell of tables 3 to 9."""
    scheme, options, name = VARIANTS.get(row, (row, (), ""))
    settings = (*settings, *(f"model.attention.options.{option}" for option in options))
    return Experiment(f"ih_{corpus}_{scheme}_h{heads}{size}", settings, name + variant)


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
        for row in (*SCHEMES, PAIRWISE, *IN_TABLES)
        for heads in HEADS
        if row != PAIRWISE or heads <= BEST
    )
    claims = claims_on_scores(number, next(name for name in tests if name != "dev"), HEADS, BEST)
    if number == "3":
        small = Small(
            SMALL_TESTS, only=is_in_small_table, claims=claims_on_scores(number, "test", SMALL_HEADS, SMALL_BEST)
        )
    else:
        small = Small(
            {"newstest2014": ("newstest2014",), "test_2016_flickr": ("test_2016_flickr",)},
            only=lambda cell: (
                cell.row in ("multi_head", "talking_heads", "interacting_head")
                and cell.column in ("h = 4", "h = 8", "h = 16")
            ),
            claims=claims_on_scores(number, "newstest2014", SMALL_HEADS, SMALL_BEST),
        )
    title = f"Scores by scheme and heads, {corpus} (Li & Luo 2022, table {number})"
    return Table(
        f"li_luo/{number}", title, cells, tests=tests, metrics=METRICS_OF_LI_LUO, printed_metrics=PRINTED, small=small,
        claims=claims, note=YISI,
    )  # fmt: skip


SMALL_TESTS = {"dev": ("dev",), "test": ("test_2016_flickr",)}


def is_in_small_table(cell):
    """Return whether a `Cell` of table 3 is in the small one: variants are compared with the best number of heads."""
    columns = [f"h = {heads}" for heads in (SMALL_HEADS if cell.row not in (LETTER, BEFORE, AFTER) else (SMALL_BEST,))]
    return cell.column in columns


def claims_on_scores(number, test, heads, best):
    """Return the claims on table 3, 4 or 5.

    Args:
        number: of the table.
        test: the test set on which they are decided.
        heads: numbers of heads of its columns.
        best: the largest of them below d / n̄.
    """
    here = {"test": test}
    too_many = [number for number in heads if number > best]

    def is_useful(column):
        return column in [f"h = {number}" for number in heads if number <= best]

    def pairs(row, *others):
        return tuple(((row, f"h = {best}"), (row, f"h = {number}")) for number in others)

    claims = [
        Better(
            f"interacting heads beat multi-head attention at every number of heads up to {best}",
            "§ 4.5", row="interacting_head", baseline="multi_head", columns=is_useful, **here,
        ),
        Better(
            "the mean of queries beats multi-head attention at every number of heads",
            "", row=MEAN, baseline="multi_head", **here,
        ),
        *(
            BestBetter(
                f"the best interacting heads beat the best multi-head attention in {words}",
                "§ 4.5", row="interacting_head", baselines=("multi_head",), metric=metric, **here,
            )
            for words, metric in (("BLEU", "sacrebleu"), *list(PRINTED.items())[1:])
            if (number, words) != ("4", "ROUGE_L")  # where the paper prints less than for multi-head attention
        ),
        BestBetter(
            "the best interacting heads beat the best heads of fixed size and the best talking heads",
            "§ 4.5", row="interacting_head", baselines=("fixed_head_size", "talking_heads"), **here,
        ),
        CellBetter(
            f"multi-head attention rises from {heads[0]} heads to {best} and falls with more",
            "§ 4.5, § 4.7", pairs=pairs("multi_head", heads[0], *too_many), **here,
        ),
        NonInferior(
            f"heads of fixed size and talking heads do not fall with more than {best}",
            "§ 4.5, § 4.7",
            pairs=tuple(
                (many, one) for row in ("fixed_head_size", "talking_heads") for one, many in pairs(row, *too_many)
            ),
            slack=0.6, **here,
        ),
        Better(
            "mixing heads before the softmax matters more than after it",
            "§ 4.6.2", row=BEFORE, baseline=AFTER, **here,
        ),
    ]  # fmt: skip
    if number != "5":  # there the best heads of fixed size have more than the best multi-head attention
        claims.append(
            BestBetter(
                "the best multi-head attention beats the best heads of fixed size and the best talking heads",
                "§ 4.6.1, § 4.6.2", row="multi_head", baselines=("fixed_head_size", "talking_heads"), **here,
            )
        )  # fmt: skip
    return tuple(claims)


WIDE = (
    *("model.model_dim=256", "model.feed_forward_dim=512", "train.batch_tokens=4096", "data.vocabulary_size=8000"),
    *("train.max_steps=2000", "train.warmup_steps=200", "train.validation_interval=400"),
)
"""Settings for timing: models twice as wide as the trained ones, so that matrix products take more of a step."""


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
        Cell(row, f"h = {heads}", experiment(corpus, row, heads))
        for row in ("interacting_head", PAIRWISE)
        for heads in HEADS
        if row != PAIRWISE or heads <= BEST
    ]
    claims = (
        Slower("interacting heads, as printed, take longer than multi-head attention at 16 heads",
               "§ 4.6.3", row=PRINTED_LOOP, columns=(f"h = {BEST}",)),
        Slower("interacting heads, as printed, take longer than multi-head attention at 8 heads",
               "§ 4.6.3", row=PRINTED_LOOP, columns=("h = 8",)),
        AsFast("interacting heads, as printed, take at most 35 % longer than multi-head attention at 8 heads",
               "§ 4.6.3", row=PRINTED_LOOP, columns=("h = 8",), margin=0.35),
        Slower("multi-head attention takes longer than interacting heads as they are computed here (folded)",
               "", row="multi_head", baseline="interacting_head", columns=tuple(f"h = {heads}" for heads in HEADS)),
    )  # fmt: skip
    title = f"Seconds an epoch, {corpus.replace('_', ' ')} (Li & Luo 2022, table {number} and figure {int(number) - 2})"
    return Table(f"li_luo/{number}", title, tuple(cells), "epoch_seconds", small=Small({}, WIDE), claims=claims)


PRINTED_LOOP = "interacting_head, printed loop"
AS_PRINTED = {
    "interacting_head": (PRINTED_LOOP, ("model.attention.options.implementation=printed_loop",), "loop"),
}
"""Scheme → row, settings and variant of what the paper timed, where that is not the layer's default."""


def beyond():
    """Return table 9: interacting heads beyond the largest useful number, beside multi-head attention of table 3."""
    of_table_3 = scores("3")
    printed = {row: {heads: of_table_3.get((row, heads), {}) for heads in HEADS} for row in (*BEYOND, PAIRWISE)}
    for line in paper_tables.rows("interacting_head_table9_beyond_hmax_bleu"):
        place = printed["interacting_head"].setdefault(int(line["num_heads"]), {})
        place[line["subset"], "BLEU"] = float(line["value"])
    cells = [
        Cell(row, f"h = {heads}", experiment("iwslt16_de_en", row, heads), printed[row][heads])
        for row in (*BEYOND, PAIRWISE)
        for heads in HEADS
        if row != PAIRWISE or heads <= BEST
    ]
    small = Small(SMALL_TESTS, only=is_in_small_table, claims=claims_beyond(SMALL_HEADS, SMALL_BEST))
    return Table(
        "li_luo/9",
        "Interacting heads beyond the largest useful number (Li & Luo 2022, table 9)",
        tuple(cells),
        tests=IWSLT_TESTS,
        metrics=METRICS_OF_LI_LUO,
        printed_metrics=PRINTED,
        small=small,
        claims=claims_beyond(HEADS, BEST),
        note="The numbers up to 16 heads, and those of multi_head, are the paper's table 3.",
    )


def claims_beyond(heads, best):
    """Return the claims on table 9; arguments as of `claims_on_scores`."""
    too_many = [number for number in heads if number > best]
    pairs = tuple((("interacting_head", f"h = {number}"), ("multi_head", f"h = {number}")) for number in too_many)
    few_and_many = [(few, many) for many in too_many for few in heads if few <= best]
    return (
        CellBetter(
            f"interacting heads fall above {best}: each smaller number of heads beats each larger one",
            "§ 4.6.5",
            pairs=tuple(
                (("interacting_head", f"h = {few}"), ("interacting_head", f"h = {many}")) for few, many in few_and_many
            ),
        ),
        CellBetter(f"above {best} heads interacting heads beat multi-head attention", "§ 4.6.5, table 9", pairs=pairs),
        Equivalent(
            f"above {best} heads interacting heads become multi-head attention", "§ 4.6.2", pairs=pairs, slack=1.0
        ),
    )


def table_of_sizes():
    """Return the trainable variables of section 4.6.4, of models in the paper's size."""
    cells = tuple(
        Cell(row, f"h = {heads}", experiment("iwslt16_de_en", row, heads))
        for row in (*SCHEMES, PAIRWISE)
        for heads in HEADS
        if row != PAIRWISE or heads <= BEST
    )
    columns = [f"h = {heads}" for heads in HEADS]
    claim = SameSize(
        "interacting heads have no more parameters than multi-head attention",
        "§ 4.6.4", pairs=tuple((("interacting_head", column), ("multi_head", column)) for column in columns),
    )  # fmt: skip
    return Table(
        "li_luo/sizes", "Number of parameters by scheme and heads (Li & Luo 2022, section 4.6.4)", cells,
        "parameters", on_a_cpu=True, claims=(claim,), note="The paper prints no numbers of them.",
    )  # fmt: skip


BEYOND = ("multi_head", "interacting_head")


STATISTICS = (
    *("data.stats", "multi30k", "--source-language", "de", "--target-language", "en"),
    *("--profile", "raw", "--vocabulary-size", "6000", "--model-dim", "128"),
)
for _number, _title in (("1", "Sizes of corpora"), ("2", "Possible numbers of heads")):
    register(
        Table(
            f"li_luo/{_number}",
            f"{_title} (table {_number})",
            command="python -m data.stats CORPUS --model-dim 512",
            small_words=STATISTICS,
        )
    )
register(table_of_scores("3"))
register(table_of_scores("4"))
register(table_of_scores("5"))
register(table_of_times("6", "3"))
register(table_of_times("7", "4"))
register(table_of_times("8", "5"))
register(beyond())
register(table_of_sizes())
register(
    Table(
        "li_luo/figure_3",
        "Lengths of sentences (figure 3)",
        command="python -m data.stats CORPUS --plot FILE",
        small_words=STATISTICS,
    )
)
for _number in "12":
    register(Table(f"li_luo/figure_{_number}", f"Heads and their subspaces (figure {_number})", command=DRAWING))
for _number in "456":
    _command = f"python -m interacting_head.reproduce li_luo/{int(_number) + 2}"
    register(Table(f"li_luo/figure_{_number}", f"Seconds an epoch (figure {_number})", command=_command))
