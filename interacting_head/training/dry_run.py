"""The dry run: a description of a training without the training."""

import sys
import tempfile

import keras
import numpy as np

from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig
from interacting_head.model.allocation import TRAINING_ADVICE
from interacting_head.model.building import build_model
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import devices, peak_ram, precision
from interacting_head.training.checkpoints import bytes_in_words
from interacting_head.training.run_text import open_text, prepare_run_text
from interacting_head.training.setup import check, make_batches, make_training_model, number_of_steps


def dry_run(config: ExperimentConfig, corpora_dir: str | None = None) -> None:
    """Print configuration, model, batch plan and memory use; leave nothing behind except encoded text in the cache."""
    check(config)
    config = precision.resolved(config)
    corpus, replicas = open_text(config.data, corpora_dir), devices.Devices.find().replicas
    keras.config.set_dtype_policy(config.train.precision)
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(folder)
        text = prepare_run_text(config.data, run, corpus)
        plan = make_batches(config, text.pairs, replicas).plan(0)
    steps = number_of_steps(config.train, len(plan))
    with keras.device("cpu"):  # the process that measures needs the GPU: TensorFlow takes all of its memory
        model = build_model(config, *text.subwords)
        make_training_model(model, config, steps)  # raises what a training would
    print(configuration.to_yaml(config))
    model.summary()
    sizes = [subwords.vocabulary_size for subwords in text.subwords]
    largest = " × ".join(map(str, plan.shapes[plan.shapes.prod(axis=1).argmax()].tolist()))
    print(
        f"""
parameters          {model.count_params():,}
vocabulary          {sizes[0]:,} source, {sizes[1]:,} target
tokens an epoch     {plan.tokens:,} source and target, without padding
batches an epoch    {len(plan):,}, padded / non-padded tokens {plan.padded_ratio():.3f}
largest batch       {largest} (sentences × source × target)
steps               at most {steps:,}, {steps / len(plan):.1f} epochs""",
        flush=True,
    )
    print("\n".join(memory_lines(config, sizes, plan.shapes, replicas)))


def memory_lines(config: ExperimentConfig, vocabulary_sizes: list, shapes: np.ndarray, replicas: int = 1) -> list[str]:
    """Return lines on the memory that a training needs and the device has, for the `shapes` of a `BatchPlan`."""
    if keras.backend.backend() != "tensorflow":
        return [f"memory              not predicted on the backend {keras.backend.backend()}, only on tensorflow"]
    print("measuring memory use on parts of the largest batch (takes about half a minute)", file=sys.stderr)
    rows, S, T = shapes.astype("int64").T
    largest = shapes[(rows * (S * S + S * T + T * T)).argmax()]  # most attention weights, and nearly the most tokens
    peak = peak_ram.predicted(config, vocabulary_sizes, largest, config.train.gradient_accumulation_steps * replicas)
    available, device = devices.memory_per_device()
    too_much = f"                    too much: {TRAINING_ADVICE}"
    if peak is None:
        return [f"peak memory         more than {device} has: {bytes_in_words(available)}", too_much]
    line = f"peak memory         about {bytes_in_words(peak)} of {bytes_in_words(available)} on {device}"
    return [line, too_much] if peak > available else [line]
