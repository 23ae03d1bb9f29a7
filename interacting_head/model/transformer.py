"""The Transformer: its layers, how data flows through them, and a Functional Keras model of them.

Shapes: `B` batch, `S` source length, `T` target length, `N` hypotheses a sentence, `P` cache slots, `D` model size.
"""

import concurrent.futures
import math
import shutil

import keras
from keras import KerasTensor, ops

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
from layers.transformer_block import FeedForward, TransformerBlock

AGGREGATIONS = {
    "linear": lambda config, count: LinearCombination(count, name="linear_combination"),
    "transparent": lambda config, count: TransparentAttention(count, name="transparent_attention"),
    "iterative": lambda config, count: IterativeCombination(
        count, config.feed_forward_dim, name="iterative_combination"
    ),
}
"""`model.memory` → function of a `ModelConfig` and a number of memories: the layer that combines all encoder layers."""


class TransformerLayers:
    """The layers of a `Transformer`, of a resolved `ModelConfig`, and how data flows through them.

    A class of its own, since a Functional model needs its outputs before it exists, and `parameter_count` no model.
    """

    def __init__(self, config, source_vocabulary_size, target_vocabulary_size, shared_vocabulary, head_gates=False):
        D = config.model_dim
        self.target_embedding = TokenEmbedding(target_vocabulary_size, D, name="target_embedding")
        self.source_embedding = self.output_embedding = self.target_embedding
        if not shared_vocabulary:
            self.source_embedding = TokenEmbedding(source_vocabulary_size, D, name="source_embedding")
        if not config.tied_output:
            self.output_embedding = TokenEmbedding(target_vocabulary_size, D, name="output_embedding")
        self.source_positions = PositionalEncoding(config.dropout, name="source_positions")
        self.target_positions = PositionalEncoding(config.dropout, name="target_positions")
        names = ("feed_forward_dim", "dropout", "activation_dropout", "normalization")
        options = {name: getattr(config, name) for name in names}
        self.encoder_blocks = [
            EncoderBlock(attention_layer(config, "encoder", n, head_gates), **options, name=f"encoder_block_{n}")
            for n in range(1, config.encoder_layers + 1)
        ]
        self.decoder_blocks = [
            DecoderBlock(
                *(attention_layer(config, site, n, head_gates) for site in ("decoder", "cross")),
                **options,
                name=f"decoder_block_{n}",
            )
            for n in range(1, config.decoder_layers + 1)
        ]
        self.encoder_norms, self.decoder_norm = normalizations(config)
        self.memory_layers = memory_layers(config)
        self.aggregation = None
        if config.memory in AGGREGATIONS:
            memories = config.decoder_layers * (self.memory_layers or 1)
            self.aggregation = AGGREGATIONS[config.memory](config, memories)

    def build_layers(self, model_dim: int) -> None:
        """Build the weights of all layers, in the order of the data flow."""
        sequence = (None, None, model_dim)
        self.source_embedding.build()
        for layer in (self.source_positions, *self.encoder_blocks, *filter(None, self.encoder_norms)):
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

    def encode(self, source_ids: KerasTensor, training: bool | None = None, intermediates: dict | None = None) -> tuple:
        """Return the memories that decoder layers attend to, and the padding mask `(B, S)`, of source ids `(B, S)`.

        Each decoder layer has one memory `(B, S, D)`, or a list of `memory_layers` of them. A dict `intermediates`
        receives the attention layers' intermediates, `{(site, number): …}`.
        """
        padding_mask = ops.not_equal(source_ids, PAD)
        x = embedded = self.source_positions(self.source_embedding(source_ids), training=training)
        outputs = []
        for number, (block, norm) in enumerate(zip(self.encoder_blocks, self.encoder_norms, strict=True), start=1):
            x = block(x, padding_mask=padding_mask, training=training, return_intermediates=intermediates is not None)
            if intermediates is not None:
                x, seen = x
                intermediates["encoder", number] = seen["self_attention"]
            outputs.append(norm(x) if norm else x)
        n = self.memory_layers
        if self.aggregation:
            memories = self.aggregation(outputs, embedding_output=embedded)
            return [memories[i : i + n] for i in range(0, len(memories), n)] if n else memories, padding_mask
        return [outputs[-n:] if n else outputs[-1]] * len(self.decoder_blocks), padding_mask

    def decode(
        self,
        target_ids: KerasTensor,
        memories: list,
        padding_mask: KerasTensor,
        training: bool | None = None,
        intermediates: dict | None = None,
    ) -> KerasTensor:
        """Return the last hidden vectors `(B, T, D)` of target ids `(B, T)`; see `encode`."""
        x = self.target_positions(self.target_embedding(target_ids), training=training)
        masks = {"padding_mask": padding_mask, "query_mask": ops.not_equal(target_ids, PAD)}
        for number, (block, memory) in enumerate(zip(self.decoder_blocks, memories, strict=True), start=1):
            x = block(x, memory, **masks, training=training, return_intermediates=intermediates is not None)
            if intermediates is not None:
                x, seen = x
                intermediates["decoder", number], intermediates["cross", number] = seen.values()
        return self.decoder_norm(x) if self.decoder_norm else x

    def logits(self, hidden: KerasTensor) -> KerasTensor:
        """Return the logits of hidden vectors, in float32."""
        return ops.cast(self.output_embedding(hidden, reverse=True), "float32")

    def decoding_kernels(self) -> dict:
        """Return the kernels that decoding reads in another form than training."""
        blocks = [block.decoding_kernels() for block in self.decoder_blocks]
        return {"blocks": blocks, "output": self.output_embedding.output_kernel()}

    def start_decoding(self, memories: list, hypotheses: int, length: int | KerasTensor) -> tuple[list, list]:
        """Return the state before the first step: the projected memory and the self-attention cache of each block.

        The caches have slots for `length · N` tokens, of N `hypotheses` of each sentence. Memories are from `encode`.
        """
        blocks, B = self.decoder_blocks, ops.shape(keras.tree.flatten(memories)[0])[0]
        projected = [
            block.cross_attention.project_memory(memory) for block, memory in zip(blocks, memories, strict=True)
        ]
        return projected, [block.self_attention.empty_cache(B, length * hypotheses) for block in blocks]

    def decode_step(
        self,
        ids: KerasTensor,
        position: KerasTensor,
        caches: list,
        self_mask: KerasTensor,
        memories: list,
        padding_mask: KerasTensor,
        kernels: dict,
    ) -> tuple[KerasTensor, list]:
        """Return the logits of the next token `(B, N, target_vocabulary_size)` in float32, and the caches.

        Args:
            ids: `(B, N)`, the tokens at `position` in the target, from 0.
            caches: from `start_decoding` or the previous step; overwritten by this step, from slot `position · N` on.
            self_mask: `(B, N, P)`, 1 = the cache slot belongs to the hypothesis, this step's included.
            memories: from `start_decoding`.
            padding_mask: `(B, S)`, of the source.
            kernels: from `decoding_kernels`.
        """
        x = self.target_positions.at(self.target_embedding(ids), position)
        index, updated = position * ids.shape[1], []
        for block, cache, memory, own in zip(self.decoder_blocks, caches, memories, kernels["blocks"], strict=True):
            x, cache = block.step(x, cache, index, self_mask, memory, padding_mask, own)
            updated.append(cache)
        x = self.decoder_norm(x) if self.decoder_norm else x
        return ops.cast(linear(x, kernels["output"]), "float32"), updated


