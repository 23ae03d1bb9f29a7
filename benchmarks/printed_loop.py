"""The double loops over heads of Li & Luo 2022 in Keras, pair after pair as printed: baselines for speed."""

import math

import keras
from keras import ops

from layers import InteractingHeadAttention, PairwiseInteractingHeadAttention
from layers.projection import merge_heads


class SeparateProjections:
    """Every head's queries, keys and values by a product of its own."""

    def project(self, query, key, value):
        """Lines (3)–(5) of Algorithm 1: lists of H tensors `(B, T, K)`, `(B, S, K)`, `(B, S, V)`."""
        return (
            [ops.matmul(query, self.query_kernel[:, i]) for i in range(self.num_heads)],
            [ops.matmul(key, self.key_kernel[:, j]) for j in range(self.num_heads)],
            [ops.matmul(value, self.value_kernel[:, j]) for j in range(self.num_heads)],
        )


@keras.saving.register_keras_serializable("interacting_head")
class PrintedLoopAttention(SeparateProjections, InteractingHeadAttention):
    """`InteractingHeadAttention` with the two loops over heads of Algorithm 1."""

    def attention(self, q, k, v, mask, query, query_mask, training, return_attention_scores):
        H, temper = self.num_heads, math.sqrt(self.key_dim)
        pairs = [[ops.matmul(q[i], ops.swapaxes(k[j], -1, -2)) / temper for j in range(H)] for i in range(H)]
        heads = []
        for j in range(H):
            total = pairs[0][j]
            for i in range(1, H):
                total = total + pairs[i][j]
            weights = self.normalize(ops.expand_dims(total, 1), mask)  # (B, 1, T, S)
            heads.append(self.attend(self.dropout_layer(weights, training=training), ops.expand_dims(v[j], 1)))
        output = merge_heads(ops.concatenate(heads, axis=1), self.output_kernel) + self.output_bias
        return output, None, None


@keras.saving.register_keras_serializable("interacting_head")
class PrintedPairwiseLoopAttention(SeparateProjections, PairwiseInteractingHeadAttention):
    """`PairwiseInteractingHeadAttention` with the two loops of equations (11)–(12), all H² outputs concatenated."""

    def attention(self, q, k, v, mask, query, query_mask, training, return_attention_scores):
        H, temper = self.num_heads, math.sqrt(self.key_dim)
        heads = []
        for i in range(H):
            for j in range(H):
                logits = ops.matmul(q[i], ops.swapaxes(k[j], -1, -2)) / temper
                weights = self.normalize(ops.expand_dims(logits, 1), mask)  # (B, 1, T, S)
                heads.append(self.attend(self.dropout_layer(weights, training=training), ops.expand_dims(v[j], 1)))
        kernel = ops.reshape(self.output_kernel, (H * H, self.value_dim, -1))
        output = merge_heads(ops.concatenate(heads, axis=1), kernel) + self.output_bias
        return output, None, None
