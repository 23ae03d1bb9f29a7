"""Goindani & Shrivastava 2021: tables 3 and 4, the study of layers, figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from interacting_head.config import SITES
from interacting_head.recipes import dynamic_head_importance, paper_tables
from interacting_head.reproduction.claims import (
    Above,
    Better,
    CellBetter,
    Claim,
    Equivalent,
    GainGrows,
    cells_at,
    pairs,
    pairs_by_column,
)
from interacting_head.reproduction.tables import (
    FLICKR,
    ON_MULTI30K,
    TEST,
    WHOLE_TEST_SET,
    Analysis,
    Cell,
    Experiment,
    Small,
    printed,
    register,
)

WHOLE = "dhicm_iwslt14_de_en_160k"
"""The beginning of the names of recipes on all pairs of IWSLT14."""
MODELS = {"T-base": "t_base", "T-optimal": "t_optimal", "DHICM": "dhicm"}
NEWSTEST = {"test": ("newstest2014_2017",)}
LANGUAGES = {
    "De-En": ("wmt17_de_en", "wmt17_de_en (newstest14+17)", NEWSTEST),
    "Hi-En": ("hindencorp_hi_en", "hindencorp_hi_en", TEST),
    "Be-En": ("ted_be_en", "ted_be_en", TEST),
}
"""Column of table 3 → corpus of its recipes, its name in the paper's numbers, test set."""


def bleu(table: str, dataset: str, model: str, **where: int) -> dict:
    """Return the paper's BLEU of a model, as `Cell.printed`."""
    number = paper_tables.number("dynamic_head_importance", table=table, dataset=dataset, model=model, **where)
    return printed(number)


def cells_of_languages() -> Iterator[Cell]:
    """Yield the cells of table 3."""
    for row, model in MODELS.items():
        for column, (corpus, dataset, splits) in LANGUAGES.items():
            numbers = bleu("table3", dataset, model)
            yield Cell(row, column, Experiment(f"dhicm_{corpus}_{model}"), numbers, splits)
    # Printed by Iida et al. 2019, whose text and test set this is.
    where = {"table": "table2", "direction": "de-en", "model": "multi_hop", "quantity": "BLEU"}
    numbers = printed(paper_tables.number("multi_hop", **where))
    yield Cell("multi-hop", "De-En", Experiment("mhop_wmt17_de_en_layer_4"), numbers, NEWSTEST)


BEATS_BASE = Better("dynamic head importance beats T-base everywhere", "§ 5", "DHICM", "T-base")
register(
    "dhicm/3",
    "BLEU by language pair (Goindani & Shrivastava 2021, table 3)",
    cells_of_languages(),
    tests=TEST,
    small=Small(TEST, only=lambda cell: cell.column != "De-En"),
    claims=(
        BEATS_BASE,
        Better("dynamic head importance beats T-optimal everywhere", "§ 5", "DHICM", "T-optimal"),
        Better("tuning alone beats T-base everywhere", "§ 5", "T-optimal", "T-base"),
        CellBetter(
            "dynamic head importance beats multi-hop attention",
            "§ 5, table 3",
            pairs_by_column("DHICM", "multi-hop", ["De-En"]),
        ),
    ),
    note="De-En is scored on newstest2014 and newstest2017 joined, the split `newstest2014_2017`.",
)
SUBSETS = {f"{number}K": (f"{number}k", ()) for number in dynamic_head_importance.SUBSETS}


def of_steps(steps: int) -> tuple[str, ...]:
    """Return settings for a number of steps: a tenth of them warms up, and ten validations are evenly spread."""
    tenths = (f"train.{key}={steps // 10}" for key in ("warmup_steps", "validation_interval"))
    return (f"train.max_steps={steps}", *tenths)


SMALL_SUBSETS = {
    "3K": ("10k", ("data.train_pairs=3000", *of_steps(1000))),
    "6K": ("10k", ("data.train_pairs=6000", *of_steps(2000))),
    "12K": ("10k", ("data.train_pairs=12000", *of_steps(3000))),
    "29K": ("160k", of_steps(3000)),
}
"""Column → the recipe's size and further settings; of Multi30k, which has 29,000 pairs."""


