"""Attention weights and head importance of a model as it produces given translations.

Letters for shapes: `B` batch, `S` source length, `T` target length, `H` heads.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from keras import KerasTensor, ops

from data.errors import InputError
from data.text.subwords import BEGIN, END, PAD
from interacting_head.model.compilation import Compiled
from interacting_head.search.transformer_search import as_array
from layers import MultiLayerMultiHeadAttention, TalkingHeadsAttention

POSITIONS = 2**17  # rows × source length × target length of a batch: attention weights for so many are held at once
MULTIPLE = 16  # widths of batches are multiples of it: JAX compiles for each


class Inspection(NamedTuple):
    """Of one translation. End symbols are counted in S and T; Values not asked for are None.

    Attributes:
        attention: {(site, number of a layer): weights of its attention, in float32}: `(H, T, S)` at the site `cross`,
            `(H, T, T)` at `decoder` and `(H, S, S)` at `encoder`, with further axes in front where the scheme has
            them, see `layers`. Row t of the decoder belongs to sub-word t of the translation, with which it was
            produced; column t of `decoder` to the sub-word before.
        head_importance: {(site, number of a layer): importance of each head `(T, H)`}; `(S, H)` in the encoder.
        logits: {(site, number of a layer): what the softmax takes, before its mask}, as `attention`; an axis in front
            of the heads is of size 1 where all along it is the same.
        heads: {(site, number of a layer): outputs `(H, T, V)` of the heads, the values under their weights}.
    """

    attention: dict | None
    head_importance: dict | None
    logits: dict | None = None
    heads: dict | None = None


class Inspector:
    """Look into a model by one pass over source and translation, as in training.

    Args:
        model: a `Transformer`.
        attention: sites whose weights are wanted: `encoder`, `decoder`, `cross` (encoder-decoder attention).
        head_importance: true if that is wanted.
        logits, heads: sites of which those are wanted.

    Raises:
        InputError: where head importance is asked for and no layer of the model weighs its heads.

    Example:
        >>> [seen] = Inspector(model, attention=["cross"]).inspect([(source_ids, target_ids)])
        >>> seen.attention["cross", 1].shape
    """

    def __init__(self, model, attention=(), head_importance=False, logits=(), heads=()):
        layers = attention_layers(model)
        weighing = [place for place, layer in layers.items() if layer.has_head_importance]
        if head_importance and not weighing:
            raise InputError(
                "this model has no head importance: none of its attention layers weighs its heads, as those of the "
                "schemes dynamic_head_importance and multi_hop do"
            )
        self.attention_at, self.logits_at, self.heads_at = (
            [place for place in layers if place[0] in sites] for sites in (attention, logits, heads)
        )
        self.only_cross = {*attention, *logits, *heads} <= {"cross"}
        self.importance_at = weighing if head_importance else []
        self.model = model
        ids = KerasTensor((None, None), "int32")
        self._compiled = Compiled(self.forced_pass, [model], arguments=lambda: [ids] * 2)

    def inspect(self, pairs):
        """Return the `Inspection` of each pair of source and target ids, both without `BEGIN` and `END`, in order.

        Args:
            pairs: a list; all results are held at a time. Those of an empty source are empty dictionaries.
        """
        places = self.attention_at, self.importance_at, self.logits_at, self.heads_at
        results = [Inspection(*({} if found else None for found in places))] * len(pairs)
        order = [index for index, (source, _) in enumerate(pairs) if source]
        order.sort(key=lambda index: tuple(map(len, pairs[index])), reverse=True)
        while order:
            S = _width(len(pairs[order[0]][0]))
            T = _width(max(len(pairs[index][1]) for index in order))
            rows = max(1, POSITIONS // (S * T if self.only_cross else max(S, T) ** 2))
            batch, order = order[:rows], order[rows:]
            seen = self._inspect_batch([pairs[index] for index in batch], S, T)
            for index, inspection in zip(batch, seen, strict=True):
                results[index] = inspection
        return results

    def forced_pass(self, source_ids, target_ids):
        """Return the values of `observed` in float32 for source ids `(B, S)` and target ids `(B, T)`, shifted right."""
        with observed(self.model, self.attention_at, self.importance_at, self.logits_at, self.heads_at) as seen:
            memories, padding_mask = self.model.encode(source_ids, training=False)
            self.model.decode(target_ids, memories, padding_mask, training=False)
        return {name: ops.cast(value, "float32") for name, value in seen.items()}

    def _inspect_batch(self, pairs, S, T):
        source_ids, target_ids = np.full((len(pairs), S), PAD, "int32"), np.full((len(pairs), T), PAD, "int32")
        for source_row, target_row, (source, target) in zip(source_ids, target_ids, pairs, strict=True):
            source_row[: len(source) + 1] = [*source, END]
            target_row[: len(target) + 1] = [BEGIN, *target]
        found = {name: as_array(value) for name, value in self._compiled(source_ids, target_ids).items()}
        for row, (source, target) in enumerate(pairs):
            s, t = len(source) + 1, len(target) + 1
            rows, columns = {"encoder": s, "decoder": t, "cross": t}, {"encoder": s, "decoder": t, "cross": s}

            def matrices(name, places, row=row, rows=rows, columns=columns):
                return {
                    (site, number): found[f"{name} {site} {number}"][row][..., : rows[site], : columns[site]]
                    for site, number in places
                }

            importance = {
                (site, number): found[f"importance {site} {number}"][row][: rows[site]]
                for site, number in self.importance_at
            }
            heads = {
                (site, number): found[f"heads {site} {number}"][row][..., : rows[site], :]
                for site, number in self.heads_at
            }
            attention, logits = matrices("attention", self.attention_at), matrices("logits", self.logits_at)
            yield Inspection(attention or None, importance or None, logits or None, heads or None)


def attention_layers(model):
    """Return `{(site, number): attention layer}` of a `Transformer`; sites are `encoder`, `decoder` and `cross`."""
    layers = {}
    for number in range(1, model.config.encoder_layers + 1):
        layers["encoder", number] = model.get_layer(f"encoder_block_{number}").self_attention
    for number in range(1, model.config.decoder_layers + 1):
        block = model.get_layer(f"decoder_block_{number}")
        layers["decoder", number] = block.self_attention
        layers["cross", number] = block.cross_attention
    return layers


def weighs_heads(model):
    """Return whether a layer of a `Transformer` weighs its heads, so that there is head importance to see."""
    return any(layer.has_head_importance for layer in attention_layers(model).values())


def head_names(layer):
    """Return the names of the heads of an attention layer, those of its leading axis one after another."""
    heads = [f"head {head}" for head in range(1, layer.num_heads + 1)]
    if layer.leading_axis:
        name, size = layer.leading_axis
        heads = [f"{name} {i}, {head}" for i in range(1, size + 1) for head in heads]
    return heads


@contextlib.contextmanager
def observed(model, attention_at=(), importance_at=(), logits_at=(), heads_at=()):
    """Record what attention layers of a `Transformer` compute in the block.

    Yields:
        `{"attention SITE NUMBER": weights, "importance SITE NUMBER": importance of the heads, "logits SITE NUMBER":
        what the softmax takes, "heads SITE NUMBER": outputs of the heads}`, filled by the block.
    """
    seen, layers, replaced = {}, attention_layers(model), []

    def replace(place, stage, function):
        setattr(layers[place], stage, function)
        replaced.append((layers[place], stage))

    def observe(place):
        layer, name = layers[place], "{} {}".format(*place)
        attention, normalize, attend = layer.attention, layer.normalize, layer.attend
        logits, heads = [], []

        def recording_logits(values, mask):
            logits.append(values)
            return normalize(values, mask)

        def recording_heads(weights, v):
            heads.append(attend(weights, v))
            return heads[-1]

        def recording(*arguments):
            *arguments, return_attention_scores = arguments
            logits.clear(), heads.clear()
            # Without their weights some schemes compute their stages where they cannot be seen.
            wanted = any(place in places for places in (attention_at, logits_at, heads_at))
            output, weights, importance = attention(*arguments, return_attention_scores or wanted)
            if place in attention_at:
                seen[f"attention {name}"] = weights
            if place in importance_at:
                seen[f"importance {name}"] = importance
            if place in logits_at:
                mixed = BEFORE_SOFTMAX.get(type(layer), lambda layer, logits: logits)
                seen[f"logits {name}"] = mixed(layer, _joined(logits, weights))
            if place in heads_at:
                seen[f"heads {name}"] = _joined(heads, weights)
            return output, weights, importance

        replace(place, "attention", recording)
        if place in logits_at:
            replace(place, "normalize", recording_logits)
        if place in heads_at:
            replace(place, "attend", recording_heads)

    try:
        for place in {*attention_at, *importance_at, *logits_at, *heads_at}:
            observe(place)
        yield seen
    finally:
        for layer, stage in replaced:
            delattr(layer, stage)  # the class has it


def _joined(parts, weights):
    """Return `(B, …, H, T, S)` of the parts that a loop over heads has made, the axes in front of T as in weights."""
    if len(parts) == 1:
        return parts[0]
    whole = ops.concatenate(parts, axis=1)
    return ops.reshape(whole, (ops.shape(whole)[0], *weights.shape[1:-2], *ops.shape(whole)[-2:]))


def _summed_over_sources(layer, logits):
    """Of multi-layer attention: with joint attention the sources share one softmax of their sum, equation (9)."""
    return ops.sum(logits, axis=1, keepdims=True) if layer.joint_attention else logits


BEFORE_SOFTMAX = {
    TalkingHeadsAttention: lambda layer, logits: layer.mixed_logits(logits),
    MultiLayerMultiHeadAttention: _summed_over_sources,
}
"""Layer class → function of the layer and its logits that gives what its stage `normalize` takes the softmax of."""


def _width(tokens):
    """Return the columns of a batch for so many sub-words and the end symbol."""
    return -(-(tokens + 1) // MULTIPLE) * MULTIPLE
