"""Ampomah et al. 2020: tables 2 to 4, 6 and 7, and figures 3 to 9."""

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_layer import BASELINES, MEMORIES
from interacting_head.reproduction.claims import Better
from interacting_head.reproduction.tables import ON_MULTI30K, Cell, Experiment, Small, Table, register

VARIANTS = ("m00", "m01", "m10", "m11")
TASKS = {
    "2": ("wmt14_en_de", "newstest2014", range(2, 7)),
    "3": ("iwslt14_es_en", "test", (4,)),
    "4": ("iwslt15_en_vi", "test", (4,)),
}
SMALL = Small({"test": ("test_2016_flickr",)}, ON_MULTI30K, "multi30k")
TRAINED = " ".join(f"runs/mlmha_wmt14_en_de_{variant}_n6" for variant in VARIANTS)
BASELINE = "runs/mlmha_wmt14_en_de_b0"
ATTENTION = "analyze attention --sites encoder --as-printed -m"


def printed(table, dataset, model, **where):
    """Return what the paper prints of a model, as `Cell.printed`."""
    number = paper_tables.number(
        "multi_layer_multi_head", table=f"table{table}", dataset=dataset, model=model, quantity="BLEU", **where
    )
    return {} if number is None else {("test", "BLEU"): number}


def cells(table, corpus, depths):
    """Return the cells of tables 2, 3 and 4."""
    most = max(depths)
    named = {"transformer": "b0", **{name: memory for memory, name in MEMORIES.items()}}
    rows = [
        Cell(name.replace("_", " "), "BLEU", Experiment(f"mlmha_{corpus}_{model}"), printed(table, corpus, name))
        for name, model in named.items()
    ]
    for variant in VARIANTS:
        name = f"M-{variant[1:]}"
        experiment = Experiment(f"mlmha_{corpus}_{variant}_n{most}")
        rows.append(Cell(f"{name}, n = {most}", "BLEU", experiment, printed(table, corpus, name, n=most)))
    return tuple(rows)


def claims_of(rows):
    """Return the claims on the cells of tables 2, 3 and 4."""
    names = [cell.row for cell in rows]
    return (
        *(Better(f"{name} beats the Transformer", name, "transformer") for name in names if name.startswith("M-")),
        *(Better(f"{names[4]} beats {name}", names[4], name) for name in names[1:4]),
    )


for _number, (_corpus, _split, _depths) in TASKS.items():
    _cells = cells(_number, _corpus, _depths)
    register(
        Table(
            f"mlmha/{_number}",
            f"BLEU of multi-layer multi-head attention and layer aggregation, {_corpus} (Ampomah et al. 2020, "
            f"table {_number})",
            _cells,
            tests={"test": (_split,)},
            printed_metrics={"BLEU": "bleu" if _corpus == "iwslt14_es_en" else "sacrebleu"},
            small=SMALL if _number == "2" else Small({"test": ("test",)}),
            claims=claims_of(_cells),
        )
    )
register(
    Table(
        "mlmha/6",
        "BLEU by number of sources (Ampomah et al. 2020, table 6)",
        tuple(
            Cell(name, column, Experiment(f"mlmha_wmt14_en_de_{model}"), printed("6", "wmt14_en_de", name, n=n))
            for name, column, model, n in (
                *((model.upper(), "n = 1", model, 1) for model in BASELINES),
                *((f"M-{variant[1:]}", f"n = {n}", f"{variant}_n{n}", n) for variant in VARIANTS for n in range(2, 7)),
            )
        ),
        tests={"test": ("newstest2014",)},
        printed_metrics={"BLEU": "sacrebleu"},
        small=SMALL,
    )
)
register(
    Table(
        "mlmha/figure_3",
        "BLEU by length of the source (figure 3)",
        command="eval_metrics.py -i HYP -r REF --compare OTHER_HYP --source SOURCE",
    )
)
for _name, _title, _command in (
    ("7", "Difference of BLEU with each encoder output masked (table 7)", f"analyze masking -m {TRAINED}"),
    ("figure_4", "BLEU by number of sources (figure 4)", "reproduce mlmha/6"),
    ("figure_5", "Distance and entropy of the baseline's heads by layer (figure 5)", f"{ATTENTION} {BASELINE}"),
    ("figure_6", "Distance of heads by layer (figure 6)", f"{ATTENTION} {TRAINED}"),
    ("figure_7", "Entropy of heads by layer (figure 7)", f"{ATTENTION} {TRAINED}"),
    ("figure_8", "Mean distance by layer (figure 8)", f"{ATTENTION} {BASELINE} {TRAINED}"),
    ("figure_9", "Mean entropy by layer (figure 9)", f"{ATTENTION} {BASELINE} {TRAINED}"),
):
    _of = ", of trained recipes" if "-m" in _command else ""
    register(Table(f"mlmha/{_name}", _title, command=f"python -m interacting_head.{_command}{_of}"))
