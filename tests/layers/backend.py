"""Gradients and arrays on whichever backend the tests run."""

import keras
import numpy as np


def array(tensor):
    """A NumPy array of a tensor."""
    return np.asarray(keras.ops.convert_to_numpy(tensor))


def gradients(function, *inputs):
    """The gradients of the scalar `function(*inputs)` by each of the inputs, as arrays."""
    if keras.backend.backend() == "jax":
        import jax

        inputs = [keras.ops.convert_to_tensor(x) for x in inputs]
        return [array(g) for g in jax.grad(function, argnums=tuple(range(len(inputs))))(*inputs)]
    import tensorflow as tf

    inputs = [tf.convert_to_tensor(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = function(*inputs)
    return [array(g) for g in tape.gradient(result, inputs)]


def weight_gradients(layer, function):
    """The gradients of the scalar `function()` by each weight of `layer`, by name."""
    if keras.backend.backend() == "jax":
        import jax

        def stateless(values):
            with keras.StatelessScope(state_mapping=list(zip(layer.trainable_variables, values, strict=True))):
                return function()

        found = jax.grad(stateless)([variable.value for variable in layer.trainable_variables])
    else:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            result = function()
        found = tape.gradient(result, [variable.value for variable in layer.trainable_variables])
    return {v.name: array(g) for v, g in zip(layer.trainable_variables, found, strict=True)}


def compiled(function):
    """The function as one program where the backend is JAX, which would else compile each operation for each shape."""
    if keras.backend.backend() == "jax":
        import jax

        return jax.jit(function)
    return function
