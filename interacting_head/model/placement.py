"""The attention at each site and layer of a Transformer, from the papers or the configuration."""

import dataclasses
import types
import typing

import keras

from data.errors import InputError
from interacting_head.config import (
    COMMON_OPTIONS,
    NO_OPTIONS,
    AttentionConfig,
    ExperimentConfig,
    ModelConfig,
    PlacedAttentionConfig,
    PlacementConfig,
)
from interacting_head.config.values import checked, entry_of
from layers import ATTENTION_SCHEMES, MultiHeadAttention

BASE_SCHEME = "multi_head"
"""The scheme wherever a paper does not place its own."""


def resolved(model: ModelConfig) -> ModelConfig:
    """Return the configuration with the defaults of placements and of the decoder's memory filled in.

    Without placements, a scheme is used where its paper uses it, and multi-head attention elsewhere. A placement
    inherits omitted keys from `model.attention`, but only the common options of another scheme.
    """
    attention, placements = model.attention, model.placements
    sites = _class_of(attention).default_placement(model.encoder_layers, model.decoder_layers)
    if placements is None and sites is not None:
        placements = [PlacementConfig(site, layers, attention) for site, layers in sites.items()]
        attention = _completed(PlacedAttentionConfig(BASE_SCHEME), attention)
    placements = tuple(
        dataclasses.replace(placement, attention=_completed(placement.attention, attention))
        for placement in placements or ()
    )
    model = dataclasses.replace(model, attention=attention, placements=placements)
    return dataclasses.replace(model, memory=model.memory or _default_memory(model))


def same_experiment(left: ExperimentConfig, right: ExperimentConfig) -> bool:
    """Return whether two configurations are equal once defaults are filled in."""
    left, right = (dataclasses.replace(config, model=resolved(config.model)) for config in (left, right))
    return left == right


def attention_of(model: ModelConfig, site: str, number: int) -> AttentionConfig:
    """Return the attention of a resolved model at `site` ("encoder", "decoder" or "cross") of layer `number`, from 1.

    The last matching placement wins.
    """
    placed = [p.attention for p in model.placements if p.site == site and number in p.layers]
    return placed[-1] if placed else model.attention


def attention_layer(model: ModelConfig, site: str, number: int, head_gates: bool = False) -> keras.Layer:
    """Return an attention layer, see `attention_of`; for gates see `layers.MultiHeadAttention`.

    Raises `InputError` for an unknown scheme, invalid options, a missing head size, or a number of heads that does not
    divide the model dimension.
    """
    attention = attention_of(model, site, number)
    layer_class = _class_of(attention)
    if layer_class.why_key_dim and not attention.key_dim:
        raise InputError(f"{attention.scheme} needs model.attention.key_dim: {layer_class.why_key_dim}")
    if model.model_dim % attention.num_heads and not (attention.key_dim and attention.value_dim):
        raise InputError(
            f"num_heads {attention.num_heads} does not divide model_dim {model.model_dim}; "
            "choose another num_heads, or set key_dim and value_dim"
        )
    head_dim = model.model_dim // attention.num_heads
    key_dim = attention.key_dim or head_dim
    options = {**layer_class.layer_options(number), **_checked(attention, layer_class)}
    if site == "cross" and _reads_several_layers(attention):
        options["num_sources"] = memory_layers(model) or 1
    try:
        return layer_class(
            num_heads=attention.num_heads,
            key_dim=key_dim,
            value_dim=attention.value_dim or head_dim,
            dropout=attention.dropout,
            head_gates=head_gates,
            name="cross_attention" if site == "cross" else "self_attention",
            **options,
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"num_heads {attention.num_heads}, key_dim {key_dim} and options {attention.options} of model.attention "
            f"are not valid for the scheme {attention.scheme}: {error}"
        ) from error


def _checked(attention, layer_class):
    """Return the options of an `AttentionConfig` in the types that the layer of its scheme names."""
    key, options = "model.attention.options", attention.options
    if others := [name for name, value in options.items() if not isinstance(value, bool | int | float | str | None)]:
        raise InputError(f"{key}.{others[0]} must be a number, a string, true or false")
    types_of, found = layer_class.option_types(options), dict(options)
    own = types_of.keys() - MultiHeadAttention.option_types({}).keys() - NO_OPTIONS
    known = (*COMMON_OPTIONS, *(name for name in types_of if name in own))
    for name, value in options.items():
        try:
            entry_of(dict.fromkeys(known), name, "option")
        except InputError as error:
            raise InputError(f"{key} {options} are not valid for the scheme {attention.scheme}: {error}") from error
        kinds = typing.get_args(types_of.get(name)) or (types_of.get(name),)
        simple = [kind for kind in kinds if kind in (bool, int, float, str)]
        if simple and not (value is None and types.NoneType in kinds):
            found[name] = checked(simple[0], value, f"{key}.{name}", {})
    return found


def memory_layers(model: ModelConfig) -> int | None:
    """Return the number of memories of each decoder layer of a resolved model, or None if it is a single tensor."""
    if model.memory == "all":
        return model.memory_layers or model.encoder_layers
    return model.memory_layers if model.memory == "transparent" else None


def check_model(model: ModelConfig) -> None:
    """Raise `InputError` for an odd model dimension, a placement without a layer, or a memory of the wrong form.

    Raises what `attention_layer` raises, too.
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
        if not placement.layers:
            raise InputError(
                f"model.placements has one at the site {placement.site} without layers; name some, from 1, or remove it"
            )
        for number in placement.layers:
            if number > layers[placement.site]:
                raise InputError(
                    f"model.placements names {placement.site} layer {number}, but there are only "
                    f"{layers[placement.site]} layers"
                )


def _completed(placed, attention):
    """Return the `AttentionConfig` of a `PlacedAttentionConfig`, filled up from `attention`."""
    given = {name: value for name, value in vars(placed).items() if value is not None}
    options = attention.options
    if given.get("scheme", attention.scheme) != attention.scheme:
        options = {name: value for name, value in options.items() if name in COMMON_OPTIONS}
    return dataclasses.replace(attention, **{"options": options, **given})


def _class_of(attention):
    return entry_of(ATTENTION_SCHEMES, attention.scheme, "attention scheme")


def _reads_several_layers(attention):
    return _class_of(attention).memory == "all"


def _default_memory(model):
    """Return the default memory of all cross-attentions; the top layer if they disagree."""
    attentions = [attention_of(model, "cross", number) for number in range(1, model.decoder_layers + 1)]
    memories = {_class_of(attention).memory for attention in attentions}
    return memories.pop() if len(memories) == 1 else "top"


def _check_memory(model, attention):
    """Raise `InputError` if cross-attention cannot read the memory."""
    if model.memory_layers is not None and model.memory not in ("all", "transparent"):
        raise InputError("model.memory_layers needs model.memory=all or transparent; set that too, or leave it out")
    if memory_layers(model) and not _reads_several_layers(attention):
        given = "memory=all" if model.memory == "all" else "memory_layers"
        readers = " or ".join(scheme for scheme, layer in ATTENTION_SCHEMES.items() if layer.memory == "all")
        raise InputError(
            f"model.{given} gives several memories to cross-attention, which needs the scheme {readers}, not "
            f"{attention.scheme}; place it at the site cross"
        )
    if model.memory == "all" and memory_layers(model) > model.encoder_layers:
        raise InputError(
            f"model.memory_layers is {model.memory_layers}, but the encoder has only {model.encoder_layers} layers; "
            f"set it to at most {model.encoder_layers}"
        )