def on_subset(column: str, size: str, settings: tuple[str, ...], model: str) -> Experiment:
    """Return the experiment with a model on a subset of IWSLT14."""
    return Experiment(f"dhicm_iwslt14_de_en_{size}_{model}", settings, column.lower() if settings else "")


def cells_of_subsets(subsets: Mapping[str, tuple]) -> Iterator[Cell]:
    """Yield the cells of table 4, or of a small one."""
    for row, model in MODELS.items():
        for column, (size, settings) in subsets.items():
            numbers = {} if settings else bleu("table4", "iwslt14_de_en", model, train_pairs=1000 * int(size[:-1]))
            yield Cell(row, column, on_subset(column, size, settings, model), numbers)


def claims_of_subsets(subsets: Iterable[str], tuned: Sequence[str], many: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims on table 4 for its columns, `subsets`, by size.

    Tuning alone is claimed to gain in `tuned`. Over T-optimal, dynamic head importance is claimed to gain except in
    `many`, where the two are claimed to score alike.
    """
    few, *_, whole = subsets
    fewer = "dynamic head importance beats T-optimal with few pairs"
    larger = "the gain over T-optimal is larger with few pairs than with all of them"
    alike = "with many pairs dynamic head importance and T-optimal score alike"
    tuning = f"tuning alone beats T-base from {tuned[0]} pairs on"
    return (
        BEATS_BASE,
        Better(fewer, "§ 5", "DHICM", "T-optimal", lambda column: column not in many),
        Better(tuning, "§ 5, table 4", "T-optimal", "T-base", tuned.__contains__),
        GainGrows(larger, "§ 5", "DHICM", "T-optimal", few, (whole,)),
        Equivalent(alike, "§ 5", pairs_by_column("DHICM", "T-optimal", many)),
    )


register(
    "dhicm/4",
    "BLEU by size of the corpus, IWSLT14 DE-EN (Goindani & Shrivastava 2021, table 4)",
    cells_of_subsets(SUBSETS),
    tests=TEST,
    small=Small(
        FLICKR,
        ON_MULTI30K,
        cells=tuple(cells_of_subsets(SMALL_SUBSETS)),
        claims=claims_of_subsets(SMALL_SUBSETS, ("12K", "29K"), ("29K",)),
    ),
    claims=claims_of_subsets(SUBSETS, list(SUBSETS)[2:], ("80K", "120K", "160K")),
)
LAST = cells_at("DHICM", "layer 6")
PLACES = (*(f"layer {number}" for number in range(1, 6)), "every layer")
"""The other places of dynamic head importance."""
register(
    "dhicm/layers",
    "Dynamic head importance by layer, score and loss (Goindani & Shrivastava 2021, section 4.3)",
    (
        Cell("DHICM", place, Experiment(f"{WHOLE}_dhicm_{place.replace(' ', '_')}"))
        for place in (*PLACES[:-1], "layer 6", "every layer", "mlp", "without loss")
    ),
    tests=TEST,
    small=Small(FLICKR, ON_MULTI30K),
    claims=(
        CellBetter("the last layer is the best place", "§ 4.3", pairs(LAST, cells_at("DHICM", PLACES))),
        Equivalent("the MLP score does as well as the dot product", "§ 3.1", pairs(cells_at("DHICM", "mlp"), LAST)),
        CellBetter("the loss that drives importances apart helps", "", pairs(LAST, cells_at("DHICM", "without loss"))),
    ),
)
SUBWORDS = "data.vocabulary_size=[8848, 6632]"
register(
    "dhicm/sizes",
    "Number of parameters, IWSLT14 DE-EN (Goindani & Shrivastava 2021, section 7)",
    (
        Cell(row, "DE-EN", Experiment(f"{WHOLE}_{model}", (SUBWORDS,), "sizes"))
        for row, model in {**MODELS, "DHICM, d_m = d": "dhicm_wide"}.items()
    ),
    measure="parameters",
    on_a_cpu=True,
    note="Section 7 says that DHICM learns 500K additional parameters. The matrices of its three attentions have "
    "491,520 with 4 heads, but replace output matrices with 786,432. Vocabulary sizes come from fairseq's script for "
    "IWSLT14.",
)


SENTENCE = (
    "Ein alter Mann mit einem grünen Hut liest vor dem Bahnhof ein Buch.",
    "An old man with a green hat is reading a book in front of the train station.",
)


def largest_weights(rows: Iterable[Mapping]) -> dict:
    """Return the largest weight of the mean over heads of the last layer, mean over words, of `analyze alignment`.

    Heads are weighted by their importance if they have one.
    """
    means = [row for row in rows if row["head"] in ("mean", "weighted") and row["layer"] != "all"]
    return {"largest weight": {"": means[-1]["largest"]}}


def cells_of_alignment(column: str, size: str, settings: tuple[str, ...]) -> tuple[Cell, ...]:
    """Return the cells of figure 1 or 2: T-base and DHICM, and T-optimal, which has DHICM's hyper-parameters."""
    return tuple(Cell(row, "last layer", on_subset(column, size, settings, model)) for row, model in MODELS.items())


for _number, _column, _small_column in (("1", "20K", "6K"), ("2", "160K", "29K")):
    register(
        f"dhicm/figure_{_number}",
        f"Largest weight of encoder-decoder attention, {_column} pairs (Goindani & Shrivastava 2021, figure {_number})",
        cells_of_alignment(_column, *SUBSETS[_column]),
        measure="analysis",
        tests=TEST,
        metrics=("largest weight",),
        small=Small(FLICKR, ON_MULTI30K, cells=cells_of_alignment(_small_column, *SMALL_SUBSETS[_small_column])),
        claims=tuple(
            CellBetter(
                f"DHICM aligns words more sharply than {row}",
                source,
                pairs_by_column("DHICM", row, ["last layer"]),
                metric="largest weight",
            )
            for row, source in (("T-base", "§ 6, figures 1 and 2"), ("T-optimal", ""))
        ),
        analysis=Analysis(("alignment", *WHOLE_TEST_SET), largest_weights, "alignment-sentence-1", SENTENCE),
        note="Mean over heads, weighted by importance in DHICM, and over the words of the test set; the figure shows "
        "a sentence written for it. The paper's figures show 0.8 for DHICM, and 0.12 and 0.5 for T-base with 20K and "
        "160K pairs.",
    )


def importance(rows: Iterable[Mapping]) -> dict:
    """Return entropy and deviation over positions of the importance of heads by site, of `analyze importance`."""
    found = {"entropy": {}, "deviation": {}}
    for row in rows:
        if row["head"] == "all":
            found["entropy"][row["site"]] = row["entropy"]
        else:
            former = found["deviation"].get(row["site"], 0.0)
            found["deviation"][row["site"]] = max(former, row["deviation"])
    return found


register(
    "dhicm/figure_3",
    "Importance of heads in the last layers (Goindani & Shrivastava 2021, figure 3)",
    (
        Cell(row, site, Experiment(f"{WHOLE}_dhicm_{model}"))
        for row, model in (("DHICM", "layer_6"), ("without loss", "without_loss"))
        for site in SITES
    ),
    measure="analysis",
    tests=TEST,
    metrics=("entropy", "deviation"),
    small=Small(FLICKR, ON_MULTI30K),
    claims=(
        CellBetter(
            "the loss drives importances apart: their entropy is lower with it",
            "§ 5",
            pairs_by_column("without loss", "DHICM", SITES),
            metric="entropy",
        ),
        Above(
            "importance varies by token: its deviation over positions is above 0.05",
            "§ 6, figure 3",
            cells_at("DHICM", "encoder"),
            0.05,
            metric="deviation",
        ),
    ),
    analysis=Analysis(("importance", *WHOLE_TEST_SET), importance, "importance-sentence-1", SENTENCE),
    note="Entropy in nats, mean over positions; deviation of the head that varies most.",
)
register("dhicm/1", "Sizes of corpora (table 1)", command="interacting-head stats CORPUS")
register("dhicm/2", "Hyper-parameters (table 2)", command="interacting-head tune RECIPE")
