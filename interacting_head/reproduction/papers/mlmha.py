"""Ampomah et al. 2020: tables 2 to 4, 6 and 7, and figures 3 to 9."""

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_layer import BASELINES, MEMORIES, OVER_MIXTURES
from interacting_head.reproduction.claims import CellBetter, Equivalent, SameSize, Slower
from interacting_head.reproduction.tables import (
    DRAWING,
    ON_MULTI30K,
    Analysis,
    Cell,
    Experiment,
    Small,
    Table,
    register,
)

VARIANTS = ("m00", "m01", "m10", "m11")
TASKS = {
    "2": ("wmt14_en_de", 6),
    "3": ("iwslt14_es_en", 4),
    "4": ("iwslt15_en_vi", 4),
}
MIXTURES = "M-00 over transparent mixtures"
"""The future work that section 8 names."""


def printed(table, dataset, model, **where):
    """Return what the paper prints of a model, as `Cell.printed`."""
    number = paper_tables.number(
        "multi_layer_multi_head", table=f"table{table}", dataset=dataset, model=model, quantity="BLEU", **where
    )
    return {} if number is None else {("test", "BLEU"): number}


def cells(table, corpus, depth):
    """Return the cells of tables 2, 3 and 4, or of a small one with other numbers of layers."""
    named = {"transformer": "b0", **{name: memory for memory, name in MEMORIES.items()}}
    rows = [
        Cell(name.replace("_", " "), "BLEU", Experiment(f"mlmha_{corpus}_{model}"), printed(table, corpus, name))
        for name, model in named.items()
    ]
    for variant in VARIANTS:
        name = f"M-{variant[1:]}"
        experiment = Experiment(f"mlmha_{corpus}_{variant}_n{depth}")
        rows.append(Cell(f"{name}, n = {depth}", "BLEU", experiment, printed(table, corpus, name, n=depth)))
    mixtures = Experiment(f"mlmha_{corpus}_{OVER_MIXTURES}_n{TASKS[table][1]}", (f"model.memory_layers={depth}",))
    rows.append(Cell(MIXTURES, "BLEU", mixtures))
    return tuple(rows)


def cells_of_sources(depth, larger=()):
    """Return the cells of table 6.

    Args:
        depth: the largest number of sources.
        larger: settings of B2 beyond its recipe's.
    """
    baselines = ((model.upper(), 1, model) for model in BASELINES)
    variants = ((f"M-{variant[1:]}", n, f"{variant}_n{n}") for variant in VARIANTS for n in range(2, depth + 1))
    return tuple(
        Cell(
            name,
            f"n = {n}",
            Experiment(f"mlmha_wmt14_en_de_{model}", larger if model == "b2" else ()),
            printed("6", "wmt14_en_de", name, n=n),
        )
        for name, n, model in (*baselines, *variants)
    )


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
    if number != "2":
        claims.append(
            CellBetter(
                "weights computed jointly generalise better than one for each layer",
                source,
                pairs=tuple(((joint, "BLEU"), (apart, "BLEU")) for joint, apart in ((m00, m10), (m01, m11))),
            )
        )
    if first:
        others = [row for row in (m00, m01, m10, m11) if row != first]
        claims.append(better(f"{first} is the best of the four", source, first, *others))
    return tuple(claims)


def claims_of_sources(depth):
    """Return the claims on table 6, with sources up to `depth`."""
    many, few = ((5, 6), (2, 3)) if depth == 6 else ((depth,), (2,))
    ways = {
        "gains": (("M-00", "M-10"), many, few),
        "loses": (("M-01", "M-11"), (2,), tuple(range(3, depth + 1))),
    }
    return (
        *(
            CellBetter(
                f"{row} {word} from more sources: {in_words(better)} beat {in_words(others)}",
                "§ 7.2",
                pairs=tuple(((row, f"n = {one}"), (row, f"n = {other}")) for one in better for other in others),
            )
            for word, (rows, better, others) in ways.items()
            for row in rows
        ),
        CellBetter(
            f"M-10 with {depth} sources beats B2, which has four layers more on each side",
            "§ 7.2",
            pairs=((("M-10", f"n = {depth}"), ("B2", "n = 1")),),
        ),
        Equivalent(
            "more parameters alone give no more than B0: B1 scores alike",
            "§ 7.2",
            pairs=((("B1", "n = 1"), ("B0", "n = 1")),),
        ),
    )


