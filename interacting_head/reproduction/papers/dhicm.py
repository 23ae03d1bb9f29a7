"""Goindani & Shrivastava 2021: tables 3 and 4, the study of layers, figures."""

from interacting_head.recipes import paper_tables
from interacting_head.reproduction.claims import Above, Better, CellBetter, Equivalent, GainGrows, SameSize
from interacting_head.reproduction.tables import ON_MULTI30K, Analysis, Cell, Experiment, Small, Table, register

SUBWORDS = "data.vocabulary_size=[8848, 6632]"
MODELS = ("t_base", "t_optimal", "dhicm")
NAMES = {"t_base": "T-base", "t_optimal": "T-optimal", "dhicm": "DHICM"}
PAIRS = (10, 20, 30, 40, 80, 120, 160)
NEWSTEST = ("newstest2014_2017",)
MULTI_HOP = {
    ("test", "BLEU"): paper_tables.number(
        "multi_hop", table="table2", direction="de-en", model="multi_hop", quantity="BLEU"
    )
}
"""Printed by Iida et al. 2019, whose text and test set this is."""
LANGUAGES = {
    "wmt17_de_en": ("De-En", "wmt17_de_en (newstest14+17)", NEWSTEST),
    "hindencorp_hi_en": ("Hi-En", "hindencorp_hi_en", ("test",)),
    "ted_be_en": ("Be-En", "ted_be_en", ("test",)),
}


def printed(table, dataset, model, **where):
    """Return what the paper prints of a model, as `Cell.printed`."""
    number = paper_tables.number("dynamic_head_importance", table=table, dataset=dataset, model=model, **where)
    return {("test", "BLEU"): number}


BETTER = (
    Better("dynamic head importance beats T-base everywhere", "§ 5", row="DHICM", baseline="T-base"),
    Better("dynamic head importance beats T-optimal everywhere", "§ 5", row="DHICM", baseline="T-optimal"),
)

register(
    Table(
        "dhicm/3",
        "BLEU by language pair (Goindani & Shrivastava 2021, table 3)",
        (
            *(
                Cell(
                    NAMES[model],
                    name,
                    Experiment(f"dhicm_{corpus}_{model}"),
                    printed("table3", dataset, model),
                    {"test": splits},
                )
                for model in MODELS
                for corpus, (name, dataset, splits) in LANGUAGES.items()
            ),
            Cell("multi-hop", "De-En", Experiment("mhop_wmt17_de_en_layer_4"), MULTI_HOP, {"test": NEWSTEST}),
        ),
        tests={"test": ("test",)},
        small=Small({"test": ("test",)}, only=lambda cell: cell.column != "De-En"),
        claims=(
            *BETTER,
            Better("tuning alone beats T-base everywhere", "§ 5", row="T-optimal", baseline="T-base"),
            CellBetter(
                "dynamic head importance beats multi-hop attention",
                "§ 5, table 3",
                pairs=((("DHICM", "De-En"), ("multi-hop", "De-En")),),
            ),
        ),
        note="De-En is scored on newstest2014 and newstest2017 joined, the split `newstest2014_2017`.",
    )
)
SUBSETS = {f"{pairs}K": (f"{pairs}k", ()) for pairs in PAIRS}
SMALL_SUBSETS = {
    "3K": ("10k", ("data.train_pairs=3000",)),
    "6K": ("10k", ("data.train_pairs=6000",)),
    "12K": ("10k", ("data.train_pairs=12000",)),
    "29K": ("160k", ()),
}
"""Column → the recipe's size and further settings; of Multi30k, which has 29,000 pairs."""


def cells_of_subsets(subsets):
    """Return the cells of table 4, or of a small one."""
    return tuple(
        Cell(
            NAMES[model],
            column,
            Experiment(f"dhicm_iwslt14_de_en_{size}_{model}", settings, column.lower() if settings else ""),
            {} if settings else printed("table4", "iwslt14_de_en", model, train_pairs=1000 * int(size[:-1])),
        )
        for model in MODELS
        for column, (size, settings) in subsets.items()
    )


