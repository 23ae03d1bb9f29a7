"""Runs that earlier versions began: their configurations in the words of this one, so that they are still of use."""

from data.errors import InputError
from interacting_head.config.yaml_files import read_yaml

BALANCED = {"interacting_head"}
"""Schemes whose queries learnt more slowly in version 1, unless told otherwise (`balanced_query: false`)."""


def from_version_1(mapping):
    """A configuration of version 1.

    Pre-norm models normalised the last encoder layer only, whatever the decoder read. Interacting heads had
    `balanced_query`, which changed how a query was learnt and not what is computed. The profile `paper` had limits of
    the number of words and of their ratio.
    """
    if not all(isinstance(mapping.get(part, {}), dict) for part in ("model", "data")):
        return mapping  # which is refused as one of the present version is
    model, data = dict(mapping.get("model", {})), dict(mapping.get("data", {}))
    if model.get("normalization") == "pre":
        model["memory_normalization"] = "top"
    if data.get("profile") == "paper":
        limits = {"max_words": 80, "max_ratio": 9.0}
        data |= {name: limit for name, limit in limits.items() if data.get(name) is None}
    if "attention" in model:
        model["attention"] = _without_balanced_query(model["attention"])
    if isinstance(model.get("placements"), list):
        model["placements"] = [
            {**placement, "attention": _without_balanced_query(placement["attention"])}
            if isinstance(placement, dict) and "attention" in placement
            else placement
            for placement in model["placements"]
        ]
    return {**mapping, "model": model, "data": data}


def _without_balanced_query(attention):
    if not isinstance(attention, dict) or not isinstance(attention.get("options"), dict):
        return attention
    options = {key: value for key, value in attention["options"].items() if key != "balanced_query"}
    return {**attention, "options": options}


UPGRADES = {"1": from_version_1}
"""Version → function of the mapping in config.yaml that gives the present one."""


def check_trainable(path, version):
    """Raise `InputError` where a run of a version cannot be trained on as it was begun.

    Args:
        path: the run directory.
        version: that of the run.
    """
    if version != "1":
        return
    model = read_yaml(path / "config.yaml", "configuration")["model"]
    attentions = [model["attention"], *(placement["attention"] for placement in model["placements"] or ())]
    if any(x["scheme"] in BALANCED and (x["options"] or {}).get("balanced_query", True) for x in attentions):
        raise InputError(
            f"{path} is of version 1, and its interacting heads learn by balanced_query, which is gone: it can be "
            "translated with, but not trained on; choose another --run-dir, or --no-resume to start a new training"
        )
