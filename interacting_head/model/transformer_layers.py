"""The layers of a Transformer and how data flows through them."""

import math

import keras
from keras import ops

from data.text.subwords import PAD
from interacting_head.model.placement import attention_layer, memory_layers
from layers import (
    DecoderBlock,
    EncoderBlock,
    IterativeCombination,
    LinearCombination,
    PositionalEncoding,
    TokenEmbedding,
    TransparentAttention,
)
from layers.layer_normalization import LayerNormalization
from layers.transformer_block import LAYER_NORM_EPSILON


def _linear(model):
    return LinearCombination(model.decoder_layers, name="linear_combination")


def _transparent(model):
    mixtures = model.decoder_layers * (memory_layers(model) or 1)
    return TransparentAttention(mixtures, name="transparent_attention")


def _iterative(model):
    return IterativeCombination(model.decoder_layers, model.feed_forward_dim, name="iterative_combination")


AGGREGATIONS = {"linear": _linear, "transparent": _transparent, "iterative": _iterative}
"""`model.memory` → function of a `ModelConfig` that makes the layer which combines all encoder layers."""


class TransformerLayers:
    """The layers of a `Transformer`, apart from it: Keras needs a Functional model's outputs before the model exists.

    Data flows through them in the same way for symbols and for tensors.

    Args:
        config: a resolved `ModelConfig`.
        source_vocabulary_size, target_vocabulary_size, shared_vocabulary, head_gates: as of `Transformer`.
    """

    def __init__(
        self, config, source_vocabulary_size, target_vocabulary_size, shared_vocabulary=True, head_gates=False
    ):
        D = config.model_dim
        self.target_embedding = TokenEmbedding(target_vocabulary_size, D, name="target_embedding")
        self.source_embedding = self.target_embedding
        if not shared_vocabulary:
            self.source_embedding = TokenEmbedding(source_vocabulary_size, D, name="source_embedding")
        self.output_embedding = self.target_embedding
        if not config.tied_output:
            self.output_embedding = TokenEmbedding(target_vocabulary_size, D, name="output_embedding")
        self.source_positions = PositionalEncoding(config.dropout, name="source_positions")
        self.target_positions = PositionalEncoding(config.dropout, name="target_positions")
        options = {
            "feed_forward_dim": config.feed_forward_dim,
            "dropout": config.dropout,
            "activation_dropout": config.activation_dropout,
            "normalization": config.normalization,
        }
        self.encoder_blocks = [
            EncoderBlock(
                attention_layer(config, "encoder", number, head_gates), **options, name=f"encoder_block_{number}"
            )
            for number in range(1, config.encoder_layers + 1)
        ]
        self.decoder_blocks = [
            DecoderBlock(
                attention_layer(config, "decoder", number, head_gates),
                attention_layer(config, "cross", number, head_gates),
                **options,
                name=f"decoder_block_{number}",
            )
            for number in range(1, config.decoder_layers + 1)
        ]
        self.memory_layers = memory_layers(config)
        self.encoder_norms, self.decoder_norm = self._norms(config)

        self.aggregation = AGGREGATIONS[config.memory](config) if config.memory in AGGREGATIONS else None

    def _norms(self, config):
        """Layer number → normalisation of its output, as memory, and the normalisation of the decoder's output.

        Post-norm blocks end in a normalisation; the outputs of pre-norm blocks are sums of all that came before.
        """
        if config.normalization != "pre":
            return {}, None
        last = config.encoder_layers
        names = {last: "encoder_norm"}
        if config.memory != "top" and config.memory_normalization == "every":
            first = last - self.memory_layers + 1 if config.memory == "all" else 1
            names = {number: f"encoder_norm_{number}" for number in range(first, last)} | names
        norms = {number: LayerNormalization(epsilon=LAYER_NORM_EPSILON, name=name) for number, name in names.items()}
        return norms, LayerNormalization(epsilon=LAYER_NORM_EPSILON, name="decoder_norm")

    def build(self, model_dim):
        """Gives all layers their weights, in the order in which data flows."""
        sequence = (None, None, model_dim)
        self.source_embedding.build()
        for layer in (self.source_positions, *self.encoder_blocks, *self.encoder_norms.values()):
            layer.build(sequence)
        if self.aggregation:
            self.aggregation.build([sequence] * len(self.encoder_blocks), sequence)
        for embedding in (self.target_embedding, self.output_embedding):
            if not embedding.built:
                embedding.build()
        self.target_positions.build(sequence)
        for block in self.decoder_blocks:
            block.build(sequence, sequence if self.memory_layers is None else [sequence] * self.memory_layers)
        if self.decoder_norm:
            self.decoder_norm.build(sequence)

    def count_params(self):
        """The number of weights of all layers, shared ones counted once."""
        weights = (weight for layer in layers_of(self) for weight in layer.weights)
        return sum({id(weight): math.prod(weight.shape) for weight in weights}.values())

    def encode(self, source_ids, training=None, intermediates=None):
        """As `Transformer.encode`."""
        padding_mask = ops.not_equal(source_ids, PAD)
        x = embedded = self.source_positions(self.source_embedding(source_ids), training=training)
        outputs = []
        for number, block in enumerate(self.encoder_blocks, start=1):
            x = block(x, padding_mask=padding_mask, training=training, return_intermediates=intermediates is not None)
            if intermediates is not None:
                x, seen = x
                intermediates["encoder", number] = seen["self_attention"]
            outputs.append(self.encoder_norms[number](x) if number in self.encoder_norms else x)
        if self.aggregation:
            memories = self.aggregation(outputs, embedding_output=embedded)
            if n := self.memory_layers:
                memories = [memories[first : first + n] for first in range(0, len(memories), n)]
            return memories, padding_mask
        memory = outputs[-1] if self.memory_layers is None else outputs[-self.memory_layers :]
        return [memory] * len(self.decoder_blocks), padding_mask

    def decode(self, target_ids, memories, padding_mask, training=None, intermediates=None):
        """As `Transformer.decode`."""
        x = self.target_positions(self.target_embedding(target_ids), training=training)
        target_mask = ops.not_equal(target_ids, PAD)
        masks = {"padding_mask": padding_mask, "query_mask": target_mask}
        for number, (block, memory) in enumerate(zip(self.decoder_blocks, memories, strict=True), start=1):
            x = block(x, memory, **masks, training=training, return_intermediates=intermediates is not None)
            if intermediates is not None:
                x, seen = x
                intermediates["decoder", number], intermediates["cross", number] = seen.values()
        return self.decoder_norm(x) if self.decoder_norm else x

    def logits(self, hidden):
        """The logits of hidden vectors, in float32."""
        return ops.cast(self.output_embedding(hidden, reverse=True), "float32")


def layers_of(owner):
    """The layers among an object's attributes, also in lists and dictionaries, each of them once."""
    attributes = keras.tree.flatten(list(vars(owner).values()))
    return list({id(layer): layer for layer in attributes if isinstance(layer, keras.Layer)}.values())
