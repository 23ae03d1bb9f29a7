"""Everything before the first training step: checks, batches, a compiled model; and the dry run."""

import logging
import tempfile

import keras

from data.batches.pipeline import TrainingBatches
from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.model.building import build_model
from interacting_head.model.compilation import parts_side_by_side
from interacting_head.model.placement import check_model
from interacting_head.run_directory import RunDirectory
from interacting_head.training import peak_ram, precision
from interacting_head.training.devices import Devices
from interacting_head.training.optimizer import Adam
from interacting_head.training.run_text import open_text, prepare_run_text, text_settings
from interacting_head.training.schedules import schedule_class
from interacting_head.training.training_model import TrainingModel

logger = logging.getLogger("interacting_head")


def check(config):
    """Raise `InputError` for an `ExperimentConfig` that cannot be trained, as far as it can be known without text."""
    text_settings(config.data)
    check_model(config.model)
    schedule_class(config.train.schedule)
    if config.train.best_metric == "bleu" and not config.train.validation_bleu:
        raise InputError("train.best_metric is bleu, but train.validation_bleu is false; set one of them")


def number_of_steps(train, batches_per_epoch):
    """The number of steps after which a training of this `TrainConfig` is at its end."""
    if train.max_epochs is None:
        return train.max_steps
    return min(train.max_steps, train.max_epochs * batches_per_epoch)


def make_batches(config, pairs, replicas=1):
    """The `TrainingBatches` of encoded pairs for so many replicas of the model, from the first batch on."""
    data, parts = config.data, config.train.accumulate_batches
    if data.train_pairs is not None:
        pairs = pairs.sample(data.train_pairs, data.seed)
    logger.info(
        "%s pairs (%d empty and %d longer than %d sub-words left out)",
        f"{len(pairs):,}",
        pairs.dropped_empty,
        pairs.dropped_long,
        data.max_length,
    )
    return TrainingBatches(
        pairs,
        config.train.batch_tokens * parts,
        config.train.seed,
        static_shapes=compiles_training_step(),
        multiple=parts * replicas,
    )


def make_training_model(model, config, total_steps):
    """The compiled `TrainingModel` of a `Transformer`, to be trained so many steps."""
    train = config.train
    if train.accumulate_batches > 1 and keras.backend.backend() not in ("tensorflow", "jax"):
        raise InputError(
            f"train.accumulate_batches is {train.accumulate_batches}, which the backend {keras.backend.backend()} "
            "cannot do; set it to 1, or set the environment variable KERAS_BACKEND to tensorflow or jax"
        )
    optimizer = Adam(
        schedule_class(train.schedule).of_training(train, config.model.model_dim, total_steps),
        beta_1=train.adam_beta_1,
        beta_2=train.adam_beta_2,
        epsilon=train.adam_epsilon,
        gradient_clip=train.gradient_clip,
        ema_decay=train.ema_decay,
    )
    training_model = TrainingModel(model, train.label_smoothing, train.accumulate_batches, parts_side_by_side())
    training_model.compile(optimizer=optimizer, jit_compile=compiles_training_step())
    return training_model


def compiles_training_step():
    """Return whether XLA compiles the training step: each new shape of a batch then costs a compilation."""
    if keras.backend.backend() == "jax":
        return True
    # Under a strategy for several GPUs XLA cannot compile the step.
    return keras.backend.backend() == "tensorflow" and len(_tensorflow_gpus()) == 1


def _tensorflow_gpus():
    import tensorflow as tf

    return tf.config.list_physical_devices("GPU")


def dry_run(config, corpora_dir=None):
    """Print configuration, model, batch plan and RAM, and leave nothing behind but encoded text in the cache."""
    check(config)
    config = precision.resolved(config)
    corpus, replicas = open_text(config.data, corpora_dir), Devices.find().replicas
    keras.config.set_dtype_policy(config.train.precision)
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(folder)
        text = prepare_run_text(config.data, run, corpus)
        batches = make_batches(config, text.pairs, replicas)
        model = build_model(config, *text.subwords)
    plan = batches.plan(0)
    print(configuration.to_yaml(config))
    model.summary()
    steps = number_of_steps(config.train, len(plan))
    sizes = [subwords.vocabulary_size for subwords in text.subwords]
    largest = " × ".join(map(str, plan.shapes[plan.shapes.prod(axis=1).argmax()].tolist()))
    needs = peak_ram.report(make_training_model(model, config, steps), plan.shapes, replicas)
    print(f"""
parameters          {model.count_params():,}
vocabulary          {sizes[0]:,} source, {sizes[1]:,} target
tokens an epoch     {plan.tokens:,} source and target, without padding
batches an epoch    {len(plan):,}, padded / non-padded tokens {plan.padded_ratio():.3f}
largest batch       {largest} (sentences × source × target)
steps               at most {steps:,}, {steps / len(plan):.1f} epochs""")
    print("\n".join(needs))
