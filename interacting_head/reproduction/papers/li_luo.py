"""Li & Luo 2022: tables 3 to 5 and 9 (scores), 6 to 8 (seconds per epoch), and figures."""

from collections.abc import Callable, Iterable, Mapping

from interacting_head.recipes import paper_tables
from interacting_head.recipes.interacting_head import HEADS, PAIRWISE, SCHEMES, TASKS
from interacting_head.recipes.small import MODEL_DIM
from interacting_head.reproduction.claims import (
    AsFast,
    BestBetter,
    Better,
    CellBetter,
    Claim,
    Equivalent,
    NonInferior,
    SameSize,
    Slower,
    cells_at,
    pairs,
    pairs_by_column,
)
from interacting_head.reproduction.tables import (
    DRAWING,
    Cell,
    Experiment,
    Small,
    printed,
    register,
)

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

STAND_INS = {task.table: task.stand_in for task in TASKS.values()}
"""Number of the table → corpus of its small version."""
BEST = 16
"""The number of heads with which the paper's multi-head models score best, and the largest below d / n̄."""
SMALL_BEST = {
    number: max(heads for heads in HEADS if heads <= MODEL_DIM / corpus.mean_length)
    for number, corpus in STAND_INS.items()
}
"""Number of the table → the largest number of heads below d / n̄ in its small version."""
SMALL_HEADS = {"3": HEADS[:5]} | {
    number: (SMALL_BEST[number] // 2, SMALL_BEST[number], 2 * SMALL_BEST[number]) for number in ("4", "5")
}
"""Number of the table → the numbers of heads of its small version."""
PRINTED = {
    "BLEU": "bleu",
    "WER": "wer_paper",
    "METEOR": "meteor",
    "ROUGE_L": "rouge_l",
    "CIDEr": "cider",
    "YiSi": "yisi0",
}
METRICS = ("sacrebleu", "bleu", "wer", *list(PRINTED.values())[1:])
IWSLT_TESTS = {"dev": ("dev",), "test": ("test",)}
WMT_TESTS = {"dev": ("dev",), **{f"newstest{year}": (f"newstest{year}",) for year in (2014, 2015, 2016, 2017)}}
SMALL_TESTS = {"dev": ("dev",), "test": ("test_2016_flickr",)}
SMALL_WMT_TESTS = {"newstest2014": ("newstest2014",), "test_2016_flickr": ("test_2016_flickr",)}
CORPORA = {task.table: corpus for corpus, task in TASKS.items()}
YISI = "The paper's YiSi is YiSi-1 with multilingual BERT; our number next to it is YiSi-0, which needs no vectors."


def columns(heads: Iterable[int]) -> tuple[str, ...]:
    """Return the columns of these numbers of heads."""
    return tuple(f"h = {number}" for number in heads)


def experiment(corpus: str, row: str, heads: int, *settings: str, variant: str = "", size: str = "") -> Experiment:
    """Return the `Experiment` of a cell of tables 3 to 9."""
    scheme, options, name = VARIANTS.get(row, (row, (), ""))
    settings = (*settings, *(f"model.attention.options.{option}" for option in options))
    return Experiment(f"ih_{corpus}_{scheme}_h{heads}{size}", settings, name + variant)


def cells(corpus: str, rows: Iterable[str], numbers: Mapping = {}) -> tuple[Cell, ...]:
    """Return the cells of rows at all numbers of heads, with `{(row, heads): printed numbers}`."""
    return tuple(
        Cell(row, f"h = {heads}", experiment(corpus, row, heads), numbers.get((row, heads), {}))
        for row in rows
        for heads in HEADS
        if row != PAIRWISE or heads <= BEST
    )


def scores(number: str) -> dict[tuple[str, int], dict]:
    """Return the numbers of a table: `{(scheme, heads): {(test set, metric): number}}`."""
    found = {}
    for row in paper_tables.rows("interacting_head_tables3-5"):
        if row["table"] == f"table{number}" and row["value"]:
            cell = found.setdefault((row["attention"], int(row["num_heads"])), {})
            cell[row["subset"], row["metric"]] = float(row["value"])
    return found


def in_small_table(number: str) -> Callable[[Cell], bool]:
    """Return a function that tells whether a cell of table 3, 4 or 5 is in the small one."""

    def is_in_table_3(cell):  # variants are compared with the best number of heads
        heads = (SMALL_BEST["3"],) if cell.row in (LETTER, BEFORE, AFTER) else SMALL_HEADS["3"]
        return cell.column in columns(heads)

    rows = ("multi_head", "talking_heads", "interacting_head")
    found = cells_at(rows, columns(SMALL_HEADS[number]))
    return is_in_table_3 if number == "3" else lambda cell: cell[:2] in found


def claims_on_scores(number: str, test: str, heads: tuple[int, ...], best: int) -> tuple[Claim, ...]:
    """Return the claims on table 3, 4 or 5, decided on one test set.

    `heads` are the numbers of heads of its columns, `best` the largest of them below d / n̄.
    """
    here = {"test": test}
    useful = columns(number for number in heads if number <= best)
    too_many = columns(number for number in heads if number > best)
    claims = [
        Better(
            f"interacting heads beat multi-head attention at every number of heads up to {best}",
            "§ 4.5", "interacting_head", "multi_head", useful.__contains__, **here,
        ),
        Better(
            "the mean of queries beats multi-head attention at every number of heads", "", MEAN, "multi_head", **here
        ),
        Equivalent(
            f"the mean of queries scores like multi-head attention at {best} heads",
            "", pairs_by_column(MEAN, "multi_head", columns([best])), **here,
        ),
        *(
            BestBetter(
                f"the best interacting heads beat the best multi-head attention in {words}",
                "§ 4.5", "interacting_head", ("multi_head",), metric=metric, **here,
            )
            for words, metric in (PRINTED | {"BLEU": "sacrebleu"}).items()
            if (number, words) != ("4", "ROUGE_L")  # where the paper prints less than for multi-head attention
        ),
        BestBetter(
            "the best interacting heads beat the best heads of fixed size and the best talking heads",
            "§ 4.5", "interacting_head", ("fixed_head_size", "talking_heads"), **here,
        ),
        CellBetter(
            f"multi-head attention improves from {heads[0]} to {best} heads and declines with more", "§ 4.5, § 4.7",
            pairs(cells_at("multi_head", f"h = {best}"), cells_at("multi_head", (useful[0], *too_many))), **here,
        ),
        NonInferior(
            f"heads of fixed size and talking heads lose at most 0.6 BLEU with more than {best} heads", "§ 4.5, § 4.7",
            tuple(
                pair
                for row in ("fixed_head_size", "talking_heads")
                for pair in pairs(cells_at(row, too_many), cells_at(row, f"h = {best}"))
            ),
            margin=0.6, **here,
        ),
        Better("mixing heads before the softmax scores better than after it", "", BEFORE, AFTER, **here),
    ]  # fmt: skip
    if number != "5":  # there the best heads of fixed size have more than the best multi-head attention
        claims.append(
            BestBetter(
                "the best multi-head attention beats the best heads of fixed size and the best talking heads",
                "§ 4.6.1, § 4.6.2", "multi_head", ("fixed_head_size", "talking_heads"), **here,
            )
        )  # fmt: skip
    return tuple(claims)


def claims_beyond(heads: tuple[int, ...], best: int) -> tuple[Claim, ...]:
    """Return the claims on table 9; arguments as of `claims_on_scores`."""
    row = "interacting_head"
    too_many = columns(number for number in heads if number > best)
    *fewer, few = cells_at(row, columns(number for number in heads if number <= best))
    with_as_many = pairs_by_column(row, "multi_head", too_many)
    return (
        NonInferior(f"interacting heads do not decline up to {best}", "table 3", pairs([few], fewer)),
        CellBetter(
            f"interacting heads with more than {best} heads score below every number up to {best}",
            "§ 4.6.5",
            tuple(pair for many in cells_at(row, too_many) for pair in pairs([*fewer, few], [many])),
        ),
        CellBetter(f"above {best} heads interacting heads beat multi-head attention", "§ 4.6.5, table 9", with_as_many),
        Equivalent(
            f"above {best} heads interacting heads score within 1 BLEU of multi-head attention",
            "§ 4.6.2",
            with_as_many,
            margin=1.0,
        ),
    )


PRINTED_LOOP = "interacting_head, printed loop"
"""The row of the computation that the paper timed, which is not the layer's default."""
LOOP = "model.attention.options.implementation=listing"
WIDE = (
    *("model.model_dim=256", "model.feed_forward_dim=512", "train.batch_tokens=4096", "data.vocabulary_size=8000"),
    *("train.max_steps=2000", "train.warmup_steps=200", "train.validation_interval=400"),
)
"""Settings for timing: models twice as wide as the trained ones, so that matrix products take more of a step."""
CLAIMS_ON_TIMES = (
    *(
        Slower(
            f"interacting heads, as the loop of Algorithm 1, take longer than multi-head attention at {heads} heads",
            "§ 4.6.3", PRINTED_LOOP, "multi_head", columns([heads]),
        )
        for heads in (BEST, 8)
    ),
    AsFast(
        "interacting heads, as the loop of Algorithm 1, take at most 35 % longer than multi-head attention at 8 heads",
        "tables 6 to 8", PRINTED_LOOP, "multi_head", columns([8]), margin=0.35,
    ),
    Slower(
        "multi-head attention takes longer than interacting heads as they are computed here (folded)",
        "", "multi_head", "interacting_head", columns(HEADS),
    ),
)  # fmt: skip


def cells_of_times(number: str, corpus: str) -> tuple[Cell, ...]:
    """Return the cells of table 6, 7 or 8: first what the paper timed."""
    found = []
    for line in paper_tables.rows("interacting_head_tables6-8_epoch_seconds"):
        if line["table"] == f"table{number}":
            row, heads = line["attention"], int(line["num_heads"])
            timed = experiment(corpus, row, heads)
            if row == "interacting_head":
                row, timed = PRINTED_LOOP, experiment(corpus, row, heads, LOOP, variant="loop")
            found.append(Cell(row, f"h = {heads}", timed, printed(float(line["seconds_per_epoch"]), "seconds", "")))
    return (*found, *cells(corpus, ("interacting_head", PAIRWISE)))


def numbers_of_table_9() -> dict:
    """Return the numbers of table 9, as `scores`, together with table 3."""
    found = {cell: numbers for cell, numbers in scores("3").items() if cell[0] in ("multi_head", "interacting_head")}
    for line in paper_tables.rows("interacting_head_table9_beyond_hmax_bleu"):
        cell = found.setdefault(("interacting_head", int(line["num_heads"])), {})
        cell[line["subset"], "BLEU"] = float(line["value"])
    return found


STATISTICS = (
    *("data.stats", "multi30k", "--source-language", "de", "--target-language", "en"),
    *("--profile", "raw", "--vocabulary-size", "6000", "--model-dim", "128"),
)
for _number, _title in (("1", "Sizes of corpora"), ("2", "Possible numbers of heads")):
    _command = "interacting-head stats CORPUS --model-dim 512"
    register(f"li_luo/{_number}", f"{_title} (table {_number})", command=_command, small_command=STATISTICS)
for _number, _corpus in CORPORA.items():
    if _number == "3":
        _tests, _test = IWSLT_TESTS, "test"
        _small_tests = SMALL_TESTS
    else:
        _tests, _test = WMT_TESTS, "newstest2014"
        _small_tests = SMALL_WMT_TESTS
    _small_claims = claims_on_scores(_number, _test, SMALL_HEADS[_number], SMALL_BEST[_number])
    register(
        f"li_luo/{_number}",
        f"Scores by scheme and heads, {_corpus} (Li & Luo 2022, table {_number})",
        cells(_corpus, (*SCHEMES, PAIRWISE, *IN_TABLES), scores(_number)),
        tests=_tests,
        metrics=METRICS,
        printed_metrics=PRINTED,
        small=Small(_small_tests, only=in_small_table(_number), claims=_small_claims),
        claims=claims_on_scores(_number, _test, HEADS, BEST),
        note=YISI,
    )
for _number, _corpus in zip("678", CORPORA.values(), strict=True):
    register(
        f"li_luo/{_number}",
        f"Seconds per epoch, {_corpus.replace('_', ' ')} (Li & Luo 2022, table {_number}, figure {int(_number) - 2})",
        cells_of_times(_number, _corpus),
        measure="epoch_seconds",
        small=Small({}, WIDE),
        claims=CLAIMS_ON_TIMES,
    )
register(
    "li_luo/9",
    "Interacting heads beyond the largest useful number (Li & Luo 2022, table 9)",
    cells("iwslt16_de_en", ("multi_head", "interacting_head", PAIRWISE), numbers_of_table_9()),
    tests=IWSLT_TESTS,
    metrics=METRICS,
    printed_metrics=PRINTED,
    small=Small(SMALL_TESTS, only=in_small_table("3"), claims=claims_beyond(SMALL_HEADS["3"], SMALL_BEST["3"])),
    claims=claims_beyond(HEADS, BEST),
    note="The numbers up to 16 heads, and all of multi_head, come from the paper's table 3.",
)
register(
    "li_luo/sizes",
    "Number of parameters by scheme and heads (Li & Luo 2022, section 4.6.4)",
    cells("iwslt16_de_en", (*SCHEMES, PAIRWISE)),
    measure="parameters",
    on_a_cpu=True,
    claims=(
        SameSize(
            "interacting heads have no more parameters than multi-head attention",
            "§ 4.6.4",
            pairs_by_column("interacting_head", "multi_head", columns(HEADS)),
        ),
    ),
    note="The paper prints no numbers of parameters.",
)
_command = "interacting-head stats CORPUS --plot FILE"
register("li_luo/figure_3", "Lengths of sentences (figure 3)", command=_command, small_command=STATISTICS)
for _number in "12":
    register(f"li_luo/figure_{_number}", f"Heads and their subspaces (figure {_number})", command=DRAWING)
for _number in "456":
    _command = f"interacting-head reproduce li_luo/{int(_number) + 2}"
    register(f"li_luo/figure_{_number}", f"Seconds per epoch (figure {_number})", command=_command)
