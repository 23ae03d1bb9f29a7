"""A table of this project's own, on the corpus made on the spot: a few minutes, to see how it works."""

from interacting_head.reproduction.claims import Better
from interacting_head.reproduction.tables import TEST, Cell, Experiment, register

SETTINGS = ("train.max_steps=300", "train.warmup_steps=30", "train.validation_interval=150")
MEAN = "interacting_head (mean)"


def experiment(scheme: str, heads: int) -> Experiment:
    """Return the experiment of a cell."""
    settings = (*SETTINGS, f"model.attention.scheme={scheme}", f"model.attention.num_heads={heads}")
    return Experiment("quickstart", settings, f"{scheme}-h{heads}")


register(
    "quickstart/heads",
    "Two schemes on the quickstart corpus, 300 steps",
    (
        Cell(row, f"h = {heads}", experiment(scheme, heads))
        for row, scheme in (("multi_head", "multi_head"), (MEAN, "interacting_head"))
        for heads in (2, 4)
    ),
    tests=TEST,
    printed_metrics={},
    on_a_cpu=True,
    claims=(Better("interacting heads (mean) beat multi-head attention", "", MEAN, "multi_head"),),
)
