"""The model that `fit` trains: a Transformer up to its last hidden vectors, and the loss."""

import keras
from keras import ops

from interacting_head.losses import linear_cross_entropy


class TrainingModel(keras.Model):
    """Trains a `Transformer` by teacher forcing, with a loss that never keeps the logits.

    The Transformer itself stays without loss and optimizer, so that its weight files hold weights only.

    Args:
        transformer: the `Transformer`.
        label_smoothing: see `losses`.

    Call arguments:
        inputs: as of `Transformer`; `fit` takes `(inputs, labels (B, T))`.

    Returns:
        The last hidden vectors `(B, T, D)`.
    """

    def __init__(self, transformer, label_smoothing=0.0, **kwargs):
        super().__init__(**kwargs)
        self.transformer = transformer
        self.label_smoothing = label_smoothing

    def build(self, input_shape):
        pass  # the Transformer is built when it is made

    def call(self, inputs, training=None):
        memories, padding_mask = self.transformer.encode(inputs["source_ids"], training=training)
        return self.transformer.decode(inputs["target_ids"], memories, padding_mask, training=training)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        embeddings = self.transformer.target_embedding.embeddings
        loss = linear_cross_entropy(y_pred, ops.convert_to_tensor(embeddings), y, self.label_smoothing)
        return loss + sum(self.losses)
