"""Layer aggregation: the memory of each decoder layer, out of the outputs of all encoder layers.

The baselines of Ampomah et al. 2020, section 5.4. Letters: `N` encoder layers, `M` decoder layers, `D` model size.
"""

import keras
from keras import KerasTensor, ops

from layers.configured_layer import ConfiguredLayer
from layers.layer_normalization import layer_normalization
from layers.projection import dense_glorot_uniform, linear


class LayerAggregation(ConfiguredLayer):
    """The base of all aggregations, for M = `num_memories`.

    Call `layer(encoder_outputs, embedding_output=None)` with the list of the N outputs `(B, S, D)`, the lowest layer
    first; it returns a list of M memories `(B, S, D)`.
    """

    arguments = ("num_memories",)

    def __init__(self, num_memories: int, **kwargs):
        super().__init__(**kwargs)
        self.num_memories = num_memories


@keras.saving.register_keras_serializable("interacting_head")
class LinearCombination(LayerAggregation):
    """Σ_l H^l W^l, the same memory for every decoder layer (Dou et al. 2018)."""

    def build(self, encoder_outputs_shape: list[tuple], embedding_output_shape: tuple | None = None) -> None:
        N, D = len(encoder_outputs_shape), encoder_outputs_shape[0][-1]
        self.kernel = self.add_weight((N, D, D), dense_glorot_uniform(D, D), name="kernel")

    def call(
        self, encoder_outputs: list[KerasTensor], embedding_output: KerasTensor | None = None
    ) -> list[KerasTensor]:
        kernels = ops.unstack(ops.convert_to_tensor(self.kernel))  # (D, D) each
        memory = sum(linear(H, kernel) for H, kernel in zip(encoder_outputs, kernels, strict=True))
        return [memory] * self.num_memories


@keras.saving.register_keras_serializable("interacting_head")
class TransparentAttention(LayerAggregation):
    """One mixture of the embedding output and all encoder layers for each decoder layer (Bapna et al. 2018).

    The mixing weights, with dropout, are a softmax over the N + 1 sources of the scalars `kernel (N + 1, M)`. M is n
    times the number of decoder layers if each attends to n mixtures.
    """

    arguments = ("dropout",)

    def __init__(self, num_memories: int, dropout: float = 0.0, **kwargs):
        super().__init__(num_memories, **kwargs)
        self.dropout = dropout
        self.dropout_layer = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, encoder_outputs_shape: list[tuple], embedding_output_shape: tuple | None = None) -> None:
        shape = (len(encoder_outputs_shape) + 1, self.num_memories)
        self.kernel = self.add_weight(shape, "zeros", name="kernel", autocast=False)
        self.dropout_layer.build(shape)

    def call(
        self,
        encoder_outputs: list[KerasTensor],
        embedding_output: KerasTensor | None = None,
        training: bool | None = None,
    ) -> list[KerasTensor]:
        if embedding_output is None:
            raise ValueError("TransparentAttention mixes in the embedding output: give embedding_output")
        weights = ops.cast(ops.softmax(ops.cast(self.kernel, "float32"), axis=0), self.compute_dtype)
        weights = self.dropout_layer(weights, training=training)
        sources = [embedding_output, *encoder_outputs]
        return [
            sum(weights[layer, m] * source for layer, source in enumerate(sources)) for m in range(self.num_memories)
        ]


@keras.saving.register_keras_serializable("interacting_head")
class IterativeCombination(LayerAggregation):
    """From the lowest layer up, AGG(x, y) = LayerNorm(FFN([x; y]) + x + y); one memory for all decoder layers.

    FFN is 2D → `hidden_dim` → D with ReLU (Dou et al. 2018).
    """

    arguments = ("hidden_dim",)
    EPSILON = 1e-6

    def __init__(self, num_memories: int, hidden_dim: int, **kwargs):
        super().__init__(num_memories, **kwargs)
        self.hidden_dim = hidden_dim

    def build(self, encoder_outputs_shape: list[tuple], embedding_output_shape: tuple | None = None) -> None:
        steps, D, F = len(encoder_outputs_shape) - 1, encoder_outputs_shape[0][-1], self.hidden_dim
        self.hidden_kernel = self.add_weight((steps, 2 * D, F), dense_glorot_uniform(2 * D, F), name="hidden_kernel")
        self.hidden_bias = self.add_weight((steps, F), "zeros", name="hidden_bias")
        self.output_kernel = self.add_weight((steps, F, D), dense_glorot_uniform(F, D), name="output_kernel")
        self.output_bias = self.add_weight((steps, D), "zeros", name="output_bias")
        self.gamma = self.add_weight((steps, D), "ones", name="gamma", autocast=False)
        self.beta = self.add_weight((steps, D), "zeros", name="beta", autocast=False)

    def call(
        self, encoder_outputs: list[KerasTensor], embedding_output: KerasTensor | None = None
    ) -> list[KerasTensor]:
        memory = encoder_outputs[0]
        weights = (self.hidden_kernel, self.hidden_bias, self.output_kernel, self.output_bias, self.gamma, self.beta)
        steps = zip(*(ops.unstack(ops.convert_to_tensor(weight)) for weight in weights), strict=True)
        for output, (W_1, b_1, W_2, b_2, gamma, beta) in zip(encoder_outputs[1:], steps, strict=True):
            both = ops.concatenate([memory, output], axis=-1)
            hidden = ops.relu(linear(both, W_1, b_1))
            added = linear(hidden, W_2, b_2) + memory + output
            memory = ops.cast(layer_normalization(added, gamma, beta, self.EPSILON), self.compute_dtype)
        return [memory] * self.num_memories
