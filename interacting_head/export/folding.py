"""Attention schemes rewritten as standard multi-head attention with other weights, where that is exact.

Letters for shapes: `D` model size, `H` heads, `K` size of each query, key and value head. A projection
`(D + 1, H, K)` has its bias as the last row.
"""

import math
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from interacting_head.model.placement import resolved
from interacting_head.model.transformer import Transformer
from layers import ATTENTION_SCHEMES
from layers.multi_head_attention import MultiHeadAttention, float64

NAMES = {
    "encoder": "self-attention of encoder layer",
    "decoder": "self-attention of decoder layer",
    "cross": "encoder-decoder attention of decoder layer",
}
"""Site → its name in messages."""


class StandardAttention(NamedTuple):
    """Weights of multi-head attention with one head size and logits divided by √K.

    `query`, `key`, `value` `(D + 1, H, K)`; `output_kernel` `(H, K, D)`; `output_bias` `(D,)`; all float64.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    output_kernel: np.ndarray
    output_bias: np.ndarray

    @property
    def num_heads(self) -> int:
        """The number of heads H."""
        return self.key.shape[1]

    @property
    def head_dim(self) -> int:
        """The size K of a head."""
        return self.key.shape[2]

    def resized(self, num_heads: int, head_dim: int) -> "StandardAttention":
        """Return the same function with more or larger heads, padded with zeros."""
        more = ((0, num_heads - self.num_heads), (0, head_dim - self.head_dim))
        query = self.query * math.sqrt(head_dim / self.head_dim)
        query, key, value = (np.pad(kernel, ((0, 0), *more)) for kernel in (query, self.key, self.value))
        return StandardAttention(query, key, value, np.pad(self.output_kernel, (*more, (0, 0))), self.output_bias)

    def with_heads_first(self, heads: list[int]) -> "StandardAttention":
        """Return the same function with the heads of these indices as the first ones."""
        order = [*heads, *(head for head in range(self.num_heads) if head not in heads)]
        query, key, value = (kernel[:, order] for kernel in (self.query, self.key, self.value))
        return StandardAttention(query, key, value, self.output_kernel[order], self.output_bias)


def fold_transformer(model: Transformer) -> dict[tuple[str, int], StandardAttention]:
    """Return all attention of a model as standard attention, `{(site, layer): …}`.

    Raises `InputError` for a scheme or memory that is not standard attention with other weights.
    """
    config = resolved(model.config)
    folded = {place: fold(layer, f"{NAMES[place[0]]} {place[1]}") for place, layer in model.attention_layers.items()}
    if config.memory not in ("top", "all"):
        raise InputError(
            f"model.memory={config.memory} cannot be converted: it mixes the outputs of several encoder layers, but a "
            "standard encoder outputs only its last layer; --format savedmodel supports every model"
        )
    return folded


def fold(layer: MultiHeadAttention, called: str = "the layer") -> StandardAttention:
    """Return standard attention equal to a built layer, or raise an `InputError` that calls the layer `called`."""
    if layer.why_not_standard:
        kind = type(layer)
        scheme = next((name for name, one in ATTENTION_SCHEMES.items() if one is kind), kind.__name__)
        raise InputError(
            f"{called} is {scheme}, which cannot be converted: {layer.why_not_standard}; --format savedmodel "
            "supports every model"
        )
    if any((float64(gate) != 1).any() for gate in layer.non_trainable_variables if gate.name.endswith("_gates")):
        raise InputError(f"{called} has heads that are switched off by gates; remove them first (analyze pruning)")
    query, key, value, output_kernel = layer.standard_projections()
    K = max(key.shape[2], value.shape[2])
    query = query * math.sqrt(K / layer.key_dim)  # the layer divides its logits by √key_dim, the result by √K
    query, key, value = (np.pad(kernel, ((0, 0), (0, 0), (0, K - kernel.shape[2]))) for kernel in (query, key, value))
    output_kernel = np.pad(output_kernel, ((0, 0), (0, K - output_kernel.shape[1]), (0, 0)))
    return StandardAttention(query, key, value, output_kernel, float64(layer.output_bias))
