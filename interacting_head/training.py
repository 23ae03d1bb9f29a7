"""Training: recipe → corpus → sub-words → encoded arrays → batches → `fit`, with validation and exact resume."""

import contextlib
import dataclasses
import logging
import math
import random
import signal
import sys
import time
import types

import keras
import numpy as np
from tqdm import tqdm

from data.errors import InputError
from data.pipeline import as_tf_dataset
from interacting_head.callbacks import Progress, StopOnSignal, duration, scalar
from interacting_head.command_line import RunError
from interacting_head.placement import check_model
from interacting_head.preparation import (
    make_batches,
    make_training_model,
    number_of_steps,
    open_text,
    prepare_run_text,
    prepare_subwords,
)
from interacting_head.run_directory import RunDirectory, build_model
from interacting_head.validation import Validation

logger = logging.getLogger("interacting_head")


@dataclasses.dataclass
class Progressed:
    """How far a training has come. The position in the data follows from `step`."""

    step: int = 0
    validated_step: int = 0
    loss: float = math.nan
    best_score: float = -math.inf
    best_step: int = 0
    validations_without_gain: int = 0
    finished: bool = False


def train(config, run_dir, corpora_dir=None, resume=True):
    """Trains a model, or continues a training, in a run directory.

    Args:
        config: an `ExperimentConfig`.
        run_dir: the run directory; made where it does not exist.
        corpora_dir: where corpora lie, see `data.corpora.open_corpus`.
        resume: False discards what the run directory holds.

    Returns:
        The number of the signal that ended the training, or None where it is finished.

    Raises:
        InputError: for a corpus or a configuration that cannot be used.
        RunError: when the training diverges.
    """
    run = RunDirectory(run_dir)
    corpus = open_text(config.data, corpora_dir)  # before anything is written
    check_model(config.model)
    if not resume:
        run.clear()
    is_new = run.create_or_check(config)
    with _logging_to(run.path / "train.log"):
        try:
            trainer = Trainer(config, run, corpus)
        except InputError:
            if is_new:  # the corrected command shall not meet a run with another configuration
                run.clear()
            raise
        return trainer.run_to_end()


