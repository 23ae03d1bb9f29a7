"""Everything before the first training step: checks, batches and a compiled model."""

import logging

import keras

from data.batches.encoding import EncodedPairs
from data.batches.pipeline import TrainingBatches
from data.errors import InputError
from interacting_head.config import ExperimentConfig, TrainConfig
from interacting_head.config.values import ABOVE_WHOLE
from interacting_head.model.compilation import parts_side_by_side
from interacting_head.model.placement import check_model
from interacting_head.model.transformer import Transformer
from interacting_head.training.optimizer import Adam
from interacting_head.training.run_text import text_settings
from interacting_head.training.schedules import WarmupSchedule, schedule_class
from interacting_head.training.training_model import TRAINING_MODELS, TrainingModel

logger = logging.getLogger("interacting_head")


def check(config: ExperimentConfig) -> None:
    """Raise `InputError` for a configuration that cannot be trained, as far as that is known without text."""
    text_settings(config.data)
    check_model(config.model)
    schedule_class(config.train.schedule)
    if config.train.batch_tokens * config.train.gradient_accumulation_steps >= ABOVE_WHOLE:
        raise InputError(
            f"train.batch_tokens × train.gradient_accumulation_steps, {config.train.batch_tokens} × "
            f"{config.train.gradient_accumulation_steps}, must be below {ABOVE_WHOLE}; lower one of them"
        )
    if config.train.gradient_accumulation_steps > 1 and keras.backend.backend() not in ("tensorflow", "jax"):
        raise InputError(
            f"train.gradient_accumulation_steps is {config.train.gradient_accumulation_steps}, but the backend "
            f"{keras.backend.backend()} supports only 1; set it to 1, or set the environment variable "
            "KERAS_BACKEND to tensorflow or jax"
        )
    if config.train.best_metric == "bleu" and not config.train.validation_bleu:
        raise InputError("train.best_metric is bleu, but train.validation_bleu is false; change one of them")


def number_of_steps(train: TrainConfig, batches_per_epoch: int) -> int:
    """Return the number of steps after which training ends."""
    if train.max_epochs is None:
        return train.max_steps
    return min(train.max_steps, train.max_epochs * batches_per_epoch)


def steps_between_validations(train: TrainConfig, batches_per_epoch: int) -> int:
    """Return the number of steps from one validation to the next."""
    if train.validation_epochs is None:
        return train.validation_interval
    return train.validation_epochs * batches_per_epoch


def make_batches(
    config: ExperimentConfig, pairs: EncodedPairs, replicas: int = 1, static_shapes: bool | None = None
) -> TrainingBatches:
    """Return the training batches of encoded pairs for a number of replicas of the model.

    `static_shapes`, see `plan_batches`, are the default where XLA compiles the training step.
    """
    data, train = config.data, config.train
    if data.train_pairs is not None:
        pairs = pairs.sample(data.train_pairs, data.seed)
    dropped = f"{pairs.dropped_empty} empty and {pairs.dropped_long} longer than {data.max_length} sub-words"
    logger.info("%s pairs (dropped: %s)", f"{len(pairs):,}", dropped)
    return TrainingBatches(
        pairs,
        train.batch_tokens,
        train.seed,
        static_shapes=compiles_training_step() if static_shapes is None else static_shapes,
        multiple=replicas,
        parts=train.gradient_accumulation_steps,
    )


def make_schedule(config: ExperimentConfig, total_steps: int) -> WarmupSchedule:
    """Return the learning-rate schedule of a configuration and a number of steps."""
    return schedule_class(config.train.schedule).of_training(config.train, config.model.model_dim, total_steps)


def make_training_model(model: Transformer, config: ExperimentConfig, total_steps: int | None) -> TrainingModel:
    """Return the compiled `TrainingModel` of a `Transformer` and a number of steps.

    None for a model whose learning rate is a variable of its optimizer, instead of a schedule.
    """
    train = config.train
    optimizer = Adam(
        0.0 if total_steps is None else make_schedule(config, total_steps),
        beta_1=train.adam_beta_1,
        beta_2=train.adam_beta_2,
        epsilon=train.adam_epsilon,
        gradient_clip=train.gradient_clip,
        ema_decay=train.ema_decay,
    )
    kind = TRAINING_MODELS.get(keras.backend.backend(), TrainingModel)
    training_model = kind(model, train.label_smoothing, train.gradient_accumulation_steps, parts_side_by_side())
    training_model.compile(optimizer=optimizer, jit_compile=compiles_training_step())
    return training_model


def compiles_training_step() -> bool:
    """Return whether XLA compiles the training step, for each shape of a batch."""
    if keras.backend.backend() != "tensorflow":
        return keras.backend.backend() == "jax"
    import tensorflow as tf

    return len(tf.config.list_physical_devices("GPU")) == 1  # XLA cannot compile the step of a strategy for several