def in_words(numbers):
    """Return numbers as `3, 4 and 5`."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


SMALL_DEPTH = 4
FOUR_LAYERS = (*ON_MULTI30K, f"model.encoder_layers={SMALL_DEPTH}", f"model.decoder_layers={SMALL_DEPTH}")
FOUR_MORE = (f"model.encoder_layers={SMALL_DEPTH + 4}", f"model.decoder_layers={SMALL_DEPTH + 4}")
TEST = {"test": ("test_2016_flickr",)}

for _number, (_corpus, _depth) in TASKS.items():
    _small = Small({"test": ("test",)})
    if _number == "2":
        _cells = cells("2", _corpus, SMALL_DEPTH)
        _small = Small(TEST, FOUR_LAYERS, cells=_cells, claims=claims_of("2", SMALL_DEPTH))
    register(
        Table(
            f"mlmha/{_number}",
            f"BLEU of multi-layer multi-head attention and layer aggregation, {_corpus} (Ampomah et al. 2020, "
            f"table {_number})",
            cells(_number, _corpus, _depth),
            tests={"test": ("test",)},
            printed_metrics={"BLEU": "bleu" if _corpus == "iwslt14_es_en" else "sacrebleu"},
            small=_small,
            claims=claims_of(_number, _depth),
        )
    )
register(
    Table(
        "mlmha/6",
        "BLEU by number of sources (Ampomah et al. 2020, table 6)",
        cells_of_sources(6),
        tests={"test": ("test",)},
        printed_metrics={"BLEU": "sacrebleu"},
        small=Small(
            TEST, FOUR_LAYERS, cells=cells_of_sources(SMALL_DEPTH, FOUR_MORE), claims=claims_of_sources(SMALL_DEPTH)
        ),
        claims=claims_of_sources(6),
    )
)


def cells_of_times(depth):
    """Return the cells of the training speeds in table 2; the paper prints steps a second."""
    for cell in cells("2", "wmt14_en_de", depth):
        name = cell.row.split(",")[0].replace(" ", "_")
        speed = paper_tables.number("multi_layer_multi_head", table="table2", model=name, quantity="steps_per_second")
        numbers = {} if speed is None or depth != 6 else {("", "seconds"): 1 / speed}
        yield cell._replace(column="time", printed=numbers)


def claims_of_times(depth):
    """Return the claims on training speeds."""
    return tuple(
        Slower(f"{row} takes longer than the Transformer", "§ 7.2", row=row, baseline="transformer", columns=("time",))
        for row in (f"M-{variant[1:]}, n = {depth}" for variant in VARIANTS)
    )


register(
    Table(
        "mlmha/time",
        "Training time of multi-layer multi-head attention and layer aggregation (Ampomah et al. 2020, table 2)",
        tuple(cells_of_times(6)),
        "epoch_seconds",
        small=Small({}, FOUR_LAYERS, cells=tuple(cells_of_times(SMALL_DEPTH)), claims=claims_of_times(SMALL_DEPTH)),
        claims=claims_of_times(6),
        note="The paper's numbers are seconds a step.",
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


LENGTHS = ("1–10", "11–20", "21–30", "31–40", "41–50", "51–")
"""Figure 3: sub-words of source sentences."""


def cells_by_length(depth, lengths):
    """Return the cells of figure 3, a column for each range of lengths."""
    models = {"B0": "b0", **{f"M-{variant[1:]}": f"{variant}_n{depth}" for variant in VARIANTS}}
    return tuple(
        Cell(row, length, Experiment(f"mlmha_wmt14_en_de_{model}"))
        for row, model in models.items()
        for length in lengths
    )


def claims_on_lengths(lengths):
    """Return the claims on figure 3, of a table with these columns."""
    long = [length for length in lengths if int(length.split("–")[0]) > 20]
    others = ("B0", "M-00", "M-01", "M-11")
    return (
        CellBetter(
            "M-10 is the best for sentences of more than 20 sub-words",
            "§ 7.1, figure 3",
            pairs=tuple((("M-10", length), (row, length)) for length in long for row in others),
        ),
        CellBetter(
            "M-01 is the best for sentences of 10 sub-words or fewer",
            "§ 7.1, figure 3",
            pairs=tuple((("M-01", lengths[0]), (row, lengths[0])) for row in ("B0", "M-00", "M-10", "M-11")),
        ),
    )


SMALL_LENGTHS = ("1–10", "11–20", "21–")
register(
    Table(
        "mlmha/figure_3",
        "BLEU by length of the source in sub-words (Ampomah et al. 2020, figure 3)",
        cells_by_length(6, LENGTHS),
        "by_length",
        tests={"test": ("test",)},
        metrics=("sacrebleu",),
        printed_metrics={},
        small=Small(
            TEST,
            FOUR_LAYERS,
            cells=cells_by_length(SMALL_DEPTH, SMALL_LENGTHS),
            claims=claims_on_lengths(SMALL_LENGTHS),
        ),
        claims=claims_on_lengths(LENGTHS),
    )
)


def cells_by_source(depth):
    """Return the cells of table 7: a column for each encoder layer whose output is masked, and one for none."""
    columns = ["nothing", *(f"layer {number}" for number in range(1, depth + 1))]
    found = []
    for variant in VARIANTS:
        row, experiment = f"M-{variant[1:]}", Experiment(f"mlmha_wmt14_en_de_{variant}_n{depth}")
        for column in columns:
            number = paper_tables.number(
                "multi_layer_multi_head", table="table7", n=6, model=f"{row} without {column}", quantity="BLEU_delta"
            )
            number = 0.0 if column == "nothing" else number
            numbers = {("test", "difference"): number} if depth == 6 else {}
            found.append(Cell(row, column, experiment, numbers))
    return tuple(found)


def differences(rows):
    """Return the differences of BLEU of table 7 from the rows of `analyze masking`."""
    masked = {f"layer {row['number']}": row["difference"] for row in rows if row["layer"] == "all"}
    return {"difference": {"nothing": 0.0, **masked}}


def claims_of_masks(depth):
    """Return the claims on table 7."""
    layers = [f"layer {number}" for number in range(1, depth + 1)]
    return (
        *(
            CellBetter(
                f"{row} depends on the lowest layer more than on any other",
                "§ 7.3, table 7",
                pairs=tuple(((row, layer), (row, layers[0])) for layer in layers[1:]),
                metric="difference",
            )
            for row in ("M-00", "M-01")
        ),
        CellBetter(
            "M-10 needs each of its layers",
            "§ 7.3, table 7",
            pairs=tuple((("M-10", "nothing"), ("M-10", layer)) for layer in layers),
            metric="difference",
        ),
    )


register(
    Table(
        "mlmha/7",
        "Difference of BLEU with an encoder output masked in all decoder layers (Ampomah et al. 2020, table 7)",
        cells_by_source(6),
        "analysis",
        tests={"test": ("test",)},
        metrics=("difference",),
        printed_metrics={"difference": "difference"},
        small=Small(TEST, FOUR_LAYERS, cells=cells_by_source(SMALL_DEPTH), claims=claims_of_masks(SMALL_DEPTH)),
        claims=claims_of_masks(6),
        analysis=Analysis(("masking",), differences, "masking"),
    )
)
PLACES = {"distance_as_printed": "distance", "entropy_as_printed": "entropy"}


def by_layer(rows):
    """Return distance and entropy of the encoder's heads by layer, as printed, from the rows of `analyze attention`."""
    means = [row for row in rows if row["head"] == "mean"]
    return {name: {f"layer {row['layer']}": row[key] for row in means} for key, name in PLACES.items()}


