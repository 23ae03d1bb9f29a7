"""Models and run directories with heads really removed: smaller, faster, and otherwise the same function.

Letters for shapes: `D` model size, `H` heads, `K` key size, `V` value size, `n` sources.
"""

import dataclasses
import shutil

import numpy as np

from data.errors import InputError
from data.files import copy_folder, new_folder
from interacting_head.config import PlacedAttentionConfig, PlacementConfig
from interacting_head.model.building import build_model
from interacting_head.model.placement import attention_of, resolved
from interacting_head.run_directory import PRUNING, RunDirectory
from interacting_head.translation.inspection import attention_layers
from layers import (
    ATTENTION_SCHEMES,
    DynamicHeadImportanceAttention,
    InteractingHeadAttention,
    MultiHeadAttention,
    MultiHopAttention,
    MultiLayerMultiHeadAttention,
    PairwiseInteractingHeadAttention,
    TalkingHeadsAttention,
)
from layers.interacting_head_attention import COMBINATIONS

TEXT_FILES = ("subwords", "truecasing", "text.json")
"""Text of a run directory, which pruning leaves as it is."""

PROJECTIONS = {f"{name}_{kind}": (-2,) for name in ("query", "key", "value") for kind in ("kernel", "bias")}
STANDARD = {**PROJECTIONS, "output_kernel": (-3,)}
HEAD_AXES = {
    MultiHeadAttention: STANDARD,
    InteractingHeadAttention: STANDARD,
    PairwiseInteractingHeadAttention: {**PROJECTIONS, "output_kernel": (-4, -3)},
    DynamicHeadImportanceAttention: PROJECTIONS,
    MultiHopAttention: {**STANDARD, "hop_head_kernel": (0,), "hop_value_kernel": (0,)},
    MultiLayerMultiHeadAttention: STANDARD,
}
"""Layer class → {name of a weight: its axes of heads}. Heads of other classes cannot be removed."""
REASONS = {TalkingHeadsAttention: "each mixes the logits and weights of all others"}
"""Layer class → why its heads cannot be removed."""


def why_not_removable(layer):
    """Return why heads of an attention layer cannot be removed, or None where they can."""
    if type(layer) in HEAD_AXES:
        return None
    names = [name for name, cls in ATTENTION_SCHEMES.items() if cls is type(layer)] or [type(layer).__name__]
    reason = REASONS.get(type(layer), "pruned_run.HEAD_AXES does not say which of its weights belong to a head")
    return f"heads of {names[0]} cannot be removed: {reason}"


def check_removable(model):
    """Raise `InputError` for a `Transformer` of which no head can be removed."""
    reasons = {why_not_removable(layer) for layer in attention_layers(model).values()}
    if None not in reasons:
        raise InputError("; ".join(sorted(reasons)))


def kept_heads(model, removed):
    """Return `{(site, number): indices of the heads kept}` of the layers of which heads are removed.

    A layer keeps at least one head: where all go, an empty list.

    Args:
        model: a `Transformer`.
        removed: an iterable of `head_gates.Head`s.

    Raises:
        InputError: for a head that does not exist, and of a scheme whose heads cannot be removed.
    """
    removed, kept = set(removed), {}
    for place, layer in attention_layers(model).items():
        own = {head.head - 1 for head in removed if head[:2] == place and 0 < head.head <= layer.num_heads}
        removed = {head for head in removed if head[:2] != place or head.head - 1 not in own}
        if own and (reason := why_not_removable(layer)):
            raise InputError(f"{reason}; choose heads of another site or layer with --heads")
        if own:
            kept[place] = [head for head in range(layer.num_heads) if head not in own]
    if removed:
        raise InputError(f"this model has no head {', '.join(map(str, sorted(removed)))}")
    return kept


