"""Adam that clips by the global norm of the gradients and remembers it."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("interacting_head")
class Adam(keras.optimizers.Adam):
    """`keras.optimizers.Adam` with `gradient_norm`, the global norm before clipping, kept for the log.

    A variable with an attribute `learning_rate_factor` moves by that part of each step
    (see `layers.InteractingHeadAttention`).

    Args:
        gradient_clip: largest global norm; larger gradients are scaled down to it. None: no clipping.
        **kwargs: those of `keras.optimizers.Adam`.
    """

    def __init__(self, *args, gradient_clip=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.gradient_clip = gradient_clip

    def build(self, variables):
        super().build(variables)
        self.gradient_norm = self.add_variable((), dtype="float32", name="gradient_norm")

    def apply(self, grads, trainable_variables=None):
        if not self.built:
            self.build(trainable_variables)
        squares = [ops.sum(ops.square(ops.cast(grad, "float32"))) for grad in grads if grad is not None]
        norm = ops.sqrt(ops.sum(ops.stack(squares)))
        self.gradient_norm.assign(norm)
        if self.gradient_clip is not None:
            scale = self.gradient_clip / ops.maximum(norm, self.gradient_clip)
            grads = [None if grad is None else grad * ops.cast(scale, grad.dtype) for grad in grads]
        variables = self._trainable_variables if trainable_variables is None else trainable_variables
        slowed = [(v, v.learning_rate_factor) for v in variables if hasattr(v, "learning_rate_factor")]
        before = [ops.copy(v.value) for v, _ in slowed]
        super().apply(grads, trainable_variables)
        for (variable, factor), value in zip(slowed, before, strict=True):
            variable.assign(value + factor * (ops.convert_to_tensor(variable) - value))

    def get_config(self):
        return {**super().get_config(), "gradient_clip": self.gradient_clip}
