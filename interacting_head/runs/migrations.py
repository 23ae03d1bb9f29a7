"""Migrations: what the configurations of earlier versions of the format mean in this one."""

import copy
from pathlib import Path

from data.errors import InputError
from interacting_head.config.yaml_files import read_yaml

BALANCED = {"interacting_head"}
"""Schemes whose queries learnt more slowly in version 1, except with `balanced_query: false`."""


def from_version_1(mapping: dict) -> dict:
    """Return a configuration of version 1 in present terms.

    Pre-norm models normalised the last encoder layer only. Interacting heads had `balanced_query`, which changed how a
    query was learnt and not what is computed. The profile `paper` limited the number of words and their ratio.
    """
    mapping = copy.deepcopy(mapping)
    model, data = mapping.setdefault("model", {}), mapping.setdefault("data", {})
    if not (isinstance(model, dict) and isinstance(data, dict)):
        return mapping  # which is refused as one of the present version is
    if model.get("normalization") == "pre":
        model["memory_normalization"] = "top"
    if data.get("profile") == "paper":
        limits = {"max_words": 80, "max_ratio": 9.0}
        data |= {name: limit for name, limit in limits.items() if data.get(name) is None}
    placements = model.get("placements")
    for place in [model, *(placements if isinstance(placements, list) else ())]:
        attention = place.get("attention") if isinstance(place, dict) else None
        if isinstance(attention, dict) and isinstance(attention.get("options"), dict):
            attention["options"].pop("balanced_query", None)
    return mapping


UPGRADES = {"1": from_version_1}
"""Version → function of the mapping in config.yaml that gives the present one."""


def check_trainable(path: Path, version: str) -> None:
    """Raise `InputError` where a run of a version cannot be trained on as it was begun."""
    if version != "1":
        return
    model = read_yaml(path / "config.yaml", "configuration")["model"]
    attentions = [model["attention"], *(placement["attention"] for placement in model["placements"] or ())]
    if any(x["scheme"] in BALANCED and (x["options"] or {}).get("balanced_query", True) for x in attentions):
        raise InputError(
            f"{path} is of version 1, and its interacting heads learn by balanced_query, which is gone: it can be "
            "translated with, but not trained on; choose another --run-dir, or --no-resume to start a new training"
        )
