"""Adam that clips by the global norm of the gradients and remembers it."""

import math

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable("interacting_head")
class Adam(keras.optimizers.Adam):
    """`keras.optimizers.Adam` with `gradient_norm`, the global norm before clipping, kept for the log.

    Under a `tf.distribute` strategy the gradients given must be those of all replicas together, the same on each:
    Keras adds them up only after clipping and after the test for infinities, and would do it once more.

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
        super().apply(grads, trainable_variables)

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        if keras.backend.backend() == "tensorflow":
            # TensorFlow's kernel corrects the bias of the moments by 1 − βᵗ of rounded βᵗ, with few digits in the first
            # steps: the rate comes corrected instead.
            step = ops.cast(self.iterations + 1, "float32")
            first, second = (-ops.expm1(step * math.log(np.float32(beta))) for beta in (self.beta_1, self.beta_2))
            learning_rate = ops.cast(learning_rate, "float32") * ops.sqrt(second) / first
        super()._backend_update_step(grads, trainable_variables, learning_rate)

    def update_step(self, gradient, variable, learning_rate):
        if keras.backend.backend() != "tensorflow":
            return super().update_step(gradient, variable, learning_rate)
        # The same in one pass over the memory instead of a dozen.
        import tensorflow as tf  # here, so that everything else works without TensorFlow

        index = self._get_variable_index(variable)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=0.0,
            beta2_power=0.0,
            lr=learning_rate,
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=ops.cast(gradient, variable.dtype),
        )

    def finalize_variable_values(self, var_list):
        pass  # `fit` would put the moving average in the place of the weights whenever it ends

    def overwrite_with_moving_average(self):
        """Gives the variables the values of their exponential moving average (`use_ema`)."""
        self._overwrite_model_variables_with_average_value(self._trainable_variables)

    def _all_reduce_sum_gradients(self, grads_and_vars):
        return grads_and_vars

    def get_config(self):
        return {**super().get_config(), "gradient_clip": self.gradient_clip}
