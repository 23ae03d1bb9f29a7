"""Iida et al. 2019: tables 1, 3, 4 and 5, and figures 2 and 3."""

from interacting_head.recipes import paper_tables
from interacting_head.recipes.multi_hop import BASELINE, POSITIONS, layers_of
from interacting_head.reproduction.claims import CellBetter
from interacting_head.reproduction.tables import ON_MULTI30K, Cell, Experiment, Small, Table, register

DIRECTIONS = {"de_en": "de-en", "en_de": "en-de"}
SMALL = Small(
    {"test": ("test_2016_flickr",)},
    ON_MULTI30K,
    "multi30k",
    lambda cell: cell.row == "de-en",
)


def printed(table, direction, position, depth, **where):
    """Return what the paper prints of a position, as `Cell.printed`."""
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
FOURTH = ("de-en", "layer 4")
SINGLE_BEATEN = tuple((FOURTH, ("de-en", f"layer {number}")) for number in (1, 2, 3, 5, 6))
ALL_BEATEN = tuple(
    (FOURTH, ("de-en", position.replace("_", " "))) for position in (BASELINE, *POSITIONS) if position != "layer_4"
)
register(
    Table(
        "multi_hop/1",
        "BLEU by position of the second hop (Iida et al. 2019, table 1)",
        cells("iwslt17", (BASELINE, *POSITIONS), "table1", "iwslt2017"),
        tests=TEST,
        small=SMALL,
        claims=(
            CellBetter("a second hop in layer 4 beats the baseline", ((("de-en", "layer 4"), ("de-en", "baseline")),)),
            CellBetter("layer 4 is the best single layer", SINGLE_BEATEN),
            CellBetter("a second hop in layer 4 is the best of all positions", ALL_BEATEN),
        ),
    )
)  # fmt: skip
register(
    Table(
        "multi_hop/2",
        "BLEU on WMT17 (Iida et al. 2019, table 2)",
        cells("wmt17", (BASELINE, "layer_4"), "table2", "wmt17"),
        tests={"test": ("newstest2017",)},
        claims=(
            CellBetter("a second hop in layer 4 beats the baseline", ((("de-en", "layer 4"), ("de-en", "baseline")),)),
        ),
    )
)
register(
    Table(
        "multi_hop/3",
        "BLEU by number of layers (Iida et al. 2019, tables 3 and 4)",
        tuple(
            Cell(
                f"{name}, {position.replace('_', ' ')}",
                f"{depth} layers",
                Experiment(f"mhop_iwslt17_{direction}_{position}" + (f"_of_{depth}" if depth != 6 else "")),
                printed("table3", name, position, depth) if depth != 6 else {},
            )
            for direction, name in DIRECTIONS.items()
            for position in (BASELINE, "layer_4")
            for depth in (4, 5, 6, 7)
        ),
        tests=TEST,
        small=Small(SMALL.tests, SMALL.settings, SMALL.label, lambda cell: "de-en" in cell.row),
        note="Table 4's parameters are those of `train.py NAME --dry-run`.",
    )
)
register(
    Table(
        "multi_hop/5",
        "Validation loss by position of the second hop (Iida et al. 2019, table 5, figures 2 and 3)",
        cells("iwslt17", (BASELINE, "layer_6", *(f"layers_{first}_to_6" for first in range(2, 6))), "table5", ""),
        "losses",
        TEST,
        small=SMALL,
    )
)
