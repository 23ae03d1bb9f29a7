"""Talking-heads attention (Shazeer et al. 2020; Li & Luo 2022, equations (6)–(9))."""

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.multi_head_attention import MultiHeadAttention, float64


@keras.saving.register_keras_serializable("interacting_head")
class TalkingHeadsAttention(MultiHeadAttention):
    """Attention whose heads are mixed linearly before and after the softmax.

    Ĵ_i = Σ_j W_t1[i, j] J_j, then the mask and the softmax, then A′_i = Σ_j W_t2[i, j] A_j.

    Args: as in `MultiHeadAttention`, and
        mixing_initializer: initialiser of both mixing matrices `(H, H)`: `"glorot_uniform"` (the papers name
            none), or `"identity"`, which starts as multi-head attention.
        mix_before, mix_after: true if heads are mixed before the softmax, and after it.

    Reference: Li & Luo 2022, equations (6)–(9).
    """

    arguments = ("mix_before", "mix_after")
    why_not_removable = "each mixes the logits and weights of all others"

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        mixing_initializer: str | dict | keras.initializers.Initializer = "glorot_uniform",
        mix_before: bool = True,
        mix_after: bool = True,
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        if not (mix_before or mix_after):
            raise ValueError("mix_before and mix_after are both false; use MultiHeadAttention instead")
        self.mix_before, self.mix_after = mix_before, mix_after
        self.mixing_initializer = keras.initializers.get(mixing_initializer)

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        self.pre_softmax_kernel = self.add_mixing_kernel("pre_softmax_kernel") if self.mix_before else None
        self.post_softmax_kernel = self.add_mixing_kernel("post_softmax_kernel") if self.mix_after else None

    def add_mixing_kernel(self, name: str) -> keras.Variable:
        """Add a mixing matrix `(H, H)`."""
        shape = self.num_heads, self.num_heads
        return self.add_weight(shape, clone(self.mixing_initializer), name=name, autocast=False)

    def softmax_logits(self, logits: KerasTensor) -> KerasTensor:
        logits = super().softmax_logits(logits)
        return mix(self.pre_softmax_kernel, logits) if self.mix_before else logits  # (7)

    def normalize(self, logits: KerasTensor, mask: KerasTensor | None) -> KerasTensor:
        weights = self.softmax(logits, mask)
        if self.mix_after:
            weights = mix(self.post_softmax_kernel, weights)  # (8)
        return ops.cast(weights, self.compute_dtype)

    def own_parameters(self) -> dict[str, dict]:
        kernels = {"before the softmax": self.pre_softmax_kernel, "after the softmax": self.post_softmax_kernel}
        return {"head mixing": {title: float64(kernel) for title, kernel in kernels.items() if kernel is not None}}

    @property
    def mixes_weights(self) -> bool:
        return self.mix_after

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        """Return weights with heads H times as large.

        Before: Σ_j A_ij Q_j K_jᵀ is one product of (A_i1 Q_1, …, A_iH Q_H) and (K_1, …, K_H).
        After: Σ_i (Σ_j B_ij P_j) V_i W_i = Σ_j P_j (V_1, …, V_H) (B_1j W_1; …; B_Hj W_H).
        """
        query, key, value, output_kernel = super().standard_projections()
        H, D = self.num_heads, output_kernel.shape[-1]
        before = float64(self.pre_softmax_kernel) if self.mix_before else np.eye(H)
        after = float64(self.post_softmax_kernel) if self.mix_after else np.eye(H)
        query = np.einsum("ij,djk->dijk", before, query).reshape(query.shape[0], H, -1)
        key, value = (np.tile(kernel.reshape(kernel.shape[0], 1, -1), (1, H, 1)) for kernel in (key, value))
        return query, key, value, np.einsum("ij,ivd->jivd", after, output_kernel).reshape(H, -1, D)

    def get_config(self) -> dict:
        return {**super().get_config(), "mixing_initializer": keras.initializers.serialize(self.mixing_initializer)}


def mix(kernel: KerasTensor, heads: KerasTensor) -> KerasTensor:
    """Return new heads `(B, H, T, S)`, where head i is Σ_j kernel[i, j] · head j."""
    B, H, T, S = ops.shape(heads)
    # A product for each sentence: without a copy of the kernel for each, its gradient would be one product of H × B·T·S
    # by B·T·S × H, which uses a single multiprocessor of a GPU, and the heads would be transposed.
    kernels = ops.broadcast_to(ops.cast(kernel, heads.dtype), (B, H, H))
    return ops.reshape(ops.matmul(kernels, ops.reshape(heads, (B, H, T * S))), (B, H, T, S))


def clone(initializer: keras.Initializer) -> keras.Initializer:
    """Return an independent copy of an initialiser."""
    return initializer.clone() if isinstance(initializer, keras.initializers.Initializer) else initializer
