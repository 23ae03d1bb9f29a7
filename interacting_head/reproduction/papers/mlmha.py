"""Ampomah et al. 2020: tables 2 to 4, 6 and 7, and figures 3 to 9."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_layer import BASELINES, MEMORIES, OVER_MIXTURES
from interacting_head.reproduction.claims import CellBetter, Claim, Equivalent, SameSize, Slower
from interacting_head.reproduction.statistics import CellName
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

VARIANTS = {"M-00": "m00", "M-01": "m01", "M-10": "m10", "M-11": "m11"}
TASKS = {"2": ("wmt14_en_de", 6), "3": ("iwslt14_es_en", 4), "4": ("iwslt15_en_vi", 4)}
"""Number of the table → corpus and layers."""
MIXTURES = "M-00 over transparent mixtures"
"""The future work that section 8 names."""
LINEAR, ITERATIVE, TRANSPARENT = "linear combination", "iterative combination", "transparent attention"
SMALL_DEPTH = 4
FOUR_LAYERS = (*ON_MULTI30K, f"model.encoder_layers={SMALL_DEPTH}", f"model.decoder_layers={SMALL_DEPTH}")
FOUR_MORE = (f"model.encoder_layers={SMALL_DEPTH + 4}", f"model.decoder_layers={SMALL_DEPTH + 4}")
TEST, FLICKR = {"test": ("test",)}, {"test": ("test_2016_flickr",)}


def on_wmt14(model: str, settings: tuple[str, ...] = (), variant: str = "") -> Experiment:
    """Return the experiment with a model on WMT14 En-De."""
    return Experiment(f"mlmha_wmt14_en_de_{model}", settings, variant)


def printed(table: str, dataset: str, model: str, **where: int) -> dict:
    """Return the paper's number for a model, as `Cell.printed`."""
    where = {"table": f"table{table}", "dataset": dataset, "model": model, "quantity": "BLEU", **where}
    number = paper_tables.number("multi_layer_multi_head", **where)
    return {} if number is None else {("test", "BLEU"): number}


def cells(table: str, corpus: str, depth: int) -> tuple[Cell, ...]:
    """Return the cells of tables 2, 3 and 4, or of a small one with other numbers of layers."""
    named = {"transformer": "b0", **{name: memory for memory, name in MEMORIES.items()}}
    rows = [(name.replace("_", " "), model, (), printed(table, corpus, name)) for name, model in named.items()]
    for name, variant in VARIANTS.items():
        rows.append((f"{name}, n = {depth}", f"{variant}_n{depth}", (), printed(table, corpus, name, n=depth)))
    rows.append((MIXTURES, f"{OVER_MIXTURES}_n{TASKS[table][1]}", (f"model.memory_layers={depth}",), {}))
    return tuple(
        Cell(row, "BLEU", Experiment(f"mlmha_{corpus}_{model}", settings), numbers)
        for row, model, settings, numbers in rows
    )


def pairs(better: Iterable[CellName], others: Sequence[CellName]) -> tuple:
    """Return each of the better cells with each of the others."""
    return tuple((one, other) for one in better for other in others)


def in_column(column: str, *rows: str) -> list[CellName]:
    """Return cells of a column."""
    return [(row, column) for row in rows]


def in_row(row: str, columns: Iterable[str]) -> list[CellName]:
    """Return cells of a row."""
    return [(row, column) for column in columns]


def better(statement: str, source: str, row: str, *others: str) -> CellBetter:
    """Return the claim that a row of tables 2 to 4 beats others."""
    return CellBetter(statement, source, pairs=pairs(in_column("BLEU", row), in_column("BLEU", *others)))


def claims_of(number: str, depth: int) -> tuple[Claim, ...]:
    """Return the claims on table 2, 3 or 4."""
    m00, m01, m10, m11 = four = [f"{name}, n = {depth}" for name in VARIANTS]
    beat, same, first = {
        "2": ([m00, m10, ITERATIVE], [m01, m11, LINEAR, TRANSPARENT], m10),
        "3": ([m00, m01, m10, m11, ITERATIVE, TRANSPARENT], [LINEAR], m00),
        "4": ([m00, m01, ITERATIVE, TRANSPARENT], [m10, m11], None),
    }[number]
    source = f"§ 6, table {number}"
    alike = pairs(in_column("BLEU", *same), in_column("BLEU", "transformer"))
    claims = [better(f"{row} beats the Transformer", source, row, "transformer") for row in beat]
    claims.append(Equivalent(f"{', '.join(same)} and the Transformer score alike", source, pairs=alike))
    claims.append(better(f"{MIXTURES} beats M-00 over the encoder layers", "", MIXTURES, m00))
    if number != "2":
        both = tuple(((joint, "BLEU"), (apart, "BLEU")) for joint, apart in ((m00, m10), (m01, m11)))
        statement = "weights computed jointly generalise better than one for each layer"
        claims.append(CellBetter(statement, source, pairs=both))
    if first:
        others = [row for row in four if row != first]
        claims.append(better(f"{first} is the best of the four", source, first, *others))
    return tuple(claims)


