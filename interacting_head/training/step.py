"""One training step on TensorFlow and on JAX: gradients of a batch in parts, over all devices, and the update.

Keras' own steps differ silently in three places: it averages the mean losses of unequal batches with equal
weights, it clips before the gradients of all devices are added up, and its loss scaling looks for infinities on the
first device only. Here each part's loss is divided by the tokens of the whole batch, so that the gradients of all
parts and devices add up to that of the batch, and only the sum goes to the optimizer.
"""

import keras

from interacting_head.model.losses import real_tokens


def tensorflow_step(model, data):
    """A step of a `TrainingModel` on `data`, `(inputs, labels)`; under a strategy, those of one device of several.

    Returns:
        The logs, `{"loss": mean of a token since the last reset}`.
    """
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    inputs, labels, _ = keras.utils.unpack_x_y_sample_weight(data)
    context = tf.distribute.get_replica_context()
    several = context.num_replicas_in_sync > 1
    tokens = tokens_of(inputs, labels)
    if several:
        tokens = context.all_reduce("SUM", tokens)
    variables = [variable.value for variable in model.trainable_variables]

    def gradients_of_part(inputs, labels):
        with tf.GradientTape() as tape:
            outputs = model(inputs, training=True)
            loss = model.compute_loss(inputs, labels, outputs, sample_weight=tokens)
            scaled = model.optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return loss, [tf.convert_to_tensor(gradient) for gradient in gradients]

    def gradients_of(inputs, labels):
        if (count := model.parts_side_by_side) == 1:
            return gradients_of_part(inputs, labels)
        # The parts are independent: TensorFlow works on all of them at a time.
        rows = [(0, -tf.shape(labels)[0] % count), (0, 0)]  # with empty ones they are a multiple
        parts = keras.tree.map_structure(lambda array: in_parts(tf.pad(array, rows), count), (inputs, labels))
        losses, gradients = zip(
            *(
                gradients_of_part(*keras.tree.map_structure(lambda array, part=part: array[part], parts))
                for part in range(count)
            ),
            strict=True,
        )
        return tf.add_n(losses), [tf.add_n(of_parts) for of_parts in zip(*gradients, strict=True)]

    if model.accumulate_batches == 1:
        loss, gradients = gradients_of(inputs, labels)
    else:
        parts = keras.tree.map_structure(lambda array: in_parts(array, model.accumulate_batches), (inputs, labels))

        def add(part, loss, gradients):
            part_loss, part_gradients = gradients_of(*keras.tree.map_structure(lambda array: array[part], parts))
            gradients = [total + gradient for total, gradient in zip(gradients, part_gradients, strict=True)]
            return part + 1, loss + part_loss, gradients

        # One part after another: side by side they would not fit into the RAM.
        _, loss, gradients = tf.while_loop(
            lambda part, *_: part < model.accumulate_batches,
            add,
            (0, 0.0, [tf.zeros_like(variable) for variable in variables]),
            parallel_iterations=1,
        )
    if several:
        loss, *gradients = context.all_reduce("SUM", [loss, *gradients])
    model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    model.loss_mean.update_state(loss, sample_weight=tokens[1])
    return model.compute_metrics(inputs, labels, None)


def jax_step(model, state, data):
    """A step of a `TrainingModel` on `data`, `(inputs, labels)`, from `state`, the lists of Keras' variables.

    Arrays that are spread over devices are whole here: JAX adds up over the devices what is added up over the batch.

    Returns:
        The logs, as `tensorflow_step`, and the state after the step.
    """
    import jax
    import jax.numpy as jnp

    trainable, non_trainable, optimizer_variables, metrics = state
    inputs, labels, _ = keras.utils.unpack_x_y_sample_weight(data)
    tokens = tokens_of(inputs, labels)
    gradients_of = jax.value_and_grad(model.compute_loss_and_updates, has_aux=True)

    def add(sums, part):
        loss, gradients, non_trainable = sums
        (_, (part_loss, _, non_trainable, _)), part_gradients = gradients_of(
            trainable, non_trainable, metrics, *part, tokens, training=True, optimizer_variables=optimizer_variables
        )
        return (loss + part_loss, jax.tree.map(jnp.add, gradients, part_gradients), non_trainable), None

    parts = jax.tree.map(lambda array: in_parts(array, model.accumulate_batches), (inputs, labels))
    start = 0.0, jax.tree.map(jnp.zeros_like, trainable), non_trainable
    if model.accumulate_batches == 1:
        (loss, gradients, non_trainable), _ = add(start, jax.tree.map(lambda array: array[0], parts))
    else:
        (loss, gradients, non_trainable), _ = jax.lax.scan(add, start, parts)
    trainable, optimizer_variables = model.optimizer.stateless_apply(optimizer_variables, gradients, trainable)
    with keras.StatelessScope(zip(model.metrics_variables, metrics, strict=True)) as scope:
        model.loss_mean.update_state(loss, sample_weight=tokens[1])
        logs = model.compute_metrics(inputs, labels, None)
    metrics = [scope.get_current_value(variable) for variable in model.metrics_variables]
    return logs, (trainable, non_trainable, optimizer_variables, metrics)


def in_parts(array, parts):
    """An array `(B, T)` as `(parts, B / parts, T)`.

    Neighbouring rows go to different parts: where the rows are spread over devices, each works on each part.
    """
    rows = keras.ops.reshape(array, (-1, parts, *keras.ops.shape(array)[1:]))
    return keras.ops.swapaxes(rows, 0, 1)


def tokens_of(inputs, labels):
    """The numbers of source and of target tokens of a batch, without padding: two scalars in float32."""
    return real_tokens(inputs["source_ids"]), real_tokens(labels)
