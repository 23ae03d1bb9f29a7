"""Migrations of configurations from earlier format versions."""

import copy
from pathlib import Path

from data.errors import InputError
from data.text.profiles import FORMER_PROFILES
from interacting_head.config.values import FORMER_KEYS
from interacting_head.config.yaml_files import read_yaml

BALANCED = {"interacting_head"}
"""Schemes whose queries learnt more slowly in version 1, unless `balanced_query` was false."""

IMPLEMENTATIONS = {"printed_loop": "listing", "by_query_head": "by_key_head"}
"""Former → present name of an implementation."""


def from_version_1(mapping: dict) -> dict:
    """Migrate a configuration of version 1.

    Pre-norm models normalised the last encoder layer only. `balanced_query` of interacting heads changed how queries
    were learnt, not what is computed. The profile `paper` limited the number of words and their ratio.
    """
    mapping = copy.deepcopy(mapping)
    model, data = mapping.setdefault("model", {}), mapping.setdefault("data", {})
    if isinstance(model, dict) and model.get("normalization") == "pre":
        model["memory_normalization"] = "top"
    if isinstance(data, dict) and data.get("profile") == "paper":
        limits = {"max_words": 80, "max_ratio": 9.0}
        data |= {name: limit for name, limit in limits.items() if data.get(name) is None}
    for options in _attention_options(mapping):
        options.pop("balanced_query", None)
    return from_version_2(mapping)


def from_version_2(mapping: dict) -> dict:
    """Migrate a configuration of version 2: a key, a profile and two implementations were renamed."""
    mapping = copy.deepcopy(mapping)
    for former, present in FORMER_KEYS.items():
        section, _, former = former.partition(".")
        if isinstance(keys := mapping.get(section), dict) and former in keys:
            keys[present.partition(".")[2]] = keys.pop(former)
    if isinstance(data := mapping.get("data"), dict) and data.get("profile") == "paper":
        data["profile"] = FORMER_PROFILES["paper"]
    for options in _attention_options(mapping):
        for former, present in IMPLEMENTATIONS.items():
            if options.get("implementation") == former:
                options["implementation"] = present
    return mapping


def _attention_options(mapping):
    """Yield the options of each attention; skip malformed parts, since the configuration is checked later."""
    model = mapping.get("model")
    if not isinstance(model, dict):
        return
    placements = model.get("placements")
    for place in [model, *(placements if isinstance(placements, list) else ())]:
        attention = place.get("attention") if isinstance(place, dict) else None
        if isinstance(attention, dict) and isinstance(attention.get("options"), dict):
            yield attention["options"]


UPGRADES = {"1": from_version_1, "2": from_version_2}
"""Version → function that migrates the mapping in config.yaml."""


def check_trainable(path: Path, version: str) -> None:
    """Raise `InputError` if training of a run of this version cannot continue as it began."""
    if version != "1":
        return
    model = read_yaml(path / "config.yaml", "configuration")["model"]
    attentions = [model["attention"], *(placement["attention"] for placement in model["placements"] or ())]
    if any(x["scheme"] in BALANCED and (x["options"] or {}).get("balanced_query", True) for x in attentions):
        raise InputError(
            f"{path} has format version 1 and its interacting heads use balanced_query, which was removed: the run can "
            "translate, but not resume training; choose another --run-dir, or --no-resume to start a new training"
        )
