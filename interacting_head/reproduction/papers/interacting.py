"""This project's own study: does the gain of interacting heads depend on the learning rate?"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from interacting_head.recipes.small import MULTI30K_DE_EN
from interacting_head.reproduction.claims import BestBetter, CellBetter, Claim
from interacting_head.reproduction.papers.li_luo import MEAN, PAIRWISE, SCALED, SMALL_BEST, SMALL_TESTS, experiment
from interacting_head.reproduction.tables import IN_BFLOAT16, Cell, register

SCHEMES = ("multi_head", "interacting_head", MEAN, SCALED, "talking_heads")
FACTORS = (0.25, 0.5, 1, 2, 4)
FEW_FACTORS = (0.5, 1, 2)
FEW = ("fixed_head_size", PAIRWISE)
"""Rows whose rate is chosen among fewer, in the first set-up only."""
PEAK = 3e-3
"""The learning rate of the small recipes."""
SHORT = 500
"""Steps of a training that ends while losses still fall fast."""
WARMUP = 10
"""The learning rate rises in one step of every WARMUP; with Noam's schedule its peak is at the end of the rise."""


class Setup(NamedTuple):
    """A place of normalisation, a learning-rate schedule, and a number of steps."""

    normalization: str
    schedule: str
    steps: int

    def __str__(self):
        return f"{self.normalization}-norm, {self.schedule}, {self.steps:,} steps"

    def settings(self, factor: float) -> tuple[str, ...]:
        """Return the settings `KEY=VALUE` with a factor of the peak of the learning rate."""
        warmup = self.steps // WARMUP
        # Noam's rate has its peak, rate · (D · warm-up)^−½, at the end of the warm-up.
        unit = (128 * warmup) ** 0.5 if self.schedule == "noam" else 1.0
        return (
            f"model.normalization={self.normalization}",
            f"train.schedule={self.schedule}",
            f"train.learning_rate={factor * PEAK * unit:.6g}",
            f"train.max_steps={self.steps}",
            f"train.warmup_steps={warmup}",
            f"train.validation_interval={self.steps // 5}",
        )


SETUPS = tuple(
    Setup(*blocks, steps)
    for blocks in (("pre", "cosine"), ("post", "noam"))
    for steps in (MULTI30K_DE_EN.max_steps, SHORT)
)


def cells() -> Iterator[Cell]:
    """Yield the cells: a row for each scheme and set-up, a column for each rate."""
    rows = [(scheme, setup, FACTORS) for setup in SETUPS for scheme in SCHEMES]
    rows += [(scheme, SETUPS[0], FEW_FACTORS) for scheme in FEW]
    for scheme, setup, factors in rows:
        for factor in factors:
            settings = (*IN_BFLOAT16, *setup.settings(factor))
            trained = experiment("iwslt16_de_en", scheme, SMALL_BEST, *settings, size="_small")
            yield Cell(f"{scheme}, {setup}", f"{factor * PEAK:.3g}", trained)


def claims() -> Iterator[Claim]:
    """Yield the claims: which scheme is better, each at its best rate, and at the lowest."""
    lowest = f"{FACTORS[0] * PEAK:.3g}"
    for setup, scheme in itertools.product(SETUPS, SCHEMES[1:]):
        ours, theirs = f"{scheme}, {setup}", f"multi_head, {setup}"
        best = f"{scheme}, at its best rate, beats multi-head attention at its own ({setup})"
        yield BestBetter(best, "", ours, (theirs,))
        at_lowest = f"{scheme} beats multi-head attention at the lowest rate ({setup})"
        yield CellBetter(at_lowest, "", (((ours, lowest), (theirs, lowest)),))


register(
    "interacting/learning_rate",
    f"BLEU by learning rate, {SMALL_BEST} heads",
    cells(),
    measure="rates",
    tests=SMALL_TESTS,
    printed_metrics={},
    on_a_cpu=True,
    claims=tuple(claims()),
    note="Columns are peak learning rates; the best one of each row is chosen by development BLEU.",
)