def claims_of_subsets(subsets, tuned, many):
    """Return the claims on table 4.

    Args:
        subsets: the columns, by size.
        tuned: those in which tuning alone is claimed to gain.
        many: those in which nothing is claimed to be left of the gain.
    """
    few, *_, whole = subsets
    return (
        *BETTER,
        Better(
            f"tuning alone beats T-base from {tuned[0]} pairs on",
            "§ 5, table 4",
            row="T-optimal",
            baseline="T-base",
            columns=lambda column: column in tuned,
        ),
        GainGrows(
            "the gain over T-optimal is larger with few pairs than with all of them",
            "§ 5",
            row="DHICM",
            baseline="T-optimal",
            column=few,
            than=(whole,),
        ),
        Equivalent(
            "with many pairs dynamic head importance and T-optimal score alike",
            "§ 5",
            pairs=tuple((("DHICM", column), ("T-optimal", column)) for column in many),
        ),
    )


FLICKR = {"test": ("test_2016_flickr",)}
register(
    Table(
        "dhicm/4",
        "BLEU by size of the corpus, IWSLT14 DE-EN (Goindani & Shrivastava 2021, table 4)",
        cells_of_subsets(SUBSETS),
        tests={"test": ("test",)},
        small=Small(
            FLICKR,
            ON_MULTI30K,
            cells=cells_of_subsets(SMALL_SUBSETS),
            claims=claims_of_subsets(list(SMALL_SUBSETS), ("12K", "29K"), ("29K",)),
        ),
        claims=claims_of_subsets(list(SUBSETS), list(SUBSETS)[2:], ("80K", "120K", "160K")),
    )
)
register(
    Table(
        "dhicm/layers",
        "Dynamic head importance by layer, score and loss (Goindani & Shrivastava 2021, section 4.3)",
        tuple(
            Cell("DHICM", place, Experiment(f"dhicm_iwslt14_de_en_160k_dhicm_{place.replace(' ', '_')}"))
            for place in (*(f"layer {number}" for number in range(1, 7)), "every layer", "mlp", "without loss")
        ),
        tests={"test": ("test",)},
        small=Small(FLICKR, ON_MULTI30K),
        claims=(
            CellBetter(
                "the last layer is the best place",
                "§ 4.3",
                pairs=tuple(
                    (("DHICM", "layer 6"), ("DHICM", place))
                    for place in (*(f"layer {number}" for number in range(1, 6)), "every layer")
                ),
            ),
            Equivalent(
                "the MLP score does as well as the dot product",
                "§ 3.1",
                pairs=((("DHICM", "mlp"), ("DHICM", "layer 6")),),
            ),
            CellBetter(
                "the loss that keeps importances apart helps",
                "§ 5",
                pairs=((("DHICM", "layer 6"), ("DHICM", "without loss")),),
            ),
        ),
    )
)
register(
    Table(
        "dhicm/sizes",
        "Number of parameters, IWSLT14 DE-EN (Goindani & Shrivastava 2021, section 7)",
        tuple(
            Cell(name, "DE-EN", Experiment(f"dhicm_iwslt14_de_en_160k_{model}", (SUBWORDS,), "sizes"))
            for model, name in {**NAMES, "dhicm_wide": "DHICM, d_m = d"}.items()
        ),
        "parameters",
        on_a_cpu=True,
        claims=(
            SameSize(
                "dynamic head importance adds about 500 thousand parameters",
                "§ 7",
                pairs=((("DHICM", "DE-EN"), ("T-optimal", "DE-EN")),),
                more=0.02,
            ),
        ),
        note="The paper prints no numbers of them. The matrices of three layers with DHICM have 491,520; they "
        "take the place of three output matrices, 786,432. Vocabulary sizes come from fairseq's script for IWSLT14.",
    )
)


