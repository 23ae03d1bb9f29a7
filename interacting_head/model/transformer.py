"""The Transformer as a Functional Keras model of this project's layers."""

import contextlib
import math
import shutil

import keras
from keras import ops
from keras.src.backend.common import global_state

from data.errors import InputError
from data.text.subwords import PAD
from interacting_head import config as configuration
from interacting_head.config import ModelConfig
from interacting_head.model.placement import attention_layer, check_model, memory_layers, resolved
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
from layers.projection import linear
from layers.transformer_block import LAYER_NORM_EPSILON, FeedForward, TransformerBlock


@keras.saving.register_keras_serializable("interacting_head")
class Transformer(keras.Model):
    """An encoder–decoder Transformer whose attention layers are chosen by the configuration.

    Letters for shapes: `B` batch, `S` source length, `T` target length, `N` hypotheses a sentence.

    Args:
        config: a `ModelConfig`, or the dictionary of one.
        source_vocabulary_size, target_vocabulary_size: number of tokens, padding (id 0) included.
        shared_vocabulary: whether source and target share one embedding matrix. The output projection is that of the
            target, unless `config.tied_output` is false.

    Call arguments:
        inputs: `{"source_ids": (B, S), "target_ids": (B, T)}`, the target shifted right.

    Returns:
        Logits `(B, T, target_vocabulary_size)`, in float32.

    Raises:
        InputError: see `placement.check_model`.

    Example:
        >>> model = Transformer(ModelConfig(model_dim=256), 8000, 8000)
        >>> logits = model({"source_ids": source_ids, "target_ids": target_ids})

    Reference: Vaswani et al. 2017; attention schemes: see `layers`.
    """

    def __init__(
        self,
        config,
        source_vocabulary_size,
        target_vocabulary_size,
        shared_vocabulary=True,
        name="transformer",
    ):
        if not isinstance(config, ModelConfig):
            config = configuration.from_dict({"model": config}).model
        if shared_vocabulary and source_vocabulary_size != target_vocabulary_size:
            raise InputError("a shared vocabulary needs equal vocabulary sizes for source and target")
        check_model(config)
        layers = _Layers(resolved(config), source_vocabulary_size, target_vocabulary_size, shared_vocabulary)
        layers.build(config.model_dim)
        source_ids = keras.Input((None,), dtype="int32", name="source_ids")
        target_ids = keras.Input((None,), dtype="int32", name="target_ids")
        memories, padding_mask = layers.encode(source_ids)
        logits = layers.logits(layers.decode(target_ids, memories, padding_mask))
        super().__init__({"source_ids": source_ids, "target_ids": target_ids}, logits, name=name)
        self.config = config
        self.source_vocabulary_size = source_vocabulary_size
        self.target_vocabulary_size = target_vocabulary_size
        self.shared_vocabulary = shared_vocabulary
        self.target_embedding, self.output_embedding = layers.target_embedding, layers.output_embedding
        self._own_layers = layers

    def encode(self, source_ids, training=None):
        """What each decoder layer attends to, and the padding mask `(B, S)`, of source ids `(B, S)`.

        The first is a list with one memory `(B, S, D)` for each decoder layer; with `memory="all"` each is itself
        a list of encoder layers' outputs.
        """
        return self._own_layers.encode(source_ids, training)

    def decode(self, target_ids, memories, padding_mask, training=None):
        """The last hidden vectors `(B, T, D)` of target ids `(B, T)`; the logits are one product further."""
        return self._own_layers.decode(target_ids, memories, padding_mask, training)

    def decoding_kernels(self):
        """What decoding reads of the weights in another form, computed once before the first step."""
        layers = self._own_layers
        return {
            "blocks": [block.decoding_kernels() for block in layers.decoder_blocks],
            "output": layers.output_embedding.output_kernel(),
        }

    def start_decoding(self, memories, hypotheses, length):
        """The state before the first step, for N `hypotheses` of each sentence of up to `length` tokens.

        Args:
            memories: of `encode`, for B sentences.

        Returns:
            What each decoder block attends to, projected: it stays the same; and the caches of self-attention, with
            places for `length · N` tokens.
        """
        blocks = self._own_layers.decoder_blocks
        B = ops.shape(keras.tree.flatten(memories)[0])[0]
        projected = [
            block.cross_attention.project_memory(memory) for block, memory in zip(blocks, memories, strict=True)
        ]
        return projected, [block.self_attention.empty_cache(B, length * hypotheses) for block in blocks]

    def decode_step(self, ids, position, caches, self_mask, memories, padding_mask, kernels):
        """One step of decoding.

        Args:
            ids: the tokens at `position`, `(B, N)`.
            position: their position in the target, from 0.
            caches: from `start_decoding` or the step before; lost by this step, which writes from `position · N` on.
            self_mask: `(B, N, P)`, which places of the caches belong to a hypothesis, this step's included.
            memories: from `start_decoding`.
            padding_mask: of the source, `(B, S)`.
            kernels: from `decoding_kernels`.

        Returns:
            Logits of the next token `(B, N, target_vocabulary_size)` in float32, and the caches.
        """
        layers = self._own_layers
        x = layers.target_positions.at(layers.target_embedding(ids), position)
        index, updated = position * ids.shape[1], []
        for block, cache, memory, own in zip(layers.decoder_blocks, caches, memories, kernels["blocks"], strict=True):
            x, cache = block.step(x, cache, index, self_mask, memory, padding_mask, own)
            updated.append(cache)
        x = layers.decoder_norm(x) if layers.decoder_norm else x
        return ops.cast(linear(x, ops.transpose(kernels["output"])), "float32"), updated

    def summary(self, *args, expand_nested=True, line_length=None, **kwargs):
        """`keras.Model.summary` with the layers inside each block, as wide as the terminal, up to 110 columns."""
        line_length = line_length or min(110, shutil.get_terminal_size().columns)  # longer lines would be cut off
        with _sublayers_shown():
            super().summary(*args, expand_nested=expand_nested, line_length=line_length, **kwargs)

    def get_config(self):
        return {
            "config": configuration.to_dict(configuration.ExperimentConfig(model=self.config))["model"],
            "source_vocabulary_size": self.source_vocabulary_size,
            "target_vocabulary_size": self.target_vocabulary_size,
            "shared_vocabulary": self.shared_vocabulary,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**config)


