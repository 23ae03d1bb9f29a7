"""A table of this project's own, on the corpus made on the spot: a few minutes, to see how it works."""

from interacting_head.reproduction.claims import Better
from interacting_head.reproduction.tables import Cell, Experiment, Table, register

SETTINGS = ("train.max_steps=300", "train.warmup_steps=30", "train.validation_interval=150")
ROWS = {"multi_head": "multi_head", "interacting_head (mean)": "interacting_head"}

register(
    Table(
        "quickstart/heads",
        "Two schemes on the quickstart corpus, 300 steps",
        tuple(
            Cell(
                row,
                f"h = {heads}",
                Experiment(
                    "quickstart",
                    (*SETTINGS, f"model.attention.scheme={scheme}", f"model.attention.num_heads={heads}"),
                    f"{scheme}-h{heads}",
                ),
            )
            for row, scheme in ROWS.items()
            for heads in (2, 4)
        ),
        tests={"test": ("test",)},
        printed_metrics={},
        on_a_cpu=True,
        claims=(
            Better(
                "interacting heads (mean) beat multi-head attention",
                "",
                row="interacting_head (mean)",
                baseline="multi_head",
            ),
        ),
    )
)
