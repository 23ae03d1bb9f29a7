"""Adam that clips by the global norm of the gradients, logs it, and averages the weights."""

import math
import types

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable("interacting_head")
class Adam(keras.optimizers.Adam):
    """`keras.optimizers.Adam` with global clipping, `gradient_norm` (before clipping) and a fused TensorFlow kernel.

    Gradients, after undoing the loss scaling of float16, come in the order of the variables it was built with; under a
    `tf.distribute` strategy they must be the sums over all replicas.

    Args:
        gradient_clip: largest global norm; None: no clipping.
        ema_decay: of an exponential moving average of the variables; None: no average. (Keras' own, `use_ema`, would
            replace the weights whenever `fit` ends.)
    """

    def __init__(self, *args, gradient_clip: float | None = None, ema_decay: float | None = None, **kwargs):
        super().__init__(*args, **kwargs)
        self.gradient_clip = gradient_clip
        self.ema_decay = ema_decay

    def build(self, variables: list) -> None:
        if self.built:
            return
        averages = [] if self.ema_decay is None else self.add_optimizer_variables(variables, "average")
        others = len(self.variables)
        super().build(variables)
        moments = self.variables[others:]  # first and second of each variable in turn
        # A namespace, because Keras would count the variables in a list of the optimizer as its own.
        self.slots = types.SimpleNamespace(
            moments=list(zip(variables, moments[::2], moments[1::2], strict=True)),
            averages=list(zip(variables, averages, strict=False)),
        )
        self.gradient_norm = self.add_variable((), dtype="float32", name="gradient_norm")

    def apply(self, grads: list, trainable_variables: list | None = None) -> None:
        if not self.built:
            self.build(trainable_variables)
        squares = [ops.sum(ops.square(ops.cast(grad, "float32"))) for grad in grads if grad is not None]
        norm = ops.sqrt(ops.sum(ops.stack(squares)))
        self.gradient_norm.assign(norm)
        if self.gradient_clip is not None:
            scale = self.gradient_clip / ops.maximum(norm, self.gradient_clip)
            grads = [None if grad is None else grad * ops.cast(scale, grad.dtype) for grad in grads]
        if keras.backend.backend() == "tensorflow":
            self._apply_kernels(grads)
        else:
            super().apply(grads, trainable_variables)
        for variable, average in self.slots.averages:
            decay = self.ema_decay * ops.cast(ops.not_equal(self.iterations, 1), variable.dtype)
            average.assign(decay * average + (1 - decay) * variable)

    def _apply_kernels(self, grads):
        """Update each variable in one pass over its memory; Keras' operations take a dozen."""
        import tensorflow as tf  # here, so that everything else works without TensorFlow

        # The kernel would correct the bias of the moments by 1 − βᵗ with a rounded βᵗ, inexactly in the first steps:
        # correct the rate instead.
        step = ops.cast(self.iterations + 1, "float32")
        first, second = (
            -ops.expm1(step * math.log(np.float32(beta))) if beta else 1.0 for beta in (self.beta_1, self.beta_2)
        )
        rate = ops.cast(self.learning_rate, "float32") * ops.sqrt(second) / first
        for (variable, m, v), gradient in zip(self.slots.moments, grads, strict=True):
            if gradient is not None:
                tf.raw_ops.ResourceApplyAdam(
                    var=variable.value.handle,
                    m=m.value.handle,
                    v=v.value.handle,
                    beta1_power=0.0,
                    beta2_power=0.0,
                    lr=rate,
                    beta1=self.beta_1,
                    beta2=self.beta_2,
                    epsilon=self.epsilon,
                    grad=ops.cast(gradient, variable.dtype),
                )
        self.iterations.assign_add(1)

    def overwrite_with_moving_average(self) -> None:
        """Set the variables to their exponential moving average."""
        for variable, average in self.slots.averages:
            variable.assign(average)

    def get_config(self) -> dict:
        return {**super().get_config(), "gradient_clip": self.gradient_clip, "ema_decay": self.ema_decay}
