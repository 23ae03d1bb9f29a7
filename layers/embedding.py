"""Token embeddings that also serve as the output projection, and sinusoidal positions."""

import math

import keras
from keras import KerasTensor, ops

from layers.configured_layer import ConfiguredLayer
from layers.projection import linear, transposed


@keras.saving.register_keras_serializable("interacting_head")
class TokenEmbedding(ConfiguredLayer):
    """Token ids → scaled vectors; reversed, vectors → logits over the vocabulary with the same weights.

    Ids `(B, T)` become vectors `(B, T, D)`, multiplied by √D. With `reverse=True`, hidden vectors `(B, T, D)` become
    logits `(B, T, vocabulary_size)`.

    Reference: Vaswani et al. 2017, section 3.4; Press & Wolf 2017.
    """

    arguments = ("vocabulary_size", "model_dim")

    def __init__(self, vocabulary_size: int, model_dim: int, **kwargs):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.model_dim = model_dim

    def build(self, inputs_shape: tuple | None = None) -> None:
        self.embeddings = self.add_weight(
            (self.vocabulary_size, self.model_dim),
            keras.initializers.RandomNormal(stddev=self.model_dim**-0.5),
            name="embeddings",
            autocast=False,
        )

    def call(self, inputs: KerasTensor, reverse: bool = False) -> KerasTensor:
        if reverse:
            return linear(inputs, self.output_kernel())
        # The cast comes last, so that gradients are added in float32.
        return ops.cast(ops.take(self.embeddings, inputs, axis=0), self.compute_dtype) * math.sqrt(self.model_dim)

    def output_kernel(self) -> KerasTensor:
        """Return the kernel `(D, N)` of the reversed direction."""
        return transposed(ops.cast(self.embeddings, self.compute_dtype))


@keras.saving.register_keras_serializable("interacting_head")
class PositionalEncoding(ConfiguredLayer):
    """Sinusoidal position vectors, added to inputs `(B, T, D)` with even D, and dropout on the sum.

    PE(t, 2i) = sin(t / 10000^(2i/D)), PE(t, 2i + 1) = cos(t / 10000^(2i/D)). T has no limit.

    Reference: Vaswani et al. 2017, section 3.5.
    """

    arguments = ("dropout",)

    def __init__(self, dropout: float = 0.0, **kwargs):
        super().__init__(**kwargs)
        self.dropout = dropout
        self.supports_masking = True
        self.dropout_layer = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, inputs_shape: tuple) -> None:
        if inputs_shape[-1] % 2:
            raise ValueError(f"sinusoidal positions need an even model dimension, got {inputs_shape[-1]}")
        self.dropout_layer.build(inputs_shape)

    def call(self, inputs: KerasTensor, training: bool | None = None) -> KerasTensor:
        T, D = ops.shape(inputs)[1:]
        encoding = sinusoids(ops.arange(T), D)
        return self.dropout_layer(inputs + ops.cast(encoding, inputs.dtype), training=training)

    def at(self, inputs: KerasTensor, position: KerasTensor) -> KerasTensor:
        """Return inputs `(B, N, D)`, N hypotheses at one position, with its vector added, for decoding step by step."""
        encoding = sinusoids(ops.expand_dims(position, 0), inputs.shape[-1])
        return inputs + ops.cast(encoding, inputs.dtype)


def sinusoids(positions: KerasTensor, dim: int) -> KerasTensor:
    """Return the position vectors `(T, dim)` of positions `(T,)`."""
    frequencies = ops.power(10000.0, -ops.arange(0, dim, 2, dtype="float32") / dim)
    angles = ops.expand_dims(ops.cast(positions, "float32"), 1) * frequencies  # (T, dim/2)
    return ops.reshape(ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1), (ops.shape(positions)[0], dim))
