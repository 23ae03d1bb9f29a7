"""Training: corpus → sub-words → encoded arrays → batches → `fit`, with validation and exact resume."""

import contextlib
import functools
import logging
import math
import random
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import keras

from data.batches.pipeline import as_tf_dataset
from data.corpora.corpus import Corpus
from data.errors import InputError, MisfitError
from data.files import NO_ROOM, check_name, sole_use
from interacting_head.config import ExperimentConfig
from interacting_head.console import RunError, allocator
from interacting_head.model.allocation import MODEL_ADVICE, TRAINING_ADVICE, out_of_memory_explained
from interacting_head.model.building import build_model, load_weights
from interacting_head.model.placement import same_experiment
from interacting_head.runs import run_folder
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import precision
from interacting_head.training.callbacks import Progress, StopOnSignal, UnhurriedCallbacks, duration, scalar
from interacting_head.training.checkpoints import Checkpointing, score_of
from interacting_head.training.devices import Devices
from interacting_head.training.log import logging_to, write_tensorboard
from interacting_head.training.peak_ram import peak_memory
from interacting_head.training.run_text import open_text, prepare_run_text, store_paths, with_paths_of
from interacting_head.training.setup import (
    check,
    make_batches,
    make_training_model,
    number_of_steps,
    steps_between_validations,
)
from interacting_head.training.validation import Validation

logger = logging.getLogger("interacting_head")

FINISHED = "%s is finished after %d steps: nothing to do"
EPOCHS = {
    "training ends at step": number_of_steps,
    "validations come at multiples of": steps_between_validations,
}
"""Numbers of steps that may depend on the batches in an epoch, in words → the function that returns them."""
OTHER_SETTINGS = "changed settings need a new training: --no-resume, or another --run-dir"


class DivergedError(RunError):
    """The validation loss is NaN or infinite."""


def train(
    config: ExperimentConfig, run_dir: str | Path, corpora_dir: str | Path | None = None, resume: bool = True
) -> int | None:
    """Train a model in a run directory, or resume training; return the number of the signal that stopped it, or None.

    A script that calls this needs `if __name__ == "__main__":`, because text is prepared in new processes.

    Args:
        corpora_dir: see `data.corpora.corpus.open_corpus`.
        resume: False starts a new training; the existing run is removed once the new one has a checkpoint.

    Raises:
        InputError: for a corpus or a configuration that cannot be used.
        DivergedError: if training diverges.
        RunError: if the disk is full, or a batch does not fit into memory.
    """
    check_name(Path(run_dir).absolute())
    devices = Devices.find()
    run = RunDirectory(run_dir)
    check(config)
    corpus = open_text(config.data, corpora_dir)  # before anything is written
    with contextlib.ExitStack() as stack:
        stack.callback(keras.config.set_dtype_policy, keras.config.dtype_policy())
        stack.enter_context(_full_disk_explained(run))
        stack.enter_context(sole_use(run.path))
        stack.enter_context(_in_place_of_former(run, resume))
        config = precision.resolved(config, run)
        begun = with_paths_of(run, config, corpus)
        is_new = run.create_or_check(begun, same_experiment)
        stack.enter_context(logging_to(run.path / "train.log"))
        if (result := run.read_json("metrics.json")) and not run.steps():  # its checkpoints have been deleted
            logger.info(FINISHED, run.path, result["steps"])
            return None
        try:
            trainer = Trainer(config, run, corpus, devices)
        except InputError:
            if is_new:  # else the corrected command would find a run with a different configuration
                run_folder.clear(run.path)
                with contextlib.suppress(OSError):
                    run.path.rmdir()  # fails if other files are in it
            raise
        stack.callback(trainer.free)
        if begun != config:  # the text has moved
            store_paths(run, config.data)
        if trainer.state.finished and run.read_json("metrics.json"):
            logger.info(FINISHED, run.path, trainer.state.step)
            return None
        started = time.perf_counter()
        trainer.start()
        with contextlib.closing(trainer.progress), StopOnSignal(devices) as stop:
            while not trainer.state.finished and not stop.received:
                if steps := trainer.steps_to_validation():
                    callbacks = UnhurriedCallbacks([trainer.progress, stop], trainer.training_model)
                    options = {"steps_per_epoch": steps, "callbacks": callbacks, "verbose": 0, "shuffle": False}
                    with trainer.fitting():
                        trainer.training_model.fit(trainer.data(), **options)
                if not stop.received:
                    trainer.validate(stop)
                trainer.save()
            if not stop.received:
                trainer.finish(stop)
            if stop.received:
                place = signal.Signals(stop.received).name, trainer.state.step, run.path
                logger.info("stopped by %s at step %d; saved in %s; run the same command to resume", *place)
                return stop.received
        logger.info("finished in %s; results in %s", duration(time.perf_counter() - started), run.path)
    return None


