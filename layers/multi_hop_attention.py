"""Multi-hop attention over heads (Iida et al. 2019)."""

from typing import ClassVar

import keras
from keras import KerasTensor, ops

from layers.multi_head_attention import MultiHeadAttention
from layers.projection import dense_glorot_uniform, linear


@keras.saving.register_keras_serializable("interacting_head")
class MultiHopAttention(MultiHeadAttention):
    """Multi-head attention with a second hop: each head is weighed by an attention over the heads.

        e^h = v_bᵀ tanh(W_b Q^h + U_b^h a^h),    β = softmax over heads,    a′^h = β^h U_c^h a^h

    then concatenation and output projection. `return_head_importance=True` returns β `(B, T, H)`.

    Args: as in `MultiHeadAttention`, and
        hop_dim: size of the second hop's hidden layer; default `key_dim`. With 1, the number of parameters agrees with
            the paper's Table 4 to within 1,000.

    Reference: Iida et al. 2019, equations (1)–(5).
    """

    arguments = ("hop_dim",)
    has_head_importance = True
    head_axes: ClassVar = {**MultiHeadAttention.head_axes, "hop_head_kernel": (0,), "hop_value_kernel": (0,)}

    @classmethod
    def default_placement(cls, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[int, ...]]:
        """Return the fourth encoder layer (table 1), or the last where there are fewer."""
        return {"encoder": (min(4, encoder_layers),)}

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, *, hop_dim: int | None = None, **kwargs
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.hop_dim = hop_dim or key_dim

    def build_combination(self, model_dim: int) -> None:
        super().build_combination(model_dim)
        H, K, V, A = self.num_heads, self.key_dim, self.value_dim, self.hop_dim
        self.hop_query_kernel = self.add_weight((K, A), dense_glorot_uniform(K, A), name="hop_query_kernel")
        self.hop_head_kernel = self.add_weight((H, V, A), dense_glorot_uniform(V, A), name="hop_head_kernel")
        self.hop_score_kernel = self.add_weight((A,), dense_glorot_uniform(A, 1), name="hop_score_kernel")
        self.hop_value_kernel = self.add_weight((H, V, V), dense_glorot_uniform(V, V), name="hop_value_kernel")

    def combine(
        self,
        heads: KerasTensor,
        query: KerasTensor,
        q: KerasTensor,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
    ) -> tuple[KerasTensor, KerasTensor | None]:
        hidden = linear(q, self.cast(self.hop_query_kernel)) + per_head(heads, self.cast(self.hop_head_kernel))
        scores = ops.sum(self.cast(self.hop_score_kernel) * ops.tanh(hidden), axis=-1)  # (3): (B, H, T)
        logits = self.head_logits(scores, axis=1)
        # (4); for a single head, `ops.softmax` would warn.
        importance = ops.softmax(logits, axis=1) if self.num_heads > 1 else ops.ones_like(logits)
        gate = ops.expand_dims(ops.cast(importance, heads.dtype), -1)
        heads = gate * per_head(heads, self.cast(self.hop_value_kernel))  # (5)
        output, _ = super().combine(heads, query, q)
        return output, ops.transpose(importance, (0, 2, 1))  # (B, T, H)


def per_head(heads: KerasTensor, kernel: KerasTensor) -> KerasTensor:
    """Return heads `(B, H, T, V)`, each times its own matrix of `(H, V, A)`: `(B, H, T, A)`."""
    return ops.einsum("bhtv,hva->bhta", heads, kernel)
