"""A table of this project's own, on the corpus made on the spot: a few minutes, to see how it works."""

from interacting_head.reproduction.claims import Better
from interacting_head.reproduction.tables import Cell, Experiment, Table, register

SETTINGS = ("train.max_steps=300", "train.warmup_steps=30", "train.validation_interval=150")
MEAN = "interacting_head (mean)"
ROWS = {"multi_head": "multi_head", MEAN: "interacting_head"}


def settings_of(scheme: str, heads: int) -> tuple[str, ...]:
    """Return the settings of a cell."""
    return (*SETTINGS, f"model.attention.scheme={scheme}", f"model.attention.num_heads={heads}")


register(
    Table(
        "quickstart/heads",
        "Two schemes on the quickstart corpus, 300 steps",
        tuple(
            Cell(row, f"h = {heads}", Experiment("quickstart", settings_of(scheme, heads), f"{scheme}-h{heads}"))
            for row, scheme in ROWS.items()
            for heads in (2, 4)
        ),
        tests={"test": ("test",)},
        printed_metrics={},
        on_a_cpu=True,
        claims=(Better("interacting heads (mean) beat multi-head attention", "", row=MEAN, baseline="multi_head"),),
    )
)
