"""Transformer blocks around any attention layer: feed-forward, encoder block, decoder block.

Letters for shapes: `B` batch, `T` target length, `S` source length, `D` model size, `F` feed-forward size.
"""

import keras
from keras import KerasTensor, ops

from layers.configured_layer import ConfiguredLayer, one_of
from layers.layer_normalization import LayerNormalization
from layers.projection import sizes


@keras.saving.register_keras_serializable("interacting_head")
class FeedForward(ConfiguredLayer):
    """Position-wise feed-forward network: W₂ relu(W₁ x + b₁) + b₂ (Vaswani et al. 2017, equation (2)).

    `hidden_dim` is the size F of the hidden layer, `activation_dropout` a rate after the activation.
    """

    arguments = ("hidden_dim", "activation_dropout")

    def __init__(self, hidden_dim: int, activation_dropout: float = 0.0, **kwargs):
        super().__init__(**kwargs)
        self.hidden_dim, self.activation_dropout = hidden_dim, activation_dropout
        self.supports_masking = True

    def build(self, inputs_shape: tuple) -> None:
        D = inputs_shape[-1]
        self.hidden = keras.layers.Dense(self.hidden_dim, "relu", dtype=self.dtype_policy, name="hidden")
        self.dropout = keras.layers.Dropout(self.activation_dropout, dtype=self.dtype_policy, name="dropout")
        self.output_dense = keras.layers.Dense(D, dtype=self.dtype_policy, name="output")
        hidden_shape = (*inputs_shape[:-1], self.hidden_dim)
        self.hidden.build(inputs_shape)
        self.dropout.build(hidden_shape)
        self.output_dense.build(hidden_shape)

    def call(self, inputs: KerasTensor, training: bool | None = None) -> KerasTensor:
        B, T, D = sizes(inputs)
        flat = ops.reshape(inputs, (-1, D))
        hidden = self.dropout(self.hidden(flat), training=training)
        return ops.reshape(self.output_dense(hidden), (B, T, D))

    def compute_output_shape(self, inputs_shape: tuple) -> tuple:
        return inputs_shape


