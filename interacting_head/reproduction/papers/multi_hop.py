"""Iida et al. 2019: tables 1, 3, 4 and 5, and figures 2 and 3."""

import itertools
from collections.abc import Iterable, Iterator

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_hop import BASELINE, IN_DECODER, POSITIONS, layers_of
from interacting_head.reproduction.claims import (
    AsFast,
    CellBetter,
    Claim,
    LowerLoss,
    NonInferior,
    SameSize,
    cells_at,
    pairs,
    pairs_by_column,
)
from interacting_head.reproduction.statistics import LOSS
from interacting_head.reproduction.tables import (
    DRAWING,
    FLICKR,
    ON_MULTI30K,
    TEST,
    Cell,
    Experiment,
    Small,
    printed,
    register,
)

DIRECTIONS = {"de_en": "de-en", "en_de": "en-de"}
BEST = "layer_4"
SMALL = Small(FLICKR, (*ON_MULTI30K, "train.validation_epochs=1"), lambda cell: "de-en" in cell.row)


def in_words(*positions: str) -> tuple[str, ...]:
    """Return the names of positions in tables."""
    return tuple(position.replace("_", " ") for position in positions)


def bleu(table: str, direction: str, position: str, depth: int, **where: str) -> dict:
    """Return the paper's BLEU for a position, as `Cell.printed`."""
    if position in IN_DECODER:
        return {}
    layers = " ".join(map(str, layers_of(position)))
    model = "multi_hop" if layers else "baseline"
    where = {"table": table, "direction": direction, "model": model, "second_hop_layers": layers, **where}
    return printed(paper_tables.number("multi_hop", num_layers=depth, quantity="BLEU", **where))


def cells(corpus: str, positions: Iterable[str], table: str, dataset: str) -> Iterator[Cell]:
    """Yield the cells of positions in six layers, a row for each direction."""
    for (direction, row), position in itertools.product(DIRECTIONS.items(), positions):
        numbers = bleu(table, row, position, 6, dataset=dataset)
        yield Cell(row, *in_words(position), Experiment(f"mhop_{corpus}_{direction}_{position}"), numbers)


def hop_beats_baseline(row: str, place: str, source: str) -> CellBetter:
    """Return the claim that a second hop in a place beats the baseline."""
    statement = f"{row}: a second hop in {place} beats the baseline"
    return CellBetter(statement, source, pairs(cells_at(row, place), cells_at(row, BASELINE)))


def claims_of_positions(row: str) -> Iterator[CellBetter]:
    """Yield the claims on a direction of table 1."""
    best, every = in_words(BEST, "layers_1_to_6")
    places = in_words(*POSITIONS)
    for place in in_words(*IN_DECODER):
        yield hop_beats_baseline(row, place, "")
    yield hop_beats_baseline(row, best, "§ 3.3")
    statements = {
        f"{best} is the best of all positions": pairs(
            cells_at(row, best), cells_at(row, [place for place in places if place != best])
        ),
        "a second hop in all layers is the worst of all positions": pairs(
            cells_at(row, [place for place in places if place != every]), cells_at(row, every)
        ),
    }
    if row == "de-en":  # the other direction's numbers go up and down
        up = cells_at(row, [f"layers 1 to {last}" for last in range(2, 7)])
        down = cells_at(row, [f"layers {first} to 6" for first in range(5, 0, -1)])
        steps = (*itertools.pairwise(up), *itertools.pairwise(down))
        statements["each additional layer with a second hop costs BLEU"] = steps
    for statement, of_statement in statements.items():
        yield CellBetter(f"{row}: {statement}", "§ 4.1, table 1", of_statement)


register(
    "multi_hop/1",
    "BLEU by position of the second hop (Iida et al. 2019, table 1)",
    cells("iwslt17", (BASELINE, *POSITIONS, *IN_DECODER), "table1", "iwslt2017"),
    tests=TEST,
    small=SMALL,
    claims=tuple(claim for row in DIRECTIONS.values() for claim in claims_of_positions(row)),
)
register(
    "multi_hop/2",
    "BLEU on WMT17 (Iida et al. 2019, table 2)",
    cells("wmt17", (BASELINE, BEST), "table2", "wmt17"),
    tests={"test": ("newstest2014_2017",)},
    claims=tuple(hop_beats_baseline(row, "layer 4", "§ 3.3") for row in DIRECTIONS.values()),
)
DEPTHS = (4, 5, 6, 7)


def of_depth(depth: int) -> str:
    """Return the end of the name of a recipe with this number of layers."""
    return "" if depth == 6 else f"_of_{depth}"


def cells_of_depths() -> Iterator[Cell]:
    """Yield the cells of table 3."""
    for (direction, name), position, depth in itertools.product(DIRECTIONS.items(), (BASELINE, BEST), DEPTHS):
        row = ", ".join((name, *in_words(position)))
        trained = Experiment(f"mhop_iwslt17_{direction}_{position}{of_depth(depth)}")
        numbers = bleu("table1" if depth == 6 else "table3", name, position, depth)
        yield Cell(row, f"{depth} layers", trained, numbers)


def claims_of_depths(name: str) -> tuple[Claim, ...]:
    """Return the claims on a direction of table 3."""
    hop, vanilla = f"{name}, layer 4", f"{name}, {BASELINE}"
    six, seven = cells_at(vanilla, ["6 layers", "7 layers"])
    return (
        CellBetter(f"{name}: seven layers are worse than six", "§ 4.1", ((six, seven),)),
        CellBetter(f"{name}: six layers with a second hop beat seven without", "§ 4.1", (((hop, "6 layers"), seven),)),
        NonInferior(
            f"{name}: with four and five layers a second hop gains nothing",
            "§ 4.1",
            pairs_by_column(vanilla, hop, ["4 layers", "5 layers"]),
        ),
    )