@keras.saving.register_keras_serializable("interacting_head")
class Transformer(keras.Model, TransformerLayers):
    """An encoder–decoder Transformer whose attention layers are chosen by the configuration.

    Called with `{"source_ids": (B, S), "target_ids": (B, T)}`, the target shifted right, it returns logits
    `(B, T, target_vocabulary_size)` in float32.

    Args:
        config: a `ModelConfig`, or its dictionary.
        source_vocabulary_size, target_vocabulary_size: number of tokens, padding (id 0) included.
        shared_vocabulary: whether source and target share one embedding matrix. The output projection is the target's,
            unless `config.tied_output` is false.
        head_gates: see `layers.MultiHeadAttention`.

    Raises `InputError` as `placement.check_model` does.

    Example:
        >>> model = Transformer(ModelConfig(model_dim=256), 8000, 8000)
        >>> logits = model({"source_ids": source_ids, "target_ids": target_ids})

    Reference: Vaswani et al. 2017; attention schemes: see `layers`.
    """

    def __init__(
        self,
        config: ModelConfig | dict,
        source_vocabulary_size: int,
        target_vocabulary_size: int,
        shared_vocabulary: bool = True,
        head_gates: bool = False,
        name: str = "transformer",
    ):
        if not isinstance(config, ModelConfig):
            config = configuration.from_dict({"model": config}).model
        if shared_vocabulary and source_vocabulary_size != target_vocabulary_size:
            raise InputError(
                "a shared vocabulary needs equal vocabulary sizes for source and target, got "
                f"{source_vocabulary_size} and {target_vocabulary_size}"
            )
        check_model(config)
        sizes = source_vocabulary_size, target_vocabulary_size
        layers = TransformerLayers(resolved(config), *sizes, shared_vocabulary, head_gates)
        layers.build_layers(config.model_dim)
        inputs = {name: keras.Input((None,), dtype="int32", name=name) for name in ("source_ids", "target_ids")}
        logits = layers.logits(layers.decode(inputs["target_ids"], *layers.encode(inputs["source_ids"])))
        super().__init__(inputs, logits, name=name)
        vars(self).update(vars(layers))  # Keras tracks them already; assignment would change their order
        self.config = config
        self.source_vocabulary_size, self.target_vocabulary_size = sizes
        self.shared_vocabulary, self.head_gates = shared_vocabulary, head_gates

    @property
    def attention_layers(self) -> dict[tuple[str, int], keras.Layer]:
        """`{(site, number): attention layer}` for the sites `encoder`, `decoder` and `cross`, layers counted from 1."""
        layers = {("encoder", n): block.self_attention for n, block in enumerate(self.encoder_blocks, 1)}
        for n, block in enumerate(self.decoder_blocks, 1):
            layers["decoder", n], layers["cross", n] = block.self_attention, block.cross_attention
        return layers

    def summary(
        self, *args: object, expand_nested: bool = True, line_length: int | None = None, **kwargs: object
    ) -> None:
        """Print `keras.Model.summary` with the layers inside each block, as wide as the terminal, up to 110 columns."""
        line_length = line_length or min(110, shutil.get_terminal_size().columns)  # longer lines would be cut off
        classes = (TransformerBlock, FeedForward)
        for cls in classes:  # Keras expands what has `layers`; only for now, as it changes the paths of weights
            cls.layers = property(layers_of)
        try:
            super().summary(*args, expand_nested=expand_nested, line_length=line_length, **kwargs)
        finally:
            for cls in classes:
                del cls.layers

    def get_config(self) -> dict:
        names = ("source_vocabulary_size", "target_vocabulary_size", "shared_vocabulary", "head_gates", "name")
        config = configuration.to_dict(configuration.ExperimentConfig(model=self.config))["model"]
        return {"config": config, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> "Transformer":
        return cls(**config)


def normalizations(config: ModelConfig) -> tuple[list[LayerNormalization | None], LayerNormalization | None]:
    """Return the normalisation of each encoder layer's output as memory, or None, and of the decoder's output.

    Only pre-norm models have them: post-norm blocks end in a normalisation.
    """
    last = config.encoder_layers
    if config.normalization != "pre":
        return [None] * last, None
    first = last
    if config.memory != "top" and config.memory_normalization == "every":
        first = last - memory_layers(config) + 1 if config.memory == "all" else 1
    names = [f"encoder_norm_{number}" if first <= number else None for number in range(1, last)] + ["encoder_norm"]

    def norm(name):
        return LayerNormalization(name=name)

    return [name and norm(name) for name in names], norm("decoder_norm")


def parameter_count(
    config: ModelConfig, source_vocabulary_size: int, target_vocabulary_size: int, shared_vocabulary: bool = True
) -> int:
    """Return the number of parameters of a `Transformer` without initialising them."""
    check_model(config)

    def count():
        layers = TransformerLayers(resolved(config), source_vocabulary_size, target_vocabulary_size, shared_vocabulary)
        with keras.StatelessScope(initialize_variables=False):
            layers.build_layers(config.model_dim)
        weights = (weight for layer in layers_of(layers) for weight in layer.weights)
        return sum({id(weight): math.prod(weight.shape) for weight in weights}.values())

    # In a thread of its own: in this one, the next Keras scope would initialise the weights.
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(count).result()


def layers_of(owner: object) -> list[keras.Layer]:
    """Return the distinct layers among an object's attributes, also in lists and dictionaries."""
    attributes = keras.tree.flatten(list(vars(owner).values()))
    return list({id(layer): layer for layer in attributes if isinstance(layer, keras.Layer)}.values())