def largest_weights(rows):
    """Return the largest weight of the mean over heads of the last layer, mean over words, of `analyze alignment`."""
    means = [row for row in rows if row["head"] == "mean" and row["layer"] != "all"]
    return {"largest weight": {"": means[-1]["largest"]}}


def register_alignment(name, number, size, small_column):
    """Register figure 1 or 2: T-base and DHICM with few or many pairs."""
    small_size, settings = SMALL_SUBSETS[small_column]
    claim = CellBetter(
        "DHICM aligns words more sharply than T-base", "§ 6, figures 1 and 2", metric="largest weight",
        pairs=((("DHICM", "last layer"), ("T-base", "last layer")),),
    )  # fmt: skip

    def cells_of(size, settings):
        variant = small_column.lower() if settings else ""
        return tuple(
            Cell(NAMES[model], "last layer", Experiment(f"dhicm_iwslt14_de_en_{size}_{model}", settings, variant))
            for model in ("t_base", "dhicm")
        )

    register(
        Table(
            name,
            f"Largest weight of encoder-decoder attention, {size.upper()} pairs (Goindani & Shrivastava 2021, "
            f"figure {number})",
            cells_of(size, ()),
            "analysis",
            tests={"test": ("test",)},
            metrics=("largest weight",),
            printed_metrics={},
            small=Small(FLICKR, ON_MULTI30K, cells=cells_of(small_size, settings)),
            claims=(claim,),
            analysis=Analysis(("alignment",), largest_weights, "alignment-sentence-*[0-9]"),
            note="Mean over heads, and over the words of the test set; the figure shows one. The paper's has 0.8 "
            "for DHICM, and 0.12 and 0.5 for T-base with 20K and 160K pairs.",
        )
    )


register_alignment("dhicm/figure_1", 1, "20k", "6K")
register_alignment("dhicm/figure_2", 2, "160k", "29K")


def importance(rows):
    """Return entropy and deviation over positions of the importance of heads by site, of `analyze importance`."""
    found = {"entropy": {}, "deviation": {}}
    for row in rows:
        if row["head"] == "all":
            found["entropy"][row["site"]] = row["entropy"]
        else:
            former = found["deviation"].get(row["site"], 0.0)
            found["deviation"][row["site"]] = max(former, row["deviation"])
    return found


SITES = ("encoder", "decoder", "cross")
register(
    Table(
        "dhicm/figure_3",
        "Importance of heads in the last layers (Goindani & Shrivastava 2021, figure 3)",
        tuple(
            Cell(row, site, Experiment(f"dhicm_iwslt14_de_en_160k_dhicm_{model}"))
            for row, model in (("DHICM", "layer_6"), ("without loss", "without_loss"))
            for site in SITES
        ),
        "analysis",
        tests={"test": ("test",)},
        metrics=("entropy", "deviation"),
        printed_metrics={},
        small=Small(FLICKR, ON_MULTI30K),
        claims=(
            CellBetter(
                "the loss keeps importances apart: their entropy is lower with it",
                "§ 5",
                pairs=tuple((("without loss", site), ("DHICM", site)) for site in SITES),
                metric="entropy",
            ),
            Above(
                "importance varies by token: its deviation over positions is above 0.05",
                "§ 6, figure 3",
                of_cells=tuple(("DHICM", site) for site in SITES),
                bound=0.05,
                metric="deviation",
            ),
        ),
        analysis=Analysis(("importance",), importance, "importance-sentence-*[0-9]"),
        note="Entropy in nats, mean over positions; deviation of the head that varies most.",
    )
)
register(Table("dhicm/1", "Sizes of corpora (table 1)", command="python -m data.stats CORPUS"))
register(Table("dhicm/2", "Hyper-parameters (table 2)", command="python -m interacting_head.tune RECIPE"))
