"""Trains on one CPU device and on two logical ones, in one process: `python -m tests.two_devices FOLDER CASE`.

A case is one of `CASES`; `runs`, the run directories of `train_runs`; or `dropout`, the masks of `draw_masks`.
"""

import dataclasses
import functools
import itertools
import os
import signal
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from interacting_head.config import ExperimentConfig, override
from interacting_head.training import trainer as training
from interacting_head.training.callbacks import Progress
from interacting_head.training.checkpoints import Checkpointing
from interacting_head.training.devices import Devices
from interacting_head.training.setup import make_training_model
from interacting_head.training.training_model import TensorFlowTrainingModel
from tests import tiny_corpus
from tests.interacting_head import tiny

STEPS = 6
POISON = 16  # a source token that makes the loss infinite
# Their precision, attention scheme, and in how many parts two devices work.
CASES = {
    "float32": ("float32", "interacting_head", 1),
    "parts": ("float32", "dynamic_head_importance", 2),
    "mixed_bfloat16": ("mixed_bfloat16", "interacting_head", 1),
    "mixed_float16": ("mixed_float16", "interacting_head", 1),
}


class Poisonable(TensorFlowTrainingModel):
    def compute_loss(self, x, *arguments, **options):
        is_poisoned = keras.ops.any(x["source_ids"] == POISON)
        return super().compute_loss(x, *arguments, **options) * keras.ops.where(is_poisoned, np.inf, 1.0)


def batches(poisoned=False):
    """Batches `(inputs, labels)` whose second half has far fewer target tokens than the first, and in the last none.

    Source tokens are the other way round.
    """
    found = []
    for seed, (long, short) in enumerate([([8, 6, 7, 5], [2, 2, 2, 3]), ([3, 5, 8, 8], [2, 1, 2, 1]), ([6, 4], [])]):
        lengths, rows = [*long, *short], 8 if short else 4
        target_ids, labels = tiny.targets(lengths, width=8, seed=seed)
        source_ids = tiny.sources(lengths[::-1], width=8, seed=seed + 10)
        source_ids[source_ids == POISON] = 4
        if poisoned:
            source_ids[-1, 0] = POISON
        arrays = ({"source_ids": source_ids, "target_ids": target_ids}, labels)
        padding = ((0, rows - len(lengths)), (0, 0))
        found.append(keras.tree.map_structure(lambda array, padding=padding: np.pad(array, padding), arrays))
    return found


def as_dataset(found):
    ids = tf.TensorSpec((None, None), tf.int32)
    generate = functools.partial(itertools.cycle, found)
    return tf.data.Dataset.from_generator(generate, output_signature=({"source_ids": ids, "target_ids": ids}, ids))


def training_model(precision, scheme, parts):
    """A compiled `TensorFlowTrainingModel` of random weights."""
    keras.config.set_dtype_policy(precision)
    settings = [f"train.precision={precision}", f"train.gradient_accumulation_steps={parts}", "train.schedule=constant"]
    settings += ["train.learning_rate=0.01", "train.warmup_steps=1", "train.gradient_clip=0.5"]
    settings += ["train.adam_epsilon=0.001", "train.ema_decay=0.5"]
    model = tiny.transformer(encoder_layers=1, decoder_layers=1, scheme=scheme)
    training_model = make_training_model(model, override(ExperimentConfig(), settings), STEPS)
    training_model.__class__ = Poisonable
    return training_model


def train(devices, precision, scheme, parts):
    """Arrays by name: losses, gradient norms, and what is left after a few steps and after one that is poisoned."""
    with devices.scope():
        model = training_model(precision, scheme, parts)
    losses, norms, found = [], [], {}

    def remember(_, logs):
        losses.append(logs["loss"])
        norms.append(keras.ops.convert_to_numpy(model.adam.gradient_norm.value))
        model.reset_metrics()

    def weights(name):
        return {f"{name}_{index}": array for index, array in enumerate(model.transformer.get_weights())}

    callback = keras.callbacks.LambdaCallback(on_train_batch_end=remember)
    model.fit(as_dataset(batches()), steps_per_epoch=STEPS, verbose=0, callbacks=[callback])
    found = {**weights("weights"), "losses": losses, "norms": norms}
    if precision == "mixed_float16":
        found["scale"] = keras.ops.convert_to_numpy(model.optimizer.dynamic_scale.value)
        model.fit(as_dataset(batches(poisoned=True)), steps_per_epoch=1, verbose=0)
        found["scale_after_poison"] = keras.ops.convert_to_numpy(model.optimizer.dynamic_scale.value)
        found |= weights("poisoned")
    with devices.scope():
        model.adam.overwrite_with_moving_average()
    return {**found, **weights("averages")}


def train_runs(folder):
    """Train the run directories `whole`, and `stopped`, with a stop between two validations, on both devices."""
    settings = ["train.max_steps=12", "train.validation_interval=6"]
    config = tiny_corpus.configuration(tiny_corpus.write_corpus(folder), *settings)
    training.train(config, folder / "whole")
    original = Progress.on_train_batch_end

    def stop(progress, batch, logs=None):
        original(progress, batch, logs)
        if progress.step == 9:
            os.kill(os.getpid(), signal.SIGTERM)

    Progress.on_train_batch_end = stop
    assert training.train(config, folder / "stopped") == signal.SIGTERM
    Progress.on_train_batch_end = original
    assert training.train(config, folder / "stopped") is None


def draw_masks(folder):
    """Save dropout masks `(steps, devices, 64)`: of three steps, and of the third after a resumption."""
    devices, config = Devices.find(), override(ExperimentConfig(), ["train.schedule=constant"])
    run, _ = tiny.run(folder / "run", encoder_layers=1, decoder_layers=1, dropout=0.5)

    def restored():
        with devices.scope():
            model = tiny.transformer(encoder_layers=1, decoder_layers=1, dropout=0.5)
            checkpoints = Checkpointing(run, make_training_model(model, config, STEPS), config.train, devices)
        return checkpoints, checkpoints.restore(), model.encoder_blocks[0].self_attention_dropout

    def masks(dropout, steps):
        with devices.scope():
            strategy = tf.distribute.get_strategy()
            step = tf.function(lambda: strategy.run(lambda: dropout(tf.ones(64), training=True)))
            return [[mask.numpy() for mask in strategy.experimental_local_results(step())] for _ in range(steps)]

    checkpoints, state, dropout = restored()
    first = masks(dropout, 2)
    checkpoints.save(dataclasses.replace(state, step=2))
    whole = [*first, *masks(dropout, 1)]
    *_, dropout = restored()
    np.savez(folder / "masks.npz", whole=whole, resumed=masks(dropout, 1))


def main(folder, case):
    [cpu] = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    one, two = Devices(["cpu:0"]), Devices.find()
    assert two.replicas == 2
    if case in ("runs", "dropout"):
        return train_runs(folder) if case == "runs" else draw_masks(folder)
    precision, scheme, parts = CASES[case]
    for devices in (one, two):
        found = train(devices, precision, scheme, parts if devices is two else 1)
        np.savez(folder / f"{devices.replicas}.npz", **found)
    return None


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
