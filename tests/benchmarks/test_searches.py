"""The hyper-parameters that stored searches found are in the recipes."""

import csv
import json
from pathlib import Path

import pytest

from interacting_head import recipes
from interacting_head.config import override

SEARCHES = sorted((Path(__file__).parents[2] / "benchmarks" / "searches").glob("*.csv"))


@pytest.mark.parametrize("path", SEARCHES, ids=lambda path: path.stem)
def test_recipes_have_the_values_of_the_best_trial_of_a_search(path):
    config = recipes.get(path.stem)
    stages, score = {}, 0.0
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            stages.setdefault(row["stage"], []).append(row)
    for rows in stages.values():
        best = max(rows, key=lambda row: float(row["bleu"]))
        if float(best["bleu"]) < score:  # no trial of this stage improves on the stage before, where it starts
            continue
        score = float(best["bleu"])
        found = [f"{key}={json.loads(value)}" for key, value in best.items() if "." in key and value]
        assert override(config, found) == config