def cells_by_layer(depth):
    """Return the cells of figures 5 to 9."""
    models = {"B0": "b0", **{f"M-{variant[1:]}": f"{variant}_n{depth}" for variant in VARIANTS}}
    return tuple(
        Cell(row, f"layer {number}", Experiment(f"mlmha_wmt14_en_de_{model}"))
        for row, model in models.items()
        for number in range(1, depth + 1)
    )


def claims_on_distance(depth):
    """Return the claims on figures 8 and 9."""
    places = {("M-00", "M-01"): range(3, depth) if depth == 6 else (2, 3), ("M-10", "M-11"): (1, 2)[: depth - 3]}
    return tuple(
        CellBetter(
            f"{' and '.join(rows)} attend more locally than B0 in the encoder's layers {in_words(layers)}",
            "§ 7.4, figure 8",
            pairs=tuple((("B0", f"layer {layer}"), (row, f"layer {layer}")) for row in rows for layer in layers),
            metric="distance",
        )
        for rows, layers in places.items()
    )


register(
    Table(
        "mlmha/figure_8",
        "Distance and entropy of the encoder's attention by layer (Ampomah et al. 2020, figures 5 to 9)",
        cells_by_layer(6),
        "analysis",
        tests={"test": ("test",)},
        metrics=tuple(PLACES.values()),
        printed_metrics={},
        small=Small(TEST, FOUR_LAYERS, cells=cells_by_layer(SMALL_DEPTH), claims=claims_on_distance(SMALL_DEPTH)),
        analysis=Analysis(("attention", "--sites", "encoder", "--as-printed"), by_layer, "attention-layers-as-printed"),
        claims=claims_on_distance(6),
        note="Sums over j ≤ i, as equations 13 and 15 are printed. `analyze attention` shows heads one by one.",
    )
)
for _name in ("figure_5", "figure_6", "figure_7", "figure_9"):
    _title = f"Distance and entropy of heads (figure {_name[-1]})"
    register(Table(f"mlmha/{_name}", _title, command="python -m interacting_head.reproduce mlmha/figure_8"))
register(
    Table(
        "mlmha/figure_4",
        "BLEU by number of sources (figure 4)",
        command="python -m interacting_head.reproduce mlmha/6",
    )
)
for _number in "12":
    register(Table(f"mlmha/figure_{_number}", f"Multi-layer multi-head attention (figure {_number})", command=DRAWING))
register(
    Table(
        "mlmha/1",
        "The four variants (table 1)",
        command="the options of multi_layer in docs/configuration.md",
    )
)
register(Table("mlmha/5", "Sample translations (table 5)", command="translate.py -m RUN_DIR"))