class Trainer:
    """One training: model, data and run directory.

    Args:
        config: an `ExperimentConfig`.
        run: its `RunDirectory`.
        corpus: a `data.Corpus` with the splits `train` and `dev`.
    """

    def __init__(self, config, run, corpus):
        self.config, self.run = config, run
        set_seed(config.train.seed)
        keras.config.set_dtype_policy(config.train.precision)
        text = prepare_run_text(config.data, run, corpus)
        self.source_subwords, self.target_subwords = prepare_subwords(config.data, run, text.train)
        self.batches = make_batches(config, text.train, self.source_subwords, self.target_subwords)
        self.total_steps = number_of_steps(config.train, self.batches.batches_in_epoch(0))
        self.model = build_model(config, self.source_subwords, self.target_subwords)
        self.training_model = make_training_model(self.model, config, self.total_steps)
        self.validation = Validation(config, self.model, text, self.source_subwords, self.target_subwords)
        self.progressed = Progressed()
        self._restore()

    def run_to_end(self):
        """Trains until the last step, patience or a signal; returns the signal's number or None."""
        config, progressed = self.config.train, self.progressed
        if progressed.finished and self.run.read_json("metrics.json"):
            logger.info("%s is finished: %d steps, nothing to do", self.run.path, progressed.step)
            return None
        devices = ", ".join(keras.distribution.list_devices())
        logger.info(
            "%s parameters, %d steps in all, on %s", f"{self.model.count_params():,}", self.total_steps, devices
        )
        started, plan = time.perf_counter(), self.batches.plan(0)
        self.progress = Progress(
            progressed.step, self.total_steps, config.log_interval, len(plan), plan.tokens / len(plan)
        )
        with contextlib.closing(self.progress), StopOnSignal() as stop:
            while not progressed.finished:
                # Validations stand at multiples of the interval and at the end, also after a stop between two.
                interval = config.validation_interval
                until = min((progressed.validated_step // interval + 1) * interval, self.total_steps)
                if progressed.step < until:
                    self._fit(until - progressed.step, stop)
                if not stop.received:
                    self._validate()
                self._save()
                if stop.received and not progressed.finished:
                    logger.info(
                        "stopped by %s at step %d; saved in %s; the same command continues",
                        signal.Signals(stop.received).name,
                        progressed.step,
                        self.run.path,
                    )
                    return stop.received
        self._finish()
        logger.info("finished in %s; results in %s", duration(time.perf_counter() - started), self.run.path)
        return None

    def _fit(self, steps, stop):
        start = self.batches.position_after((0, 0), self.progressed.step)
        batches = self.batches.starting_at(*start)
        data = as_tf_dataset(batches) if keras.backend.backend() == "tensorflow" else iter(batches)
        callbacks = [self.progress, stop]
        self.training_model.fit(data, steps_per_epoch=steps, verbose=0, callbacks=callbacks, shuffle=False)
        self.progressed.step, self.progressed.loss = self.progress.step, self.progress.loss

    def _validate(self):
        config, progressed = self.config.train, self.progressed
        scores = self.validation()
        if not math.isfinite(scores["validation_loss"]):
            raise RunError(
                f"the validation loss at step {progressed.step} is {scores['validation_loss']}: the training has "
                f"diverged; choose a lower train.learning_rate than {config.learning_rate:g}, a longer "
                "train.warmup_steps or a smaller train.gradient_clip, and another --run-dir or --no-resume"
            )
        record = {
            "step": progressed.step,
            "epoch": self.batches.position_after((0, 0), progressed.step)[0] + 1,
            "loss": progressed.loss,
            **scores,
            "learning_rate": scalar(self.training_model.optimizer.learning_rate),
            "tokens_per_second": round(self.progress.tokens_per_second),
        }
        self.run.append_log(record)
        write_tensorboard(self.run.path / "tensorboard", record)
        logger.info(
            "validation at step %d: loss %.3f, perplexity %.2f, token accuracy %.1f %%, BLEU %.2f",
            *(record[name] for name in ("step", "validation_loss", "perplexity", "accuracy", "bleu")),
        )
        for source, reference, hypothesis in self.validation.examples():
            logger.info("  source     %s\n  reference  %s\n  hypothesis %s", source, reference, hypothesis)
        score = record["bleu"] if config.best_metric == "bleu" else -record["validation_loss"]
        if score > progressed.best_score:
            progressed.best_score, progressed.best_step = score, progressed.step
            progressed.validations_without_gain = 0
            self.run.save_weights(self.model, self.run.weights_path("best"))
        else:
            progressed.validations_without_gain += 1
        progressed.validated_step = progressed.step
        out_of_patience = config.patience is not None and progressed.validations_without_gain >= config.patience
        if out_of_patience:
            logger.info("no gain in %d validations: training ends", config.patience)
        progressed.finished = out_of_patience or progressed.step >= self.total_steps

    def _finish(self):
        """Averages the last checkpoints, and writes metrics.json."""
        metrics = {"steps": self.progressed.step, "best_step": self.progressed.best_step}
        records = {record["step"]: record for record in self.run.read_log()}
        metrics["best"] = records[self.progressed.best_step]
        count = self.config.train.average_last
        steps = [step for step in self.run.steps() if step in records][-count:] if count else []
        if steps:
            self.run.average(self.model, steps)
            metrics["average"] = {"steps": steps, **self.validation()}
            logger.info("mean of the last %d checkpoints: BLEU %.2f", len(steps), metrics["average"]["bleu"])
        self.run.write_json("metrics.json", metrics)

    # Exact resume: weights, optimizer, random states; the position in the data follows from the step.

    def _state_variables(self):
        model = self.training_model
        weights = {id(weight) for weight in model.weights}
        random_states = [v for v in model.non_trainable_variables if id(v) not in weights]
        return [*model.optimizer.variables, *random_states]

    def _save(self):
        arrays = [keras.ops.convert_to_numpy(variable.value) for variable in self._state_variables()]
        state = dataclasses.asdict(self.progressed)
        self.run.save_checkpoint(self.model, self.progressed.step, arrays, state)
        # Checkpoints of a stop stand beside those of validations, which are the same in a training without stops.
        validated = {record["step"] for record in self.run.read_log()}
        kept = [step for step in self.run.steps() if step in validated][-self.config.train.keep_last :]
        self.run.remove_checkpoints(set(self.run.steps()) - {self.progressed.step, *kept})

    def _restore(self):
        self.training_model.optimizer.build(self.model.trainable_variables)
        for step in reversed(self.run.steps()):
            checkpoint = self.run.load_checkpoint(step)
            if checkpoint is None:
                logger.warning("the checkpoint of step %d is damaged: removed, the one before it is used", step)
                self.run.remove_checkpoints([step])
                continue
            weights, arrays, state = checkpoint
            self.model.load_weights(weights)
            for variable, array in zip(self._state_variables(), arrays, strict=True):
                variable.assign(array)
            self.progressed = Progressed(**state)
            logger.info("continuing %s at step %d", self.run.path, step)
            break
        self.run.truncate_log(self.progressed.step)


def set_seed(seed):
    """Makes initial weights and dropout depend on `seed` only."""
    if keras.backend.backend() == "tensorflow":
        keras.utils.set_random_seed(seed)
    else:
        random.seed(seed)  # Keras draws the seeds of layers from here; its own function would import TensorFlow


def write_tensorboard(folder, record):
    """Adds the numbers of a validation to the event files of a run."""
    if keras.backend.backend() != "tensorflow":
        # The switch with which TensorBoard is told to do without TensorFlow, also where it is installed.
        sys.modules.setdefault("tensorboard.compat.notf", types.ModuleType("notf"))
    from tensorboard.summary import Writer

    writer = Writer(str(folder))
    for name, value in record.items():
        if name not in ("step", "epoch") and np.isfinite(value):
            writer.add_scalar(name, value, record["step"])
    writer.close()


class _PastProgressBar(logging.Handler):
    """Writes to the standard error without breaking a progress bar there."""

    def emit(self, record):
        tqdm.write(self.format(record), file=sys.stderr)


@contextlib.contextmanager
def _logging_to(path):
    """Sends this project's log to the standard error, from the level INFO on, and to a file."""
    handlers = [logging.FileHandler(path, encoding="utf-8"), _PastProgressBar(logging.INFO)]
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
