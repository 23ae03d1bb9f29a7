"""Ampomah et al. 2020: tables 2 to 4, 6 and 7, and figures 3 to 9."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from interacting_head.recipes import multi_layer, paper_tables
from interacting_head.recipes.multi_layer import BASELINES, MEMORIES, OVER_MIXTURES
from interacting_head.reproduction.claims import (
    CellBetter,
    Claim,
    Equivalent,
    SameSize,
    Slower,
    cells_at,
    pairs,
    pairs_by_column,
)
from interacting_head.reproduction.tables import (
    DRAWING,
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

VARIANTS = {f"M-{name[1:]}": name for name in multi_layer.VARIANTS}
TASKS = {task.table: (corpus, task.layers) for corpus, task in multi_layer.TASKS.items()}
"""Number of the table → corpus and layers."""
MIXTURES = "M-00 over transparent mixtures"
"""The future work that section 8 names."""
LINEAR, ITERATIVE, TRANSPARENT = "linear combination", "iterative combination", "transparent attention"
DEPTH, SMALL_DEPTH = 6, 4
FOUR_LAYERS = (*ON_MULTI30K, f"model.encoder_layers={SMALL_DEPTH}", f"model.decoder_layers={SMALL_DEPTH}")
FOUR_MORE = (f"model.encoder_layers={SMALL_DEPTH + 4}", f"model.decoder_layers={SMALL_DEPTH + 4}")


def register_both(
    name: str,
    title: str,
    cells: Callable[[int], Iterable[Cell]],
    claims: Callable[[int], tuple[Claim, ...]],
    tests: Mapping = TEST,
    **fields: object,
) -> None:
    """Register a table of WMT14, and the small one: cells and claims are functions of the number of layers."""
    small = Small(FLICKR if tests else {}, FOUR_LAYERS, cells=tuple(cells(SMALL_DEPTH)), claims=claims(SMALL_DEPTH))
    register(name, title, cells(DEPTH), tests=tests, small=small, claims=claims(DEPTH), **fields)


def on_wmt14(model: str, settings: tuple[str, ...] = (), variant: str = "") -> Experiment:
    """Return the experiment with a model on WMT14 En-De."""
    return Experiment(f"mlmha_wmt14_en_de_{model}", settings, variant)


def number(quantity: str, **where: str | int) -> float | None:
    """Return a number that the paper prints, or None."""
    return paper_tables.number("multi_layer_multi_head", quantity=quantity, **where)


def columns(word: str, numbers: Iterable[int]) -> list[str]:
    """Return columns such as `layer 3` or `n = 3`."""
    return [f"{word} {number}" for number in numbers]


def in_words(numbers: Iterable[int]) -> str:
    """Return numbers as `3, 4 and 5`."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def cells_of(table: str, depth: int) -> Iterator[Cell]:
    """Yield the cells of table 2, 3 or 4, or of a small one with another number of layers."""
    corpus, full_depth = TASKS[table]
    where = {"table": f"table{table}", "dataset": corpus}
    models = {"transformer": "b0", **{name: memory for memory, name in MEMORIES.items()}}
    rows = [(name.replace("_", " "), model, number("BLEU", model=name, **where)) for name, model in models.items()]
    for name, variant in VARIANTS.items():
        score = number("BLEU", model=name, n=depth, **where)
        rows.append((f"{name}, n = {depth}", f"{variant}_n{depth}", score))
    for row, model, score in rows:
        yield Cell(row, "BLEU", Experiment(f"mlmha_{corpus}_{model}"), printed(score))
    mixtures = Experiment(f"mlmha_{corpus}_{OVER_MIXTURES}_n{full_depth}", (f"model.memory_layers={depth}",))
    yield Cell(MIXTURES, "BLEU", mixtures)


def better(statement: str, source: str, row: str, *others: str) -> CellBetter:
    """Return the claim that a row of tables 2 to 4 beats others."""
    return CellBetter(statement, source, pairs(cells_at(row, "BLEU"), cells_at(others, "BLEU")))


