"""The model that `fit` trains, and a training step on TensorFlow and on JAX.

Keras' own steps silently differ in three ways: they average the mean losses of unequal batches with equal weights, clip
before adding up the gradients of all devices, and look for infinities of scaled losses on the first device only. Here
each part's loss is divided by the tokens of the whole batch, so the gradients of all parts and devices add up to the
batch's gradients, and only the sum goes to the optimizer.
"""

import keras
from keras import KerasTensor, ops

from interacting_head.model.losses import linear_cross_entropy, real_tokens
from interacting_head.model.transformer import Transformer


class TrainingModel(keras.Model):
    """Train a `Transformer` by teacher forcing, with a loss that never keeps the logits.

    The Transformer itself has no loss or optimizer, so its weight files contain only weights. This model returns the
    last hidden vectors `(B, T, D)`, and two scalars: the sums of the losses that layers of the encoder and of the
    decoder add. `fit` takes `(inputs of the Transformer, labels (B, T))`.

    Args:
        gradient_accumulation_steps: number of equal parts of a batch, computed one after another in the RAM of one, for
            one step that equals a step with the whole batch.
        parts_side_by_side: number of parts into which each of these is split once more, to be computed in parallel, see
            `compilation`. Used by TensorFlow only.
    """

    def __init__(
        self,
        transformer: Transformer,
        label_smoothing: float = 0.0,
        gradient_accumulation_steps: int = 1,
        parts_side_by_side: int = 1,
    ):
        super().__init__()
        self.transformer = transformer
        self.label_smoothing = label_smoothing
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.parts_side_by_side = parts_side_by_side
        self.built = True  # as the Transformer is

    def call(self, inputs: dict, training: bool | None = None) -> tuple[KerasTensor, ...]:
        network = self.transformer
        memories, padding_mask = network.encode(inputs["source_ids"], training=training)
        hidden = network.decode(inputs["target_ids"], memories, padding_mask, training=training)
        sides = network.encoder_blocks, network.decoder_blocks
        return hidden, *(sum((loss for block in side for loss in block.losses), ops.zeros(())) for side in sides)

    @property
    def loss_mean(self) -> keras.Metric:
        """The mean loss since the last reset."""
        return next(metric for metric in self.metrics if metric.name == "loss")

    @property
    def adam(self) -> keras.Optimizer:
        """The optimizer, within the one that scales the loss in float16."""
        return getattr(self.optimizer, "inner_optimizer", self.optimizer)

    def compute_loss(
        self,
        x: dict | None = None,
        y: KerasTensor | None = None,
        y_pred: tuple | None = None,
        sample_weight: KerasTensor | None = None,
        training: bool = True,
    ) -> KerasTensor:
        """Return the mean loss of a token of a whole batch, or the share of one part of the batch in it.

        For a part, the inputs `x` have the `token_counts` of the whole batch. Losses that layers add are means over the
        tokens of their side, weighted by the part's share of these tokens.
        """
        hidden, *added = y_pred
        here = token_counts(x, y)
        whole = x.get("token_counts", here)
        embeddings = ops.convert_to_tensor(self.transformer.output_embedding.embeddings)
        loss = linear_cross_entropy(hidden, embeddings, y, self.label_smoothing, tokens=whole[1])
        return loss + sum(
            losses * tokens / ops.maximum(of_whole, 1.0)
            for losses, tokens, of_whole in zip(added, here, whole, strict=True)
        )