for _number, (_corpus, _depth) in TASKS.items():
    _small = Small(TEST)
    if _number == "2":
        _cells = cells("2", _corpus, SMALL_DEPTH)
        _small = Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=claims_of("2", SMALL_DEPTH))
    register(
        Table(
            f"mlmha/{_number}",
            f"BLEU of multi-layer multi-head attention and layer aggregation, {_corpus} (Ampomah et al. 2020, "
            f"table {_number})",
            cells(_number, _corpus, _depth),
            tests=TEST,
            printed_metrics={"BLEU": "bleu" if _corpus == "iwslt14_es_en" else "sacrebleu"},
            small=_small,
            claims=claims_of(_number, _depth),
        )
    )


def sources(numbers: Iterable[int]) -> list[str]:
    """Return columns of table 6."""
    return [f"n = {number}" for number in numbers]


def cells_of_sources(depth: int, larger: tuple[str, ...] = ()) -> tuple[Cell, ...]:
    """Return the cells of table 6 up to a number of sources, with settings of B2 beyond its recipe's."""
    rows = [(model.upper(), 1, model) for model in BASELINES]
    rows += [(name, n, f"{variant}_n{n}") for name, variant in VARIANTS.items() for n in range(2, depth + 1)]
    return tuple(
        Cell(
            name,
            f"n = {n}",
            on_wmt14(model, larger if model == "b2" else ()),
            printed("6", "wmt14_en_de", name, n=n),
        )
        for name, n, model in rows
    )


def claims_of_sources(depth: int) -> tuple[Claim, ...]:
    """Return the claims on table 6, with sources up to `depth`."""
    many, few = ((5, 6), (2, 3)) if depth == 6 else ((depth,), (2,))
    ways = [(row, "gains", many, few) for row in ("M-00", "M-10")]
    ways += [(row, "loses", (2,), tuple(range(3, depth + 1))) for row in ("M-01", "M-11")]
    claims = {
        f"{row} {word} from more sources: {in_words(better)} beat {in_words(others)}": pairs(
            in_row(row, sources(better)), in_row(row, sources(others))
        )
        for row, word, better, others in ways
    }
    b0, b1, b2 = in_column("n = 1", "B0", "B1", "B2")
    statement = f"M-10 with {depth} sources beats B2, which has four layers more on each side"
    claims[statement] = ((("M-10", f"n = {depth}"), b2),)
    alike = "more parameters alone give no more than B0: B1 scores alike"
    return (
        *(CellBetter(words, "§ 7.2", pairs=x) for words, x in claims.items()),
        Equivalent(alike, "§ 7.2", pairs=((b1, b0),)),
    )