def claims_of(table: str, depth: int) -> tuple[Claim, ...]:
    """Return the claims on table 2, 3 or 4."""
    m00, m01, m10, m11 = four = [f"{name}, n = {depth}" for name in VARIANTS]
    beat, same, first = {
        "2": ([m00, m10, ITERATIVE], [m01, m11, LINEAR, TRANSPARENT], m10),
        "3": ([m00, m01, m10, m11, ITERATIVE, TRANSPARENT], [LINEAR], m00),
        "4": ([m00, m01, ITERATIVE, TRANSPARENT], [m10, m11, LINEAR], None),
    }[table]
    source = f"§ 6, table {table}"
    alike = pairs(cells_at(same, "BLEU"), cells_at("transformer", "BLEU"))
    claims = [better(f"{row} beats the Transformer", source, row, "transformer") for row in beat]
    claims.append(Equivalent(f"{', '.join(same)} and the Transformer score alike", source, alike))
    claims.append(better(f"{MIXTURES} beats M-00 over the encoder layers", "", MIXTURES, m00))
    if table != "2":
        both = tuple(zip(cells_at([m00, m01], "BLEU"), cells_at([m10, m11], "BLEU"), strict=True))
        claims.append(CellBetter("joint weights generalise better than separate weights for each layer", source, both))
    if first:
        others = [row for row in four if row != first]
        claims.append(better(f"{first} is the best of the four", source, first, *others))
    return tuple(claims)


def claims_of_few_layers(depth: int) -> tuple[Claim, ...]:
    """Return the claims on the small table: what the paper says of both its 4-layer models.

    Only its 6-layer models do best with M-10; section 6 recommends joint weights for few layers.
    """
    m00, m01, m10, m11 = (f"{name}, n = {depth}" for name in VARIANTS)
    source = "§ 6, tables 3 and 4"
    alike = pairs(cells_at(LINEAR, "BLEU"), cells_at("transformer", "BLEU"))
    joint = tuple(zip(cells_at([m00, m01], "BLEU"), cells_at([m10, m11], "BLEU"), strict=True))
    return (
        *(
            better(f"{row} beats the Transformer", source, row, "transformer")
            for row in (m00, m01, ITERATIVE, TRANSPARENT)
        ),
        Equivalent(f"{LINEAR} and the Transformer score alike", source, alike),
        CellBetter("with few layers, joint weights score better than separate ones", source, joint),
        better(f"{MIXTURES} beats M-00 over the encoder layers", "", MIXTURES, m00),
    )


for _number, (_corpus, _depth) in TASKS.items():
    _small = Small(TEST)
    if _number == "2":
        _cells, _claims = tuple(cells_of("2", SMALL_DEPTH)), claims_of_few_layers(SMALL_DEPTH)
        _small = Small(FLICKR, FOUR_LAYERS, cells=_cells, claims=_claims)
    register(
        f"mlmha/{_number}",
        f"BLEU of multi-layer multi-head attention and layer aggregation, {_corpus} (Ampomah et al. 2020, "
        f"table {_number})",
        cells_of(_number, _depth),
        tests=TEST,
        printed_metrics={"BLEU": "bleu" if _corpus == "iwslt14_es_en" else "sacrebleu"},
        small=_small,
        claims=claims_of(_number, _depth),
    )


def cells_of_sources(depth: int) -> Iterator[Cell]:
    """Yield the cells of table 6 up to a number of sources."""
    rows = [(model.upper(), 1, model) for model in BASELINES]
    rows += [(name, n, f"{variant}_n{n}") for name, variant in VARIANTS.items() for n in range(2, depth + 1)]
    for name, n, model in rows:
        settings = FOUR_MORE if model == "b2" and depth == SMALL_DEPTH else ()
        score = number("BLEU", table="table6", dataset="wmt14_en_de", model=name, n=n)
        yield Cell(name, f"n = {n}", on_wmt14(model, settings), printed(score))


def claims_of_sources(depth: int) -> tuple[Claim, ...]:
    """Return the claims on table 6, with sources up to `depth`; the paper's gain over B2 needs more than four."""
    many, few = ((5, 6), (2, 3)) if depth == DEPTH else ((depth,), (2,))
    ways = [(row, "gains", many, few) for row in ("M-00", "M-10")]
    ways += [(row, "loses", (2,), tuple(range(3, depth + 1))) for row in ("M-01", "M-11")]
    b0, b1, b2 = cells_at(("B0", "B1", "B2"), "n = 1")
    beats_b2 = f"M-10 with {depth} sources beats B2, which has four layers more on each side"
    return (
        *(
            CellBetter(
                f"{row} {word} from more sources: {in_words(better)} beat {in_words(others)}",
                "§ 7.2",
                pairs(cells_at(row, columns("n =", better)), cells_at(row, columns("n =", others))),
            )
            for row, word, better, others in ways
        ),
        *([CellBetter(beats_b2, "§ 7.2", ((("M-10", f"n = {depth}"), b2),))] if depth == DEPTH else ()),
        Equivalent("more parameters alone do not help: B1 scores like B0", "§ 7.2", ((b1, b0),)),
    )


