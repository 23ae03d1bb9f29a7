"""Configurations of runs that earlier versions began, in the words of this one, so that they still translate."""


def from_version_1(mapping):
    """A configuration of version 1.

    Pre-norm models normalised the last encoder layer only, whatever the decoder read. Interacting heads had
    `balanced_query`, which changed how a query was learnt and not what is computed.
    """
    model = {**mapping.get("model", {}), "memory_normalization": "top"}
    if "attention" in model:
        model["attention"] = _without_balanced_query(model["attention"])
    if model.get("placements"):
        model["placements"] = [
            {**placement, "attention": _without_balanced_query(placement["attention"])}
            for placement in model["placements"]
        ]
    return {**mapping, "model": model}


def _without_balanced_query(attention):
    options = {key: value for key, value in (attention.get("options") or {}).items() if key != "balanced_query"}
    return {**attention, "options": options} if "options" in attention else attention


UPGRADES = {"1": from_version_1}
"""Version → function of the mapping in config.yaml that gives the present one."""
