"""`interacting_head.reproduce` with one more table, tiny/1: two trainings of seconds on a corpus `tiny`."""

from interacting_head import console, reproduce
from interacting_head.reproduction.claims import Better
from interacting_head.reproduction.tables import TEST, Cell, Experiment, register
from tests import tiny_corpus

CORPUS = "tiny"
SETTINGS = (
    *tiny_corpus.SETTINGS,
    f"data.corpus={CORPUS}",
    "model.model_dim=16",
    "train.batch_tokens=256",
    "train.max_steps=60",
    "train.validation_interval=20",
)

register(
    "tiny/1",
    "Two schemes on a few sentences",
    (
        Cell(
            scheme, "h = 2", Experiment("quickstart", (*SETTINGS, f"model.attention.scheme={scheme}"), f"tiny-{scheme}")
        )
        for scheme in ("multi_head", "interacting_head")
    ),
    tests=TEST,
    claims=(Better("interacting heads beat multi-head attention", "", "interacting_head", "multi_head"),),
)

if __name__ == "__main__":
    console.run(reproduce.main)