class TransformerBlock(ConfiguredLayer):
    """Base of encoder and decoder blocks: sub-layers in residual connections with layer normalisation.

    Post-norm: LayerNorm(x + Dropout(sublayer(x))), as in Vaswani et al. 2017.
    Pre-norm: x + Dropout(sublayer(LayerNorm(x))).

    Args:
        attention: the attention layers by `attention_names`.
        feed_forward_dim: size F of the feed-forward network's hidden layer.
        dropout, activation_dropout: rates of dropout on each sub-layer's output, and after the feed-forward activation.
        normalization: `"post"` or `"pre"`.
    """

    arguments = ("feed_forward_dim", "dropout", "activation_dropout", "normalization")
    attention_names = ()

    def __init__(
        self, attention, feed_forward_dim, dropout=0.0, activation_dropout=0.0, normalization="post", **kwargs
    ):
        super().__init__(**kwargs)
        self.normalization = one_of(("post", "pre"), "normalization", normalization)
        self.feed_forward_dim = feed_forward_dim
        self.dropout, self.activation_dropout = dropout, activation_dropout
        self.supports_masking = True
        for name in self.attention_names:
            setattr(self, name, attention[name])
        policy = self.dtype_policy
        self.feed_forward = FeedForward(feed_forward_dim, activation_dropout, dtype=policy, name="feed_forward")
        for name in (*self.attention_names, "feed_forward"):
            norm = LayerNormalization(dtype=policy, name=f"{name}_norm")
            setattr(self, f"{name}_norm", norm)
            setattr(self, f"{name}_dropout", keras.layers.Dropout(dropout, dtype=policy, name=f"{name}_dropout"))

    def build_sublayers(self, inputs_shape: tuple, *memory_shapes: tuple) -> None:
        """Build everything for inputs `(B, T, D)` and the memories of the attention layers."""
        for name, memory_shape in zip(self.attention_names, memory_shapes, strict=True):
            attention = getattr(self, name)
            if not attention.built:  # for example, loaded from a configuration
                attention.build(inputs_shape, memory_shape)
        self.feed_forward.build(inputs_shape)
        for name in (*self.attention_names, "feed_forward"):
            getattr(self, f"{name}_norm").build(inputs_shape)
            getattr(self, f"{name}_dropout").build(inputs_shape)

    def before(self, name: str, inputs: KerasTensor) -> KerasTensor:
        """Return the inputs of the sub-layer `name`, normalised in a pre-norm block."""
        return getattr(self, f"{name}_norm")(inputs) if self.normalization == "pre" else inputs

    def after(self, name: str, inputs: KerasTensor, outputs: KerasTensor, training: bool = False) -> KerasTensor:
        """Return the residual sum of the sub-layer's inputs and outputs."""
        outputs = inputs + getattr(self, f"{name}_dropout")(outputs, training=training)
        return outputs if self.normalization == "pre" else getattr(self, f"{name}_norm")(outputs)

    def apply_feed_forward(self, inputs: KerasTensor, training: bool = False) -> KerasTensor:
        """Return the residual sum of inputs and the feed-forward network."""
        outputs = self.feed_forward(self.before("feed_forward", inputs), training=training)
        return self.after("feed_forward", inputs, outputs, training)

    def compute_output_spec(
        self, inputs: KerasTensor, *args: object, return_intermediates: bool = False, **kwargs: object
    ) -> object:
        if return_intermediates:
            return super().compute_output_spec(inputs, *args, return_intermediates=True, **kwargs)
        return KerasTensor(inputs.shape, dtype=self.compute_dtype)  # without tracing `call`, which takes long

    def get_config(self) -> dict:
        attention = {name: keras.saving.serialize_keras_object(getattr(self, name)) for name in self.attention_names}
        return {**super().get_config(), **attention}

    @classmethod
    def from_config(cls, config: dict) -> "TransformerBlock":
        attention = {name: keras.saving.deserialize_keras_object(config[name]) for name in cls.attention_names}
        return cls(**{**config, **attention})


@keras.saving.register_keras_serializable("interacting_head")
class EncoderBlock(TransformerBlock):
    """Self-attention and a feed-forward network.

    Args: as in `TransformerBlock`, and
        self_attention: any attention layer of this package.

    Call arguments:
        inputs: `(B, S, D)`; the outputs too.
        padding_mask: `(B, S)`, 1 = real token.
        return_intermediates: true to return the attention layer's intermediates as well, `{"self_attention": …}`.
    """

    attention_names = ("self_attention",)

    def __init__(self, self_attention: keras.Layer, feed_forward_dim: int, **kwargs):
        super().__init__({"self_attention": self_attention}, feed_forward_dim, **kwargs)

    def build(self, inputs_shape: tuple) -> None:
        self.build_sublayers(inputs_shape, inputs_shape)

    def call(
        self,
        inputs: KerasTensor,
        padding_mask: KerasTensor | None = None,
        training: bool | None = None,
        return_intermediates: bool = False,
    ) -> KerasTensor | tuple:
        options = {"query_mask": padding_mask, "training": training, "return_intermediates": return_intermediates}
        x = self.before("self_attention", inputs)
        outputs = self.self_attention(x, x, attention_mask=of_every_query(padding_mask), **options)
        outputs, seen = outputs if return_intermediates else (outputs, None)
        outputs = self.apply_feed_forward(self.after("self_attention", inputs, outputs, training), training)
        return (outputs, {"self_attention": seen}) if return_intermediates else outputs