register(
    "multi_hop/3",
    "BLEU by number of layers (Iida et al. 2019, table 3)",
    cells_of_depths(),
    tests=TEST,
    small=SMALL,
    claims=tuple(claim for name in DIRECTIONS.values() for claim in claims_of_depths(name)),
    note="The paper's numbers for six layers come from its table 1.",
)
SECONDS = {BASELINE: 1143.2, BEST: 1145.6}
"""An epoch of IWSLT de-en, section 3.3."""
register(
    "multi_hop/time",
    "Seconds per epoch with and without a second hop (Iida et al. 2019, section 3.3)",
    (
        Cell(*in_words(position), "de-en", Experiment(f"mhop_iwslt17_de_en_{position}"), printed(number, "seconds", ""))
        for position, number in SECONDS.items()
    ),
    measure="epoch_seconds",
    small=Small({}, ON_MULTI30K),
    claims=(AsFast("a second hop takes no more time", "§ 3.3", "layer 4", BASELINE, ("de-en",)),),
)
SUBWORDS = {"de": 8848, "en": 6632}
"""Sizes of the dictionaries of fairseq's script for IWSLT14, which give the totals of table 4 to within 1K."""


def cells_of_sizes() -> Iterator[Cell]:
    """Yield the cells of table 4."""
    models = ((BASELINE, "baseline", "", ""), (BEST, "multi_hop", "", ""), (BEST, "multi_hop", ", 16 heads", "_h16"))
    for (direction, name), (position, model, words, suffix) in itertools.product(DIRECTIONS.items(), models):
        sizes = [SUBWORDS[language] for language in direction.split("_")]
        settings = f"data.vocabulary_size={sizes}", "data.joint_merges=false"
        for depth in DEPTHS:
            if suffix and depth == 6:
                continue
            where = {"table": "table4", "direction": name, "model": model, "num_layers": depth}
            thousands = paper_tables.number("multi_hop", quantity="parameters_thousands", **where)
            built = Experiment(f"mhop_iwslt17_{direction}_{position}{of_depth(depth)}{suffix}", settings, "sizes")
            row = ", ".join((name, *in_words(position))) + words
            yield Cell(row, f"{depth} layers", built, printed(1000 * thousands, "parameters", ""))


register(
    "multi_hop/4",
    "Number of parameters by layers (Iida et al. 2019, table 4)",
    cells_of_sizes(),
    measure="parameters",
    on_a_cpu=True,
    claims=(
        SameSize(
            "a second hop adds less than a thousandth of the parameters",
            "§ 4.1, table 4",
            tuple(
                pair
                for name in DIRECTIONS.values()
                for pair in pairs_by_column(
                    f"{name}, layer 4", f"{name}, {BASELINE}", [f"{depth} layers" for depth in DEPTHS]
                )
            ),
            more=0.001,
        ),
    ),
    note="At four, five and seven layers, the paper's numbers for the second hop fit 16 heads.",
)
SINGLE = tuple(f"layer_{number}" for number in range(6, 0, -1))
FROM_FIRST_TO_LAST = tuple(f"layers_{first}_to_6" for first in range(1, 6))


def cells_of_losses() -> Iterator[Cell]:
    """Yield the cells of table 5 and figures 2 and 3: positions, with the printed losses by epoch."""
    lines = paper_tables.rows("multi_hop_table5_validation_loss")
    for position in (BASELINE, *FROM_FIRST_TO_LAST, *SINGLE):
        column = position.replace("_to_", "-")
        losses = {(f"epoch {line['epoch']}", LOSS): float(line[column]) for line in lines if column in line}
        if losses:
            losses["first", LOSS] = losses["epoch 1", LOSS]
            losses["lowest", LOSS] = min(losses.values())
        yield Cell("de-en", *in_words(position), Experiment(f"mhop_iwslt17_de_en_{position}"), losses)


def claims_of_losses() -> tuple[LowerLoss, ...]:
    """Return the claims on table 5 and figures 2 and 3."""
    fewer = cells_at("de-en", in_words("layer_6", *reversed(FROM_FIRST_TO_LAST)))
    baseline, [sixth, *others] = cells_at("de-en", BASELINE), cells_at("de-en", in_words(*SINGLE))
    lowest = "after the first epoch, second hops in all layers give a lower loss than those in four layers or fewer"
    highest = "after the first epoch the baseline has the highest loss"
    in_order = "in the end the fewer second hops, the lower the loss"
    of_single = "a second hop converges fastest in the sixth layer: the loss after the first epoch is the lowest there"
    return (
        LowerLoss(lowest, "§ 4.2, table 5", pairs(fewer[-1:], fewer[:4]), test="first"),
        LowerLoss(highest, "§ 4.2, table 5", pairs(fewer, baseline), test="first"),
        LowerLoss(in_order, "§ 4.2, figure 2", tuple(itertools.pairwise(fewer)), test="lowest"),
        LowerLoss(of_single, "§ 4.2, figure 3", pairs([sixth], reversed(others)), test="first"),
    )


register(
    "multi_hop/5",
    "Validation loss by position of the second hop (Iida et al. 2019, table 5, figures 2 and 3)",
    cells_of_losses(),
    measure="losses",
    tests=TEST,
    printed_metrics={LOSS: LOSS},
    small=SMALL,
    claims=claims_of_losses(),
    note="Label-smoothed losses to base 2 at the end of each epoch, as fairseq prints them.",
)
register("multi_hop/figure_1", "Multi-hop attention (figure 1)", command=DRAWING)
for _number in "23":
    _command = "interacting-head reproduce multi_hop/5"
    register(f"multi_hop/figure_{_number}", f"Validation loss by epoch (figure {_number})", command=_command)
