"""Multi-head attention with gates on its heads (Qiu et al. 2025)."""

from typing import ClassVar

import keras
from keras import KerasTensor, ops

from layers.configured_layer import one_of
from layers.multi_head_attention import MultiHeadAttention
from layers.projection import project_heads

GATES = ("elementwise", "headwise")


@keras.saving.register_keras_serializable("interacting_head")
class GatedHeadsAttention(MultiHeadAttention):
    """Multi-head attention whose heads are multiplied by gates that depend on the query input.

        O′_h = O_h ⊙ σ(x W_g^h)

    Args: as in `MultiHeadAttention`, and
        gate: `"elementwise"`, with W_g `(D, H, V)`, or `"headwise"`, with `(D, H, 1)`: one gate for each head.

    Reference: Qiu et al. 2025, "Gated Attention for Large Language Models", arXiv:2505.06708: its gate G1, after the
    attention and before the output projection.
    """

    arguments = ("gate",)
    head_axes: ClassVar = {**MultiHeadAttention.head_axes, "gate_kernel": (-2,)}
    why_not_standard = "the gate of each head depends on the input"

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, *, gate: str = "elementwise", **kwargs
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.gate = one_of(GATES, "gate", gate)

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        size = self.value_dim if self.gate == "elementwise" else 1
        self.gate_kernel = self.add_projection("gate_kernel", query_shape[-1], size)

    def combine(
        self,
        heads: KerasTensor,
        query: KerasTensor,
        q: KerasTensor,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
    ) -> tuple[KerasTensor, KerasTensor | None]:
        gates = ops.sigmoid(project_heads(query, self.cast(self.gate_kernel)))  # (B, H, T, V) or (B, H, T, 1)
        return super().combine(heads * gates, query, q, query_mask, training)
