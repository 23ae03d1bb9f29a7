"""Multi-head attention with heads of a fixed size (Bhojanapalli et al. 2020; Li & Luo 2022, equation (5))."""

import keras

from layers.multi_head_attention import MultiHeadAttention


@keras.saving.register_keras_serializable("interacting_head")
class FixedHeadSizeAttention(MultiHeadAttention):
    """Multi-head attention whose query and key heads have the mean length n̄ of a training sentence as their size.

    The rank of the T × T logits is at most the key size. With `key_dim` n̄ that is no bottleneck, however many heads
    there are.
    """

    why_key_dim = "the paper's is the mean length of a training sentence, which interacting-head stats prints"
