"""Configurations of runs that earlier versions began, in the words of this one, so that they still translate."""


def from_version_1(mapping):
    """A configuration of version 1.

    Pre-norm models normalised the last encoder layer only, whatever the decoder read. Interacting heads had
    `balanced_query`, which changed how a query was learnt and not what is computed.
    """
    if not isinstance(mapping.get("model", {}), dict):
        return mapping  # which is refused as one of the present version is
    model = {**mapping.get("model", {}), "memory_normalization": "top"}
    if "attention" in model:
        model["attention"] = _without_balanced_query(model["attention"])
    if isinstance(model.get("placements"), list):
        model["placements"] = [
            {**placement, "attention": _without_balanced_query(placement["attention"])}
            if isinstance(placement, dict) and "attention" in placement
            else placement
            for placement in model["placements"]
        ]
    return {**mapping, "model": model}


def _without_balanced_query(attention):
    if not isinstance(attention, dict) or not isinstance(attention.get("options"), dict):
        return attention
    options = {key: value for key, value in attention["options"].items() if key != "balanced_query"}
    return {**attention, "options": options}


UPGRADES = {"1": from_version_1}
"""Version → function of the mapping in config.yaml that gives the present one."""
