"""Ampomah et al. 2020: tables 2 to 4, 6 and 7, and figures 3 to 9."""

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_layer import BASELINES, MEMORIES, OVER_MIXTURES
from interacting_head.reproduction.claims import CellBetter, Equivalent, SameSize
from interacting_head.reproduction.tables import ON_MULTI30K, Cell, Experiment, Small, Table, register

VARIANTS = ("m00", "m01", "m10", "m11")
TASKS = {
    "2": ("wmt14_en_de", 6),
    "3": ("iwslt14_es_en", 4),
    "4": ("iwslt15_en_vi", 4),
}
MIXTURES = "M-00 over transparent mixtures"
"""What section 8 leaves to future work."""
SMALL = Small({"test": ("test_2016_flickr",)}, ON_MULTI30K)
TRAINED = " ".join(f"runs/mlmha_wmt14_en_de_{variant}_n6" for variant in VARIANTS)
BASELINE = "runs/mlmha_wmt14_en_de_b0"
ATTENTION = "analyze attention --sites encoder --as-printed -m"


def printed(table, dataset, model, **where):
    """Return what the paper prints of a model, as `Cell.printed`."""
    number = paper_tables.number(
        "multi_layer_multi_head", table=f"table{table}", dataset=dataset, model=model, quantity="BLEU", **where
    )
    return {} if number is None else {("test", "BLEU"): number}


def cells(table, corpus, depth):
    """Return the cells of tables 2, 3 and 4."""
    named = {"transformer": "b0", **{name: memory for memory, name in MEMORIES.items()}}
    rows = [
        Cell(name.replace("_", " "), "BLEU", Experiment(f"mlmha_{corpus}_{model}"), printed(table, corpus, name))
        for name, model in named.items()
    ]
    for variant in VARIANTS:
        name = f"M-{variant[1:]}"
        experiment = Experiment(f"mlmha_{corpus}_{variant}_n{depth}")
        rows.append(Cell(f"{name}, n = {depth}", "BLEU", experiment, printed(table, corpus, name, n=depth)))
    rows.append(Cell(MIXTURES, "BLEU", Experiment(f"mlmha_{corpus}_{OVER_MIXTURES}_n{depth}")))
    return tuple(rows)


def better(statement, source, row, *others):
    """Return the claim that a row beats others."""
    return CellBetter(statement, source, pairs=tuple(((row, "BLEU"), (other, "BLEU")) for other in others))


def alike(statement, source, *rows):
    """Return the claim that rows do not differ from the Transformer."""
    return Equivalent(statement, source, pairs=tuple(((row, "BLEU"), ("transformer", "BLEU")) for row in rows))


LINEAR, ITERATIVE, TRANSPARENT = "linear combination", "iterative combination", "transparent attention"


def claims_of(number, depth):
    """Return the claims on table 2, 3 or 4."""
    m00, m01, m10, m11 = (f"M-{variant[1:]}, n = {depth}" for variant in VARIANTS)
    if number == "2":
        beat, same, first = [m00, m10, ITERATIVE], [m01, m11, LINEAR, TRANSPARENT], m10
    elif number == "3":
        beat, same, first = [m00, m01, m10, m11, ITERATIVE, TRANSPARENT], [LINEAR], m00
    else:
        beat, same, first = [m00, m01, ITERATIVE, TRANSPARENT], [m10, m11], None
    source = f"§ 6, table {number}"
    claims = [better(f"{row} beats the Transformer", source, row, "transformer") for row in beat]
    claims.append(alike(f"{', '.join(same)} and the Transformer score alike", source, *same))
    claims.append(better(f"{MIXTURES} beats M-00 over the encoder layers", "", MIXTURES, m00))
    if first:
        others = [row for row in (m00, m01, m10, m11) if row != first]
        claims.append(better(f"{first} is the best of the four", source, first, *others))
    return tuple(claims)


for _number, (_corpus, _depth) in TASKS.items():
    register(
        Table(
            f"mlmha/{_number}",
            f"BLEU of multi-layer multi-head attention and layer aggregation, {_corpus} (Ampomah et al. 2020, "
            f"table {_number})",
            cells(_number, _corpus, _depth),
            tests={"test": ("test",)},
            printed_metrics={"BLEU": "bleu" if _corpus == "iwslt14_es_en" else "sacrebleu"},
            small=SMALL if _number == "2" else Small({"test": ("test",)}),
            claims=claims_of(_number, _depth),
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
        tests={"test": ("test",)},
        printed_metrics={"BLEU": "sacrebleu"},
        small=SMALL,
        claims=(
            *(
                CellBetter(
                    f"{row} gains from more sources: 5 and 6 beat 2 and 3",
                    "§ 7.2",
                    pairs=tuple(((row, f"n = {many}"), (row, f"n = {few}")) for many in (5, 6) for few in (2, 3)),
                )
                for row in ("M-00", "M-10")
            ),
            *(
                CellBetter(
                    f"{row} loses from more sources: 2 beat 3, 4, 5 and 6",
                    "§ 7.2",
                    pairs=tuple(((row, "n = 2"), (row, f"n = {many}")) for many in range(3, 7)),
                )
                for row in ("M-01", "M-11")
            ),
            CellBetter(
                "M-10 with six sources beats B2, which has about as many parameters",
                "§ 7.2",
                pairs=((("M-10", "n = 6"), ("B2", "n = 1")),),
            ),
            Equivalent(
                "more parameters alone give no more than B0: B1 scores alike",
                "§ 7.2",
                pairs=((("B1", "n = 1"), ("B0", "n = 1")),),
            ),
        ),
    )
)
SUBWORDS = 33_395
"""Between 33,392 and 33,398 all sizes of tables 2 and 6 come out; the paper speaks of about 32 thousand."""


def cells_of_sizes():
    """Return the cells of the numbers of parameters in tables 2 and 6."""
    rows = [(name.replace("_", " "), "", memory, "2") for memory, name in MEMORIES.items()]
    rows += [(model.upper(), "n = 1", model, "6") for model in BASELINES]
    rows += [(f"M-{variant[1:]}", f"n = {n}", f"{variant}_n{n}", "6") for variant in VARIANTS for n in range(2, 7)]
    for row, column, model, table in rows:
        millions = paper_tables.number(
            "multi_layer_multi_head", table=f"table{table}", dataset="wmt14_en_de", model=row.replace(" ", "_"),
            quantity="params_millions", **({"n": column.removeprefix("n = ")} if column else {}),
        )  # fmt: skip
        experiment = Experiment(f"mlmha_wmt14_en_de_{model}", (f"data.vocabulary_size={SUBWORDS}",), "sizes")
        yield Cell(row, column or "n = 1", experiment, {("", "parameters"): 1e6 * millions})


register(
    Table(
        "mlmha/sizes",
        "Number of parameters (Ampomah et al. 2020, tables 2 and 6)",
        tuple(cells_of_sizes()),
        "parameters",
        on_a_cpu=True,
        claims=(
            SameSize(
                "B1 has roughly as many parameters as M-01 and M-11 with six sources",
                "§ 7.2",
                pairs=tuple((("B1", "n = 1"), (row, "n = 6")) for row in ("M-01", "M-11")),
                more=0.02,
            ),
            SameSize(
                "B1 has roughly as many parameters as M-10 with five sources",
                "§ 7.2",
                pairs=((("B1", "n = 1"), ("M-10", "n = 5")),),
                more=0.02,
            ),
        ),
        note="With 33,395 sub-words, which give the paper's sizes; it speaks of about 32 thousand.",
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
