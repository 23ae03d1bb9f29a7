"""The attention at each place of a Transformer: as in the papers, or as the configuration says."""

import dataclasses

from data.errors import InputError
from interacting_head.config import COMMON_OPTIONS, PlacedAttentionConfig, PlacementConfig
from interacting_head.config_values import entry_of
from layers import ATTENTION_SCHEMES

BASE_SCHEME = "multi_head"
"""The scheme wherever a paper does not place its own."""


def _fourth_encoder_layer(model):
    """Iida et al. 2019, table 1: the fourth of six encoder layers; the last where there are fewer than four."""
    return {"encoder": (min(4, model.encoder_layers),)}


def _last_layer_of_each_stack(model):
    """Goindani & Shrivastava 2021, section 4.3: the last layer of encoder and decoder, in each of its attentions."""
    return {
        "encoder": (model.encoder_layers,),
        "decoder": (model.decoder_layers,),
        "cross": (model.decoder_layers,),
    }


def _every_cross_attention(model):
    """Ampomah et al. 2020, equation (6): the encoder-decoder attention of all decoder layers."""
    return {"cross": tuple(range(1, model.decoder_layers + 1))}


DEFAULT_PLACEMENTS = {
    "multi_hop": _fourth_encoder_layer,
    "dynamic_head_importance": _last_layer_of_each_stack,
    "multi_layer": _every_cross_attention,
}
"""Scheme → function of a `ModelConfig` that gives {site: layers}. Schemes left out stand everywhere."""

NEED_KEY_DIM = ("fixed_head_size",)
"""Schemes that are another one unless the size of their query and key heads is given."""

DEFAULT_MEMORIES = {"multi_layer": "all"}
"""Scheme → the `memory` that it reads in encoder-decoder attention. Schemes left out read the `top` layer."""


def resolved(model):
    """The `ModelConfig` with nothing left open: what stands at every place, and what the decoder attends to.

    Without placements, a scheme stands where its paper has it, and multi-head attention elsewhere. A placement takes
    what it leaves out from `model.attention`; options of another scheme only where every scheme has them.
    """
    attention, placements = model.attention, model.placements
    if placements is None and attention.scheme in DEFAULT_PLACEMENTS:
        sites = DEFAULT_PLACEMENTS[attention.scheme](model)
        placements = [PlacementConfig(site, layers, attention) for site, layers in sites.items()]
        attention = _completed(PlacedAttentionConfig(BASE_SCHEME), attention)
    placements = tuple(
        dataclasses.replace(placement, attention=_completed(placement.attention, attention))
        for placement in placements or ()
    )
    model = dataclasses.replace(model, attention=attention, placements=placements)
    return dataclasses.replace(model, memory=model.memory or _default_memory(model))


def same_experiment(left, right):
    """Return whether two `ExperimentConfig`s mean the same, however much of it they leave to defaults."""
    left, right = (dataclasses.replace(config, model=resolved(config.model)) for config in (left, right))
    return left == right


def attention_of(model, site, number):
    """The `AttentionConfig` at `site` ("encoder", "decoder" or "cross") of layer `number`, counted from 1.

    Args:
        model: a resolved `ModelConfig`. Of several placements at a place the last counts.
    """
    placed = [p.attention for p in model.placements if p.site == site and number in p.layers]
    return placed[-1] if placed else model.attention


