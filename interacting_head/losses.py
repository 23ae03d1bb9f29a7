"""Label-smoothed cross-entropy over real tokens."""

import keras
from keras import ops

from data.subwords import PAD


@keras.saving.register_keras_serializable("interacting_head")
class LabelSmoothedCrossEntropy(keras.losses.Loss):
    """The mean over real tokens of the cross-entropy with smoothed labels, in nats.

    With smoothing ε over N classes the target distribution is (1 − ε) on the label plus ε / N on every class:

        loss = logsumexp(z) − (1 − ε) z_label − ε mean(z)

    Padding (label 0) counts neither in the sum nor in the mean.

    Args:
        label_smoothing: ε, in [0, 1).

    Call arguments:
        y_true: labels `(B, T)`.
        y_pred: logits `(B, T, N)`, float32.

    Returns:
        A scalar.

    Reference: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """

    def __init__(self, label_smoothing=0.0, name="label_smoothed_cross_entropy"):
        super().__init__(name=name)
        self.label_smoothing = label_smoothing

    def __call__(self, y_true, y_pred, sample_weight=None):
        # Keras' own reduction would divide by the number of tokens including padding.
        losses = token_cross_entropy(y_true, y_pred, self.label_smoothing)
        weights = ops.cast(ops.not_equal(y_true, PAD), losses.dtype)
        if sample_weight is not None:
            weights = weights * ops.cast(sample_weight, losses.dtype)
        return ops.sum(losses * weights) / ops.maximum(ops.sum(weights), 1e-9)

    def get_config(self):
        return {"label_smoothing": self.label_smoothing, "name": self.name}


def token_cross_entropy(labels, logits, label_smoothing=0.0):
    """The cross-entropy of each token `(B, T)`, in nats, of labels `(B, T)` and logits `(B, T, N)`."""
    logits = ops.cast(logits, "float32")
    label_logits = ops.squeeze(ops.take_along_axis(logits, ops.expand_dims(labels, -1), axis=-1), -1)
    losses = ops.logsumexp(logits, axis=-1) - (1.0 - label_smoothing) * label_logits
    return losses - label_smoothing * ops.mean(logits, axis=-1) if label_smoothing else losses
