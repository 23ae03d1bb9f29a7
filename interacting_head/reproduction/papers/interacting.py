"""This project's own studies: learning rates, all schemes side by side, and schemes in standard parameters."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from interacting_head.recipes.registry import SMALL
from interacting_head.recipes.small import MODEL_DIM, MULTI30K_DE_EN
from interacting_head.reproduction.claims import BestBetter, BestEquivalent, CellBetter, Claim
from interacting_head.reproduction.papers.li_luo import MEAN, PAIRWISE, SCALED, SMALL_BEST, SMALL_TESTS, experiment
from interacting_head.reproduction.tables import IN_BFLOAT16, Cell, Experiment, register

SCHEMES = ("multi_head", "interacting_head", MEAN, SCALED, "talking_heads")
FACTORS = (0.25, 0.5, 1, 2, 4)
FEW_FACTORS = (0.5, 1, 2)
FEW = ("fixed_head_size", PAIRWISE)
"""Rows whose rate is chosen among fewer, in the first set-up only."""
PEAK = 3e-3
"""The learning rate of the small recipes."""
MOST_HEADS = SMALL_BEST["3"]
SHORT = 500
"""Steps of a training that ends while losses still fall fast."""
NOTE = "Columns are peak learning rates. The first seed of a row chooses its best one by development BLEU."
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
        unit = (MODEL_DIM * warmup) ** 0.5 if self.schedule == "noam" else 1.0
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
            trained = experiment("iwslt16_de_en", scheme, MOST_HEADS, *settings, size=SMALL)
            yield Cell(f"{scheme}, {setup}", f"{factor * PEAK:.3g}", trained)


def claims() -> Iterator[Claim]:
    """Yield the claims that a scheme beats multi-head attention, each at its best rate, and both at the lowest."""
    lowest = f"{FACTORS[0] * PEAK:.3g}"
    for setup, scheme in itertools.product(SETUPS, SCHEMES[1:]):
        ours, theirs = f"{scheme}, {setup}", f"multi_head, {setup}"
        converges = setup.steps > SHORT
        best = f"{scheme} beats multi-head attention, each at its best rate ({setup})"
        yield BestBetter(best, "", ours, (theirs,), needs_convergence=converges)
        at_lowest = f"{scheme} beats multi-head attention at the lowest rate ({setup})"
        yield CellBetter(at_lowest, "", (((ours, lowest), (theirs, lowest)),), needs_convergence=converges)


OTHER_SCHEMES = {
    "dynamic_head_importance": (),
    "multi_hop": (),
    "multi_layer": (),
    "knocking_heads": (),
    "knocking_heads (MLP)": ("value_mixing=mlp", "mix_query=false", "mix_key=false"),
    "collaborative_heads": (),
    "interleaved_heads": (),
    "differential": (),
    "gated_heads": (),
}
"""Row → options of its scheme, whose name comes first. These have no recipe in tables 3 to 5 of Li & Luo 2022."""
ALL_SCHEMES = ("multi_head", "fixed_head_size", "talking_heads", "interacting_head", MEAN, PAIRWISE, *OTHER_SCHEMES)
FEW_HEADS = (4, MOST_HEADS)
FOLDED = {
    "interacting_head": ("interacting_head", ()),
    MEAN: ("interacting_head", ("query_combination=mean",)),
    "knocking_heads": ("knocking_heads", ()),
    "collaborative_heads": ("collaborative_heads", ()),
    "interleaved_heads (P = 1)": ("interleaved_heads", ("num_pseudo_heads=1",)),
}
"""Row → scheme and options: schemes that standard attention can compute."""


def in_name(row: str) -> str:
    """Return a row as part of the name of a run."""
    return re.sub(r"\W+", "_", row.lower()).strip("_")


def at_rate(scheme: str, options: Iterable[str], heads: int, settings: Iterable[str], variant: str) -> Experiment:
    """Return the experiment of multi-head attention in the small size with another scheme."""
    changed = (f"model.attention.scheme={scheme}", *(f"model.attention.options.{option}" for option in options))
    return Experiment(f"ih_iwslt16_de_en_multi_head_h{heads}_small", (*IN_BFLOAT16, *settings, *changed), variant)


def at_rates(row: str, make: Callable) -> Iterator[Cell]:
    """Yield the cells of a row; `make` returns the experiment with settings of the learning rate."""
    for factor in FEW_FACTORS:
        yield Cell(row, f"{factor * PEAK:.3g}", make(SETUPS[0].settings(factor)))


def cells_of_schemes() -> Iterator[Cell]:
    """Yield the cells of all schemes: a row for each scheme and number of heads, a column for each rate."""
    for heads, row in itertools.product(FEW_HEADS, ALL_SCHEMES):

        def make(settings, row=row, heads=heads):
            if row not in OTHER_SCHEMES:
                return experiment("iwslt16_de_en", row, heads, *IN_BFLOAT16, *settings, size=SMALL)
            return at_rate(row.split()[0], OTHER_SCHEMES[row], heads, settings, in_name(row))

        yield from at_rates(f"{row}, {heads} heads", make)


def cells_of_folded() -> Iterator[Cell]:
    """Yield the cells of schemes in their own parameters and in standard ones, a column for each rate."""
    for row, (scheme, options) in FOLDED.items():

        def own(settings, row=row, scheme=scheme, options=options):
            if row not in OTHER_SCHEMES and not row.startswith("interleaved"):
                return experiment("iwslt16_de_en", row, MOST_HEADS, *IN_BFLOAT16, *settings, size=SMALL)
            return at_rate(scheme, options, MOST_HEADS, settings, in_name(row))

        def folded(settings, row=row, scheme=scheme, options=options):
            return at_rate("folded", (f"start={scheme}", *options), MOST_HEADS, settings, f"folded_{in_name(row)}")

        yield from at_rates(f"{row}, own parameters", own)
        yield from at_rates(f"{row}, standard parameters", folded)


register(
    "interacting/learning_rate",
    f"BLEU by learning rate, {MOST_HEADS} heads",
    cells(),
    measure="rates",
    tests=SMALL_TESTS,
    printed_metrics={},
    on_a_cpu=True,
    claims=tuple(claims()),
    note=NOTE,
)
register(
    "interacting/schemes",
    "All schemes, each at its best learning rate",
    cells_of_schemes(),
    measure="rates",
    tests=SMALL_TESTS,
    printed_metrics={},
    on_a_cpu=True,
    claims=tuple(
        BestBetter(
            f"{row} beats multi-head attention, each at its best rate ({heads} heads)",
            "", f"{row}, {heads} heads", (f"multi_head, {heads} heads",),
        )
        for heads, row in itertools.product(FEW_HEADS, ALL_SCHEMES[1:])
    ),
    note=NOTE,
)  # fmt: skip
register(
    "interacting/folded",
    f"Schemes in their own parameters and in standard ones, {MOST_HEADS} heads",
    cells_of_folded(),
    measure="rates",
    tests=SMALL_TESTS,
    printed_metrics={},
    on_a_cpu=True,
    claims=tuple(
        BestEquivalent(
            f"{row} learns equally well in its own parameters and in standard ones, from the same function", "",
            ((f"{row}, own parameters", f"{row}, standard parameters"),),
        )
        for row in FOLDED
    ),
    note=f"{NOTE} Both models of a scheme and a seed start with the same function.",
)  # fmt: skip