def attention_layer(model, site, number):
    """The attention layer of a resolved `ModelConfig` at a place, see `attention_of`.

    Raises:
        InputError: for an unknown scheme, options that do not fit it, a size of heads that it needs, heads that do not
            divide the model dimension.
    """
    attention = attention_of(model, site, number)
    layer_class = entry_of(ATTENTION_SCHEMES, attention.scheme, "attention scheme")
    if attention.scheme in NEED_KEY_DIM and not attention.key_dim:
        raise InputError(
            f"{attention.scheme} needs model.attention.key_dim: the paper's is the mean length of a training sentence, "
            "which python -m data.stats prints"
        )
    if model.model_dim % attention.num_heads and not (attention.key_dim and attention.value_dim):
        raise InputError(
            f"num_heads {attention.num_heads} does not divide model_dim {model.model_dim}; "
            "choose another number of heads or set key_dim and value_dim"
        )
    head_dim = model.model_dim // attention.num_heads
    options = dict(attention.options)
    if others := [name for name, value in options.items() if not isinstance(value, bool | int | float | str | None)]:
        raise InputError(f"model.attention.options.{others[0]} must be a number, a word, true or false")
    if site == "cross" and _reads_several_layers(attention):
        options["num_sources"] = memory_layers(model) or 1
    try:
        return layer_class(
            num_heads=attention.num_heads,
            key_dim=attention.key_dim or head_dim,
            value_dim=attention.value_dim or head_dim,
            dropout=attention.dropout,
            name="cross_attention" if site == "cross" else "self_attention",
            **options,
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"model.attention.options {attention.options} do not fit {attention.scheme}: {error}"
        ) from error


def memory_layers(model):
    """The number of memories of each decoder layer of a resolved model, or None where its memory is no list."""
    if model.memory == "all":
        return model.memory_layers or model.encoder_layers
    return model.memory_layers if model.memory == "transparent" else None


def check_model(model):
    """Raises `InputError` for a `ModelConfig` of which no model can be made.

    Such are an unknown scheme, wrong options of a scheme, a head count that does not divide the model dimension,
    an odd model dimension, a placement in a layer that the model does not have, a memory that its readers cannot use.
    """
    if model.model_dim % 2:
        raise InputError(f"model.model_dim must be even, for sine and cosine positions, got {model.model_dim}")
    model = resolved(model)
    layers = {"encoder": model.encoder_layers, "decoder": model.decoder_layers, "cross": model.decoder_layers}
    for site, count in layers.items():
        for number in range(1, count + 1):
            attention_layer(model, site, number)
            if site == "cross":
                _check_memory(model, attention_of(model, site, number))
    for placement in model.placements:
        for number in placement.layers:
            if number > layers[placement.site]:
                raise InputError(
                    f"placement at {placement.site} layer {number}, but there are {layers[placement.site]} layers"
                )


def _completed(placed, attention):
    """The `AttentionConfig` of a `PlacedAttentionConfig`, what it leaves out taken from `attention`."""
    given = {name: value for name, value in vars(placed).items() if value is not None}
    options = attention.options
    if given.get("scheme", attention.scheme) != attention.scheme:
        options = {name: value for name, value in options.items() if name in COMMON_OPTIONS}
    return dataclasses.replace(attention, **{"options": options, **given})


def _reads_several_layers(attention):
    return DEFAULT_MEMORIES.get(attention.scheme) == "all"


def _default_memory(model):
    """The memory that all encoder-decoder attentions read by default; the top layer where they disagree."""
    schemes = {attention_of(model, "cross", number).scheme for number in range(1, model.decoder_layers + 1)}
    memories = {DEFAULT_MEMORIES.get(scheme, "top") for scheme in schemes}
    return memories.pop() if len(memories) == 1 else "top"


def _check_memory(model, attention):
    """Raises `InputError` where an encoder-decoder attention and the memory it is given do not fit."""
    if model.memory_layers is not None and model.memory not in ("all", "transparent"):
        raise InputError("model.memory_layers goes with model.memory=all or transparent")
    if memory_layers(model) and not _reads_several_layers(attention):
        given = "memory=all" if model.memory == "all" else "memory_layers"
        readers = " or ".join(scheme for scheme, memory in DEFAULT_MEMORIES.items() if memory == "all")
        raise InputError(
            f"model.{given} gives several memories to encoder-decoder attention, which needs the scheme "
            f"{readers} there, not {attention.scheme}; place it at the site cross"
        )
    if model.memory == "all" and memory_layers(model) > model.encoder_layers:
        raise InputError(
            f"model.memory_layers is {model.memory_layers}, but there are {model.encoder_layers} encoder layers"
        )
