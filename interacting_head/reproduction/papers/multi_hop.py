"""Iida et al. 2019: tables 1, 3, 4 and 5, and figures 2 and 3."""

import itertools
from collections.abc import Iterable, Iterator

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_hop import BASELINE, IN_DECODER, POSITIONS, layers_of
from interacting_head.reproduction.claims import AsFast, CellBetter, Equivalent, LowerLoss, Pairs, SameSize
from interacting_head.reproduction.statistics import LOSS
from interacting_head.reproduction.tables import DRAWING, ON_MULTI30K, Cell, Experiment, Small, Table, register

DIRECTIONS = {"de_en": "de-en", "en_de": "en-de"}
TEST = {"test": ("test",)}
SMALL = Small(
    {"test": ("test_2016_flickr",)},
    (*ON_MULTI30K, "train.validation_epochs=1"),
    lambda cell: cell.row == "de-en",
)


def in_words(position: str) -> str:
    """Return the name of a position in tables."""
    return position.replace("_", " ")


BEST = "layer 4"
ALL = "layers 1 to 6"
PLACES = tuple(map(in_words, POSITIONS))


def printed(table: str, direction: str, position: str, depth: int, **where: str) -> dict:
    """Return the paper's number for a position, as `Cell.printed`."""
    if position in IN_DECODER:
        return {}
    layers = " ".join(map(str, layers_of(position)))
    model = "multi_hop" if layers else "baseline"
    where = {"table": table, "direction": direction, "model": model, "second_hop_layers": layers, **where}
    number = paper_tables.number("multi_hop", num_layers=depth, quantity="BLEU", **where)
    return {} if number is None else {("test", "BLEU"): number}


def cells(corpus: str, positions: Iterable[str], table: str, dataset: str) -> tuple[Cell, ...]:
    """Return the cells of positions in six layers, a row for each direction."""
    return tuple(
        Cell(
            name,
            in_words(position),
            Experiment(f"mhop_{corpus}_{direction}_{position}"),
            printed(table, name, position, 6, dataset=dataset),
        )
        for direction, name in DIRECTIONS.items()
        for position in positions
    )


def against(row: str, better: str, others: Iterable[str]) -> Pairs:
    """Return the pairs of a cell of a row with others of it."""
    return tuple(((row, better), (row, other)) for other in others)


def hop_beats_baseline(row: str, place: str, source: str) -> CellBetter:
    """Return the claim that a second hop in a place beats the baseline."""
    return CellBetter(
        f"{row}: a second hop in {place} beats the baseline", source, pairs=against(row, place, [BASELINE])
    )


def claims_of_positions(row: str) -> list[CellBetter]:
    """Return the claims on a direction of table 1."""
    claims = [hop_beats_baseline(row, in_words(position), "") for position in IN_DECODER]
    claims.append(hop_beats_baseline(row, BEST, "§ 3.3"))
    statements = {
        "layer 4 is the best of all positions": against(row, BEST, [place for place in PLACES if place != BEST]),
        "a second hop in all layers is the worst of all positions": tuple(
            ((row, place), (row, ALL)) for place in PLACES if place != ALL
        ),
    }
    if row == "de-en":  # the other direction's numbers go up and down
        up = [f"layers 1 to {last}" for last in range(2, 7)]
        down = [f"layers {first} to 6" for first in range(5, 0, -1)]
        steps = (*itertools.pairwise(up), *itertools.pairwise(down))
        pairs = tuple(((row, fewer), (row, more)) for fewer, more in steps)
        statements["each further layer with a second hop costs BLEU"] = pairs
    claims += [CellBetter(f"{row}: {words}", "§ 4.1, table 1", pairs=pairs) for words, pairs in statements.items()]
    return claims


