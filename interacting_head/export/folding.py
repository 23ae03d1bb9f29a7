"""Attention schemes as standard multi-head attention with other weights, where that is exact.

Letters for shapes: `D` model size, `H` heads, `K` size of each query, key and value head. A projection
`(D + 1, H, K)` has its bias as the last row.
"""

import math
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from interacting_head.model.placement import resolved
from layers import (
    ATTENTION_SCHEMES,
    InteractingHeadAttention,
    MultiHeadAttention,
    MultiLayerMultiHeadAttention,
    PairwiseInteractingHeadAttention,
    TalkingHeadsAttention,
)

SITES = {
    "encoder": ("encoder_block", "self_attention", "self-attention of encoder layer"),
    "decoder": ("decoder_block", "self_attention", "self-attention of decoder layer"),
    "cross": ("decoder_block", "cross_attention", "encoder-decoder attention of decoder layer"),
}
"""Site of a placement → name of the block, name of the attention layer in it, and its name in messages."""


class StandardAttention(NamedTuple):
    """Weights of multi-head attention with one head size, its logits divided by √K.

    `query`, `key`, `value` `(D + 1, H, K)`; `output_kernel` `(H, K, D)`; `output_bias` `(D,)`; all float64.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    output_kernel: np.ndarray
    output_bias: np.ndarray

    @property
    def num_heads(self):
        """The number of heads H."""
        return self.key.shape[1]

    @property
    def head_dim(self):
        """The size K of a head."""
        return self.key.shape[2]

    def resized(self, num_heads, head_dim):
        """Return the same function with more heads, or larger ones.

        Zeros are added: further components add nothing to a logit, and a further head adds nothing to the output.
        """
        more = ((0, num_heads - self.num_heads), (0, head_dim - self.head_dim))
        query = self.query * math.sqrt(head_dim / self.head_dim)
        query, key, value = (np.pad(kernel, ((0, 0), *more)) for kernel in (query, self.key, self.value))
        return StandardAttention(query, key, value, np.pad(self.output_kernel, (*more, (0, 0))), self.output_bias)


def fold_transformer(model):
    """All attention of a `Transformer` as standard attention, `{(site, layer number): StandardAttention}`.

    Sites are "encoder", "decoder" and "cross", layers are counted from 1.

    Raises:
        InputError: for a scheme or memory that is not standard attention with other weights.
    """
    config = resolved(model.config)
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers, "cross": config.decoder_layers}
    folded = {}
    for site, (block, attention, called) in SITES.items():
        for number in range(1, layers[site] + 1):
            layer = getattr(model.get_layer(f"{block}_{number}"), attention)
            folded[site, number] = fold(layer, f"{called} {number}")
    if config.memory not in ("top", "all"):
        raise InputError(
            f"model.memory={config.memory} cannot be converted: it mixes the outputs of several encoder layers, and a "
            "standard encoder gives its last layer's output only; --format savedmodel takes every model"
        )
    return folded


def fold(layer, called="the layer"):
    """The `StandardAttention` that computes what a built attention layer of this project does.

    Args:
        layer: the layer.
        called: its name in messages.

    Raises:
        InputError: for a scheme that is not standard attention with other weights.
    """
    reason = reason_against(layer)
    if reason:
        scheme = next((name for name, cls in ATTENTION_SCHEMES.items() if cls is type(layer)), type(layer).__name__)
        raise InputError(
            f"{called} is {scheme}, which cannot be converted: {reason}; --format savedmodel takes every model"
        )
    query, key, value = (_affine(layer, name) for name in ("query", "key", "value"))
    query, key, value, output_kernel = FOLDS[type(layer)](layer, query, key, value, _array(layer.output_kernel))
    K = max(key.shape[2], value.shape[2])
    query = query * math.sqrt(K / layer.key_dim)  # the layer divides its logits by √key_dim, the result by √K
    query, key, value = (np.pad(kernel, ((0, 0), (0, 0), (0, K - kernel.shape[2]))) for kernel in (query, key, value))
    output_kernel = np.pad(output_kernel, ((0, 0), (0, K - output_kernel.shape[1]), (0, 0)))
    return StandardAttention(query, key, value, output_kernel, _array(layer.output_bias))


def reason_against(layer):
    """The reason why a layer is not standard attention with other weights, or None."""
    if layer.has_head_importance:
        return "the weight of each head depends on the input, and standard attention adds up its heads as they are"
    if isinstance(layer, MultiLayerMultiHeadAttention) and (layer.num_sources > 1 or layer.masked_sources):
        return "it reads the outputs of several encoder layers, and a standard decoder reads one"
    return None if type(layer) in FOLDS else "no standard attention equal to it is known"


def _multi_head(layer, query, key, value, output_kernel):
    return query, key, value, output_kernel.reshape(layer.num_heads, layer.value_dim, -1)


def _interacting_head(layer, query, key, value, output_kernel):
    """Σ_i Q_i K_jᵀ = (Σ_i Q_i) K_jᵀ: every head has the sum, or the mean, of all query kernels."""
    key = np.cumsum(key, axis=1) if layer.cumulative else key
    combined = query.sum(axis=1, keepdims=True) * layer.query_scale
    return np.repeat(combined, layer.num_heads, axis=1), key, value, output_kernel


def _interacting_head_pairwise(layer, query, key, value, output_kernel):
    """One head for each pair (i, j) of query head and key head, H² in all."""
    H, V, D = layer.num_heads, layer.value_dim, output_kernel.shape[-1]
    key, value = (np.tile(kernel, (1, H, 1)) for kernel in (key, value))
    return np.repeat(query, H, axis=1), key, value, output_kernel.reshape(H * H, V, D)


def _talking_heads(layer, query, key, value, output_kernel):
    """Mixing before and after the softmax, as heads H times as large.

    Before: Σ_j A_ij Q_j K_jᵀ is one product of (A_i1 Q_1, …, A_iH Q_H) and (K_1, …, K_H).
    After: Σ_i (Σ_j B_ij P_j) V_i W_i = Σ_j P_j (V_1, …, V_H) (B_1j W_1; …; B_Hj W_H).
    """
    H, D = layer.num_heads, output_kernel.shape[-1]
    before = _array(layer.pre_softmax_kernel) if layer.mix_before else np.eye(H)
    after = _array(layer.post_softmax_kernel) if layer.mix_after else np.eye(H)
    query = np.einsum("ij,djk->dijk", before, query).reshape(query.shape[0], H, -1)
    key, value = (np.tile(kernel.reshape(kernel.shape[0], 1, -1), (1, H, 1)) for kernel in (key, value))
    return query, key, value, np.einsum("ij,ivd->jivd", after, output_kernel).reshape(H, -1, D)


FOLDS = {
    MultiHeadAttention: _multi_head,
    InteractingHeadAttention: _interacting_head,
    PairwiseInteractingHeadAttention: _interacting_head_pairwise,
    TalkingHeadsAttention: _talking_heads,
    MultiLayerMultiHeadAttention: _multi_head,  # of a single source
}
"""Layer class → function of the layer and its projections, that gives those of standard attention."""


def _affine(layer, name):
    """The projection `(D + 1, H, K)` called `name`: its kernel, and its bias (or zeros) as the last row."""
    kernel = _array(getattr(layer, f"{name}_kernel"))
    kernel = kernel.reshape(kernel.shape[-3:])  # without the axis of a single source
    bias = _array(getattr(layer, f"{name}_bias")) if layer.use_bias else np.zeros(kernel.shape[1:])
    return np.concatenate([kernel, bias.reshape(1, *kernel.shape[1:])])


def _array(weight):
    """A weight as an array of its own in float64."""
    return np.array(weight, dtype="float64")