def in_words(numbers: Iterable[int]) -> str:
    """Return numbers as `3, 4 and 5`."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


_cells = cells_of_sources(SMALL_DEPTH, FOUR_MORE)
register(
    Table(
        "mlmha/6",
        "BLEU by number of sources (Ampomah et al. 2020, table 6)",
        cells_of_sources(6),
        tests=TEST,
        printed_metrics={"BLEU": "sacrebleu"},
        small=Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=claims_of_sources(SMALL_DEPTH)),
        claims=claims_of_sources(6),
    )
)


def cells_of_times(depth: int) -> Iterator[Cell]:
    """Yield the cells of the training speeds in table 2; the paper prints steps a second."""
    for cell in cells("2", "wmt14_en_de", depth):
        name = cell.row.split(",")[0].replace(" ", "_")
        speed = paper_tables.number("multi_layer_multi_head", table="table2", model=name, quantity="steps_per_second")
        numbers = {} if speed is None or depth != 6 else {("", "seconds"): 1 / speed}
        yield cell._replace(column="time", printed=numbers)


def claims_of_times(depth: int) -> tuple[Slower, ...]:
    """Return the claims on training speeds."""
    where = {"baseline": "transformer", "columns": ("time",)}
    rows = [f"{name}, n = {depth}" for name in VARIANTS]
    return tuple(Slower(f"{row} takes longer than the Transformer", "§ 7.2", row=row, **where) for row in rows)


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


def cells_of_sizes() -> Iterator[Cell]:
    """Yield the cells of the numbers of parameters in tables 2 and 6."""
    rows = [(name.replace("_", " "), "", memory, "2") for memory, name in MEMORIES.items()]
    rows += [(model.upper(), "n = 1", model, "6") for model in BASELINES]
    rows += [(name, f"n = {n}", f"{variant}_n{n}", "6") for name, variant in VARIANTS.items() for n in range(2, 7)]
    for row, column, model, table in rows:
        where = {"table": f"table{table}", "dataset": "wmt14_en_de", "model": row.replace(" ", "_")}
        where |= {"n": column.removeprefix("n = ")} if column else {}
        millions = paper_tables.number("multi_layer_multi_head", quantity="params_millions", **where)
        experiment = on_wmt14(model, (f"data.vocabulary_size={SUBWORDS}",), "sizes")
        yield Cell(row, column or "n = 1", experiment, {("", "parameters"): 1e6 * millions})


AS_LARGE = {
    "M-01 and M-11 with six sources": pairs([("B1", "n = 1")], in_column("n = 6", "M-01", "M-11")),
    "M-10 with five sources": ((("B1", "n = 1"), ("M-10", "n = 5")),),
}
register(
    Table(
        "mlmha/sizes",
        "Number of parameters (Ampomah et al. 2020, tables 2 and 6)",
        tuple(cells_of_sizes()),
        "parameters",
        on_a_cpu=True,
        claims=tuple(
            SameSize(f"B1 has roughly as many parameters as {words}", "§ 7.2", pairs=x, more=0.02)
            for words, x in AS_LARGE.items()
        ),
        note="With 33,395 sub-words, which give the paper's sizes; it speaks of about 32 thousand.",
    )
)
LENGTHS = ("1–10", "11–20", "21–30", "31–40", "41–50", "51–")
"""Figure 3: sub-words of source sentences."""
SMALL_LENGTHS = ("1–10", "11–20", "21–")


def cells_of_variants(depth: int, columns: Iterable[str]) -> tuple[Cell, ...]:
    """Return the cells of figures 3 and 5 to 9: B0 and the variants, each with the same columns."""
    models = {"B0": "b0", **{name: f"{variant}_n{depth}" for name, variant in VARIANTS.items()}}
    return tuple(Cell(row, column, on_wmt14(model)) for row, model in models.items() for column in columns)


def claims_on_lengths(lengths: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims on figure 3, of a table with these columns."""
    long = [length for length in lengths if int(length.split("–")[0]) > 20]
    source, others = "§ 7.1, figure 3", ("B0", "M-00", "M-01", "M-11")
    of_long = tuple((("M-10", length), (row, length)) for length in long for row in others)
    of_short = pairs([("M-01", lengths[0])], in_column(lengths[0], "B0", "M-00", "M-10", "M-11"))
    return (
        CellBetter("M-10 is the best for sentences of more than 20 sub-words", source, pairs=of_long),
        CellBetter("M-01 is the best for sentences of 10 sub-words or fewer", source, pairs=of_short),
    )


_cells = cells_of_variants(SMALL_DEPTH, SMALL_LENGTHS)
register(
    Table(
        "mlmha/figure_3",
        "BLEU by length of the source in sub-words (Ampomah et al. 2020, figure 3)",
        cells_of_variants(6, LENGTHS),
        "by_length",
        tests=TEST,
        metrics=("sacrebleu",),
        printed_metrics={},
        small=Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=claims_on_lengths(SMALL_LENGTHS)),
        claims=claims_on_lengths(LENGTHS),
    )
)


def layers(numbers: Iterable[int]) -> list[str]:
    """Return columns of table 7 and figures 5 to 9."""
    return [f"layer {number}" for number in numbers]


def cells_by_source(depth: int) -> Iterator[Cell]:
    """Yield the cells of table 7: a column for each encoder layer whose output is masked, and one for none."""
    where = {"table": "table7", "n": 6, "quantity": "BLEU_delta"}
    for row, variant in VARIANTS.items():
        for column in ("nothing", *layers(range(1, depth + 1))):
            number = paper_tables.number("multi_layer_multi_head", model=f"{row} without {column}", **where)
            numbers = {("test", "difference"): 0.0 if column == "nothing" else number} if depth == 6 else {}
            yield Cell(row, column, on_wmt14(f"{variant}_n{depth}"), numbers)