register(
    Table(
        "multi_hop/1",
        "BLEU by position of the second hop (Iida et al. 2019, table 1)",
        cells("iwslt17", (BASELINE, *POSITIONS, *IN_DECODER), "table1", "iwslt2017"),
        tests=TEST,
        small=SMALL,
        claims=tuple(claim for name in DIRECTIONS.values() for claim in claims_of_positions(name)),
    )
)
register(
    Table(
        "multi_hop/2",
        "BLEU on WMT17 (Iida et al. 2019, table 2)",
        cells("wmt17", (BASELINE, "layer_4"), "table2", "wmt17"),
        tests={"test": ("newstest2014_2017",)},
        claims=tuple(hop_beats_baseline(name, BEST, "§ 3.3") for name in DIRECTIONS.values()),
    )
)
DEPTHS = (4, 5, 6, 7)


def claims_of_depths(name: str) -> tuple[CellBetter, ...]:
    """Return the claims on a direction of table 3."""
    vanilla, hop = ({depth: (f"{name}, {place}", f"{depth} layers") for depth in DEPTHS} for place in (BASELINE, BEST))
    return (
        CellBetter(f"{name}: seven layers are worse than six", "§ 4.1", pairs=((vanilla[6], vanilla[7]),)),
        CellBetter(f"{name}: six layers with a second hop beat seven without", "§ 4.1", pairs=((hop[6], vanilla[7]),)),
        Equivalent(
            f"{name}: with four and five layers a second hop gains nothing",
            "§ 4.1",
            pairs=((hop[4], vanilla[4]), (hop[5], vanilla[5])),
        ),
    )


def of_depth(depth: int) -> str:
    """Return the end of the name of a recipe with this number of layers."""
    return "" if depth == 6 else f"_of_{depth}"


register(
    Table(
        "multi_hop/3",
        "BLEU by number of layers (Iida et al. 2019, table 3)",
        tuple(
            Cell(
                f"{name}, {in_words(position)}",
                f"{depth} layers",
                Experiment(f"mhop_iwslt17_{direction}_{position}{of_depth(depth)}"),
                printed("table1" if depth == 6 else "table3", name, position, depth),
            )
            for direction, name in DIRECTIONS.items()
            for position in (BASELINE, "layer_4")
            for depth in DEPTHS
        ),
        tests=TEST,
        small=Small(SMALL.tests, SMALL.settings, lambda cell: "de-en" in cell.row),
        claims=tuple(claim for name in DIRECTIONS.values() for claim in claims_of_depths(name)),
        note="The numbers of six layers are the paper's table 1.",
    )
)
SECONDS = {BASELINE: 1143.2, "layer_4": 1145.6}
"""An epoch of IWSLT de-en, section 3.2."""
register(
    Table(
        "multi_hop/time",
        "Seconds an epoch with and without a second hop (Iida et al. 2019, section 3.2)",
        tuple(
            Cell(in_words(place), "de-en", Experiment(f"mhop_iwslt17_de_en_{place}"), {("", "seconds"): seconds})
            for place, seconds in SECONDS.items()
        ),
        "epoch_seconds",
        small=Small({}, ON_MULTI30K),
        claims=(AsFast("a second hop takes no more time", "§ 3.2", row=BEST, baseline=BASELINE, columns=("de-en",)),),
    )
)
SUBWORDS = {"de": 8848, "en": 6632}
"""Sizes of the dictionaries of fairseq's script for IWSLT14, which give the totals of table 4."""


def cells_of_sizes() -> Iterator[Cell]:
    """Yield the cells of table 4."""
    models = ((BASELINE, "baseline", 8), ("layer_4", "multi_hop", 8), ("layer_4", "multi_hop", 16))
    for (direction, name), (position, model, heads) in itertools.product(DIRECTIONS.items(), models):
        sizes = [SUBWORDS[language] for language in direction.split("_")]
        settings = f"data.vocabulary_size={sizes}", "data.joint_merges=false"
        suffix, words = ("_h16", ", 16 heads") if heads == 16 else ("", "")
        for depth in DEPTHS:
            if heads == 16 and depth == 6:
                continue
            where = {"table": "table4", "direction": name, "model": model, "num_layers": depth}
            thousands = paper_tables.number("multi_hop", quantity="parameters_thousands", **where)
            recipe = f"mhop_iwslt17_{direction}_{position}{of_depth(depth)}{suffix}"
            numbers = {("", "parameters"): 1000 * thousands}
            row = f"{name}, {in_words(position)}{words}"
            yield Cell(row, f"{depth} layers", Experiment(recipe, settings, "sizes"), numbers)


