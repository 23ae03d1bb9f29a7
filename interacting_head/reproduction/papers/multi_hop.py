"""Iida et al. 2019: tables 1, 3, 4 and 5, and figures 2 and 3."""

import itertools

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_hop import BASELINE, IN_DECODER, POSITIONS, layers_of
from interacting_head.reproduction.claims import AsFast, CellBetter, Equivalent, LowerLoss, SameSize
from interacting_head.reproduction.statistics import LOSS
from interacting_head.reproduction.tables import DRAWING, ON_MULTI30K, Cell, Experiment, Small, Table, register

DIRECTIONS = {"de_en": "de-en", "en_de": "en-de"}
SMALL = Small(
    {"test": ("test_2016_flickr",)},
    (*ON_MULTI30K, "train.validation_epochs=1"),
    lambda cell: cell.row == "de-en",
)


def printed(table, direction, position, depth, **where):
    """Return what the paper prints of a position, as `Cell.printed`."""
    if position in IN_DECODER:
        return {}
    layers = " ".join(map(str, layers_of(position)))
    model = "multi_hop" if layers else "baseline"
    where = {"table": table, "direction": direction, "model": model, "second_hop_layers": layers, **where}
    number = paper_tables.number("multi_hop", num_layers=depth, quantity="BLEU", **where)
    return {} if number is None else {("test", "BLEU"): number}


def cells(corpus, positions, table, dataset):
    """Return the cells of positions in six layers, a row for each direction."""
    return tuple(
        Cell(
            name,
            position.replace("_", " "),
            Experiment(f"mhop_{corpus}_{direction}_{position}"),
            printed(table, name, position, 6, dataset=dataset),
        )
        for direction, name in DIRECTIONS.items()
        for position in positions
    )


TEST = {"test": ("test",)}
BEST = "layer 4"
ALL = "layers 1 to 6"
PLACES = tuple(position.replace("_", " ") for position in POSITIONS)


def against(row, better, others):
    """Return the pairs of a cell of a row with others of it."""
    return tuple(((row, better), (row, other)) for other in others)


def claims_of_positions(row):
    """Return the claims on a direction of table 1."""
    names = f"{row}: "
    claims = [
        *(
            CellBetter(
                f"{names}a second hop in {place} beats the baseline", "", pairs=against(row, place, ("baseline",))
            )
            for place in (position.replace("_", " ") for position in IN_DECODER)
        ),
        CellBetter(
            names + "a second hop in layer 4 beats the baseline", "§ 3.3", pairs=against(row, BEST, ("baseline",))
        ),
        CellBetter(
            names + "layer 4 is the best of all positions",
            "§ 4.1, table 1",
            pairs=against(row, BEST, [place for place in PLACES if place != BEST]),
        ),
        CellBetter(
            names + "a second hop in all layers is the worst of all positions",
            "§ 4.1, table 1",
            pairs=tuple(((row, place), (row, ALL)) for place in PLACES if place != ALL),
        ),
    ]
    if row == "de-en":  # the other direction's numbers go up and down
        up = [f"layers 1 to {last}" for last in range(2, 7)]
        down = [f"layers {first} to 6" for first in range(5, 0, -1)]
        claims.append(
            CellBetter(
                names + "each further layer with a second hop costs BLEU",
                "§ 4.1, table 1",
                pairs=tuple(
                    ((row, fewer), (row, more)) for order in (up, down) for fewer, more in itertools.pairwise(order)
                ),
            )
        )
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
        claims=tuple(
            CellBetter(
                f"{name}: a second hop in layer 4 beats the baseline", "§ 3.3", pairs=against(name, BEST, ("baseline",))
            )
            for name in DIRECTIONS.values()
        ),
    )
)


def claims_of_depths(direction):
    """Return the claims on a direction of table 3."""
    vanilla, hop = f"{direction}, baseline", f"{direction}, layer 4"
    return (
        CellBetter(
            f"{direction}: seven layers are worse than six",
            "§ 4.1",
            pairs=(((vanilla, "6 layers"), (vanilla, "7 layers")),),
        ),
        CellBetter(
            f"{direction}: six layers with a second hop beat seven without",
            "§ 4.1",
            pairs=(((hop, "6 layers"), (vanilla, "7 layers")),),
        ),
        Equivalent(
            f"{direction}: with four and five layers a second hop gains nothing",
            "§ 4.1",
            pairs=tuple(((hop, f"{depth} layers"), (vanilla, f"{depth} layers")) for depth in (4, 5)),
        ),
    )


register(
    Table(
        "multi_hop/3",
        "BLEU by number of layers (Iida et al. 2019, table 3)",
        tuple(
            Cell(
                f"{name}, {position.replace('_', ' ')}",
                f"{depth} layers",
                Experiment(f"mhop_iwslt17_{direction}_{position}" + (f"_of_{depth}" if depth != 6 else "")),
                printed("table3" if depth != 6 else "table1", name, position, depth),
            )
            for direction, name in DIRECTIONS.items()
            for position in (BASELINE, "layer_4")
            for depth in (4, 5, 6, 7)
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
            Cell(
                position.replace("_", " "),
                "de-en",
                Experiment(f"mhop_iwslt17_de_en_{position}"),
                {("", "seconds"): seconds},
            )
            for position, seconds in SECONDS.items()
        ),
        "epoch_seconds",
        small=Small({}, ON_MULTI30K),
        claims=(
            AsFast("a second hop takes no more time", "§ 3.2", row="layer 4", baseline=BASELINE, columns=("de-en",)),
        ),
    )
)
SUBWORDS = {"de": 8848, "en": 6632}
"""Sizes of the dictionaries of fairseq's script for IWSLT14, which give the totals of table 4."""


