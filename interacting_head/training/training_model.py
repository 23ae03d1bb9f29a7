"""The model that `fit` trains: a Transformer up to its last hidden vectors, and the loss."""

import keras
from keras import ops

from interacting_head.model.losses import linear_cross_entropy
from interacting_head.training import step as training_step


class TrainingModel(keras.Model):
    """Trains a `Transformer` by teacher forcing, with a loss that never keeps the logits.

    The Transformer itself stays without loss and optimizer, so that its weight files hold weights only.

    Args:
        transformer: the `Transformer`.
        label_smoothing: see `losses`.
        accumulate_batches: each batch is worked off in so many parts of as many rows, in the RAM of one part. The
            step is that of the whole batch.
        parts_side_by_side: each batch, or part of it, is divided once more into so many parts that are computed at the
            same time, see `compilation`. Used by TensorFlow only.

    Call arguments:
        inputs: as of `Transformer`; `fit` takes `(inputs, labels (B, T))`.

    Returns:
        The last hidden vectors `(B, T, D)`, and two scalars: the sums of the losses that layers of the encoder and of
        the decoder add.
    """

    def __init__(self, transformer, label_smoothing=0.0, accumulate_batches=1, parts_side_by_side=1, **kwargs):
        super().__init__(**kwargs)
        self.transformer = transformer
        self.label_smoothing = label_smoothing
        self.accumulate_batches = accumulate_batches
        self.parts_side_by_side = parts_side_by_side
        self.built = True  # as the Transformer is

    def call(self, inputs, training=None):
        memories, padding_mask = self.transformer.encode(inputs["source_ids"], training=training)
        of_encoder = self.losses
        hidden = self.transformer.decode(inputs["target_ids"], memories, padding_mask, training=training)
        of_decoder = [loss for loss in self.losses if all(loss is not other for other in of_encoder)]
        return hidden, *(sum(losses, ops.zeros(())) for losses in (of_encoder, of_decoder))

    @property
    def loss_mean(self):
        """Keras' metric of the mean loss since the last reset."""
        return next(metric for metric in self.metrics if metric.name == "loss")

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The mean loss of a token of a whole batch, or the share of one part of the batch in it.

        Losses that layers add are means over the tokens of their side: they count by the part's share of these.

        Args:
            x, y, y_pred: inputs, labels and outputs of the part.
            sample_weight: `step.tokens_of` the whole batch; None: the part is the whole.
            training: not used.
        """
        hidden, *added = y_pred
        here = training_step.tokens_of(x, y)
        whole = here if sample_weight is None else sample_weight
        embeddings = ops.convert_to_tensor(self.transformer.output_embedding.embeddings)
        loss = linear_cross_entropy(hidden, embeddings, y, self.label_smoothing, tokens=whole[1])
        return loss + sum(
            losses * tokens / ops.maximum(of_whole, 1.0)
            for losses, tokens, of_whole in zip(added, here, whole, strict=True)
        )

    def train_step(self, *arguments):
        """One step of the backend, with the arguments that Keras gives."""
        if keras.backend.backend() == "tensorflow":
            return training_step.tensorflow_step(self, *arguments)
        if keras.backend.backend() == "jax":
            return training_step.jax_step(self, *arguments)
        return super().train_step(*arguments)
