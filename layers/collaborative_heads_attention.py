"""Collaborative multi-head attention (Cordonnier et al. 2020)."""

import math

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.multi_head_attention import MultiHeadAttention, float64
from layers.projection import identity_of_heads


@keras.saving.register_keras_serializable("interacting_head")
class CollaborativeHeadsAttention(MultiHeadAttention):
    """Attention whose heads share all query and key dimensions, each with its own weighting of them.

        P_h = softmax(X W_q diag(m_h) (M W_k)ᵀ / √K)

    W_q and W_k have K̃ = H·K columns, which multi-head attention divides among its heads. The mixing vectors m_h start
    as blocks of ones, head h's on its own K dimensions, so that the layer starts as multi-head attention. The paper
    keeps a quarter of K̃ without loss: set `key_dim` to a quarter of the head size. The product of queries and keys
    costs H times as much as in multi-head attention with the same `key_dim`.

    Args: as in `MultiHeadAttention`, and
        key_dim: size K = K̃ / H of a head's share. The kernels keep the shapes of `MultiHeadAttention`;
            `mixing_kernel` is `(H, H, K)`.

    Decided here: logits are divided by √K, however small K is, and m_h starts as above. The authors' translation model
    divides by the root of multi-head attention's head size, and its m_h starts at random. With `use_bias`, queries and
    keys have their own biases; the paper has a bias of the logits, x w_h.

    Reference: Cordonnier et al. 2020, "Multi-Head Attention: Collaborate Instead of Concatenate", arXiv:2006.16362.
    """

    why_not_removable = "each weighs the queries and keys that all heads share"

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        shape = (self.num_heads, self.num_heads, self.key_dim)
        self.mixing_kernel = self.add_weight(shape, identity_of_heads, name="mixing_kernel")

    def score(self, q: KerasTensor, k: KerasTensor) -> KerasTensor:
        q, k = shared(q), shared(k)
        (B, T, size), S = ops.shape(q), ops.shape(k)[1]
        m = ops.reshape(self.cast(self.mixing_kernel), (self.num_heads, 1, size))
        mixed = ops.expand_dims(q, 1) * (m / math.sqrt(self.key_dim))  # (B, H, T, K̃)
        # One product for all heads, which have the same keys.
        logits = ops.matmul(ops.reshape(mixed, (B, self.num_heads * T, size)), ops.swapaxes(k, -1, -2))
        return ops.reshape(logits, (B, self.num_heads, T, S))

    def own_parameters(self) -> dict[str, dict]:
        # Root mean squares over a head's dimensions: the identity at first.
        return {"head mixing": {"of shared dimensions": np.sqrt((float64(self.mixing_kernel) ** 2).mean(axis=-1))}}

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        """Return weights with query and key heads of size K̃: (W_q diag(m_h)) W_kᵀ."""
        query, key, value, output_kernel = super().standard_projections()
        query, key = (kernel.reshape(len(kernel), 1, -1) for kernel in (query, key))
        m = float64(self.mixing_kernel).reshape(1, self.num_heads, -1)
        return query * m, np.repeat(key, self.num_heads, axis=1), value, output_kernel


def shared(heads: KerasTensor) -> KerasTensor:
    """Return the dimensions `(B, T, H·K)` that all heads share, from heads `(B, H, T, K)`."""
    B, H, T, K = ops.shape(heads)
    return ops.reshape(ops.transpose(heads, (0, 2, 1, 3)), (B, T, H * K))