def pruned_weights(layer, kept):
    """Return `{name: array}` of an attention layer with some of its heads.

    Args:
        layer: a built layer of a class in `HEAD_AXES`.
        kept: indices of the heads kept; none: one is kept, and all that the heads give is zero.
    """
    weights = {weight.name: np.asarray(weight) for weight in layer.weights}
    if not kept:
        kept = [0]
        weights["output_kernel"] = np.zeros_like(weights["output_kernel"])
    removed = [head for head in range(layer.num_heads) if head not in kept]
    if isinstance(layer, InteractingHeadAttention):
        for name in weights.keys() & {"query_kernel", "query_bias"}:
            weights[name] = shared_query(weights[name], kept, removed, layer.query_combination)
        for name in weights.keys() & {"key_kernel", "key_bias"} if layer.cumulative else ():
            weights[name] = cumulative_key(weights[name], kept)
    for name, axes in HEAD_AXES[type(layer)].items():
        for axis in axes if name in weights else ():
            weights[name] = np.take(weights[name], kept, axis=axis)
    return weights


def shared_query(kernel, kept, removed, query_combination):
    """Return the query kernel `(D, H, K)`, or bias `(H, K)`, such that those kept have the sum or mean of all.

    What the removed heads add to it is spread evenly over those kept: Σ_kept W′_i / |kept|ᵉ = Σ_all W_i / Hᵉ, with the
    e of `COMBINATIONS`.
    """
    H, kernel = kernel.shape[-2], kernel.astype("float64")
    scale = (len(kept) / H) ** COMBINATIONS[query_combination]
    others = kernel[..., removed, :].sum(-2, keepdims=True)
    return (scale * (kernel + others / len(kept))).astype("float32")


def cumulative_key(kernel, kept):
    """Return a key kernel `(D, H, K)`, or bias `(H, K)`, such that the sums up to each head kept are as before."""
    sums = np.cumsum(kernel.astype("float64"), axis=-2)[..., kept, :]
    changed = np.zeros_like(kernel)
    changed[..., kept, :] = np.diff(sums, axis=-2, prepend=0.0)
    return changed


def pruned_config(model, kept):
    """Return the `ModelConfig` of a `Transformer` with fewer heads, see `kept_heads`."""
    config = resolved(model.config)
    layers = attention_layers(model)
    placements = {}
    for (site, number), heads in kept.items():
        layer, attention = layers[site, number], attention_of(config, site, number)
        sizes = {"num_heads": max(1, len(heads)), "key_dim": layer.key_dim, "value_dim": layer.value_dim}
        placed = PlacedAttentionConfig(**{**vars(attention), **sizes})
        same = [key for key, (other, _) in placements.items() if other == (site, placed)]
        key = same[0] if same else len(placements)
        placements.setdefault(key, ((site, placed), []))[1].append(number)
    added = tuple(PlacementConfig(site, tuple(numbers), placed) for (site, placed), numbers in placements.values())
    return dataclasses.replace(config, placements=(*config.placements, *added))


def pruned(model, config, subwords, removed):
    """Return the `Transformer` of which heads are removed, and its `ExperimentConfig`.

    Args:
        model: a `Transformer`.
        config: its `ExperimentConfig`.
        subwords: source and target `Subwords`, or anything with their `vocabulary_size`.
        removed: an iterable of `head_gates.Head`s.

    Raises:
        InputError: see `kept_heads`.
    """
    kept = kept_heads(model, removed)
    config = dataclasses.replace(config, model=pruned_config(model, kept))
    smaller = build_model(config, *subwords)
    layers = attention_layers(model)
    changed = {}
    for place, heads in kept.items():
        values = pruned_weights(layers[place], heads)
        changed.update({id(weight): values[weight.name] for weight in layers[place].weights})
    for weight, new in zip(model.weights, smaller.weights, strict=True):
        new.assign(changed.get(id(weight), weight))
    return smaller, config


def write_pruned_run(run, removed, path):
    """Write a run directory with heads removed; its weights are called `best`.

    Args:
        run: an `AnalysedRun`.
        removed: an iterable of `head_gates.Head`s.
        path: the folder, which must not exist or be empty.

    Returns:
        The pruned `Transformer`.

    Raises:
        InputError: see `kept_heads`; and where something stands at `path`, or it cannot be written.
    """
    removed = sorted(removed)
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
