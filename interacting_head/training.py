"""Training: recipe → corpus → sub-words → encoded arrays → batches → `fit`, with validation and exact resume."""

import contextlib
import dataclasses
import logging
import math
import signal
import sys
import time

import keras
import numpy as np
from tqdm.contrib.logging import logging_redirect_tqdm

from data.pipeline import as_tf_dataset
from interacting_head.callbacks import Progress, StopOnSignal, duration, scalar
from interacting_head.preparation import make_batches, make_training_model, open_text, prepare_subwords
from interacting_head.run_directory import RunDirectory, build_model
from interacting_head.validation import Validation

logger = logging.getLogger("interacting_head")


@dataclasses.dataclass
class Progressed:
    """How far a training has come. The position in the data follows from `step`."""

    step: int = 0
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
    """
    run = RunDirectory(run_dir)
    text = open_text(config.data, corpora_dir)  # before anything is written
    if not resume:
        run.clear()
    run.create_or_check(config)
    with _logging_to(run.path / "train.log"):
        trainer = Trainer(config, run, text)
        return trainer.run_to_end()


class Trainer:
    """One training: model, data and run directory.

    Args:
        config: an `ExperimentConfig`.
        run: its `RunDirectory`.
        text: `{"train": ParallelText, "dev": ParallelText}`.
    """

    def __init__(self, config, run, text):
        self.config, self.run = config, run
        keras.utils.set_random_seed(config.train.seed)
        keras.config.set_dtype_policy(config.train.precision)
        self.source_subwords, self.target_subwords = prepare_subwords(config.data, run, text["train"])
        self.batches = make_batches(config, text["train"], self.source_subwords, self.target_subwords)
        plan = self.batches.plan(0)
        steps = config.train.max_steps
        if config.train.max_epochs is not None:
            steps = min(steps, config.train.max_epochs * len(plan))
        self.total_steps = steps
        self.model = build_model(config, self.source_subwords, self.target_subwords)
        self.training_model = make_training_model(self.model, config)
        self.validation = Validation(config, self.model, text["dev"], self.source_subwords, self.target_subwords)
        self.progressed = Progressed()
        self._restore()
        self.progress = Progress(
            self.progressed.step,
            self.total_steps,
            config.train.log_interval,
            len(plan),
            plan.tokens / len(plan),
        )

    def run_to_end(self):
        """Trains until the last step, patience or a signal; returns the signal's number or None."""
        config, progressed = self.config.train, self.progressed
        if progressed.finished:
            logger.info("%s is finished: %d steps, nothing to do", self.run.path, progressed.step)
            return None
        logger.info("%s parameters, %d steps in all", f"{self.model.count_params():,}", self.total_steps)
        started = time.perf_counter()
        with StopOnSignal() as stop:
            while not progressed.finished:
                # Validations stand at multiples of the interval, also after a stop between two of them.
                until = config.validation_interval - progressed.step % config.validation_interval
                self._fit(min(until, self.total_steps - progressed.step), stop)
                if stop.received:
                    self._save()
                    logger.info(
                        "stopped by %s at step %d; saved in %s; the same command continues",
                        signal.Signals(stop.received).name,
                        progressed.step,
                        self.run.path,
                    )
                    return stop.received
                self._validate()
                out_of_patience = config.patience is not None and progressed.validations_without_gain >= config.patience
                if out_of_patience:
                    logger.info("no gain in %d validations: training ends", config.patience)
                progressed.finished = out_of_patience or progressed.step >= self.total_steps
                self._save()
        self._finish()
        logger.info("finished in %s; results in %s", duration(time.perf_counter() - started), self.run.path)
        return None

    def _fit(self, steps, stop):
        start = self.batches.position_after((0, 0), self.progressed.step)
        batches = self.batches.starting_at(*start)
        data = as_tf_dataset(batches) if keras.backend.backend() == "tensorflow" else iter(batches)
        self.training_model.reset_metrics()
        self.training_model.fit(data, steps_per_epoch=steps, epochs=1, verbose=0, callbacks=[self.progress, stop])
        self.progressed.step = self.progress.step

    def _validate(self):
        config, progressed = self.config.train, self.progressed
        scores = self.validation()
        record = {
            "step": progressed.step,
            "epoch": self.batches.position_after((0, 0), progressed.step)[0] + 1,
            "loss": self.progress.loss,
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

    def _finish(self):
        """Averages the last checkpoints, and writes metrics.json."""
        metrics = {"steps": self.progressed.step, "best_step": self.progressed.best_step}
        records = {record["step"]: record for record in self.run.read_log()}
        metrics["best"] = records[self.progressed.best_step]
        steps = self.run.steps()[-self.config.train.average_last :] if self.config.train.average_last else []
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
        self.run.save_checkpoint(self.model, self.progressed.step, arrays, state, self.config.train.keep_last)

    def _restore(self):
        self.training_model.optimizer.build(self.model.trainable_variables)
        for step in reversed(self.run.steps()):
            checkpoint = self.run.load_checkpoint(step)
            if checkpoint is None:
                logger.warning("checkpoint of step %d is damaged; the one before it is used", step)
                continue
            weights, arrays, state = checkpoint
            self.model.load_weights(weights)
            for variable, array in zip(self._state_variables(), arrays, strict=True):
                variable.assign(array)
            self.progressed = Progressed(**state)
            self.run.truncate_log(step)
            logger.info("continuing %s at step %d", self.run.path, step)
            return


def write_tensorboard(folder, record):
    """Adds the numbers of a validation to the event files of a run."""
    from tensorboard.summary import Writer

    writer = Writer(str(folder))
    for name, value in record.items():
        if name not in ("step", "epoch") and np.isfinite(value):
            writer.add_scalar(name, value, record["step"])
    writer.close()


@contextlib.contextmanager
def _logging_to(path):
    """Sends this project's log to the standard error and a file, past any progress bar."""
    handlers = [logging.FileHandler(path, encoding="utf-8"), logging.StreamHandler(sys.stderr)]
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with logging_redirect_tqdm([logger]):
            yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