register(
    Table(
        "multi_hop/4",
        "Number of parameters by layers (Iida et al. 2019, table 4)",
        tuple(cells_of_sizes()),
        "parameters",
        on_a_cpu=True,
        claims=(
            SameSize(
                "a second hop adds less than a thousandth of the parameters",
                "§ 4.1, table 4",
                pairs=tuple(
                    ((f"{name}, layer 4", f"{depth} layers"), (f"{name}, baseline", f"{depth} layers"))
                    for name in DIRECTIONS.values()
                    for depth in DEPTHS
                ),
                more=0.001,
            ),
        ),
        note="At four, five and seven layers, the paper's numbers for the second hop fit 16 heads.",
    )
)
FROM_FIRST_TO_LAST = tuple(f"layers_{first}_to_6" for first in range(1, 6))
SINGLE = tuple(f"layer_{number}" for number in range(1, 7))


def cells_of_losses() -> Iterator[Cell]:
    """Yield the cells of table 5 and figures 2 and 3: positions, with the printed losses by epoch."""
    lines = paper_tables.rows("multi_hop_table5_validation_loss")
    for position in (BASELINE, *FROM_FIRST_TO_LAST, *reversed(SINGLE)):
        column = position.replace("_to_", "-")
        losses = {(f"epoch {line['epoch']}", LOSS): float(line[column]) for line in lines if column in line}
        if losses:
            losses["first", LOSS] = losses["epoch 1", LOSS]
            losses["lowest", LOSS] = min(losses.values())
        yield Cell("de-en", in_words(position), Experiment(f"mhop_iwslt17_de_en_{position}"), losses)


def claims_of_losses() -> tuple[LowerLoss, ...]:
    """Return the claims on table 5 and figures 2 and 3."""
    fewer = ["layer 6", *map(in_words, reversed(FROM_FIRST_TO_LAST))]
    below_baseline = tuple((("de-en", place), ("de-en", BASELINE)) for place in fewer)
    in_order = tuple((("de-en", one), ("de-en", other)) for one, other in itertools.pairwise(fewer))
    all_lowest = against("de-en", ALL, fewer[:4])
    sixth_lowest = against("de-en", "layer 6", map(in_words, SINGLE[:-1]))
    claims = (
        ("after the first epoch a second hop in all layers has the lowest loss", "table 5", "first", all_lowest),
        ("after the first epoch the baseline has the highest loss", "table 5", "first", below_baseline),
        ("in the end the fewer second hops, the lower the loss", "figure 2", "lowest", in_order),
        ("of single layers the sixth has the lowest loss", "figure 3", "lowest", sixth_lowest),
    )
    return tuple(LowerLoss(words, f"§ 4.2, {place}", pairs=x, test=test) for words, place, test, x in claims)


register(
    Table(
        "multi_hop/5",
        "Validation loss by position of the second hop (Iida et al. 2019, table 5, figures 2 and 3)",
        tuple(cells_of_losses()),
        "losses",
        TEST,
        printed_metrics={LOSS: LOSS},
        small=SMALL,
        claims=claims_of_losses(),
        note="Losses are smoothed ones to base 2, at the end of each epoch, as fairseq prints them.",
    )
)
register(Table("multi_hop/figure_1", "Multi-hop attention (figure 1)", command=DRAWING))
for _number in "23":
    _command = "python -m interacting_head.reproduce multi_hop/5"
    register(Table(f"multi_hop/figure_{_number}", f"Validation loss by epoch (figure {_number})", command=_command))