register_both(
    "mlmha/6",
    "BLEU by number of sources (Ampomah et al. 2020, table 6)",
    cells_of_sources,
    claims_of_sources,
    printed_metrics={"BLEU": "sacrebleu"},
)


def cells_of_times(depth: int) -> Iterator[Cell]:
    """Yield the cells of the training speeds in table 2; the paper prints steps a second."""
    for cell in cells_of("2", depth):
        name = cell.row.split(",")[0].replace(" ", "_")
        speed = number("steps_per_second", table="table2", model=name) if depth == DEPTH else None
        yield cell._replace(column="time", printed=printed(speed and 1 / speed, "seconds", ""))


def claims_of_times(depth: int) -> tuple[Slower, ...]:
    """Return the claims on training speeds."""
    rows = [f"{name}, n = {depth}" for name in VARIANTS]
    return tuple(
        Slower(f"{row} takes longer than the Transformer", "§ 7.2", row, "transformer", ("time",)) for row in rows
    )


register_both(
    "mlmha/time",
    "Training time of multi-layer multi-head attention and layer aggregation (Ampomah et al. 2020, table 2)",
    cells_of_times,
    claims_of_times,
    tests={},
    measure="epoch_seconds",
    note="The paper's numbers are seconds per step.",
)
SUBWORDS = 33_395
"""Between 33,392 and 33,398 all sizes of tables 2 and 6 come out; the paper speaks of about 32 thousand."""


def cells_of_sizes() -> Iterator[Cell]:
    """Yield the cells of the numbers of parameters in tables 2 and 6."""
    rows = [(name, memory, {"table": "table2"}) for memory, name in MEMORIES.items()]
    rows += [(model.upper(), model, {"table": "table6", "n": 1}) for model in BASELINES]
    rows += [
        (name, f"{variant}_n{n}", {"table": "table6", "n": n})
        for name, variant in VARIANTS.items()
        for n in range(2, DEPTH + 1)
    ]
    for name, model, where in rows:
        millions = number("params_millions", dataset="wmt14_en_de", model=name, **where)
        built = on_wmt14(model, (f"data.vocabulary_size={SUBWORDS}",), "sizes")
        numbers = printed(1e6 * millions, "parameters", "")
        yield Cell(name.replace("_", " "), f"n = {where.get('n', 1)}", built, numbers)


AS_LARGE = {
    "M-01 and M-11 with six sources": cells_at(("M-01", "M-11"), "n = 6"),
    "M-10 with five sources": cells_at("M-10", "n = 5"),
}
register(
    "mlmha/sizes",
    "Number of parameters (Ampomah et al. 2020, tables 2 and 6)",
    cells_of_sizes(),
    measure="parameters",
    on_a_cpu=True,
    claims=tuple(
        SameSize(
            f"B1 has roughly as many parameters as {words}", "§ 7.2", pairs(cells_at("B1", "n = 1"), others), more=0.02
        )
        for words, others in AS_LARGE.items()
    ),
    note="With 33,395 sub-words, which reproduce the paper's sizes; the paper mentions about 32 thousand.",
)


def cells_of_variants(depth: int, columns: Iterable[str]) -> list[Cell]:
    """Return the cells of figures 3 and 5 to 9: B0 and the variants, each with the same columns."""
    models = {"B0": "b0", **{name: f"{variant}_n{depth}" for name, variant in VARIANTS.items()}}
    return [Cell(row, column, on_wmt14(model)) for row, model in models.items() for column in columns]


def lengths(depth: int) -> Sequence[str]:
    """Return the columns of figure 3, sub-words of source sentences; the small table has fewer."""
    return ("1–9", "10–19", *(("20–29", "30–39", "40–50", "51–") if depth == DEPTH else ("20–",)))


def claims_on_lengths(depth: int) -> tuple[Claim, ...]:
    """Return the claims on figure 3; the one on M-10, which needs many layers, is the full table's only."""
    short, _, *long = lengths(depth)
    source = "§ 7.1, figure 3"
    of_long = (pairs(cells_at("M-10", x), cells_at(("B0", "M-00", "M-01", "M-11"), x)) for x in long)
    of_short = pairs(cells_at("M-01", short), cells_at(("B0", "M-00", "M-10", "M-11"), short))
    claims = (
        CellBetter("M-01 is the best for sentences of fewer than 10 sub-words", source, of_short),
        CellBetter("M-10 is the best for sentences of 20 sub-words and more", source, tuple(itertools.chain(*of_long))),
    )
    return claims if depth == DEPTH else claims[:1]


