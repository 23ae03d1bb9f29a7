"""Multi-head attention in five stages, the base of every scheme in this package.

Letters for shapes: `B` batch, `T` query length, `S` memory length, `H` heads, `K` key size, `V` value size, `D` model
size. Keys and values come from the memory: the encoder's output, or the input itself in self-attention.
"""

import math
import typing
from collections.abc import Callable, Collection
from typing import ClassVar

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.cache import inserted, overwritten, own_zeros
from layers.configured_layer import ConfiguredLayer
from layers.dot_product import MASKED, attention_bias, combine_masks, fused_attention, has_fused_attention
from layers.projection import dense_glorot_uniform, linear, merge_heads, project_heads, split_heads

PROJECTION_AXES = {f"{name}_{kind}": (-2,) for name in ("query", "key", "value") for kind in ("kernel", "bias")}
STAGES = (
    *("project", "project_query", "project_memory", "query_projection", "key_projection", "value_projection"),
    *("score", "softmax_logits", "softmax", "normalize", "attend", "attention", "combine"),
)
"""A scheme replaces at least one of these methods, unless it is standard attention."""
FUSED = ("score", "softmax_logits", "softmax", "normalize", "attend")
"""The methods whose work a fused kernel does."""


@keras.saving.register_keras_serializable("interacting_head")
class MultiHeadAttention(ConfiguredLayer):
    """Scaled dot-product attention with several heads, split into stages that subclasses replace.

    The stages are `project → score → normalize → attend → combine`; a scheme overrides one of them. Given the same
    weights, it computes what `keras.layers.MultiHeadAttention` does; `use_bias` is off by default.

    Args:
        num_heads: number of heads H.
        key_dim, value_dim: sizes K of each query and key head, and V, by default K, of each value head.
        dropout, seed: rate of dropout on the attention weights, and its seed.
        use_bias: true if the query, key and value projections have a bias; the output projection always has one.
        head_gates: true to add the non-trainable weight `head_gates` `(H,)`, ones at first. A head whose gate is 0
            adds nothing to the output. Schemes that weigh their heads by a softmax leave it out of that:
            G_h = g_h exp(s_h) / Σ_k g_k exp(s_k).

    Call arguments:
        query: `(B, T, D)`.
        value: `(B, S, D_m)`, the memory. `value is query` is self-attention.
        key: `(B, S, D_m)`, default `value`.
        query_mask, value_mask, key_mask: Keras' implicit masks `(B, T)`, `(B, S)`, `(B, S)`, 1 = real. The query mask
            hides no key; it excludes positions from losses that a scheme adds.
        attention_mask: `(B, T, S)` or broadcastable to it, 1 = attend.
        use_causal_mask: true if position t attends to positions ≤ t only.

    Returns:
        The output `(B, T, D)`, then what was asked for. Fully masked rows stay finite.
        - `return_attention_scores`: the weights `(B, H, T, S)`.
        - `return_head_importance`: the importance of each head `(B, T, H)`, in schemes that weigh their heads.
        - `return_intermediates`: a dictionary of `logits`, the input of the softmax before its mask, and `weights`,
            `(B, H, T, S)`; `heads` `(B, H, T, V)`; and `importance` in schemes that weigh their heads. Logits have an
            axis of size 1 if they are equal along it.

    Example:
        >>> layer = MultiHeadAttention(num_heads=8, key_dim=64)
        >>> output, scores = layer(query, memory, return_attention_scores=True)

    Reference: Vaswani et al. 2017; Li & Luo 2022, equation (4).
    """

    arguments = ("num_heads", "key_dim", "value_dim", "dropout", "use_bias", "seed")

    # A scheme describes itself by the following; the rest of the project asks the layer and knows no scheme by name.

    has_head_importance = False
    memory = "top"
    """The memory that encoder-decoder attention reads: the `top` encoder layer, or a list of `all` of them."""
    why_key_dim = None
    """Why `key_dim` must be given, in schemes that the default head size would turn into another scheme; else None."""
    source_axis = ()
    """Leading sizes of the weights of queries, keys and values, in schemes that project several memories."""
    leading_axis = None
    """Name and size of an axis of the attention weights in front of the heads."""
    head_axes: ClassVar = {**PROJECTION_AXES, "output_kernel": (-3,)}
    """Name of a weight → its axes of heads; a scheme that changes a stage has its own."""

    @classmethod
    def default_placement(cls, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[int, ...]] | None:
        """Return where the paper has the scheme, `{"encoder", "decoder", "cross": layers from 1}`; None: everywhere."""
        return None

    @classmethod
    def layer_options(cls, number: int) -> dict[str, float]:
        """Return constructor options that depend on the number of the layer in its stack, from 1."""
        return {}

    @classmethod
    def option_types(cls, options: dict) -> dict[str, type]:
        """Return the annotated types of the constructor's arguments, given its options."""
        return typing.get_type_hints(MultiHeadAttention.__init__) | typing.get_type_hints(cls.__init__)

    @property
    def why_not_standard(self) -> str | None:
        """The reason why no standard attention with other weights computes the same, or None."""
        if self.has_head_importance:
            return "the weight of each head depends on the input, while standard attention adds its heads unweighted"
        if self.changes(STAGES) and not self.changes(("standard_projections",)):
            return "no equivalent standard attention is known"
        return None

    @property
    def why_not_removable(self) -> str | None:
        """The reason why heads cannot be removed, or None."""
        if self.changes(STAGES) and "head_axes" not in vars(type(self)):
            return "its layer does not say which of its weights belong to a head (head_axes)"
        return None

    @property
    def head_names(self) -> list[str]:
        """The names of the heads, along the leading axis one after another."""
        heads = [f"head {head}" for head in range(1, self.num_heads + 1)]
        if self.leading_axis:
            name, size = self.leading_axis
            heads = [f"{name} {i}, {head}" for i in range(1, size + 1) for head in heads]
        return heads

    def own_parameters(self) -> dict[str, dict]:
        """Return `{kind: {name: array}}`, of one kind at most, of weights that `analyze weights` shows, in float64."""
        return {}

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = False,
        *,
        head_gates: bool = False,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, size in {"num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim}.items():
            if size is not None and size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.has_gates = head_gates
        self.supports_masking = True
        self.dropout_layer = keras.layers.Dropout(dropout, seed=seed, dtype=self.dtype_policy, name="dropout")

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        key_shape = key_shape or value_shape
        self.query_kernel = self.add_projection("query_kernel", query_shape[-1], self.key_dim)
        self.key_kernel = self.add_projection("key_kernel", key_shape[-1], self.key_dim)
        self.value_kernel = self.add_projection("value_kernel", value_shape[-1], self.value_dim)
        if self.use_bias:
            self.query_bias = self.add_projection_bias("query_bias", self.key_dim)
            self.key_bias = self.add_projection_bias("key_bias", self.key_dim)
            self.value_bias = self.add_projection_bias("value_bias", self.value_dim)
        self.build_combination(query_shape[-1])
        if self.has_gates:
            self.head_gates = self.add_gates("head_gates", self.num_heads)
        self.dropout_layer.build(None)

    def get_config(self) -> dict:
        return {**super().get_config(), "head_gates": self.has_gates}

    def build_combination(self, model_dim: int) -> None:
        """Add the weights of the stage `combine`; a scheme that replaces the stage replaces them too."""
        self.add_output_projection((self.num_heads, self.value_dim), model_dim)

    def add_output_projection(self, heads_shape: tuple[int, ...], model_dim: int) -> None:
        """Add a kernel `(*heads_shape, D)`, initialised as the one dense matrix that it is, and a bias `(D,)`."""
        initializer = dense_glorot_uniform(math.prod(heads_shape), model_dim)
        self.output_kernel = self.add_weight((*heads_shape, model_dim), initializer, name="output_kernel")
        self.output_bias = self.add_weight((model_dim,), "zeros", name="output_bias")

    def add_projection(self, name: str, input_dim: int, head_dim: int) -> keras.Variable:
        """Add a kernel `(*source_axis, D, H, K)`, initialised as the one dense matrix `(D, H·K)` that it is."""
        shape = (*self.source_axis, input_dim, self.num_heads, head_dim)
        return self.add_weight(shape, self.projection_initializer(name, input_dim, head_dim), name=name)

    def projection_initializer(self, name: str, input_dim: int, head_dim: int) -> Callable:
        """Return the initialiser of a kernel, a function of shape and dtype."""
        return dense_glorot_uniform(input_dim, self.num_heads * head_dim)

    def add_projection_bias(self, name: str, head_dim: int) -> keras.Variable:
        """Add a bias `(*source_axis, H, K)`."""
        return self.add_weight((*self.source_axis, self.num_heads, head_dim), "zeros", name=name)

    def add_gates(self, name: str, count: int) -> keras.Variable:
        """Add gates `(count,)`, all open."""
        return self.add_weight((count,), "ones", name=name, dtype="float32", trainable=False, autocast=False)

    def call(
        self,
        query: KerasTensor,
        value: KerasTensor | list[KerasTensor],
        key: KerasTensor | list[KerasTensor] | None = None,
        query_mask: KerasTensor | None = None,
        value_mask: KerasTensor | None = None,
        key_mask: KerasTensor | None = None,
        attention_mask: KerasTensor | None = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
        return_head_importance: bool = False,
        return_intermediates: bool = False,
    ) -> KerasTensor | tuple:
        if return_head_importance and not self.has_head_importance:
            raise ValueError(f"{type(self).__name__} does not weigh its heads: it has no head importance")
        q, k, v = self.project(query, value if key is None else key, value)
        causal_shape = (ops.shape(query)[1], ops.shape(k)[-2]) if use_causal_mask else None
        mask = combine_masks(attention_mask, (key_mask, value_mask), causal_shape)
        needs_weights = return_attention_scores or return_intermediates
        output, seen = self.attention(q, k, v, mask, query, query_mask, training, needs_weights)
        scores = [seen["weights"]] if return_attention_scores else []
        importance = [seen["importance"]] if return_head_importance else []
        results = (output, *scores, *importance, *([seen] if return_intermediates else []))
        return results if len(results) > 1 else output

    def step(
        self,
        query: KerasTensor,
        cache: tuple,
        index: int | KerasTensor | None = None,
        attention_mask: KerasTensor | None = None,
        kernels: tuple = (),
        overwrite_cache: bool = False,
    ) -> tuple[KerasTensor, tuple]:
        """Attend from new positions `(B, T, D)` to cached keys and values: one step of decoding.

        Args:
            query: `(B, T, D)`.
            cache: keys `(B, H, L, K)` and values `(B, H, L, V)`, see `empty_cache` and `project_memory`.
            index: the position at which the keys and values of `query` enter the cache; None if the cache is a finished
                memory.
            attention_mask: `(B, T, L)`, 1 = attend; default: causal self-attention, or all of a memory.
            kernels: the result of `decoding_kernels`, to compute it only once.
            overwrite_cache: true to write into the given cache instead of copying it; L and `index` must then be
                multiples of T.

        Returns:
            The output `(B, T, D)`, and the cache with the new keys and values.

        Raises `ValueError` if the new positions do not fit into the cache, unless L or `index` is a tensor.
        """
        query = ops.cast(query, self.compute_dtype)
        if kernels:
            q, *new = self.project_jointly(query, kernels)
        elif index is None:
            q = self.project_query(query)
        else:
            q, *new = self.project(query, query, query)
        causal_shape = None
        if index is not None:
            cache = (overwritten if overwrite_cache else inserted)(cache, new, index)
            if attention_mask is None:
                causal_shape = ops.shape(query)[1], ops.shape(cache[0])[-2]
        mask = combine_masks(attention_mask, (), causal_shape, 0 if index is None else index)
        output, _ = self.attention(q, *cache, mask, query, None, False, False)
        return output, cache

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
        """Return the output of the stages after `project`, and the dictionary of intermediates.

        Without `return_intermediates` it may lack all but the importance.
        """
        seen = {}
        needs_weights = return_intermediates or (training and self.dropout) or not self.has_plain_weights
        if not needs_weights and has_fused_attention(q, k, v):
            heads = fused_attention(q, k, v, mask)
        else:
            logits = self.score(q, k)
            weights = self.normalize(logits, mask)
            heads = self.attend(self.dropout_layer(weights, training=training), v)
            if return_intermediates:
                seen = {"logits": self.softmax_logits(logits), "weights": weights, "heads": heads}
        output, importance = self.combine(heads, query, q, query_mask, training)
        return output, seen if importance is None else {**seen, "importance": importance}

    @property
    def has_plain_weights(self) -> bool:
        """True if the heads are softmax(q kᵀ / √K) v: no stage before `combine` is another scheme's."""
        return not self.changes(FUSED)

    @classmethod
    def changes(cls, names: Collection[str], base: type | None = None) -> bool:
        """True if one of the methods is another than the one of `base`, by default `MultiHeadAttention`."""
        return any(getattr(cls, name) is not getattr(base or MultiHeadAttention, name) for name in names)

    # The five stages.

    def project(self, query: KerasTensor, key: KerasTensor, value: KerasTensor) -> tuple:
        """Return q `(B, H, T, K)`, k `(B, H, S, K)` and v `(B, H, S, V)` of query, key and value inputs."""
        return (self.project_query(query), *self.project_memory(value, key))

    def score(self, q: KerasTensor, k: KerasTensor) -> KerasTensor:
        """Return logits `(B, H, T, S)` of q `(B, H, T, K)` and k `(B, H, S, K)`."""
        return ops.matmul(q / math.sqrt(self.key_dim), ops.swapaxes(k, -1, -2))

    def normalize(self, logits: KerasTensor, mask: KerasTensor | None) -> KerasTensor:
        """Return attention weights `(B, H, T, S)`: the softmax over S of the logits that `mask` admits."""
        return ops.cast(self.softmax(logits, mask), self.compute_dtype)

    def attend(self, weights: KerasTensor, v: KerasTensor) -> KerasTensor:
        """Return heads `(B, H, T, V)`: the values `(B, H, S, V)` averaged under the weights `(B, H, T, S)`."""
        return ops.matmul(weights, v)

    def combine(
        self,
        heads: KerasTensor,
        query: KerasTensor,
        q: KerasTensor,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
    ) -> tuple[KerasTensor, KerasTensor | None]:
        """Return the output `(B, T, D)` of heads `(B, H, T, V)`, and the importance of each head or None.

        Schemes that weigh the heads use the query input `(B, T, D)`, its projection q, and `query_mask` `(B, T)`,
        1 = kept.
        """
        kernel, bias = self.output_projection()
        return merge_heads(heads, kernel) + bias, None

    # Pieces of the stages.

    def softmax(self, logits: KerasTensor, mask: KerasTensor | None) -> KerasTensor:
        """Return the softmax over S, in float32, of the `softmax_logits` that `mask` admits."""
        logits = self.softmax_logits(logits)
        if mask is not None:
            logits = logits + attention_bias(mask, len(logits.shape))
        return ops.softmax(logits, axis=-1)

    def softmax_logits(self, logits: KerasTensor) -> KerasTensor:
        """Return the float32 logits that the softmax takes, before its mask, from the logits of `score`."""
        return ops.cast(logits, "float32")

    def head_logits(self, scores: KerasTensor, axis: int) -> KerasTensor:
        """Return scores of heads in float32, closed ones lowered, for a softmax over the heads along `axis`."""
        scores = ops.cast(scores, "float32")
        if not self.has_gates:
            return scores
        shape = [1] * len(scores.shape)
        shape[axis] = -1
        gates = ops.convert_to_tensor(self.head_gates)
        logarithms = ops.where(gates > 0, ops.log(ops.where(gates > 0, gates, 1.0)), MASKED)
        return scores + ops.reshape(logarithms, shape)

    def kernel_gates(self) -> KerasTensor:
        """Return the gates by which the output kernel is multiplied, to be broadcast over its last two axes."""
        gates = ops.convert_to_tensor(self.head_gates)
        # A softmax over heads leaves out the closed ones, unless all are closed.
        return ops.cast(ops.any(gates > 0), "float32") if self.has_head_importance else ops.expand_dims(gates, (-2, -1))

    def project_query(self, query: KerasTensor) -> KerasTensor:
        """Return q `(B, H, T, K)` of the query input `(B, T, D)`."""
        return project_heads(query, *self.query_projection())

    def project_memory(self, value: KerasTensor, key: KerasTensor | None = None) -> tuple:
        """Return k `(B, H, S, K)` and v `(B, H, S, V)` of a memory, which `step` takes as a finished cache."""
        k = project_heads(value if key is None else key, *self.key_projection())
        return k, project_heads(value, *self.value_projection())

    def decoding_kernels(self, query_only: bool = False) -> tuple:
        """Return the query, key and value kernels as one `(D, columns)`, and with `use_bias` the bias `(columns,)`.

        With `query_only` the query kernel alone, for a projected memory.
        """
        projections = [self.query_projection()]
        if not query_only:
            projections += [self.key_projection(), self.value_projection()]
        kernels, biases = zip(*projections, strict=True)
        kernel = ops.concatenate([ops.reshape(kernel, (kernel.shape[0], -1)) for kernel in kernels], axis=1)
        return (kernel, ops.concatenate([ops.reshape(bias, (-1,)) for bias in biases])) if self.use_bias else (kernel,)

    def project_jointly(self, inputs: KerasTensor, kernels: tuple) -> list[KerasTensor]:
        """Return q and k `(B, H, T, K)` and v `(B, H, T, V)`, or q alone, of inputs `(B, T, D)` and `decoding_kernels`.

        One product instead of three pays for the few rows of a decoding step.
        """
        H, K = self.memory_heads, self.key_dim
        return split_heads(linear(inputs, *kernels), [(self.query_heads, K), (H, K), (H, self.value_dim)])

    @property
    def query_heads(self) -> int:
        """Number of heads of q."""
        return self.num_heads

    @property
    def memory_heads(self) -> int:
        """Number of heads of k and v."""
        return self.num_heads

    def empty_cache(self, batch_size: int, length: int) -> tuple:
        """Return keys `(B, H, L, K)` and values `(B, H, L, V)` before the first step of self-attention."""
        shape = (batch_size, self.memory_heads, length)
        return tuple(own_zeros((*shape, size), self.compute_dtype) for size in (self.key_dim, self.value_dim))

    def query_projection(self) -> tuple:
        """Return kernel `(D, H, K)` and bias `(H, K)` or None."""
        return self.cast(self.query_kernel), self.cast(self.query_bias) if self.use_bias else None

    def key_projection(self) -> tuple:
        """Return kernel `(D_m, H, K)` and bias `(H, K)` or None."""
        return self.cast(self.key_kernel), self.cast(self.key_bias) if self.use_bias else None

    def value_projection(self) -> tuple:
        """Return kernel `(D_m, H, V)` and bias `(H, V)` or None."""
        return self.cast(self.value_kernel), self.cast(self.value_bias) if self.use_bias else None

    def output_projection(self) -> tuple:
        """Return kernel, `(H, V, D)` unless a scheme has another shape, and bias `(D,)`."""
        kernel = self.cast(self.output_kernel)
        if self.has_gates:
            kernel = kernel * self.cast(self.kernel_gates())
        return kernel, self.cast(self.output_bias)

    def cast(self, weight: keras.Variable | KerasTensor) -> KerasTensor:
        """Return a weight in the compute dtype, also outside `__call__`, where Keras does not cast it."""
        return ops.cast(weight, self.compute_dtype)

    # The same function in other weights.

    @property
    def mixes_weights(self) -> bool:
        """True if attention weights are mixed after the softmax: they may be negative, and their sign means nothing."""
        return False

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        """Return the weights of the standard attention that computes the same, in float64.

        It has the same attention weights, unless the layer `mixes_weights`: the mixing goes into the output kernel.

        These are query, key and value kernels `(D + 1, H′, K′)`, with biases as their last row, and the output kernel
        `(H′, V′, D)`. H′, K′ and V′ may differ from the layer's; logits are divided by the layer's √K.
        """
        kernels = (self.with_bias(name) for name in ("query", "key", "value"))
        return *kernels, float64(self.output_kernel).reshape(self.num_heads, self.value_dim, -1)

    def with_bias(self, name: str) -> np.ndarray:
        """Return the kernel of a projection with its bias, or zeros, as the last row: `(D + 1, H, K)`."""
        kernel = float64(getattr(self, f"{name}_kernel"))
        kernel = kernel.reshape(kernel.shape[-3:])  # without the axis of a single source
        bias = float64(getattr(self, f"{name}_bias")) if self.use_bias else np.zeros(kernel.shape[1:])
        return np.concatenate([kernel, bias.reshape(1, *kernel.shape[1:])])

    def weights_without(self, removed: Collection[int]) -> dict[str, np.ndarray]:
        """Return `{name: array}` of the layer's weights without the heads of the indices `removed`.

        If all heads are removed, the first stays and the output kernel is zero.
        """
        kept = [head for head in range(self.num_heads) if head not in removed]
        weights = {weight.name: np.asarray(weight) for weight in self.weights}
        if not kept:
            kept = [0]
            weights["output_kernel"] = np.zeros_like(weights["output_kernel"])
        weights = self.without_influence(weights, kept)
        for name, axes in self.head_axes.items():
            for axis in axes if name in weights else ():
                weights[name] = np.take(weights[name], kept, axis=axis)
        return weights

    def without_influence(self, weights: dict[str, np.ndarray], kept: list[int]) -> dict[str, np.ndarray]:
        """Return weights in which the kept heads no longer depend on the removed ones."""
        return weights

    def compute_output_shape(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> tuple:
        return query_shape

    def compute_output_spec(self, *args: object, **kwargs: object) -> object:
        # Traces `call`, since the number of outputs depends on its arguments.
        return super(keras.layers.Layer, self).compute_output_spec(*args, **kwargs)


def float64(weight: keras.Variable) -> np.ndarray:
    """Return a weight as an array of its own in float64."""
    return np.array(weight, dtype="float64")
