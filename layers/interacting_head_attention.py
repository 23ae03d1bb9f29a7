"""Interacting-head attention (Li & Luo 2022, Algorithm 1)."""

import math
from collections.abc import Callable

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.configured_layer import one_of
from layers.multi_head_attention import FUSED, MultiHeadAttention, float64

IMPLEMENTATIONS = ("folded", "head_pairs", "listing")
COMBINATIONS = {"sum": 0.0, "scaled_sum": 0.5, "mean": 1.0}
"""Name of a combination of query heads → e, where the sum of H queries is divided by H to the power of e."""


@keras.saving.register_keras_serializable("interacting_head")
class InteractingHeadAttention(MultiHeadAttention):
    """Attention in which every query head meets every key head, at less than the cost of multi-head attention.

    For key head j the logits of all query heads i are added before one softmax:

        P_j = softmax(Σ_i Q_i K_jᵀ / √K),    O_j = P_j V_j

    Since Σ_i Q_i K_jᵀ = (Σ_i Q_i) K_jᵀ, all heads may share the one query X · Σ_i W_q^i. It has the same weights as
    `MultiHeadAttention`.

    Args: as in `MultiHeadAttention`, and
        implementation: one of three ways to compute the same function. `"folded"` combines the query kernels first,
            so that one query `(B, 1, T, K)` meets H key heads: time and RAM grow as in multi-head attention, less its
            query projection. `"head_pairs"` computes the logits `(B, H, H, T, S)` of all pairs in one product,
            `"listing"` computes one pair after another, as the listing does. Both grow with H².
        query_combination: `"sum"` is Algorithm 1. All W_q^i receive the same gradient, so that under Adam their sum
            moves H times as fast as one head's query kernel, and it starts √H times as large. `"mean"`, this project's
            own, takes Σ_i Q_i / H with query kernels that start √H times as large: the shared query then starts as one
            head's does, and moves like it under any optimizer that is invariant to the scale of gradients.
            `"scaled_sum"`, Σ_i Q_i / √H, starts as large as one head's query and moves √H times as fast.
        scaled: `False` leaves out the division by √K, which the listing prepares (line 6) and never does.
        cumulative: `True` never empties the sums, as in the listing: P_j = softmax(Σ_{l ≤ j} Σ_i Q_i K_lᵀ / √K),
            which is attention with keys X · Σ_{l ≤ j} W_k^l.

    Reference: Li & Luo 2022, Algorithm 1 (lines 7–34), with the division by √K of equation (11), and with sums that
    begin at zero for each key head. `scaled=False` and `cumulative=True` are the listing to the letter; its Dense
    layers would have biases (`use_bias`).
    """

    arguments = ("implementation", "query_combination", "scaled", "cumulative")
    head_axes = MultiHeadAttention.head_axes

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        implementation: str = "folded",
        query_combination: str = "sum",
        scaled: bool = True,
        cumulative: bool = False,
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.implementation = one_of(IMPLEMENTATIONS, "implementation", implementation)
        self.query_combination = one_of(COMBINATIONS, "query_combination", query_combination)
        self.scaled, self.cumulative = scaled, cumulative

    def projection_initializer(self, name: str, input_dim: int, head_dim: int) -> Callable:
        plain = super().projection_initializer(name, input_dim, head_dim)
        if name != "query_kernel" or self.query_combination != "mean":
            return plain
        return lambda shape, dtype: plain(shape, dtype) * math.sqrt(self.num_heads)

    @property
    def query_heads(self) -> int:
        return 1 if self.implementation == "folded" else self.num_heads

    @property
    def has_plain_weights(self) -> bool:
        return self.implementation == "folded" and not self.changes(FUSED, InteractingHeadAttention)

    @property
    def query_scale(self) -> float:
        """The factor of each query head before the heads are added and divided by √K."""
        scale = 1.0 if self.scaled else math.sqrt(self.key_dim)
        return scale / self.num_heads ** COMBINATIONS[self.query_combination]

    def query_projection(self) -> tuple:
        kernel, bias = super().query_projection()
        if self.query_scale != 1:
            kernel, bias = kernel * self.query_scale, None if bias is None else bias * self.query_scale
        if self.implementation == "folded":
            kernel = ops.sum(kernel, axis=1, keepdims=True)  # (D, 1, K): Σ_i W_q^i
            bias = None if bias is None else ops.sum(bias, axis=0, keepdims=True)
        return kernel, bias

    def key_projection(self) -> tuple:
        kernel, bias = super().key_projection()
        if self.cumulative:  # of the kernels and not of the keys, which gives the same and costs no more with length
            kernel = ops.cumsum(kernel, axis=1)
            bias = None if bias is None else ops.cumsum(bias, axis=0)
        return kernel, bias

    def score(self, q: KerasTensor, k: KerasTensor) -> KerasTensor:
        if self.implementation == "folded":
            return super().score(q, k)  # q is (B, 1, T, K): one query for all heads
        q = ops.expand_dims(q / math.sqrt(self.key_dim), 2)  # (B, H, 1, T, K)
        k = ops.expand_dims(ops.swapaxes(k, -1, -2), 1)  # (B, 1, H, K, S)
        # Algorithm 1, lines 23–27: Σ_i Q_i K_jᵀ, added in float32.
        return ops.sum(ops.cast(ops.matmul(q, k), "float32"), axis=1)

    def attention(
        self,
        q: KerasTensor,
        k: KerasTensor,
        v: KerasTensor,
        mask: KerasTensor | None,
        query: KerasTensor,
        query_mask: KerasTensor | None,
        training: bool | None,
        return_intermediates: bool,
    ) -> tuple[KerasTensor, dict]:
        if self.implementation != "listing":
            return super().attention(q, k, v, mask, query, query_mask, training, return_intermediates)
        of_key_heads = zip(*logits_of_pairs(self, q, k), strict=True)
        sums = [sum(ops.cast(logits, "float32") for logits in pairs) for pairs in of_key_heads]  # lines 23–26
        weights, heads = attend_separately(self, sums, v, range(self.num_heads), mask, training)  # lines 27–28
        output, _ = self.combine(heads, query, q)
        if not return_intermediates:
            return output, {}
        return output, {"logits": self.softmax_logits(ops.stack(sums, axis=1)), "weights": weights, "heads": heads}

    def own_parameters(self) -> dict[str, dict]:
        kernel = self.with_bias("query") if self.use_bias else float64(self.query_kernel)
        return {"shared query": {"query kernels": kernel}}

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        # Every head has the combined query kernel: Σ_i Q_i K_jᵀ = (Σ_i Q_i) K_jᵀ.
        query, key, value, output_kernel = super().standard_projections()
        query = np.repeat(query.sum(axis=1, keepdims=True) * self.query_scale, self.num_heads, axis=1)
        return query, np.cumsum(key, axis=1) if self.cumulative else key, value, output_kernel

    def without_influence(self, weights: dict[str, np.ndarray], kept: list[int]) -> dict[str, np.ndarray]:
        for name in weights.keys() & {"query_kernel", "query_bias"}:
            weights[name] = shared_query(weights[name], kept, COMBINATIONS[self.query_combination])
        for name in weights.keys() & {"key_kernel", "key_bias"} if self.cumulative else ():
            weights[name] = cumulative_key(weights[name], kept)
        return weights