def differences(rows: Iterable[Mapping]) -> dict[str, dict[str, float]]:
    """Return the differences of BLEU of table 7 from the rows of `analyze masking`."""
    masked = {f"layer {row['number']}": row["difference"] for row in rows if row["layer"] == "all"}
    return {"difference": {"nothing": 0.0, **masked}}


def claims_of_masks(depth: int) -> tuple[CellBetter, ...]:
    """Return the claims on table 7."""
    lowest, *others = columns = layers(range(1, depth + 1))
    claims = {
        f"{row} depends on the lowest layer more than on any other": pairs(in_row(row, others), [(row, lowest)])
        for row in ("M-00", "M-01")
    }
    claims["M-10 needs each of its layers"] = pairs([("M-10", "nothing")], in_row("M-10", columns))
    return tuple(CellBetter(words, "§ 7.3, table 7", pairs=x, metric="difference") for words, x in claims.items())


_cells = tuple(cells_by_source(SMALL_DEPTH))
register(
    Table(
        "mlmha/7",
        "Difference of BLEU with an encoder output masked in all decoder layers (Ampomah et al. 2020, table 7)",
        tuple(cells_by_source(6)),
        "analysis",
        tests=TEST,
        metrics=("difference",),
        printed_metrics={"difference": "difference"},
        small=Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=claims_of_masks(SMALL_DEPTH)),
        claims=claims_of_masks(6),
        analysis=Analysis(("masking",), differences, "masking"),
    )
)
PLACES = {"distance_as_printed": "distance", "entropy_as_printed": "entropy"}


def by_layer(rows: Iterable[Mapping]) -> dict[str, dict[str, float]]:
    """Return distance and entropy of the encoder's heads by layer, as printed, from the rows of `analyze attention`."""
    means = [row for row in rows if row["head"] == "mean"]
    return {name: {f"layer {row['layer']}": row[key] for row in means} for key, name in PLACES.items()}


def claims_on_distance(depth: int) -> tuple[CellBetter, ...]:
    """Return the claims on figures 8 and 9."""
    places = {("M-00", "M-01"): range(3, depth) if depth == 6 else (2, 3), ("M-10", "M-11"): (1, 2)[: depth - 3]}
    return tuple(
        CellBetter(
            f"{' and '.join(rows)} attend more locally than B0 in the encoder's layers {in_words(numbers)}",
            "§ 7.4, figure 8",
            pairs=tuple((("B0", layer), (row, layer)) for row in rows for layer in layers(numbers)),
            metric="distance",
        )
        for rows, numbers in places.items()
    )


_cells = cells_of_variants(SMALL_DEPTH, layers(range(1, SMALL_DEPTH + 1)))
register(
    Table(
        "mlmha/figure_8",
        "Distance and entropy of the encoder's attention by layer (Ampomah et al. 2020, figures 5 to 9)",
        cells_of_variants(6, layers(range(1, 7))),
        "analysis",
        tests=TEST,
        metrics=tuple(PLACES.values()),
        printed_metrics={},
        small=Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=claims_on_distance(SMALL_DEPTH)),
        analysis=Analysis(("attention", "--sites", "encoder", "--as-printed"), by_layer, "attention-layers-as-printed"),
        claims=claims_on_distance(6),
        note="Sums over j ≤ i, as equations 13 and 15 are printed. `analyze attention` shows heads one by one.",
    )
)
_command = "python -m interacting_head.reproduce mlmha"
for _number in "5679":
    _title = f"Distance and entropy of heads (figure {_number})"
    register(Table(f"mlmha/figure_{_number}", _title, command=f"{_command}/figure_8"))
register(Table("mlmha/figure_4", "BLEU by number of sources (figure 4)", command=f"{_command}/6"))
for _number in "12":
    register(Table(f"mlmha/figure_{_number}", f"Multi-layer multi-head attention (figure {_number})", command=DRAWING))
_command = "the options of multi_layer in docs/configuration.md"
register(Table("mlmha/1", "The four variants (table 1)", command=_command))
register(Table("mlmha/5", "Sample translations (table 5)", command="translate.py -m RUN_DIR"))
