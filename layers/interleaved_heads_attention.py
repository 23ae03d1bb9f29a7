"""Interleaved-head attention (Duvvuri et al. 2026)."""

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.multi_head_attention import FUSED, MultiHeadAttention, float64
from layers.projection import identity_of_heads

SPREAD = 0.1  # standard deviation of the differences between the pseudo-values of a head, at first


@keras.saving.register_keras_serializable("interacting_head")
class InterleavedHeadsAttention(MultiHeadAttention):
    """Attention between P pseudo-queries and P pseudo-keys in each head, each a linear combination of all heads.

        Q̃_{i,p} = Σ_m α^q[m, i, p] Q_m,    K̃ and Ṽ likewise with α^k and α^v

    In head i each position has P queries, which attend to the P keys of every position that the mask admits, in one
    softmax over P·S keys. The H·P outputs are combined to H heads: O_i = Σ_{m,p} R[i, m, p] Õ_{m,p}. All combinations
    are folded into the kernels of the projections. With P = 1 the layer is standard attention in other parameters;
    with more, logits and weights cost P² times as much.

    Args: as in `MultiHeadAttention`, and
        num_pseudo_heads: P. The paper's usual choice is H.

    Returns:
        As `MultiHeadAttention`; with P > 1 attention scores and heads are `(B, P, H, …)`, one for each pseudo-query.
        The scores of the P keys of a position are added.

    Decided here: all pseudo-heads start as the head itself, and R takes the first of them, which is multi-head
    attention (section 4.1). The paper tells pseudo-heads apart by rotary positions. There are none here, and equal
    pseudo-keys with equal pseudo-values would stay equal for ever; so the pseudo-values of a head start with random
    differences whose mean is 0. Since its pseudo-keys are equal, the layer still computes multi-head attention.

    Reference: Duvvuri et al. 2026, "Interleaved Head Attention", arXiv:2602.21371, section 4.
    """

    arguments = ("num_pseudo_heads",)
    why_not_removable = "each mixes the queries, keys and values of all others"

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, *, num_pseudo_heads: int = 2, **kwargs
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        if num_pseudo_heads < 1:
            raise ValueError(f"num_pseudo_heads must be at least 1, got {num_pseudo_heads}")
        self.num_pseudo_heads = num_pseudo_heads

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        shape = (self.num_heads, self.num_heads, self.num_pseudo_heads)
        self.query_mixing_kernel = self.add_weight(shape, identity_of_heads, name="query_mixing_kernel")  # α[m, i, p]
        self.key_mixing_kernel = self.add_weight(shape, identity_of_heads, name="key_mixing_kernel")
        self.value_mixing_kernel = self.add_weight(shape, of_its_own_and_others, name="value_mixing_kernel")
        self.collapse_kernel = self.add_weight(shape, of_the_first, name="collapse_kernel")  # R[i, m, p]

    @property
    def leading_axis(self) -> tuple[str, int] | None:
        return ("pseudo-head", self.num_pseudo_heads) if self.num_pseudo_heads > 1 else None

    @property
    def pseudo_heads(self) -> int:
        """The number H·P of all pseudo-heads; the P of a head follow one another."""
        return self.num_heads * self.num_pseudo_heads

    query_heads = memory_heads = pseudo_heads

    def query_projection(self) -> tuple:
        return self.mixed(super().query_projection(), self.query_mixing_kernel)

    def key_projection(self) -> tuple:
        return self.mixed(super().key_projection(), self.key_mixing_kernel)

    def value_projection(self) -> tuple:
        return self.mixed(super().value_projection(), self.value_mixing_kernel)

    def mixed(self, projection: tuple, mixing: keras.Variable) -> tuple:
        """Return the pseudo-heads' kernel `(D, H·P, K)` and bias `(H·P, K)` or None."""
        mixing = ops.reshape(self.cast(mixing), (self.num_heads, self.pseudo_heads))
        kernel, bias = projection
        kernel = ops.einsum("mp,dmk->dpk", mixing, kernel)
        return kernel, None if bias is None else ops.einsum("mp,mk->pk", mixing, bias)

    def output_projection(self) -> tuple:
        kernel, bias = super().output_projection()  # (H, V, D)
        collapse = ops.reshape(self.cast(self.collapse_kernel), (self.num_heads, self.pseudo_heads))
        return ops.einsum("ip,ivd->pvd", collapse, kernel), bias

    @property
    def has_plain_weights(self) -> bool:
        return self.num_pseudo_heads == 1 and not self.changes(FUSED, InterleavedHeadsAttention)

    def score(self, q: KerasTensor, k: KerasTensor) -> KerasTensor:
        """Return logits `(B, H·P, T, P·S)` of q `(B, H·P, T, K)` and k `(B, H·P, S, K)`."""
        (B, _, T, _), S = ops.shape(q), ops.shape(k)[2]
        logits = super().score(self.of_heads(q), self.of_heads(k))  # (B, H, P·T, P·S)
        return ops.reshape(logits, (B, self.pseudo_heads, T, self.num_pseudo_heads * S))

    def normalize(self, logits: KerasTensor, mask: KerasTensor | None) -> KerasTensor:
        if mask is not None:
            if mask.shape[-1] == 1:
                mask = ops.broadcast_to(mask, (*ops.shape(mask)[:-1], ops.shape(logits)[-1] // self.num_pseudo_heads))
            mask = ops.tile(mask, (1, 1, self.num_pseudo_heads))
        return super().normalize(logits, mask)

    def attend(self, weights: KerasTensor, v: KerasTensor) -> KerasTensor:
        """Return heads `(B, H·P, T, V)` of weights `(B, H·P, T, P·S)` and v `(B, H·P, S, V)`."""
        B, _, T, _ = ops.shape(weights)
        heads = super().attend(self.of_heads(weights), self.of_heads(v))  # (B, H, P·T, V)
        return ops.reshape(heads, (B, self.pseudo_heads, T, self.value_dim))

    def of_heads(self, x: KerasTensor) -> KerasTensor:
        """Return `(B, H·P, N, size)` as `(B, H, P·N, size)`: the pseudo-heads of a head one after another."""
        B, _, N, size = ops.shape(x)
        return ops.reshape(x, (B, self.num_heads, self.num_pseudo_heads * N, size))

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
        output, seen = super().attention(q, k, v, mask, query, query_mask, training, return_intermediates)
        if self.num_pseudo_heads > 1 and seen:
            S = ops.shape(k)[2]
            seen["weights"] = ops.sum(self.by_pseudo_key(seen["weights"], S), axis=3)
            seen["logits"] = ops.logsumexp(self.by_pseudo_key(seen["logits"], S), axis=3)  # whose softmax the sums are
            names = ("logits", "weights", "heads")
            seen = {name: self.leading_first(seen[name]) for name in names}
        return output, seen

    def by_pseudo_key(self, x: KerasTensor, S: int) -> KerasTensor:
        """Return `(B, H·P, T, P·S)` as `(B, H·P, T, P, S)`."""
        B, H, T, _ = ops.shape(x)
        return ops.reshape(x, (B, H, T, self.num_pseudo_heads, S))

    def leading_first(self, x: KerasTensor) -> KerasTensor:
        """Return `(B, H·P, T, size)` as `(B, P, H, T, size)`."""
        B, _, T, size = ops.shape(x)
        return ops.swapaxes(ops.reshape(x, (B, self.num_heads, self.num_pseudo_heads, T, size)), 1, 2)

    def own_parameters(self) -> dict[str, dict]:
        mixings = {"queries": self.query_mixing_kernel, "keys": self.key_mixing_kernel}
        mixings |= {"values": self.value_mixing_kernel}
        matrices = {name: np.moveaxis(float64(mixing), 0, 1) for name, mixing in mixings.items()}  # (i, m, p)
        matrices["outputs"] = float64(self.collapse_kernel)
        pseudo_heads = range(self.num_pseudo_heads)
        return {
            "head mixing": {
                f"of {name}, pseudo-head {p + 1}": matrix[..., p]
                for name, matrix in matrices.items()
                for p in pseudo_heads
            }
        }

    @property
    def why_not_standard(self) -> str | None:
        return "its heads attend to several keys at each position" if self.num_pseudo_heads > 1 else None

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        *projections, output_kernel = super().standard_projections()
        mixings = (self.query_mixing_kernel, self.key_mixing_kernel, self.value_mixing_kernel)
        pairs = zip(projections, mixings, strict=True)
        mixed = (np.einsum("mi,dmk->dik", float64(mixing)[..., 0], kernel) for kernel, mixing in pairs)
        return *mixed, np.einsum("im,ivd->mvd", float64(self.collapse_kernel)[..., 0], output_kernel)


def of_its_own_and_others(shape: tuple, dtype: str) -> KerasTensor:
    """Initialise α `(H, H, P)`: the mean of a head's pseudo-heads is the head."""
    noise = keras.initializers.RandomNormal(stddev=SPREAD)(shape, dtype)
    return identity_of_heads(shape, dtype) + noise - ops.mean(noise, axis=-1, keepdims=True)


def of_the_first(shape: tuple, dtype: str) -> KerasTensor:
    """Initialise R `(H, H, P)`: a head is its first pseudo-head."""
    first = ops.cast(ops.arange(shape[2]) == 0, dtype)
    return identity_of_heads(shape, dtype) * first