def cells_of_sizes():
    """Return the cells of table 4."""
    found = []
    for direction, name in DIRECTIONS.items():
        sizes = [SUBWORDS[language] for language in direction.split("_")]
        settings = f"data.vocabulary_size={sizes}", "data.joint_merges=false"
        for position, heads in ((BASELINE, 8), ("layer_4", 8), ("layer_4", 16)):
            for depth in (4, 5, 6, 7):
                if heads == 16 and depth == 6:
                    continue
                thousands = paper_tables.number(
                    "multi_hop", table="table4", direction=name, num_layers=depth, quantity="parameters_thousands",
                    model="baseline" if position == BASELINE else "multi_hop",
                )  # fmt: skip
                recipe = f"mhop_iwslt17_{direction}_{position}"
                recipe += (f"_of_{depth}" if depth != 6 else "") + ("_h16" if heads == 16 else "")
                row = f"{name}, {position.replace('_', ' ')}" + (", 16 heads" if heads == 16 else "")
                experiment = Experiment(recipe, settings, "sizes")
                found.append(Cell(row, f"{depth} layers", experiment, {("", "parameters"): 1000 * thousands}))
    return tuple(found)


register(
    Table(
        "multi_hop/4",
        "Number of parameters by layers (Iida et al. 2019, table 4)",
        cells_of_sizes(),
        "parameters",
        on_a_cpu=True,
        claims=(
            SameSize(
                "a second hop adds less than a thousandth of the parameters",
                "§ 4.1, table 4",
                pairs=tuple(
                    ((f"{name}, layer 4", f"{depth} layers"), (f"{name}, baseline", f"{depth} layers"))
                    for name in DIRECTIONS.values()
                    for depth in (4, 5, 6, 7)
                ),
                more=0.001,
            ),
        ),
        note="At four, five and seven layers, the paper's numbers for the second hop fit 16 heads.",
    )
)
FROM_FIRST_TO_LAST = tuple(f"layers_{first}_to_6" for first in range(1, 6))
SINGLE = tuple(f"layer_{number}" for number in range(1, 7))


def cells_of_losses():
    """Return the cells of table 5 and figures 2 and 3: positions, with the printed losses by epoch."""
    places = (BASELINE, *FROM_FIRST_TO_LAST, *reversed(SINGLE))
    printed_losses = {}
    for line in paper_tables.rows("multi_hop_table5_validation_loss"):
        for position in places:
            column = position.replace("_to_", "-")
            if column in line:
                by_epoch = printed_losses.setdefault(position, {})
                by_epoch[f"epoch {line['epoch']}", LOSS] = float(line[column])
    for by_epoch in printed_losses.values():
        by_epoch["first", LOSS] = by_epoch["epoch 1", LOSS]
        by_epoch["lowest", LOSS] = min(by_epoch.values())
    return tuple(
        Cell("de-en", position.replace("_", " "), Experiment(f"mhop_iwslt17_de_en_{position}"),
             printed_losses.get(position, {}))
        for position in places
    )  # fmt: skip


def claims_of_losses():
    """Return the claims on table 5 and figures 2 and 3."""
    fewer = ["layer 6", *(position.replace("_", " ") for position in reversed(FROM_FIRST_TO_LAST))]
    return (
        LowerLoss(
            "after the first epoch a second hop in all layers has the lowest loss",
            "§ 4.2, table 5",
            pairs=against("de-en", ALL, fewer[:4]),
            test="first",
        ),
        LowerLoss(
            "after the first epoch the baseline has the highest loss",
            "§ 4.2, table 5",
            pairs=tuple((("de-en", place), ("de-en", BASELINE)) for place in fewer),
            test="first",
        ),
        LowerLoss(
            "in the end the fewer second hops, the lower the loss",
            "§ 4.2, figure 2",
            pairs=tuple((("de-en", one), ("de-en", other)) for one, other in itertools.pairwise(fewer)),
            test="lowest",
        ),
        LowerLoss(
            "of single layers the sixth has the lowest loss",
            "§ 4.2, figure 3",
            pairs=against("de-en", "layer 6", [position.replace("_", " ") for position in SINGLE[:-1]]),
            test="lowest",
        ),
    )


register(
    Table(
        "multi_hop/5",
        "Validation loss by position of the second hop (Iida et al. 2019, table 5, figures 2 and 3)",
        cells_of_losses(),
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
    register(
        Table(
            f"multi_hop/figure_{_number}",
            f"Validation loss by epoch (figure {_number})",
            command="python -m interacting_head.reproduce multi_hop/5",
        )
    )
