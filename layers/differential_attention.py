"""Differential attention (Ye et al. 2024)."""

import math

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.multi_head_attention import MultiHeadAttention, float64

EPSILON = 1e-5  # of the normalisation of heads


@keras.saving.register_keras_serializable("interacting_head")
class DifferentialAttention(MultiHeadAttention):
    """Attention whose weights are the difference of two softmaxes, so that what both attend to cancels out.

        P = softmax(Q¹ K¹ᵀ / √(K/2)) − λ softmax(Q² K² ᵀ / √(K/2)),    O = (1 − λ_init) · RMSNorm(P V)
        λ = exp(λ_q¹ · λ_k¹) − exp(λ_q² · λ_k²) + λ_init

    Q¹ and Q² are the two halves of a query head, K¹ and K² of a key head; λ is the same for all heads. With values as
    wide as both halves, a layer has the kernels of multi-head attention with the same `num_heads`; the paper compares
    it with twice as many heads of half the size.

    Args: as in `MultiHeadAttention`; `key_dim` must be even; and
        lambda_init: λ_init. In a model it is 0.8 − 0.6 exp(−0.3 (layer − 1)) unless it is given.

    Returns:
        As `MultiHeadAttention`. Attention scores are the differences: they may be negative, and sum to 1 − λ. The
        logits of `return_intermediates` are `(B, 2, H, T, S)`.

    Decided here: dropout acts on the differences. The paper has no dropout.

    Reference: Ye et al. 2024, "Differential Transformer", arXiv:2410.05258, equations (1)–(3).
    """

    arguments = ("lambda_init",)
    head_axes = MultiHeadAttention.head_axes
    why_not_standard = "its heads are normalised after attention"

    @classmethod
    def layer_options(cls, number: int) -> dict[str, float]:
        return {"lambda_init": 0.8 - 0.6 * math.exp(-0.3 * (number - 1))}

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, *, lambda_init: float = 0.8, **kwargs
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        if key_dim % 2:
            raise ValueError(f"key_dim must be even, since each head is divided into two halves; got {key_dim}")
        self.lambda_init = lambda_init

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        names = ("lambda_query_1", "lambda_key_1", "lambda_query_2", "lambda_key_2")
        self.lambdas = [
            self.add_weight(
                (self.key_dim // 2,), keras.initializers.RandomNormal(stddev=0.1), name=name, autocast=False
            )
            for name in names
        ]
        self.norm_scale = self.add_weight((self.value_dim,), "ones", name="norm_scale", autocast=False)

    def score(self, q: KerasTensor, k: KerasTensor) -> KerasTensor:
        """Return logits `(B, 2, H, T, S)` of q `(B, H, T, K)` and k `(B, H, S, K)`."""
        q, k = (ops.stack(ops.split(part, 2, axis=-1), axis=1) for part in (q, k))
        return ops.matmul(q / math.sqrt(self.key_dim // 2), ops.swapaxes(k, -1, -2))

    def normalize(self, logits: KerasTensor, mask: KerasTensor | None) -> KerasTensor:
        """Return the differences `(B, H, T, S)`, equation (1)."""
        weights = self.softmax(logits, mask)
        return ops.cast(weights[:, 0] - self.differential_scale() * weights[:, 1], self.compute_dtype)

    def differential_scale(self) -> KerasTensor:
        """Return λ in float32: equation (2)."""
        query_1, key_1, query_2, key_2 = (ops.cast(part, "float32") for part in self.lambdas)
        return ops.exp(ops.sum(query_1 * key_1)) - ops.exp(ops.sum(query_2 * key_2)) + self.lambda_init

    def own_parameters(self) -> dict[str, dict]:
        return {"difference": {"λ": float64(self.differential_scale()), "λ_init": np.float64(self.lambda_init)}}

    def attend(self, weights: KerasTensor, v: KerasTensor) -> KerasTensor:
        """Return heads `(B, H, T, V)`, each position of each divided by its root mean square: equation (3)."""
        heads = ops.cast(super().attend(weights, v), "float32")
        mean_square = ops.mean(ops.square(heads), axis=-1, keepdims=True)
        scale = ops.cast(self.norm_scale, "float32") * (1 - self.lambda_init)
        return ops.cast(heads * ops.rsqrt(mean_square + EPSILON) * scale, self.compute_dtype)