def shared_query(kernel: np.ndarray, kept: list[int], exponent: float) -> np.ndarray:
    """Return the query kernel `(D, H, K)`, or bias `(H, K)`, in which the kept heads have the combination of all.

    The share of the removed heads is spread evenly over the kept ones: Σ_kept W′_i / |kept|ᵉ = Σ_all W_i / Hᵉ.
    """
    H, kernel = kernel.shape[-2], kernel.astype("float64")
    removed = [head for head in range(H) if head not in kept]
    others = kernel[..., removed, :].sum(-2, keepdims=True)
    return ((len(kept) / H) ** exponent * (kernel + others / len(kept))).astype("float32")


def cumulative_key(kernel: np.ndarray, kept: list[int]) -> np.ndarray:
    """Return a key kernel `(D, H, K)`, or bias `(H, K)`, such that the sums up to each kept head are as before."""
    sums = np.cumsum(kernel.astype("float64"), axis=-2)[..., kept, :]
    changed = np.zeros_like(kernel)
    changed[..., kept, :] = np.diff(sums, axis=-2, prepend=0.0)
    return changed


# Pieces of the printed double loops over heads, which the paper timed. The mask is added once for each softmax;
# Algorithm 1 adds it to each pair (line 12).


def logits_of_pairs(layer: MultiHeadAttention, q: KerasTensor, k: KerasTensor) -> list[list[KerasTensor]]:
    """Return logits `(B, T, S)` of query head i and key head j, as a list of lists."""
    heads = range(layer.num_heads)
    keys = [ops.swapaxes(k[:, j], -1, -2) for j in heads]
    return [[ops.matmul(q[:, i], key) / math.sqrt(layer.key_dim) for key in keys] for i in heads]


def attend_separately(
    layer: MultiHeadAttention,
    logits: list[KerasTensor],
    v: KerasTensor,
    key_heads: list[int],
    mask: KerasTensor | None,
    training: bool | None,
) -> tuple[KerasTensor, KerasTensor]:
    """Return weights `(B, N, T, S)` and heads `(B, N, T, V)` of N logits `(B, T, S)` and numbers of key heads."""
    weights = [layer.normalize(ops.expand_dims(one, 1), mask) for one in logits]
    heads = [
        layer.attend(layer.dropout_layer(one, training=training), v[:, j : j + 1])
        for one, j in zip(weights, key_heads, strict=True)
    ]
    return ops.concatenate(weights, axis=1), ops.concatenate(heads, axis=1)