class TensorFlowTrainingModel(TrainingModel):
    """A `TrainingModel` with TensorFlow's step."""

    def train_step(self, data: tuple) -> dict:
        """Update the weights with a batch `(inputs, labels)`, under a strategy with one device's rows; return logs."""
        import tensorflow as tf  # here, so that everything else works without TensorFlow

        inputs, labels, _ = keras.utils.unpack_x_y_sample_weight(data)
        context = tf.distribute.get_replica_context()
        several = context.num_replicas_in_sync > 1
        counts = token_counts(inputs, labels)
        if several:
            counts = context.all_reduce("SUM", counts)
        if self.gradient_accumulation_steps > 1:
            loss, gradients = self._accumulated(inputs, labels, counts)
        else:
            found = []
            for part in self._side_by_side(inputs, labels):  # a comprehension or a method would be one more frame
                found.append(self.loss_and_gradients(*part, counts))
            loss, gradients = _sum(found)
        if several:
            loss, *gradients = context.all_reduce("SUM", [loss, *gradients])
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.loss_mean.update_state(loss, sample_weight=counts[1])
        return self.compute_metrics(inputs, labels, None)

    def loss_and_gradients(self, inputs: dict, labels: KerasTensor, counts: tuple) -> tuple[KerasTensor, list]:
        """Return loss and gradients of a part of a batch; `counts` are `token_counts` of the whole batch."""
        import tensorflow as tf

        variables = [variable.value for variable in self.trainable_variables]
        with tf.GradientTape() as tape:
            outputs = self(inputs, training=True)
            loss = self.compute_loss({**inputs, "token_counts": counts}, labels, outputs)
            scaled = self.optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return loss, [tf.convert_to_tensor(gradient) for gradient in gradients]

    def _side_by_side(self, inputs, labels):
        """Return the independent parts of a batch, which TensorFlow computes in parallel."""
        import tensorflow as tf

        if (count := self.parts_side_by_side) == 1:
            return [(inputs, labels)]
        rows = [(0, -tf.shape(labels)[0] % count), (0, 0)]  # with empty ones they are a multiple
        parts = keras.tree.map_structure(lambda array: in_parts(tf.pad(array, rows), count), (inputs, labels))
        return [keras.tree.map_structure(lambda array, part=part: array[part], parts) for part in range(count)]

    def _accumulated(self, inputs, labels, counts):
        """Return loss and gradients of a batch, computed in parts one after another."""
        import tensorflow as tf

        parts = keras.tree.map_structure(
            lambda array: in_parts(array, self.gradient_accumulation_steps), (inputs, labels)
        )

        def add(part, loss, gradients):
            batch = keras.tree.map_structure(lambda array: array[part], parts)
            part_loss, part_gradients = _sum(
                [self.loss_and_gradients(*one, counts) for one in self._side_by_side(*batch)]
            )
            gradients = [total + gradient for total, gradient in zip(gradients, part_gradients, strict=True)]
            return part + 1, loss + part_loss, gradients

        # One part after another: side by side they would not fit into the RAM.
        start = 0, 0.0, [tf.zeros_like(variable.value) for variable in self.trainable_variables]
        condition = lambda part, *_: part < self.gradient_accumulation_steps  # noqa: E731
        _, loss, gradients = tf.while_loop(condition, add, start, parallel_iterations=1)
        return loss, gradients


class JaxTrainingModel(TrainingModel):
    """A `TrainingModel` with the step of JAX."""

    def train_step(self, state: tuple, data: tuple) -> tuple[dict, tuple]:
        """Update the weights with a batch `(inputs, labels)`; return the logs and the state after the step.

        Arrays spread over devices appear whole here: JAX sums over the devices whenever the code sums over the batch.
        """
        import jax
        import jax.numpy as jnp

        trainable, non_trainable, optimizer_variables, metrics = state
        inputs, labels, _ = keras.utils.unpack_x_y_sample_weight(data)
        counts = token_counts(inputs, labels)
        loss_and_gradients = jax.value_and_grad(self.compute_loss_and_updates, has_aux=True)

        def add(sums, part):
            loss, gradients, non_trainable = sums
            inputs, labels = part
            inputs = {**inputs, "token_counts": counts}
            (_, (part_loss, _, non_trainable, _)), part_gradients = loss_and_gradients(
                trainable, non_trainable, metrics, inputs, labels, None, True, optimizer_variables
            )
            return (loss + part_loss, jax.tree.map(jnp.add, gradients, part_gradients), non_trainable), None

        parts = jax.tree.map(lambda array: in_parts(array, self.gradient_accumulation_steps), (inputs, labels))
        start = 0.0, jax.tree.map(jnp.zeros_like, trainable), non_trainable
        if self.gradient_accumulation_steps == 1:
            (loss, gradients, non_trainable), _ = add(start, jax.tree.map(lambda array: array[0], parts))
        else:
            (loss, gradients, non_trainable), _ = jax.lax.scan(add, start, parts)
        trainable, optimizer_variables = self.optimizer.stateless_apply(optimizer_variables, gradients, trainable)
        with keras.StatelessScope(zip(self.metrics_variables, metrics, strict=True)) as scope:
            self.loss_mean.update_state(loss, sample_weight=counts[1])
            logs = self.compute_metrics(inputs, labels, None)
        metrics = [scope.get_current_value(variable) for variable in self.metrics_variables]
        return logs, (trainable, non_trainable, optimizer_variables, metrics)


TRAINING_MODELS = {"tensorflow": TensorFlowTrainingModel, "jax": JaxTrainingModel}
"""Backend → class; others train with Keras' own step."""


def token_counts(inputs: dict, labels: KerasTensor) -> tuple[KerasTensor, KerasTensor]:
    """Return the numbers of source and target tokens of a batch without padding, scalars in float32."""
    return real_tokens(inputs["source_ids"]), real_tokens(labels)


def in_parts(array: KerasTensor, parts: int) -> KerasTensor:
    """Return an array `(B, T)` as `(parts, B / parts, T)`, neighbouring rows in different parts.

    So if the rows are spread over devices, each device has rows of each part.
    """
    rows = keras.ops.reshape(array, (-1, parts, *keras.ops.shape(array)[1:]))
    return keras.ops.swapaxes(rows, 0, 1)


def _sum(found):
    """Return the sums of a list of (loss, gradients)."""
    import tensorflow as tf

    if len(found) == 1:
        return found[0]
    losses, gradients = zip(*found, strict=True)
    return tf.add_n(losses), [tf.add_n(of_parts) for of_parts in zip(*gradients, strict=True)]
