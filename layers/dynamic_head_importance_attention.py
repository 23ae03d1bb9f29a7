"""Dynamic head importance (DHICM; Goindani & Shrivastava 2021)."""

import math

import keras
from keras import KerasTensor, ops

from layers.configured_layer import one_of
from layers.multi_head_attention import PROJECTION_AXES, MultiHeadAttention
from layers.projection import dense_glorot_uniform, linear

SCORES = ("dot", "mlp")


@keras.saving.register_keras_serializable("interacting_head")
class DynamicHeadImportanceAttention(MultiHeadAttention):
    """Multi-head attention whose heads are weighed by a second attention, from the query input over the heads.

    With x the query input and O^h the heads:

        s(x, O^h) = (W O^h)ᵀ (U x) / √d_m,    G = softmax over heads,    output = W_s Σ_h G_h V O^h

    Unless `training=False`, the layer adds the loss −λ · mean over the query positions kept by `query_mask` of
    KL(G ‖ uniform), which drives the heads' importances apart. `return_head_importance=True` returns G `(B, T, H)`.

    Args: as in `MultiHeadAttention`, and
        importance_dim: size d_m of the second attention; default: the model dimension.
        importance_loss_weight: λ.
        importance_dropout: rate of dropout on U x; `seed` holds for it too.
        importance_score: `"dot"`, equation (2), or `"mlp"`: s = vᵀ tanh(W O^h + U x), which the paper does not print.

    Example:
        >>> layer = DynamicHeadImportanceAttention(num_heads=8, key_dim=64, importance_dropout=0.2)
        >>> output, importance = layer(query, memory, return_head_importance=True)

    Reference: Goindani & Shrivastava 2021, equations (1)–(5).
    """

    arguments = ("importance_dim", "importance_loss_weight", "importance_dropout", "importance_score")
    has_head_importance = True
    head_axes = PROJECTION_AXES

    @classmethod
    def default_placement(cls, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[int, ...]]:
        """Return the last layer of encoder and decoder, in each of its attentions (section 4.3)."""
        return {"encoder": (encoder_layers,), "decoder": (decoder_layers,), "cross": (decoder_layers,)}

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        importance_dim: int | None = None,
        importance_loss_weight: float = 0.1,
        importance_dropout: float = 0.0,
        importance_score: str = "dot",
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.importance_dim = importance_dim
        self.importance_score = one_of(SCORES, "importance_score", importance_score)
        self.importance_loss_weight, self.importance_dropout = importance_loss_weight, importance_dropout
        seed = None if self.seed is None else self.seed + 1  # not the same random numbers as on the weights
        self.importance_dropout_layer = keras.layers.Dropout(
            importance_dropout, seed=seed, dtype=self.dtype_policy, name="importance_dropout"
        )

    def build_combination(self, model_dim: int) -> None:
        M, V = self.importance_dim or model_dim, self.value_dim

        def add(name, rows, columns):
            return self.add_weight((rows, columns), dense_glorot_uniform(rows, columns), name=name)

        self.importance_query_kernel = add("importance_query_kernel", model_dim, M)  # Uᵀ
        self.importance_key_kernel = add("importance_key_kernel", V, M)  # Wᵀ
        self.importance_value_kernel = add("importance_value_kernel", V, M)  # Vᵀ
        self.output_kernel = add("output_kernel", M, model_dim)  # W_sᵀ
        self.output_bias = self.add_weight((model_dim,), "zeros", name="output_bias")
        if self.importance_score == "mlp":
            initializer = dense_glorot_uniform(M, 1)
            self.importance_score_kernel = self.add_weight((M,), initializer, name="importance_score_kernel")
        self.importance_dropout_layer.build(None)

    def combine(
        self,
        heads: KerasTensor,
        query: KerasTensor,
        q: KerasTensor,
        query_mask: KerasTensor | None = None,
        training: bool | None = None,
    ) -> tuple[KerasTensor, KerasTensor | None]:
        heads = ops.transpose(heads, (0, 2, 1, 3))  # (B, T, H, V)
        x = linear(query, self.cast(self.importance_query_kernel))  # (B, T, M)
        x = self.importance_dropout_layer(x, training=training)
        key_kernel = self.cast(self.importance_key_kernel)
        if self.importance_score == "dot":
            # (W O)ᵀ (U x) = Oᵀ (Wᵀ U x): one vector of size V a position instead of H of size M.
            x = linear(x / math.sqrt(x.shape[-1]), ops.transpose(key_kernel))  # (B, T, V)
            scores = ops.sum(heads * ops.expand_dims(x, 2), axis=-1)  # (2): (B, T, H)
        else:
            hidden = ops.tanh(linear(heads, key_kernel) + ops.expand_dims(x, 2))  # (B, T, H, M)
            scores = ops.sum(self.cast(self.importance_score_kernel) * hidden, axis=-1)
        log_importance = ops.log_softmax(self.head_logits(scores, axis=-1), axis=-1)  # (1): (B, T, H)
        importance = ops.exp(log_importance)
        if training is not False:  # `step` is called outside `__call__`, where nothing clears losses
            self.add_loss(-self.importance_loss_weight * mean_divergence(importance, log_importance, query_mask))
        gate = ops.expand_dims(ops.cast(importance, heads.dtype), -1)
        # V is linear: it is applied once to the weighted sum instead of to each head.
        weighted = linear(ops.sum(gate * heads, axis=2), self.cast(self.importance_value_kernel))
        return linear(weighted, *self.output_projection()), importance  # (3)


def mean_divergence(
    importance: KerasTensor, log_importance: KerasTensor, query_mask: KerasTensor | None
) -> KerasTensor:
    """Return the mean over kept positions of KL(G ‖ uniform), equation (4), of G and log G `(B, T, H)`."""
    divergence = ops.sum(importance * (log_importance + math.log(importance.shape[-1])), axis=-1)  # (B, T)
    if query_mask is None:
        return ops.mean(divergence)
    kept = ops.cast(query_mask, "float32")
    return ops.sum(divergence * kept) / ops.maximum(ops.sum(kept), 1.0)
