"""Multi-layer multi-head attention (MLMHA; Ampomah et al. 2020)."""

import keras
from keras import KerasTensor, ops

from layers.multi_head_attention import MultiHeadAttention, float64
from layers.projection import merge_heads, project_heads


@keras.saving.register_keras_serializable("interacting_head")
class MultiLayerMultiHeadAttention(MultiHeadAttention):
    """Attention over the outputs f¹ … fⁿ of several encoder layers, each with its own projections.

    With the logits α^i over source i, the contexts are c^i = softmax(α^i) V^i, or under joint attention
    c^i = softmax(Σ_k α^k) V^i; they are concatenated before the output projection, or summed.

    | variant | `joint_attention` | `concat_contexts` |
    |---|---|---|
    | M-00 | True | True |
    | M-01 | True | False |
    | M-10 | False | True |
    | M-11 | False | False |

    Args: as in `MultiHeadAttention`, and
        num_sources: n.
        joint_attention: true if all sources share one softmax of their summed logits (U0 = 0).
        concat_contexts: true if the contexts are concatenated (U1 = 0) instead of summed.
        masked_sources: numbers of the sources, from 1, whose f^i is zero (Table 7). A compiled function keeps the ones
            it was traced with.
        head_gates: adds `source_gates` `(n,)` too, by which f^i is multiplied; they may be assigned at any time.

    Call arguments: as in `MultiHeadAttention`, but
        value: a list of n tensors `(B, S, D_m)`, or one tensor for all n.

    Returns:
        As `MultiHeadAttention`; attention scores and heads have an axis of sources, `(B, n, H, …)`. So have logits,
        with size 1 if the sources share a softmax.

    Reference: Ampomah et al. 2020, equations (6)–(12).
    """

    arguments = ("num_sources", "joint_attention", "concat_contexts", "masked_sources")
    memory = "all"
    head_axes = MultiHeadAttention.head_axes

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        num_sources: int = 1,
        joint_attention: bool = True,
        concat_contexts: bool = True,
        masked_sources: tuple[int, ...] = (),
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        if num_sources < 1:
            raise ValueError(f"num_sources must be at least 1, got {num_sources}")
        self.num_sources, self.masked_sources = num_sources, tuple(masked_sources)
        self.joint_attention, self.concat_contexts = joint_attention, concat_contexts

    def build(
        self, query_shape: tuple, value_shape: tuple | list[tuple], key_shape: tuple | list[tuple] | None = None
    ) -> None:
        super().build(query_shape, first_shape(value_shape), first_shape(key_shape or value_shape))
        if self.has_gates:
            self.source_gates = self.add_gates("source_gates", self.num_sources)

    @classmethod
    def default_placement(cls, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[int, ...]]:
        """Return the encoder-decoder attention of all decoder layers (equation (6))."""
        return {"cross": tuple(range(1, decoder_layers + 1))}

    @property
    def why_not_standard(self) -> str | None:
        if self.num_sources > 1 or self.masked_sources:
            return "it reads the outputs of several encoder layers, and a standard decoder reads one"
        return None

    def own_parameters(self) -> dict[str, dict]:
        return {"sources": {"output kernel": float64(self.output_kernel)}}

    @property
    def source_axis(self) -> tuple[int]:
        return (self.num_sources,)

    @property
    def leading_axis(self) -> tuple[str, int]:
        return "encoder output", self.num_sources

    def build_combination(self, model_dim: int) -> None:
        contexts = (self.num_sources,) if self.concat_contexts else ()
        self.add_output_projection((*contexts, self.num_heads, self.value_dim), model_dim)

    def project_query(self, query: KerasTensor) -> KerasTensor:
        """Return q `(B, n, H, T, K)` of the query input `(B, T, D)`."""
        return ops.stack([project_heads(query, *source) for source in per_source(self.query_projection())], axis=1)

    def project_memory(self, value: KerasTensor | list, key: KerasTensor | list | None = None) -> tuple:
        """Return k `(B, n, H, S, K)` and v `(B, n, H, S, V)` of the sources."""

        def projected(sources, projection):
            pairs = zip(self.sources(sources), per_source(projection), strict=True)
            return ops.stack([project_heads(f, *source) for f, source in pairs], axis=1)

        k = projected(value if key is None else key, self.key_projection())
        return k, projected(value, self.value_projection())

    def sources(self, value: KerasTensor | list[KerasTensor]) -> list[KerasTensor]:
        """Return the list f¹ … fⁿ, with zeros for `masked_sources`; raise `ValueError` if one does not exist."""
        if wrong := [number for number in self.masked_sources if not 1 <= number <= self.num_sources]:
            raise ValueError(f"masked_sources must be numbers from 1 to {self.num_sources}, got {wrong}")
        sources = list(value) if isinstance(value, list | tuple) else [value] * self.num_sources
        if len(sources) != self.num_sources:
            raise ValueError(f"expected {self.num_sources} sources, got {len(sources)}")
        sources = [
            ops.zeros_like(source) if number in self.masked_sources else source
            for number, source in enumerate(sources, start=1)
        ]
        if not self.has_gates:
            return sources
        gates = ops.unstack(ops.convert_to_tensor(self.source_gates))
        return [source * ops.cast(gate, source.dtype) for source, gate in zip(sources, gates, strict=True)]

    def decoding_kernels(self, query_only: bool = False) -> tuple:
        return ()  # the kernels of several sources are not joined: each step projects as it is

    def empty_cache(self, batch_size: int, length: int) -> tuple:
        k, v = super().empty_cache(batch_size, length)
        return tuple(ops.repeat(ops.expand_dims(part, 1), self.num_sources, axis=1) for part in (k, v))

    def attention(self, *args: object, **kwargs: object) -> tuple[KerasTensor, dict]:
        output, seen = super().attention(*args, **kwargs)
        return output, {**seen, "weights": self.of_each_source(seen["weights"])} if "weights" in seen else seen

    def softmax_logits(self, logits: KerasTensor) -> KerasTensor:
        if not self.joint_attention:
            return super().softmax_logits(logits)  # (8)
        return ops.sum(super().softmax_logits(logits), axis=1, keepdims=True)  # (9): (B, 1, H, T, S)

    def attend(self, weights: KerasTensor, v: KerasTensor) -> KerasTensor:
        return super().attend(self.of_each_source(weights), v)

    def of_each_source(self, weights: KerasTensor) -> KerasTensor:
        """Return weights `(B, n, H, T, S)`; joint ones, dropout included, are the same for all sources."""
        return ops.repeat(weights, self.num_sources, axis=1) if self.joint_attention else weights

    def combine(
        self,
        heads: KerasTensor,
        query: KerasTensor,
        q: KerasTensor,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
    ) -> tuple[KerasTensor, KerasTensor | None]:
        if not self.concat_contexts:
            return super().combine(ops.sum(heads, axis=1), query, q)
        B, n, H, T, V = ops.shape(heads)
        kernel, bias = self.output_projection()
        kernel = ops.reshape(kernel, (n * H, V, kernel.shape[-1]))
        return merge_heads(ops.reshape(heads, (B, n * H, T, V)), kernel) + bias, None


def first_shape(shape: tuple | list[tuple]) -> tuple:
    """Return the shape of a memory, or of the first of several."""
    return shape[0] if isinstance(shape[0], list | tuple) else shape


def per_source(projection: tuple) -> list[tuple]:
    """Return `(kernel (n, D, H, K), bias (n, H, K) or None)` as a list of n `(kernel, bias)`."""
    kernel, bias = projection
    kernels = ops.unstack(kernel)  # not by index: each gradient would be of the size of all
    return list(zip(kernels, [None] * len(kernels) if bias is None else ops.unstack(bias), strict=True))
