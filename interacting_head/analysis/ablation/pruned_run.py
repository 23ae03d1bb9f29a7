"""Models and run directories with heads removed for good: smaller and faster than the same heads masked."""

import dataclasses
import shutil
from pathlib import Path

from data.errors import InputError
from data.files import copy_folder, new_folder
from interacting_head.analysis.ablation.head_gates import Head, all_heads
from interacting_head.analysis.base import AnalysedRun
from interacting_head.config import ExperimentConfig, ModelConfig, PlacedAttentionConfig, PlacementConfig
from interacting_head.model.building import build_model
from interacting_head.model.placement import attention_of, resolved
from interacting_head.model.transformer import Transformer
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.runs.run_folder import PRUNING

TEXT_FILES = ("subwords", "truecasing", "text.json")
"""Files of a run directory that pruning copies unchanged."""


def why_not_removable(model: Transformer, place: tuple[str, int]) -> str | None:
    """Return why heads of an attention layer cannot be removed, or None if they can."""
    scheme = attention_of(resolved(model.config), *place).scheme
    reason = model.attention_layers[place].why_not_removable
    return reason and f"heads of {scheme} cannot be removed: {reason}"


def check_removable(model: Transformer) -> None:
    """Raise `InputError` if no head of a model can be removed."""
    reasons = {why_not_removable(model, place) for place in model.attention_layers}
    if None not in reasons:
        raise InputError("; ".join(sorted(reasons)))


def kept_heads(model: Transformer, removed: list[Head]) -> dict[tuple[str, int], list[int]]:
    """Return `{(site, number): indices of the heads kept}` for the layers that lose heads.

    Raises `InputError` if a head does not exist, or belongs to a scheme whose heads cannot be removed.
    """
    if unknown := set(removed) - set(all_heads(model)):
        raise InputError(f"this model has no head {', '.join(map(str, sorted(unknown)))}")
    kept = {}
    for place, layer in model.attention_layers.items():
        if own := {head.head - 1 for head in removed if head[:2] == place}:
            if reason := why_not_removable(model, place):
                raise InputError(f"{reason}; choose heads of another site or layer with --heads")
            kept[place] = [head for head in range(layer.num_heads) if head not in own]
    return kept


def pruned_config(model: Transformer, kept: dict[tuple[str, int], list[int]]) -> ModelConfig:
    """Return the configuration of a model with fewer heads, see `kept_heads`; each layer keeps at least one."""
    config, added = resolved(model.config), []
    for (site, number), heads in kept.items():
        layer, attention = model.attention_layers[site, number], attention_of(config, site, number)
        sizes = {"num_heads": max(1, len(heads)), "key_dim": layer.key_dim, "value_dim": layer.value_dim}
        placed = PlacedAttentionConfig(**{**vars(attention), **sizes})
        alike = next((numbers for *other, numbers in added if other == [site, placed]), None)
        if alike is None:
            added.append((site, placed, [number]))
        else:
            alike.append(number)
    placements = (PlacementConfig(site, tuple(numbers), placed) for site, placed, numbers in added)
    return dataclasses.replace(config, placements=(*config.placements, *placements))


def pruned(model: Transformer, config: ExperimentConfig, subwords: tuple, removed: list[Head]) -> tuple:
    """Return the model without these heads, and its configuration; `subwords` are source and target `Subwords`."""
    kept = kept_heads(model, removed)
    config = dataclasses.replace(config, model=pruned_config(model, kept))
    smaller = build_model(config, *subwords)
    changed = {}
    for place, heads in kept.items():
        layer = model.attention_layers[place]
        values = layer.weights_without(set(range(layer.num_heads)) - set(heads))
        changed.update({id(weight): values[weight.name] for weight in layer.weights})
    for weight, new in zip(model.weights, smaller.weights, strict=True):
        new.assign(changed.get(id(weight), weight))
    return smaller, config


def write_pruned_run(run: AnalysedRun, removed: list[Head], path: Path) -> Transformer:
    """Write a run directory without these heads, with checkpoint `best`, and return the pruned model.

    Raises `InputError` as `kept_heads` does, and if `path` exists or cannot be written.
    """
    model, config = pruned(run.model, run.config, run.subwords, removed)
    with new_folder(path) as folder:
        written = RunDirectory(folder)
        written.create_or_check(config)
        for name in TEXT_FILES:
            source = run.path / name
            if source.is_dir():
                copy_folder(source, folder / name)
            elif source.is_file():
                shutil.copyfile(source, folder / name)
        written.save_weights(model, written.weights_path("best"))
        written.write_json(PRUNING, {"run": run.path.resolve().name, "removed": list(map(str, removed))})
    return model
