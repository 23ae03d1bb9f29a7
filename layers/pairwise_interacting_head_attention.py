"""Interacting-head attention as equations (10)–(12) of Li & Luo 2022 print it: a softmax for every pair of heads."""

from collections.abc import Callable
from typing import ClassVar

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.configured_layer import one_of
from layers.interacting_head_attention import attend_separately, logits_of_pairs
from layers.multi_head_attention import PROJECTION_AXES, MultiHeadAttention, float64
from layers.projection import merge_heads

IMPLEMENTATIONS = ("by_key_head", "listing")


@keras.saving.register_keras_serializable("interacting_head")
class PairwiseInteractingHeadAttention(MultiHeadAttention):
    """Attention of every query head to every key head, each pair with a softmax of its own.

    P_ij = softmax(Q_i K_jᵀ / √K), O_ij = P_ij V_j, and all H² outputs are concatenated before the output projection,
    which therefore has H times the weights: `output_kernel` is `(H, H, V, D)`.

    Args: as in `MultiHeadAttention`, and
        implementation: one of two ways to compute the same function, in time that grows with H². `"by_key_head"`
            attends and projects with one key head after another, and computes its weights again for the gradient:
            the H² outputs never stand side by side, and RAM grows with H (benchmarks/RESULTS.md has both). With
            dropout on the weights, or if they are returned, all H² of them are kept. `"listing"` computes one
            pair after another and keeps everything, as the equations read.

    Returns:
        As `MultiHeadAttention`; attention scores are `(B, H, H, T, S)`: query head, key head.

    Reference: Li & Luo 2022, equations (10)–(12).
    """

    arguments = ("implementation",)
    head_axes: ClassVar = {**PROJECTION_AXES, "output_kernel": (-4, -3)}

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        implementation: str = "by_key_head",
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.implementation = one_of(IMPLEMENTATIONS, "implementation", implementation)

    def build_combination(self, model_dim: int) -> None:
        self.add_output_projection((self.num_heads, self.num_heads, self.value_dim), model_dim)

    @property
    def leading_axis(self) -> tuple[str, int]:
        return "query head", self.num_heads

    def kernel_gates(self) -> KerasTensor:
        gates = super().kernel_gates()  # (H, 1, 1)
        return ops.expand_dims(gates, 1) * gates  # (H, H, 1, 1)

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        # One head for each pair (i, j) of query head and key head, H² in all.
        query, key, value = (self.with_bias(name) for name in ("query", "key", "value"))
        H, V, D = self.num_heads, self.value_dim, self.output_kernel.shape[-1]
        key, value = (np.tile(kernel, (1, H, 1)) for kernel in (key, value))
        return np.repeat(query, H, axis=1), key, value, float64(self.output_kernel).reshape(H * H, V, D)

    def attention(
        self,
        q: KerasTensor,
        k: KerasTensor,
        v: KerasTensor,
        mask: KerasTensor | None,
        query: KerasTensor,
        query_mask: KerasTensor | None,
        training: bool | None,
        return_intermediates: bool,
    ) -> tuple[KerasTensor, dict]:
        if self.implementation == "listing":
            return self.attention_by_loop(q, k, v, mask, training, return_intermediates)

        (B, H, T, K), S = ops.shape(q), ops.shape(k)[2]
        # One product of a key head with the queries of all heads. A query head would be broadcast to all key heads: in
        # float32 with a mask, TensorFlow 2.21 with oneDNN takes up to fourteen times as long for that.
        queries = ops.reshape(q, (B, 1, H * T, K))

        def attend_with(k_j, v_j, kernel, queries):
            """Return the part of one key head `(B, 1, S, K)` in the output `(B, T, D)`, and its intermediates."""
            logits = ops.reshape(self.score(queries, k_j), (B, H, T, S))
            weights = self.normalize(logits, mask)  # (11): (B, H, T, S)
            dropped = self.dropout_layer(weights, training=training)
            heads = ops.reshape(self.attend(ops.reshape(dropped, (B, 1, H * T, S)), v_j), (B, H, T, self.value_dim))
            return ops.cast(merge_heads(heads, kernel), "float32"), (self.softmax_logits(logits), weights, heads)

        kernels, bias = self.output_projection()
        kernels = ops.transpose(kernels, (1, 0, 2, 3))  # (H, H, V, D): key head, query head
        bias = ops.cast(bias, "float32")
        keys, values = (ops.expand_dims(ops.transpose(part, (1, 0, 2, 3)), 2) for part in (k, v))  # (H, B, 1, S, K)
        # (12): the concatenation and projection, as a sum over key heads in float32.
        if return_intermediates or self.dropout:
            elements = ((keys[j], values[j], kernels[j]) for j in range(self.num_heads))
            parts, seen = zip(*(attend_with(*element, queries) for element in elements), strict=True)
            names = ("logits", "weights", "heads") if return_intermediates else ()
            seen = {name: ops.stack(part, axis=2) for name, part in zip(names, zip(*seen, strict=True), strict=False)}
            return ops.cast(sum(parts) + bias, self.compute_dtype), seen
        if mask is not None:
            mask = ops.stop_gradient(mask)  # TensorFlow's gradient of the loop finds no tensor from outside its graph
        attend_again = keras.remat(lambda *tensors: attend_with(*tensors)[0])

        # A loop of the backend, for it would work on all heads at once if they were written out.
        start = ops.zeros((B, T, kernels.shape[-1]), dtype="float32") + bias
        total = fold(lambda total, element: total + attend_again(*element, queries), start, (keys, values, kernels))
        return ops.cast(total, self.compute_dtype), {}

    def attention_by_loop(
        self,
        q: KerasTensor,
        k: KerasTensor,
        v: KerasTensor,
        mask: KerasTensor | None,
        training: bool | None,
        return_intermediates: bool,
    ) -> tuple[KerasTensor, dict]:
        """Compute `attention` as equations (11) and (12) print it: one pair of heads after another."""
        H = self.num_heads
        logits = [pair for of_keys in logits_of_pairs(self, q, k) for pair in of_keys]
        weights, heads = attend_separately(self, logits, v, [*range(H)] * H, mask, training)  # (B, H², …)
        kernel, bias = self.output_projection()
        output = merge_heads(heads, ops.reshape(kernel, (H * H, self.value_dim, -1))) + bias
        if not return_intermediates:
            return output, {}
        logits = self.softmax_logits(ops.stack(logits, axis=1))
        seen = {"logits": logits, "weights": weights, "heads": heads}
        B = ops.shape(heads)[0]
        return output, {name: ops.reshape(part, (B, H, H, *ops.shape(part)[2:])) for name, part in seen.items()}


def fold(function: Callable, start: KerasTensor, elements: tuple) -> KerasTensor:
    """Return `function(… function(function(start, element 0), element 1) …)`, one call after another.

    The result has the shape and type of `start`. Elements are the slices of tensors along their first axis.
    """
    if keras.backend.backend() != "tensorflow":
        return ops.scan(lambda total, element: (function(total, element), None), start, elements)[0]
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    # `ops.scan` keeps what the gradient needs in lists without a fixed size, which XLA refuses.
    return tf.foldl(function, elements, start, parallel_iterations=1)