register_both(
    "mlmha/figure_3",
    "BLEU by length of the source in sub-words (Ampomah et al. 2020, figure 3)",
    lambda depth: cells_of_variants(depth, lengths(depth)),
    claims_on_lengths,
    measure="by_length",
    metrics=("sacrebleu",),
)


def cells_by_source(depth: int) -> Iterator[Cell]:
    """Yield the cells of table 7: a column for each encoder layer whose output is masked, and one for none."""
    for row, variant in VARIANTS.items():
        for column in ("nothing", *columns("layer", range(1, depth + 1))):
            loss = number("BLEU_delta", table="table7", n=6, model=f"{row} without {column}")
            numbers = printed(0.0 if column == "nothing" else loss, "difference") if depth == DEPTH else {}
            yield Cell(row, column, on_wmt14(f"{variant}_n{depth}"), numbers)


def differences(rows: Iterable[Mapping]) -> dict[str, dict[str, float]]:
    """Return the differences of BLEU of table 7 from the rows of `analyze masking`."""
    masked = {f"layer {row['number']}": row["difference"] for row in rows if row["layer"] == "all"}
    return {"difference": {"nothing": 0.0, **masked}}


def claims_of_masks(depth: int) -> tuple[CellBetter, ...]:
    """Return the claims on table 7."""
    lowest, *others = columns("layer", range(1, depth + 1))
    claims = {
        f"{row} depends on the lowest layer more than on any other": pairs(cells_at(row, others), [(row, lowest)])
        for row in ("M-00", "M-01")
    }
    claims["M-10 needs each of its layers"] = pairs([("M-10", "nothing")], cells_at("M-10", (lowest, *others)))
    return tuple(CellBetter(words, "§ 7.4, table 7", x, metric="difference") for words, x in claims.items())


register_both(
    "mlmha/7",
    "Difference of BLEU with an encoder output masked in all decoder layers (Ampomah et al. 2020, table 7)",
    cells_by_source,
    claims_of_masks,
    measure="analysis",
    metrics=("difference",),
    printed_metrics={"difference": "difference"},
    analysis=Analysis(("masking", *WHOLE_TEST_SET), differences, "masking"),
)
PLACES = {"distance_as_printed": "distance", "entropy_as_printed": "entropy"}


def by_layer(rows: Iterable[Mapping]) -> dict[str, dict[str, float]]:
    """Return distance and entropy of the encoder's heads by layer, as printed, from the rows of `analyze attention`."""
    means = [row for row in rows if row["head"] == "mean"]
    return {name: {f"layer {row['layer']}": row[key] for row in means} for key, name in PLACES.items()}


def claims_on_distance(depth: int) -> tuple[CellBetter, ...]:
    """Return the claims on figures 8 and 9."""
    upper, lower = ((3, 4, 5), (1, 2)) if depth == DEPTH else ((2, 3), (1,))
    return tuple(
        CellBetter(
            f"{' and '.join(rows)} attend more locally than B0 in the encoder's layers {in_words(numbers)}",
            "§ 7.3, figure 8",
            tuple(pair for row in rows for pair in pairs_by_column("B0", row, columns("layer", numbers))),
            metric="distance",
        )
        for rows, numbers in ((("M-00", "M-01"), upper), (("M-10", "M-11"), lower))
    )


register_both(
    "mlmha/figure_8",
    "Distance and entropy of the encoder's attention by layer (Ampomah et al. 2020, figures 5 to 9)",
    lambda depth: cells_of_variants(depth, columns("layer", range(1, depth + 1))),
    claims_on_distance,
    measure="analysis",
    metrics=tuple(PLACES.values()),
    analysis=Analysis(("attention", "--sites", "encoder", "--as-printed"), by_layer, "attention-layers-as-printed"),
    note="Sums over j ≤ i, as equations 13 and 15 are printed, of 1,500 sentences at most, as in the paper. "
    "`analyze attention` shows heads one by one.",
)
_command = "interacting-head reproduce mlmha"
for _number in "5679":
    register(
        f"mlmha/figure_{_number}",
        f"Distance and entropy of heads (figure {_number})",
        command=f"{_command}/figure_8",
    )
register("mlmha/figure_4", "BLEU by number of sources (figure 4)", command=f"{_command}/6")
for _number in "12":
    register(f"mlmha/figure_{_number}", f"Multi-layer multi-head attention (figure {_number})", command=DRAWING)
register("mlmha/1", "The four variants (table 1)", command="the options of multi_layer in docs/configuration.md")
register("mlmha/5", "Sample translations (table 5)", command="interacting-head translate -m RUN_DIR")
