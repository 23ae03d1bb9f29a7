"""Learning-rate schedules by name, all with linear warm-up. `t` is the step, counted from 1; `w` the warm-up steps."""

import math

import keras
from keras import KerasTensor, ops

from interacting_head.config import TrainConfig
from interacting_head.config.values import entry_of


class WarmupSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up to a peak, then `decay`; the base of all schedules."""

    def __init__(self, peak: float, warmup_steps: int, total_steps: int):
        self.peak, self.warmup_steps, self.total_steps = peak, warmup_steps, total_steps

    @classmethod
    def of_training(cls, train: TrainConfig, model_dim: int, total_steps: int) -> "WarmupSchedule":
        """Return the schedule of a training, whose peak is `learning_rate`."""
        return cls(train.learning_rate, train.warmup_steps, total_steps)

    def __call__(self, step):
        t = ops.cast(step, "float32") + 1.0  # Keras counts from 0
        warmup = ops.minimum(t / self.warmup_steps, 1.0)
        return self.peak * warmup * self.decay(ops.maximum(t, self.warmup_steps))

    def decay(self, t: KerasTensor) -> KerasTensor | float:
        """Return the factor at step t ≥ w."""
        return 1.0

    def get_config(self) -> dict:
        return {"peak": self.peak, "warmup_steps": self.warmup_steps, "total_steps": self.total_steps}


@keras.saving.register_keras_serializable("interacting_head")
class Constant(WarmupSchedule):
    """The peak, held."""


@keras.saving.register_keras_serializable("interacting_head")
class InverseSquareRoot(WarmupSchedule):
    """peak · min(t / w, √(w / t)): Vaswani et al. 2017, section 5.3, by its peak."""

    def decay(self, t: KerasTensor) -> KerasTensor:
        return ops.sqrt(self.warmup_steps / t)


@keras.saving.register_keras_serializable("interacting_head")
class Noam(InverseSquareRoot):
    """learning_rate · D^−½ · min(t^−½, t · w^−1.5): Vaswani et al. 2017, equation (3), times a factor."""

    @classmethod
    def of_training(cls, train: TrainConfig, model_dim: int, total_steps: int) -> "Noam":
        return cls(train.learning_rate / math.sqrt(model_dim * train.warmup_steps), train.warmup_steps, total_steps)


@keras.saving.register_keras_serializable("interacting_head")
class Cosine(WarmupSchedule):
    """One half cosine from the peak at t = w down to 0 at t = `total_steps`."""

    def decay(self, t: KerasTensor) -> KerasTensor:
        progress = ops.minimum((t - self.warmup_steps) / max(self.total_steps - self.warmup_steps, 1), 1.0)
        return 0.5 * (1.0 + ops.cos(math.pi * progress))


SCHEDULES = {"noam": Noam, "inverse_square_root": InverseSquareRoot, "constant": Constant, "cosine": Cosine}
"""`train.schedule` → class."""


def schedule_class(name: str) -> type[WarmupSchedule]:
    """Return the class of a schedule; raise `InputError`, with the closest name, if it is unknown."""
    return entry_of(SCHEDULES, name, "train.schedule")
