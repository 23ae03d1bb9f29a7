"""This project's own study: does the gain of interacting heads depend on the learning rate?"""

from interacting_head.reproduction.claims import BestBetter
from interacting_head.reproduction.papers.li_luo import SMALL_BEST
from interacting_head.reproduction.tables import Cell, Experiment, Table, register

SCHEMES = {
    "multi_head": ("multi_head", ()),
    "interacting_head": ("interacting_head", ()),
    "interacting_head (mean)": ("interacting_head", ("query_combination=mean",)),
    "interacting_head (sum / √h)": ("interacting_head", ("query_combination=scaled_sum",)),
    "talking_heads": ("talking_heads", ()),
}
"""Row → scheme and options of its layer."""
FACTORS = (0.25, 0.5, 1, 2, 4)
PEAK = 3e-3
"""The learning rate of the small recipes."""
SETUPS = {
    "pre-norm, cosine": ("model.normalization=pre", "train.schedule=cosine"),
    "post-norm, Noam": ("model.normalization=post", "train.schedule=noam"),
}
LENGTHS = {"short": 500, "long": 2000}
"""Steps: while losses still fall fast, and until they hardly fall any more."""
WARMUP = 10
"""The learning rate rises in one step of every WARMUP; with Noam's schedule its peak is at the end of the rise."""


def settings(setup, steps, factor):
    """Return the settings of a set-up, a number of steps and a factor of the peak learning rate."""
    warmup = steps // WARMUP
    # Noam's rate has its peak, rate · (D · warm-up)^−½, at the end of the warm-up.
    unit = (128 * warmup) ** 0.5 if "Noam" in setup else 1.0
    return (
        *SETUPS[setup],
        f"train.learning_rate={factor * PEAK * unit:.6g}",
        f"train.max_steps={steps}",
        f"train.warmup_steps={warmup}",
        f"train.validation_interval={steps // 5}",
    )


def study(setup, length):
    """Return the table of a set-up and a length of training."""
    return Table(
        f"interacting/learning_rate_{setup.split('-')[0]}_{length}",
        f"BLEU by learning rate, {setup}, {LENGTHS[length]:,} steps, 8 heads",
        tuple(
            Cell(
                row,
                f"{factor * PEAK:.3g}",
                Experiment(
                    f"ih_iwslt16_de_en_{scheme}_h{SMALL_BEST}_small",
                    (
                        *settings(setup, LENGTHS[length], factor),
                        *(f"model.attention.options.{option}" for option in options),
                    ),
                    "-".join(["rate", *(option.split("=")[1] for option in options)]),
                ),
            )
            for row, (scheme, options) in SCHEMES.items()
            for factor in FACTORS
        ),
        tests={"dev": ("dev",), "test": ("test_2016_flickr",)},
        printed_metrics={},
        on_a_cpu=True,
        claims=tuple(
            BestBetter(f"{row}, at its best rate, beats multi-head attention at its own", "", row=row,
                       baselines=("multi_head",), test="test")
            for row in SCHEMES if row != "multi_head"
        ),
        note="Columns are the largest learning rates; each row's best is chosen by development BLEU.",
    )  # fmt: skip


for _setup in SETUPS:
    for _length in LENGTHS:
        register(study(_setup, _length))
