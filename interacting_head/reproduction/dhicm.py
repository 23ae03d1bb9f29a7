"""Goindani & Shrivastava 2021: tables 3 and 4, the study of layers, figures."""

from interacting_head.recipes import paper_tables
from interacting_head.reproduction.claims import Better, CellBetter, Equivalent, GainGrows, SameSize
from interacting_head.reproduction.tables import ON_MULTI30K, Cell, Experiment, Small, Table, register

SUBWORDS = "data.vocabulary_size=[8848, 6632]"
MODELS = ("t_base", "t_optimal", "dhicm")
NAMES = {"t_base": "T-base", "t_optimal": "T-optimal", "dhicm": "DHICM"}
PAIRS = (10, 20, 30, 40, 80, 120, 160)
LANGUAGES = {
    "wmt17_de_en": ("De-En", "wmt17_de_en (newstest14+17)", ("newstest2014_2017",)),
    "hindencorp_hi_en": ("Hi-En", "hindencorp_hi_en", ("test",)),
    "ted_be_en": ("Be-En", "ted_be_en", ("test",)),
}
ALIGNED = "analyze alignment -m runs/dhicm_iwslt14_de_en_{0}k_t_base runs/dhicm_iwslt14_de_en_{0}k_dhicm"


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
        tuple(
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
        tests={"test": ("test",)},
        small=Small({"test": ("test",)}, only=lambda cell: cell.column != "De-En"),
        claims=(
            *BETTER,
            Better("tuning alone beats T-base everywhere", "§ 5", row="T-optimal", baseline="T-base"),
        ),
        note="De-En is scored on newstest2014 and newstest2017 joined, the split `newstest2014_2017`.",
    )
)
register(
    Table(
        "dhicm/4",
        "BLEU by size of the corpus, IWSLT14 DE-EN (Goindani & Shrivastava 2021, table 4)",
        tuple(
            Cell(
                NAMES[model],
                f"{pairs}K",
                Experiment(f"dhicm_iwslt14_de_en_{pairs}k_{model}"),
                printed("table4", "iwslt14_de_en", model, train_pairs=1000 * pairs),
            )
            for model in MODELS
            for pairs in PAIRS
        ),
        tests={"test": ("test",)},
        small=Small({"test": ("test",)}, only=lambda cell: cell.column in ("10K", "40K", "160K")),
        claims=(
            *BETTER,
            Better(
                "tuning alone beats T-base from 30K pairs on",
                "§ 5, table 4",
                row="T-optimal",
                baseline="T-base",
                columns=lambda column: column not in ("10K", "20K"),
            ),
            GainGrows(
                "the gain over T-optimal is larger with few pairs than with all of them",
                "§ 5",
                row="DHICM",
                baseline="T-optimal",
                column="10K",
                than=("160K",),
            ),
            Equivalent(
                "with many pairs dynamic head importance and T-optimal score alike",
                "§ 5",
                pairs=tuple((("DHICM", column), ("T-optimal", column)) for column in ("80K", "120K", "160K")),
            ),
        ),
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
        small=Small({"test": ("test_2016_flickr",)}, ON_MULTI30K),
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
        "take the place of three output matrices, 786,432. Sub-words are those of fairseq's script for IWSLT14.",
    )
)
for _number, _title, _command in (
    ("1", "Encoder-decoder attention of T-base and DHICM, 20K pairs", ALIGNED.format(20)),
    ("2", "Encoder-decoder attention of T-base and DHICM, 160K pairs", ALIGNED.format(160)),
    ("3", "Importance of heads by position, 160K pairs", "analyze importance -m runs/dhicm_iwslt14_de_en_160k_dhicm"),
):
    _command = f"python -m interacting_head.{_command}, of trained recipes"
    register(Table(f"dhicm/figure_{_number}", f"{_title} (figure {_number})", command=_command))