class _Layers:
    """The layers of a Transformer, and how they are wired: the same for symbols and for tensors."""

    def __init__(self, config, source_vocabulary_size, target_vocabulary_size, shared_vocabulary):
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
            EncoderBlock(attention_layer(config, "encoder", number), **options, name=f"encoder_block_{number}")
            for number in range(1, config.encoder_layers + 1)
        ]
        self.decoder_blocks = [
            DecoderBlock(
                attention_layer(config, "decoder", number),
                attention_layer(config, "cross", number),
                **options,
                name=f"decoder_block_{number}",
            )
            for number in range(1, config.decoder_layers + 1)
        ]
        self.memory_layers = memory_layers(config)
        self.encoder_norms, self.decoder_norm = self._norms(config)

        self.aggregation = None
        if config.memory == "linear":
            self.aggregation = LinearCombination(config.decoder_layers, name="linear_combination")
        elif config.memory == "transparent":
            self.aggregation = TransparentAttention(config.decoder_layers, name="transparent_attention")
        elif config.memory == "iterative":
            self.aggregation = IterativeCombination(
                config.decoder_layers, config.feed_forward_dim, name="iterative_combination"
            )

    def _norms(self, config):
        """Layer number → normalisation of its output, as memory, and the normalisation of the decoder's output.

        Post-norm blocks end in a normalisation; the outputs of pre-norm blocks are sums of all that came before.
        """
        if config.normalization != "pre":
            return {}, None
        last = config.encoder_layers
        names = {last: "encoder_norm"}
        if config.memory != "top" and config.memory_normalization == "every":
            first = last - self.memory_layers + 1 if self.memory_layers else 1
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
        layers = [layer for layer in keras.tree.flatten(list(vars(self).values())) if isinstance(layer, keras.Layer)]
        return sum({id(weight): math.prod(weight.shape) for layer in layers for weight in layer.weights}.values())

    def encode(self, source_ids, training=None):
        padding_mask = ops.not_equal(source_ids, PAD)
        x = embedded = self.source_positions(self.source_embedding(source_ids), training=training)
        outputs = []
        for number, block in enumerate(self.encoder_blocks, start=1):
            x = block(x, padding_mask=padding_mask, training=training)
            outputs.append(self.encoder_norms[number](x) if number in self.encoder_norms else x)
        if self.aggregation:
            return self.aggregation(outputs, embedding_output=embedded), padding_mask
        memory = outputs[-1] if self.memory_layers is None else outputs[-self.memory_layers :]
        return [memory] * len(self.decoder_blocks), padding_mask

    def decode(self, target_ids, memories, padding_mask, training=None):
        x = self.target_positions(self.target_embedding(target_ids), training=training)
        target_mask = ops.not_equal(target_ids, PAD)
        for block, memory in zip(self.decoder_blocks, memories, strict=True):
            x = block(x, memory, padding_mask=padding_mask, query_mask=target_mask, training=training)
        return self.decoder_norm(x) if self.decoder_norm else x

    def logits(self, hidden):
        return ops.cast(self.output_embedding(hidden, reverse=True), "float32")


def parameter_count(config, source_vocabulary_size, target_vocabulary_size, shared_vocabulary=True):
    """The number of parameters of a `Transformer`, without the time and memory to give them values.

    Args: as of `Transformer`, with a `ModelConfig`.

    Raises:
        InputError: see `placement.check_model`.
    """
    check_model(config)
    layers = _Layers(resolved(config), source_vocabulary_size, target_vocabulary_size, shared_vocabulary)
    with _weights_without_values():
        layers.build(config.model_dim)
    return layers.count_params()


@contextlib.contextmanager
def _weights_without_values():
    """Lets layers be built whose weights have a shape only."""
    waiting = list(global_state.get_global_attribute("uninitialized_variables", []))
    try:
        with keras.StatelessScope(initialize_variables=False):
            yield
    finally:  # Keras would give the weights their values at the end of the next such scope.
        global_state.set_global_attribute("uninitialized_variables", waiting)


@contextlib.contextmanager
def _sublayers_shown():
    """Lets `keras.Model.summary` see inside this project's composite layers.

    It expands objects with an attribute `layers`; a lasting one would change the paths of saved weights.
    """
    classes = (TransformerBlock, FeedForward)
    for cls in classes:
        cls.layers = property(lambda layer: list(layer._flatten_layers(include_self=False, recursive=False)))
    try:
        yield
    finally:
        for cls in classes:
            del cls.layers