@contextlib.contextmanager
def _in_place_of_former(run, resume):
    """Set an existing run aside, unless it is resumed, until the new one has a checkpoint."""
    run_folder.check_checkpoints(run.path)
    run_folder.settle(run.path, bool(run.steps()))  # after a killed process
    try:
        if not resume and (run.path / "config.yaml").is_file():
            run_folder.set_aside(RunDirectory.open(run.path).path)
        yield
    finally:
        run_folder.settle(run.path, bool(run.steps()))


@contextlib.contextmanager
def _full_disk_explained(run):
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        steps = run.steps()
        kept = f"keeps its checkpoint of step {steps[-1]}" if steps else "has no checkpoint yet"
        raise RunError(
            f"cannot write {error.filename or run.path}: {error.strerror}; {run.path} {kept}; free up space and run "
            "the same command to resume"
        ) from error


class Trainer:
    """One training: model, data and run directory."""

    def __init__(self, config: ExperimentConfig, run: RunDirectory, corpus: Corpus, devices: Devices):
        self.config, self.run, self.devices = config, run, devices
        self.begun = time.perf_counter()
        set_seed(config.train.seed)
        keras.config.set_dtype_policy(config.train.precision)
        text = prepare_run_text(config.data, run, corpus)
        self.batches = make_batches(config, text.pairs, devices.replicas)
        self.total_steps = number_of_steps(config.train, self.batches.batches_in_epoch)
        self.interval = steps_between_validations(config.train, self.batches.batches_in_epoch)
        with devices.scope():
            self.model = build_model(config, *text.subwords)
            self.training_model = make_training_model(self.model, config, self.total_steps)
        self.validation = Validation(config, self.model, text)
        with out_of_memory_explained(lambda: "the state of the optimizer", MODEL_ADVICE, MisfitError):
            self.checkpoints = Checkpointing(run, self.training_model, config.train, devices)
        self.state = self.checkpoints.restore()
        self._compare_epochs()
        if not self.state.finished:
            self.checkpoints.check_room(math.ceil(self.total_steps / self.interval))
        self.begun -= self.state.seconds

    def _compare_epochs(self):
        """Warn if an epoch has another number of batches than before, and the end or the validations depend on it."""
        config, now = self.config.train, self.batches.batches_in_epoch
        begun = self.state.batches_in_epoch or now
        changes = [
            f"{what} {here} instead of {there}"
            for what, steps in EPOCHS.items()
            if (here := steps(config, now)) != (there := steps(config, begun))
        ]
        if changes:
            logger.warning("an epoch has %d batches instead of %d: %s", now, begun, ", ".join(changes))
        self.state.batches_in_epoch = now

    def free(self) -> None:
        """Free the memory of weights and optimizer; nothing can be computed with the model after that."""
        self.devices.free([*self.training_model.variables, *self.training_model.optimizer.variables])

    def start(self) -> None:
        """Log model and devices, and start the progress bar."""
        names = ", ".join(self.devices.names)
        logger.info(
            "%s parameters, %d steps in total, on %s", f"{self.model.count_params():,}", self.total_steps, names
        )
        logger.info("allocator: %s", allocator.description())
        plan, interval = self.batches.plan(0), self.config.train.log_interval
        self.progress = Progress(self.state.step, self.total_steps, interval, len(plan), plan.tokens / len(plan))

    def steps_to_validation(self) -> int:
        """Return the number of steps to the next validation, at multiples of the interval and at the end."""
        until = (self.state.validated_step // self.interval + 1) * self.interval  # also after an interruption
        return max(0, min(until, self.total_steps) - self.state.step)

    @contextlib.contextmanager
    def fitting(self) -> Iterator[None]:
        """Move the batches to the current step, and count the steps of the `fit` in the block."""
        self.batches.start = self.state.step
        with (
            self.devices.scope(),
            out_of_memory_explained(self._batch_in_words, f"{TRAINING_ADVICE}; {OTHER_SETTINGS}"),
        ):
            yield
        self.state.step, self.state.loss = self.progress.step, self.progress.loss
        self.state.tokens_per_second = self.progress.tokens_per_second

    def data(self) -> Iterable:
        """Return the batches for `fit`."""
        if keras.backend.backend() == "tensorflow":
            return self._dataset
        return self.devices.own_rows(self.batches)

    @functools.cached_property
    def _dataset(self):
        return as_tf_dataset(self.batches)

    def save(self) -> None:
        """Save a checkpoint, and remove a run that was set aside for this one."""
        self.state.seconds = self._seconds()
        self.checkpoints.save(self.state)
        run_folder.settle(self.run.path, has_checkpoint=True)

    def _seconds(self):
        return round(time.perf_counter() - self.begun, 1)

    def _batch_in_words(self):
        epoch, index = self.batches.position(self.progress.step)
        shape = " × ".join(map(str, self.batches.plan(epoch).shape(index)))
        parts = self.config.train.gradient_accumulation_steps
        in_parts = f", computed in {parts} parts" if parts > 1 else ""
        return f"a batch of {shape} (sentences × source × target sub-words{in_parts}) at step {self.progress.step + 1}"

    def validate(self, stop: StopOnSignal) -> None:
        """Score the model on the development text, unless interrupted, and save the best weights."""
        config, state = self.config.train, self.state
        if state.validated_step == state.step >= self.total_steps:  # which was lowered
            state.finished = True
            return None
        if (scores := self.validation(stop.is_requested)) is None:
            return stop.agree()
        # Processors may differ in the last digit, but all processes must stop at the same step.
        scores = dict(zip(scores, self.devices.from_first_process(list(scores.values())), strict=True))
        if not math.isfinite(scores["validation_loss"]):
            raise DivergedError(
                f"the validation loss at step {state.step} is {scores['validation_loss']}: training has diverged; "
                f"choose a lower train.learning_rate than {config.learning_rate:g}, more train.warmup_steps or a "
                "smaller train.gradient_clip, and start a new training: --no-resume, or another --run-dir"
            )
        record = {
            "step": state.step,
            "seconds": self._seconds(),
            "epoch": self.batches.position(max(state.step - 1, 0))[0] + 1,
            "loss": state.loss,
            **scores,
            "learning_rate": scalar(self.training_model.adam.learning_rate),
            "tokens_per_second": round(state.tokens_per_second),
        }
        self.run.append_log(record)
        write_tensorboard(self.run.path / "tensorboard", record)
        logger.info(
            "validation at step %d: loss %.3f, perplexity %.2f, token accuracy %.1f %%%s",
            *(record[name] for name in ("step", "validation_loss", "perplexity", "accuracy")),
            bleu(record),
        )
        for source, reference, hypothesis in self.validation.examples():
            logger.info("  source     %s\n  reference  %s\n  hypothesis %s", source, reference, hypothesis)
        score = score_of(record, config.best_metric)
        if score > state.best_score:
            state.best_score, state.best_step = score, state.step
            state.validations_without_gain = 0
            self.run.save_weights(self.model, self.run.weights_path("best"))
        else:
            state.validations_without_gain += 1
        if config.ema_decay is not None:
            self.checkpoints.save_moving_average()
        state.validated_step = state.step
        out_of_patience = config.patience is not None and state.validations_without_gain >= config.patience
        if out_of_patience:
            logger.info("no improvement in %d validations: training stops early", config.patience)
        state.finished = out_of_patience or state.step >= self.total_steps

    def finish(self, stop: StopOnSignal) -> None:
        """Score the averages of weights and write metrics.json, unless interrupted."""
        config, model = self.config.train, self.model
        records = {record["step"]: record for record in self.run.read_log()}
        metrics = {
            "steps": self.state.step,
            "best_step": self.state.best_step,
            "parameters": model.count_params(),
            "tokens_per_epoch": self.batches.plan(0).tokens,
            "peak_memory": peak_memory(),
            "best": records[self.state.best_step],
        }
        if config.ema_decay is not None:
            load_weights(self.run, model, self.run.weights_path("ema"))
            if (scores := self.validation(stop.is_requested)) is None:
                return stop.agree()
            metrics["ema"] = scores
            logger.info("moving average of the weights: loss %.3f%s", scores["validation_loss"], bleu(scores))
        count = min(config.average_last, config.keep_last)
        steps = [step for step in self.run.steps() if step in records][-count:] if count else []
        if steps:
            self.checkpoints.average(steps)
            if (scores := self.validation(stop.is_requested)) is None:
                return stop.agree()
            metrics["average"] = {"steps": steps, **scores}
            loss = scores["validation_loss"]
            logger.info("mean of the last %d checkpoints: loss %.3f%s", len(steps), loss, bleu(scores))
        self.run.write_json("metrics.json", metrics)


def bleu(scores: dict) -> str:
    """Return `, BLEU 12.34` for the log, or an empty string without BLEU."""
    return f", BLEU {scores['bleu']:.2f}" if "bleu" in scores else ""


def set_seed(seed: int) -> None:
    """Make initial weights and dropout depend on the seed only."""
    if keras.backend.backend() == "tensorflow":
        keras.utils.set_random_seed(seed)
    else:
        random.seed(seed)  # Keras draws the seeds of layers from here; its own function would import TensorFlow