@keras.saving.register_keras_serializable("interacting_head")
class DecoderBlock(TransformerBlock):
    """Causal self-attention, attention to the encoder's output, and a feed-forward network.

    Args: as in `TransformerBlock`, and
        self_attention, cross_attention: any attention layers of this package.

    Call arguments:
        inputs: `(B, T, D)`; the outputs too.
        memory: the encoder's output `(B, S, D)`; a list of them for `MultiLayerMultiHeadAttention`.
        padding_mask: `(B, S)` of the memory, 1 = real token.
        query_mask: `(B, T)`, 1 = real token, for the losses that attention layers add.
        return_intermediates: true to return the attention layers' intermediates as well, by their names.
    """

    attention_names = ("self_attention", "cross_attention")

    def __init__(self, self_attention: keras.Layer, cross_attention: keras.Layer, feed_forward_dim: int, **kwargs):
        attention = {"self_attention": self_attention, "cross_attention": cross_attention}
        super().__init__(attention, feed_forward_dim, **kwargs)

    def build(self, inputs_shape: tuple, memory_shape: tuple | list[tuple]) -> None:
        self.build_sublayers(inputs_shape, inputs_shape, memory_shape)

    def call(
        self,
        inputs: KerasTensor,
        memory: KerasTensor | list[KerasTensor],
        padding_mask: KerasTensor | None = None,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
        return_intermediates: bool = False,
    ) -> KerasTensor | tuple:
        options = {"query_mask": query_mask, "training": training, "return_intermediates": return_intermediates}
        x = self.before("self_attention", inputs)
        outputs = self.self_attention(x, x, use_causal_mask=True, **options)
        outputs, of_self = outputs if return_intermediates else (outputs, None)
        inputs = self.after("self_attention", inputs, outputs, training)
        x = self.before("cross_attention", inputs)
        outputs = self.cross_attention(x, memory, attention_mask=of_every_query(padding_mask), **options)
        outputs, of_cross = outputs if return_intermediates else (outputs, None)
        outputs = self.apply_feed_forward(self.after("cross_attention", inputs, outputs, training), training)
        seen = {"self_attention": of_self, "cross_attention": of_cross}
        return (outputs, seen) if return_intermediates else outputs

    def step(
        self,
        inputs: KerasTensor,
        cache: tuple,
        index: int | KerasTensor,
        self_mask: KerasTensor | None,
        memory: tuple,
        padding_mask: KerasTensor | None,
        kernels: dict,
    ) -> tuple[KerasTensor, tuple]:
        """Return the outputs `(B, N, D)` of one decoding step for N hypotheses of each sentence, and the cache.

        The hypotheses are N query positions, so that the memory is not repeated for them and the cache not reordered:
        it holds the keys and values of all hypotheses and steps, and a mask says which belong to a hypothesis.

        Args:
            inputs: `(B, N, D)`.
            cache: of self-attention, with P slots, a multiple of N. It may be overwritten.
            index: the first of the N slots for the new keys and values, a multiple of N.
            self_mask: `(B, N, P)`, 1 = the slot belongs to the hypothesis, its own included.
            memory: keys and values, of `project_memory` of the encoder-decoder attention.
            padding_mask: `(B, S)` of the memory.
            kernels: of `decoding_kernels`.
        """
        x = self.before("self_attention", inputs)
        outputs, cache = self.self_attention.step(x, cache, index, self_mask, kernels["self"], overwrite_cache=True)
        inputs = self.after("self_attention", inputs, outputs)
        x, mask = self.before("cross_attention", inputs), of_every_query(padding_mask)
        outputs, _ = self.cross_attention.step(x, memory, attention_mask=mask, kernels=kernels["cross"])
        return self.apply_feed_forward(self.after("cross_attention", inputs, outputs)), cache

    def decoding_kernels(self) -> dict:
        """Return the kernels of both attentions as `step` reads them, to be computed once."""
        return {
            "self": self.self_attention.decoding_kernels(),
            "cross": self.cross_attention.decoding_kernels(query_only=True),
        }


def of_every_query(padding_mask: KerasTensor | None) -> KerasTensor | None:
    """Return a padding mask `(B, S)`, or None, as an attention mask `(B, 1, S)`."""
    return None if padding_mask is None else ops.expand_dims(padding_mask, 1)
