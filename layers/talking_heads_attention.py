"""Talking-heads attention (Shazeer et al. 2020; Li & Luo 2022, equations (6)–(9))."""

import keras
from keras import ops

from layers.dot_product import attention_bias
from layers.multi_head_attention import MultiHeadAttention


@keras.saving.register_keras_serializable("interacting_head")
class TalkingHeadsAttention(MultiHeadAttention):
    """Attention whose heads are mixed linearly before and after the softmax.

    Ĵ_i = Σ_j W_t1[i, j] J_j, then the mask and the softmax, then A′_i = Σ_j W_t2[i, j] A_j.

    Args:
        num_heads, key_dim, value_dim, dropout, use_bias: as in `MultiHeadAttention`.
        mixing_initializer: initialiser of both mixing matrices `(H, H)`: `"glorot_uniform"` (the papers name
            none), or `"identity"`, which starts as multi-head attention.

    Example:
        >>> layer = TalkingHeadsAttention(num_heads=8, key_dim=64, mixing_initializer="identity")
        >>> output = layer(query, memory)

    Reference: Li & Luo 2022, equations (6)–(9).
    """

    def __init__(self, num_heads, key_dim, value_dim=None, *, mixing_initializer="glorot_uniform", **kwargs):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.mixing_initializer = keras.initializers.get(mixing_initializer)

    def build(self, query_shape, value_shape, key_shape=None):
        super().build(query_shape, value_shape, key_shape)
        shape = (self.num_heads, self.num_heads)
        self.pre_softmax_kernel = self.add_weight(shape, clone(self.mixing_initializer), name="pre_softmax_kernel")
        self.post_softmax_kernel = self.add_weight(shape, clone(self.mixing_initializer), name="post_softmax_kernel")

    def normalize(self, logits, mask):
        logits = mix(self.pre_softmax_kernel, ops.cast(logits, "float32"))  # (7)
        if mask is not None:
            logits = logits + attention_bias(mask)
        weights = mix(self.post_softmax_kernel, ops.softmax(logits, axis=-1))  # (8)
        return ops.cast(weights, self.compute_dtype)

    def get_config(self):
        initializer = keras.initializers.serialize(self.mixing_initializer)
        return {**super().get_config(), "mixing_initializer": initializer}


def mix(kernel, heads):
    """New head i = Σ_j kernel[i, j] · head j, for heads `(B, H, T, S)`."""
    return ops.einsum("ij,bjts->bits", ops.cast(kernel, heads.dtype), heads)


def clone(initializer):
    """An initialiser that draws numbers of its own."""
    return initializer.clone() if isinstance(initializer, keras.initializers.Initializer) else initializer
