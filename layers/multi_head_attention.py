"""Multi-head attention in five stages, the base of every scheme in this package.

Letters for shapes: `B` batch, `T` query length, `S` memory length, `H` heads, `K` key size, `V` value size,
`D` model size. The memory is what keys and values are projected from: the encoder's output, or in self-attention the
input itself.
"""

import math

import keras
from keras import ops

from layers.cache import inserted, overwritten, own_zeros
from layers.dot_product import attention_bias, combine_masks, fused_attention, has_fused_attention
from layers.projection import dense_glorot_uniform, linear, merge_heads, project_heads, split_heads


@keras.saving.register_keras_serializable("interacting_head")
class MultiHeadAttention(keras.layers.Layer):
    """Scaled dot-product attention with several heads, split into stages that subclasses replace.

    The stages are `project → score → normalize → attend → combine`; a scheme overrides one of them. Given the same
    weights, call and result are those of `keras.layers.MultiHeadAttention`. Of its constructor this one has the
    arguments below alone, and `use_bias` is off by default.

    Args:
        num_heads: number of heads H.
        key_dim: size K of each query and key head.
        value_dim: size V of each value head; default `key_dim`.
        dropout, seed: rate of dropout on the attention weights, and its seed.
        use_bias: whether the query, key and value projections have a bias; the output projection always has one.

    Call arguments:
        query: `(B, T, D)`.
        value: `(B, S, D_m)`, the memory. `value is query` is self-attention.
        key: `(B, S, D_m)`, default `value`.
        query_mask, value_mask, key_mask: Keras' implicit masks `(B, T)`, `(B, S)`, `(B, S)`, 1 = real. That of
            the query hides no key; losses that a scheme adds leave out its masked positions.
        attention_mask: `(B, T, S)` or broadcastable to it, 1 = attend.
        use_causal_mask: whether position t attends to positions ≤ t only.
        return_attention_scores: whether to return the weights `(B, H, T, S)` as well.
        return_head_importance: whether to return the importance of each head `(B, T, H)` as well; only schemes
            that weigh their heads have one.
        cache: keys `(B, H, L, K)` and values `(B, H, L, V)`, for decoding step by step.
        cache_update_index: the position at which the keys and values of `query` enter `cache`; without it
            `cache` is a finished memory (from `project_memory`) and `value` is not read. Attention is then causal
            unless an `attention_mask` says otherwise.
        kernels: with a cache, the result of `decoding_kernels`, so that it need not be computed at each step.
        overwrite_cache: whether the `cache` given may be lost, so that only new keys and values are moved; L and
            `cache_update_index` are multiples of T then.

    Returns:
        The output `(B, T, D)`; then, each where it was asked for, attention scores, head importance, and the
        cache after the update. A row that may attend to nothing gives finite numbers.

    Example:
        >>> layer = MultiHeadAttention(num_heads=8, key_dim=64)
        >>> output, scores = layer(query, memory, return_attention_scores=True)

    Reference: Vaswani et al. 2017; Li & Luo 2022, equation (4).
    """

    has_head_importance = False
    source_axis = ()
    """Leading sizes of the weights of queries, keys and values, in schemes that project several memories."""
    leading_axis = None
    """Name and size of an axis of the attention weights in front of the heads, in schemes that have one."""

    def __init__(self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=False, *, seed=None, **kwargs):
        super().__init__(**kwargs)
        for name, size in {"num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim}.items():
            if size is not None and size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = value_dim or key_dim
        self.dropout = dropout
        self.use_bias, self.seed = use_bias, seed
        self.supports_masking = True
        self.dropout_layer = keras.layers.Dropout(dropout, seed=seed, dtype=self.dtype_policy, name="dropout")

    def build(self, query_shape, value_shape, key_shape=None):
        key_shape = key_shape or value_shape
        self.query_kernel = self.add_projection("query_kernel", query_shape[-1], self.key_dim)
        self.key_kernel = self.add_projection("key_kernel", key_shape[-1], self.key_dim)
        self.value_kernel = self.add_projection("value_kernel", value_shape[-1], self.value_dim)
        if self.use_bias:
            self.query_bias = self.add_projection_bias("query_bias", self.key_dim)
            self.key_bias = self.add_projection_bias("key_bias", self.key_dim)
            self.value_bias = self.add_projection_bias("value_bias", self.value_dim)
        self.build_combination(query_shape[-1])
        self.dropout_layer.build(None)

    def build_combination(self, model_dim):
        """Adds the weights of the stage `combine`; a scheme that replaces the stage replaces them too."""
        self.add_output_projection((self.num_heads, self.value_dim), model_dim)

    def add_output_projection(self, heads_shape, model_dim):
        """A kernel `(*heads_shape, D)`, initialised as the one dense matrix that it is, and a bias `(D,)`."""
        initializer = dense_glorot_uniform(math.prod(heads_shape), model_dim)
        self.output_kernel = self.add_weight((*heads_shape, model_dim), initializer, name="output_kernel")
        self.output_bias = self.add_weight((model_dim,), "zeros", name="output_bias")

    def add_projection(self, name, input_dim, head_dim):
        """A kernel `(D, H, K)`, initialised as the one dense matrix `(D, H·K)` that it is."""
        shape = (*self.source_axis, input_dim, self.num_heads, head_dim)
        return self.add_weight(shape, dense_glorot_uniform(input_dim, self.num_heads * head_dim), name=name)

    def add_projection_bias(self, name, head_dim):
        """A bias `(H, K)`."""
        return self.add_weight((*self.source_axis, self.num_heads, head_dim), "zeros", name=name)

    def call(
        self,
        query,
        value,
        key=None,
        query_mask=None,
        value_mask=None,
        key_mask=None,
        attention_mask=None,
        use_causal_mask=False,
        return_attention_scores=False,
        return_head_importance=False,
        training=None,
        cache=None,
        cache_update_index=None,
        kernels=(),
        overwrite_cache=False,
    ):
        if return_head_importance and not self.has_head_importance:
            raise ValueError(f"{type(self).__name__} does not weigh its heads: it has no head importance")
        if cache is None:
            q, k, v = self.project(query, value if key is None else key, value)
        elif cache_update_index is None:
            q = self.project_jointly(query, kernels)[0] if kernels else self.project_query(query)
            k, v = cache
        else:
            if kernels:
                q, *new = self.project_jointly(query, kernels)
            else:
                q, new = self.project_query(query), self.project_memory(query)
            k, v = cache = (overwritten if overwrite_cache else inserted)(cache, new, cache_update_index)
            use_causal_mask = attention_mask is None
        length = ops.shape(k[0] if isinstance(k, list) else k)[-2]  # printed loops have a list of heads
        mask = combine_masks(
            attention_mask,
            key_mask if key_mask is not None else value_mask,
            causal_shape=(ops.shape(query)[1], length) if use_causal_mask else None,
            causal_offset=0 if cache_update_index is None else cache_update_index,
        )
        output, weights, head_importance = self.attention(
            q, k, v, mask, query, query_mask, training, return_attention_scores
        )
        results = [output]
        if return_attention_scores:
            results.append(weights)
        if return_head_importance:
            results.append(head_importance)
        if cache is not None:
            results.append(cache)
        return results[0] if len(results) == 1 else tuple(results)

    def attention(self, q, k, v, mask, query, query_mask, training, return_attention_scores):
        """Everything after the projections: output, attention weights (None where one kernel did it) and importance."""
        needs_weights = return_attention_scores or (training and self.dropout) or not self.has_plain_weights
        if not needs_weights and has_fused_attention(q, k, v):
            weights, heads = None, fused_attention(q, k, v, mask)
        else:
            weights = self.normalize(self.score(q, k), mask)
            heads = self.attend(self.dropout_layer(weights, training=training), v)
        output, head_importance = self.combine(heads, query, q, query_mask, training)
        return output, weights, head_importance

    @property
    def has_plain_weights(self):
        """True if the heads are softmax(q kᵀ / √K) v: no stage before `combine` is another scheme's."""
        stages = ("score", "normalize", "attend")
        return all(getattr(type(self), stage) is getattr(MultiHeadAttention, stage) for stage in stages)

    # The five stages.

    def project(self, query, key, value):
        """`(B, T, D)`, `(B, S, D)`, `(B, S, D)` → q `(B, H, T, K)`, k `(B, H, S, K)`, v `(B, H, S, V)`."""
        return (self.project_query(query), *self.project_memory(value, key))

    def score(self, q, k):
        """Logits `(B, H, T, S)` of q `(B, H, T, K)` and k `(B, H, S, K)`."""
        return ops.matmul(q / math.sqrt(self.key_dim), ops.swapaxes(k, -1, -2))

    def normalize(self, logits, mask):
        """Attention weights `(B, H, T, S)`: the softmax over S, in float32, of the logits that `mask` admits."""
        logits = ops.cast(logits, "float32")
        if mask is not None:
            logits = logits + attention_bias(mask, len(logits.shape))
        return ops.cast(ops.softmax(logits, axis=-1), self.compute_dtype)

    def attend(self, weights, v):
        """Heads `(B, H, T, V)`: the values `(B, H, S, V)` averaged under the weights `(B, H, T, S)`."""
        return ops.matmul(weights, v)

    def combine(self, heads, query, q, query_mask=None, training=None):
        """Output `(B, T, D)` of the heads `(B, H, T, V)`, and the importance of each head if there is one.

        Args:
            heads: `(B, H, T, V)`.
            query: the layer's query input `(B, T, D)`, for schemes that weigh the heads by it.
            q: the projected query `(B, H, T, K)`, likewise.
            query_mask: `(B, T)`, 1 = kept, or None.
            training: whether dropout acts.
        """
        kernel, bias = self.output_projection()
        return merge_heads(heads, kernel) + bias, None

    def head_logits(self, scores, axis):
        """Scores of heads in float32, for the softmax over the heads along `axis`, in schemes that weigh them."""
        return ops.cast(scores, "float32")

    # Pieces of the stages that decoding uses on their own.

    def project_query(self, query):
        """q `(B, H, T, K)` of the query input `(B, T, D)`."""
        return project_heads(query, *self.query_projection())

    def project_memory(self, value, key=None):
        """k `(B, H, S, K)` and v `(B, H, S, V)` of a memory, to be given as `cache` at each decoding step."""
        k = project_heads(value if key is None else key, *self.key_projection())
        return k, project_heads(value, *self.value_projection())

    def decoding_kernels(self, query_only=False):
        """The query, key and value kernels as one `(D, columns)`, and with `use_bias` the bias `(columns,)`.

        Args:
            query_only: for a projected memory.
        """
        projections = [self.query_projection()]
        if not query_only:
            projections += [self.key_projection(), self.value_projection()]
        kernels, biases = zip(*projections, strict=True)
        kernel = ops.concatenate([ops.reshape(kernel, (kernel.shape[0], -1)) for kernel in kernels], axis=1)
        return (kernel, ops.concatenate([ops.reshape(bias, (-1,)) for bias in biases])) if self.use_bias else (kernel,)

    def project_jointly(self, inputs, kernels):
        """q, k and v, or q alone, `(B, H, T, K)` each, of inputs `(B, T, D)` with the kernels of `decoding_kernels`.

        One product instead of three: worth it for the few rows of a decoding step.
        """
        H, K = self.num_heads, self.key_dim
        return split_heads(linear(inputs, *kernels), [(self.query_heads, K), (H, K), (H, self.value_dim)])

    @property
    def query_heads(self):
        """The number of heads of q."""
        return self.num_heads

    def empty_cache(self, batch_size, length):
        """Keys `(B, H, L, K)` and values `(B, H, L, V)` before the first decoding step of self-attention."""
        shape = (batch_size, self.num_heads, length)
        return tuple(own_zeros((*shape, size), self.compute_dtype) for size in (self.key_dim, self.value_dim))

    def query_projection(self):
        """Kernel `(D, H, K)` and bias `(H, K)` or None of the query projection."""
        return self.cast(self.query_kernel), self.cast(self.query_bias) if self.use_bias else None

    def key_projection(self):
        """Kernel `(D_m, H, K)` and bias `(H, K)` or None of the key projection."""
        return self.cast(self.key_kernel), self.cast(self.key_bias) if self.use_bias else None

    def value_projection(self):
        """Kernel `(D_m, H, V)` and bias `(H, V)` or None of the value projection."""
        return self.cast(self.value_kernel), self.cast(self.value_bias) if self.use_bias else None

    def output_projection(self):
        """Kernel and bias `(D,)` of the output projection, `(H, V, D)` where no scheme says otherwise."""
        return self.cast(self.output_kernel), self.cast(self.output_bias)

    def cast(self, weight):
        """The weight in the layer's compute dtype, also where Keras does not cast it: outside `__call__`."""
        return ops.cast(weight, self.compute_dtype)

    def compute_mask(self, query, value=None, query_mask=None, *args, **kwargs):
        return query_mask

    def compute_output_shape(self, query_shape, value_shape, key_shape=None):
        return query_shape

    def compute_output_spec(self, *args, **kwargs):
        # Traces `call`, since the number of outputs depends on its arguments.
        return super(keras.layers.Layer, self).compute_output_spec(*args, **kwargs)

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "dropout": self.dropout,
            "use_bias": self.use_bias,
            "seed": self.seed,
        }
