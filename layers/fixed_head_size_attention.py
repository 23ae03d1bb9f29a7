"""Multi-head attention with heads of a fixed size (Bhojanapalli et al. 2020; Li & Luo 2022, equation (5))."""

import keras

from layers.multi_head_attention import MultiHeadAttention


@keras.saving.register_keras_serializable("interacting_head")
class FixedHeadSizeAttention(MultiHeadAttention):
    """Multi-head attention whose query and key heads have the mean length n̄ of a training sentence as their size.

    The rank of the T × T logits is at most the key size. With `key_dim` n̄ that is no bottleneck, however many heads
    there are.

    Args: as in `MultiHeadAttention`, but
        value_dim: size V of each value head, by default D // H, as in equation (5).
    """

    why_key_dim = "the paper's is the mean length of a training sentence, which interacting-head stats prints"

    def __init__(self, num_heads: int, key_dim: int, value_dim: int | None = None, **kwargs):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.value_dim = value_dim

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        self.value_dim = self.value_dim or query_shape[-1] // self.num_heads
        if not self.value_dim:
            heads, size = self.num_heads, query_shape[-1]
            raise ValueError(f"{heads} heads cannot share a model size of {size}; set value_dim or use fewer heads")
        super().build(query_shape, value_shape, key_shape)
