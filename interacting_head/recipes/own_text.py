"""The user's own text on the command line: its paths, and the recipe that fits its size."""

import dataclasses
import os
import time

from data.cache import kept_text
from data.errors import counted
from data.text.parallel_text import count_lines
from interacting_head.config import OWN_FILES, ExperimentConfig, differences, override
from interacting_head.recipes.registry import get
from interacting_head.runs.run_directory import RunDirectory

SIZES = {
    "quickstart": 20_000,
    "multi30k_de_en": 100_000,
    "mix_de_en": 500_000,
    "mlmha_wmt14_en_de_b0": None,
}
"""Recipe → upper limit of training pairs for which it is chosen, see docs/training.md."""


def with_absolute_paths(config: ExperimentConfig) -> ExperimentConfig:
    """Return the configuration with paths that are valid in any working folder; see `data.cache.kept_text`."""
    paths = {name: getattr(config.data, name) for name in OWN_FILES}
    paths = {name: str(kept_text(path)) for name, path in paths.items() if path}
    return dataclasses.replace(config, data=dataclasses.replace(config.data, **paths))


def recipe_for(source: str) -> tuple[str, str]:
    """Return the name of the recipe that fits the size of a text, and a message about it for the user."""
    most = max(filter(None, SIZES.values()))
    pairs = count_lines(source, most)
    name = next(name for name, below in SIZES.items() if below is None or pairs < below)
    count = counted(pairs, "pair") if pairs < most else f"{most:,} pairs or more"
    # Formatted like a line of the log, which is not open yet.
    now = time.strftime("%H:%M:%S")
    return (
        name,
        f"{now} your own text has {count}: using recipe {name}; interacting-head train RECIPE --source … to change",
    )


def recipe_of_run(path: str, assignments: list[str]) -> str | None:
    """Return the recipe of `SIZES` that a run was started with, or None if `path` is not a run directory.

    It is the one closest to the configuration of the run, because recipes may have changed since.
    """
    if not os.path.isfile(os.path.join(path, "config.yaml")):
        return None
    begun = RunDirectory.open(path).config
    return min(SIZES, key=lambda name: len(differences(begun, override(get(name), assignments))))
