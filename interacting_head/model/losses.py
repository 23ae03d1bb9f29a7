"""Label-smoothed cross-entropy over real tokens, without keeping the logits.

With smoothing ε over N classes the target distribution is (1 − ε) on the label plus ε / N on every class, so the
loss of a token with logits z is

    logsumexp(z) − (1 − ε) z_label − ε mean(z)

References: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
"""

from keras import KerasTensor, ops

from data.text.subwords import PAD
from layers.projection import transposed

CHUNKS = 8  # parts of a batch whose logits exist one after another


def token_cross_entropy(labels: KerasTensor, logits: KerasTensor, label_smoothing: float = 0.0) -> KerasTensor:
    """Return the cross-entropy of each token `(B, T)`, in nats, of labels `(B, T)` and logits `(B, T, N)`."""
    logits = ops.cast(logits, "float32")
    label_logits = ops.squeeze(ops.take_along_axis(logits, ops.expand_dims(labels, -1), axis=-1), -1)
    losses = ops.logsumexp(logits, axis=-1) - (1.0 - label_smoothing) * label_logits
    return losses - label_smoothing * ops.mean(logits, axis=-1) if label_smoothing else losses


def real_tokens(labels: KerasTensor) -> KerasTensor:
    """Return the number of non-padding labels, a scalar in float32."""
    return ops.sum(ops.cast(ops.not_equal(labels, PAD), "float32"))


def linear_cross_entropy(
    hidden: KerasTensor,
    embeddings: KerasTensor,
    labels: KerasTensor,
    label_smoothing: float = 0.0,
    tokens: KerasTensor | None = None,
) -> KerasTensor:
    """Return the mean over real tokens of `token_cross_entropy` of the logits `hidden @ embeddingsᵀ`, in nats.

    The logits of a batch are its largest tensor, and automatic differentiation passes over it many times. Here logits,
    loss and gradient are computed together, one part of the batch after another: mean(z) and z_label, and their
    gradients, need no logits at all.

    Args:
        hidden, embeddings: `(B, T, D)` and `(N, D)`; the result, a scalar in float32, is differentiable once by them.
        labels: `(B, T)`; padding (0) counts neither in the sum nor in the mean.
        label_smoothing: ε, in [0, 1).
        tokens: divisor of the sum, a scalar in float32; default: the real tokens here. With the whole batch's count,
            the results of its parts add up to its mean.
    """
    D, N = hidden.shape[-1], embeddings.shape[0]
    flat_labels = ops.reshape(labels, (-1,))
    rows = -(-ops.shape(flat_labels)[0] // CHUNKS) * CHUNKS
    padding = rows - ops.shape(flat_labels)[0]
    flat_labels = ops.pad(flat_labels, ((0, padding),), constant_values=PAD)
    real = ops.cast(ops.not_equal(flat_labels, PAD), "float32")
    tokens = ops.maximum(real_tokens(labels) if tokens is None else tokens, 1.0)
    weights = real / tokens
    real, weights = ops.expand_dims(real, 1), ops.expand_dims(weights, 1)  # (rows, 1)

    @ops.custom_gradient
    def mean_loss(x, E):
        E_transposed = transposed(E)
        x_float, E_float = ops.cast(x, "float32"), ops.cast(E, "float32")
        label_embeddings = ops.take(E_float, flat_labels, axis=0)
        mean_embedding = ops.mean(E_float, axis=0)
        target = (1.0 - label_smoothing) * label_embeddings + label_smoothing * mean_embedding  # (rows, D)

        log_normalizers, x_gradients, E_gradient = [], [], 0.0
        size = rows // CHUNKS
        for chunk in range(CHUNKS):
            here = slice(chunk * size, (chunk + 1) * size)
            part = x[here]
            z = ops.cast(ops.matmul(part, E_transposed), "float32")
            p = ops.softmax(z, axis=-1)
            # logsumexp(z) is z − log p at any class; the largest is the exact one.
            log_normalizers.append(ops.max(z, axis=-1) - ops.log(ops.max(p, axis=-1)))
            p = ops.cast(p, x.dtype)
            x_gradients.append(ops.cast(ops.matmul(p, E), "float32") * weights[here])
            # The division by the number of tokens comes last: it would be too small a factor for float16.
            real_part = part * ops.cast(real[here], x.dtype)
            E_gradient = E_gradient + ops.cast(ops.matmul(ops.transpose(p), real_part), "float32")

        losses = ops.concatenate(log_normalizers) - ops.sum(x_float * target, axis=-1)
        x_gradient = ops.concatenate(x_gradients) - target * weights
        x_weighted = x_float * weights
        E_gradient = E_gradient / tokens - (1.0 - label_smoothing) * ops.segment_sum(x_weighted, flat_labels, N)
        E_gradient = E_gradient - label_smoothing / N * ops.sum(x_weighted, axis=0)

        def gradient(*arguments, upstream=None):
            upstream = arguments[0] if upstream is None else upstream
            return ops.cast(upstream * x_gradient, x.dtype), ops.cast(upstream * E_gradient, E.dtype)

        return ops.sum(losses * ops.squeeze(weights, 1)), gradient

    flat_hidden = ops.pad(ops.reshape(hidden, (-1, D)), ((0, padding), (0, 0)))
    return mean_loss(flat_hidden, ops.cast(embeddings, hidden.dtype))
