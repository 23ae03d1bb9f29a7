"""The Transformer as a Functional Keras model of this project's layers."""

import concurrent.futures
import contextlib
import shutil

import keras
from keras import ops

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.config import ModelConfig
from interacting_head.model.placement import check_model, resolved
from interacting_head.model.transformer_layers import TransformerLayers, layers_of
from layers.projection import linear
from layers.transformer_block import FeedForward, TransformerBlock


@keras.saving.register_keras_serializable("interacting_head")
class Transformer(keras.Model):
    """An encoder–decoder Transformer whose attention layers are chosen by the configuration.

    Letters for shapes: `B` batch, `S` source length, `T` target length, `N` hypotheses a sentence.

    Args:
        config: a `ModelConfig`, or the dictionary of one.
        source_vocabulary_size, target_vocabulary_size: number of tokens, padding (id 0) included.
        shared_vocabulary: whether source and target share one embedding matrix. The output projection is that of the
            target, unless `config.tied_output` is false.
        head_gates: whether each attention layer has gates on its heads, see `layers.MultiHeadAttention`.

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
        head_gates=False,
        name="transformer",
    ):
        if not isinstance(config, ModelConfig):
            config = configuration.from_dict({"model": config}).model
        if shared_vocabulary and source_vocabulary_size != target_vocabulary_size:
            raise InputError("a shared vocabulary needs equal vocabulary sizes for source and target")
        check_model(config)
        layers = TransformerLayers(
            resolved(config), source_vocabulary_size, target_vocabulary_size, shared_vocabulary, head_gates
        )
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
        self.head_gates = head_gates
        self.target_embedding, self.output_embedding = layers.target_embedding, layers.output_embedding
        self.network = layers

    @property
    def attention_layers(self):
        """`{(site, number): attention layer}`; sites are `encoder`, `decoder` and `cross`, layers counted from 1."""
        layers = {("encoder", n): block.self_attention for n, block in enumerate(self.network.encoder_blocks, 1)}
        for n, block in enumerate(self.network.decoder_blocks, 1):
            layers["decoder", n], layers["cross", n] = block.self_attention, block.cross_attention
        return layers

    def encode(self, source_ids, training=None, intermediates=None):
        """The memories that decoder layers attend to, and the padding mask `(B, S)`, of source ids `(B, S)`.

        The first is a list with one memory `(B, S, D)` for each decoder layer; with `memory="all"` each is itself
        a list of encoder layers' outputs.

        Args:
            intermediates: a dictionary that receives the intermediates of the attention layers, `{(site, number): …}`.
        """
        return self.network.encode(source_ids, training, intermediates)

    def decode(self, target_ids, memories, padding_mask, training=None, intermediates=None):
        """The last hidden vectors `(B, T, D)` of target ids `(B, T)`; the logits are one product further."""
        return self.network.decode(target_ids, memories, padding_mask, training, intermediates)

    def decoding_kernels(self):
        """Kernels that decoding reads in another form than training, computed once before the first step."""
        layers = self.network
        return {
            "blocks": [block.decoding_kernels() for block in layers.decoder_blocks],
            "output": layers.output_embedding.output_kernel(),
        }

    def start_decoding(self, memories, hypotheses, length):
        """The state before the first step, for N `hypotheses` of each sentence of up to `length` tokens.

        Args:
            memories: of `encode`, for B sentences.

        Returns:
            The projected memory of each decoder block, which stays the same; and the caches of self-attention, with
            places for `length · N` tokens.
        """
        blocks = self.network.decoder_blocks
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
        layers = self.network
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
            "head_gates": self.head_gates,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**config)


def parameter_count(config, source_vocabulary_size, target_vocabulary_size, shared_vocabulary=True):
    """The number of parameters of a `Transformer`, without the time and RAM to give them values.

    Args: as of `Transformer`, with a `ModelConfig`.

    Raises:
        InputError: see `placement.check_model`.
    """
    check_model(config)

    def count():
        layers = TransformerLayers(resolved(config), source_vocabulary_size, target_vocabulary_size, shared_vocabulary)
        with keras.StatelessScope(initialize_variables=False):
            layers.build(config.model_dim)
        return layers.count_params()

    # In a thread of its own, where Keras forgets the weights: in this one the next scope would give them values.
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(count).result()


@contextlib.contextmanager
def _sublayers_shown():
    """Lets `keras.Model.summary` see inside this project's composite layers.

    It expands objects with an attribute `layers`; a lasting one would change the paths of saved weights.
    """
    classes = (TransformerBlock, FeedForward)
    for cls in classes:
        cls.layers = property(layers_of)
    try:
        yield
    finally:
        for cls in classes:
            del cls.layers
