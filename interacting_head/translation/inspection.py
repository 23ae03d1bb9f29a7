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
    """

    attention: dict | None
    head_importance: dict | None


class Inspector:
    """Look into a model by one pass over source and translation, as in training.

    Args:
        model: a `Transformer`.
        attention: sites whose weights are wanted: `encoder`, `decoder`, `cross` (encoder-decoder attention).
        head_importance: true if that is wanted.

    Raises:
        InputError: where head importance is asked for and no layer of the model weighs its heads.

    Example:
        >>> [seen] = Inspector(model, attention=["cross"]).inspect([(source_ids, target_ids)])
        >>> seen.attention["cross", 1].shape
    """

    def __init__(self, model, attention=(), head_importance=False):
        weighing = [place for place, layer in attention_layers(model).items() if layer.has_head_importance]
        if head_importance and not weighing:
            raise InputError(
                "this model has no head importance: none of its attention layers weighs its heads, as those of the "
                "schemes dynamic_head_importance and multi_hop do"
            )
        self.attention_at = [place for place in attention_layers(model) if place[0] in attention]
        self.only_cross = set(attention) <= {"cross"}
        self.importance_at = weighing if head_importance else []
        self.model = model
        ids = KerasTensor((None, None), "int32")
        self._compiled = Compiled(self.forced_pass, [model], arguments=lambda: [ids] * 2)

    def inspect(self, pairs):
        """Return the `Inspection` of each pair of source and target ids, both without `BEGIN` and `END`, in order.

        Args:
            pairs: a list; all results are held at a time. Those of an empty source are empty dictionaries.
        """
        results = [Inspection({} if self.attention_at else None, {} if self.importance_at else None)] * len(pairs)
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
        with observed(self.model, self.attention_at, self.importance_at) as seen:
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
            attention = {
                (site, number): found[f"attention {site} {number}"][row][..., : rows[site], : columns[site]]
                for site, number in self.attention_at
            }
            importance = {
                (site, number): found[f"importance {site} {number}"][row][: rows[site]]
                for site, number in self.importance_at
            }
            yield Inspection(attention or None, importance or None)


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


def head_names(layer):
    """Return the names of the heads of an attention layer, those of its leading axis one after another."""
    heads = [f"head {head}" for head in range(1, layer.num_heads + 1)]
    if layer.leading_axis:
        name, size = layer.leading_axis
        heads = [f"{name} {i}, {head}" for i in range(1, size + 1) for head in heads]
    return heads


@contextlib.contextmanager
def observed(model, attention_at, importance_at):
    """Record the weights and head importance that attention layers of a `Transformer` compute in the block.

    Yields:
        `{"attention SITE NUMBER": weights, "importance SITE NUMBER": importance of the heads}`, filled by the block.
    """
    seen, layers = {}, attention_layers(model)

    def observing(place, attention):
        def observe(*arguments):
            *arguments, return_attention_scores = arguments
            wanted = place in attention_at
            output, weights, importance = attention(*arguments, return_attention_scores or wanted)
            if wanted:
                seen["attention {} {}".format(*place)] = weights
            if place in importance_at:
                seen["importance {} {}".format(*place)] = importance
            return output, weights, importance

        return observe

    for place in {*attention_at, *importance_at}:
        layers[place].attention = observing(place, layers[place].attention)
    try:
        yield seen
    finally:
        for place in {*attention_at, *importance_at}:
            del layers[place].attention  # the class has it


def _width(tokens):
    """Return the columns of a batch for so many sub-words and the end symbol."""
    return -(-(tokens + 1) // MULTIPLE) * MULTIPLE
