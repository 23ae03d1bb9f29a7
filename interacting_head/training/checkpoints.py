"""Exact resume: weights, optimizer, random states and progress; the position in the data follows from the step."""

import dataclasses
import logging
import math
import shutil

import keras
import numpy as np

from data.errors import InputError
from data.files import make_folder
from interacting_head.config import TrainConfig
from interacting_head.model.building import load_weights
from interacting_head.runs import run_folder
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.runs.seals import DAMAGED
from interacting_head.training.devices import Devices
from interacting_head.training.setup import compiles_training_step
from interacting_head.training.training_model import TrainingModel

CONSEQUENCE = "so the result will differ slightly from an uninterrupted training"
AFRESH = "start the training again with --no-resume"
logger = logging.getLogger("interacting_head")


BEGUN = {
    "replicas": "started on %d devices, resumed on %d: batches are composed differently",
    "shapes": "started with batches of %s shapes, resumed with %s: batches are composed differently",
    "parts_side_by_side": "started with %d parallel parts per batch, resumed with %d: dropout masks differ",
}
"""Fields of a `TrainingState` on which the result of a training depends → warning if they change."""

FIXED = "ema_decay", "precision"
"""Settings of `train` that must not change, because the optimizer's state depends on them."""
CHOICE = "best_metric", "label_smoothing"
"""Settings of `train` that must not change after the first validation; the second only with `smoothed_loss`."""


@dataclasses.dataclass
class TrainingState:
    """The progress of a training; `seconds` of wall-clock time include validations, but no interruptions."""

    step: int = 0
    seconds: float = 0.0
    validated_step: int = 0
    loss: float = math.nan
    best_score: float = -math.inf
    best_step: int = 0
    validations_without_gain: int = 0
    finished: bool = False
    tokens_per_second: float = 0.0
    settings: dict | None = None  # which must not change; None, also of the next two: unknown, as in earlier versions
    shapes: str | None = None
    batches_in_epoch: int | None = None
    replicas: int = 1
    parts_side_by_side: int = 1


class Checkpointing:
    """Save and restore a compiled `TrainingModel` in its run directory."""

    def __init__(self, run: RunDirectory, training_model: TrainingModel, config: TrainConfig, devices: Devices):
        self.run, self.training_model, self.config, self.devices = run, training_model, config, devices
        self.model = training_model.transformer
        with devices.scope():
            training_model.optimizer.build(self.model.trainable_variables)

    def save(self, state: TrainingState) -> None:
        """Save a checkpoint, and remove checkpoints that need not be kept."""
        arrays = [keras.ops.convert_to_numpy(variable.value) for variable in self._state_variables()]
        self.run.save_checkpoint(self.model, state.step, arrays, dataclasses.asdict(state))
        # Interruptions save extra checkpoints, so that the ones of validations do not depend on them.
        scores = {record["step"]: score_of(record, self.config.best_metric) for record in self.run.read_log()}
        validated = [step for step in self.run.steps() if step in scores]
        best = sorted(validated, key=lambda step: (-scores[step], step))[: self.config.keep_best]
        kept = {state.step, *validated[-self.config.keep_last :], *best}
        self.devices.from_all_processes(state.step)  # waits: until all have saved, the one before is the newest of all
        self.run.remove_checkpoints(set(self.run.steps()) - kept)

    def restore(self) -> TrainingState:
        """Restore the newest checkpoint that is intact in all processes; return its state or a new one.

        Raises `InputError` if it belongs to another model, or records are missing from log.jsonl.
        """
        step, checkpoint = self._newest(math.inf)
        while len(set(steps := self.devices.from_all_processes(step))) > 1:  # a process was killed before it had saved
            step, checkpoint = self._newest(min(steps))
        now = {
            "replicas": self.devices.replicas,
            "shapes": "few" if compiles_training_step() else "all",
            "parts_side_by_side": self.training_model.parts_side_by_side,
        }
        state = TrainingState()
        self._check_checkpoint(checkpoint)
        if checkpoint:
            weights, arrays, saved = checkpoint
            self._check_settings(saved)
            with self.devices.scope():
                load_weights(self.run, self.model, weights)
                of_optimizer, random_states = self._optimizer_variables(), self._random_states()
                former = arrays[len(of_optimizer) :]
                if len(former) != len(random_states) and all(np.issubdtype(one.dtype, np.integer) for one in former):
                    # A layer has a random state only if its dropout rate is not 0.
                    logger.warning(f"dropout was switched on or off: dropout masks differ, {CONSEQUENCE}")
                    arrays, random_states = arrays[: len(of_optimizer)], []
                try:
                    for variable, array in zip([*of_optimizer, *random_states], arrays, strict=True):
                        variable.assign(array)
                    state = TrainingState(**saved)
                except (TypeError, ValueError) as error:
                    raise InputError(
                        f"{weights} and the training state next to it come from different runs; if "
                        f"{self.run.path} is a copy, copy the whole directory again; set train.ema_decay and "
                        f"train.precision back if they have changed; or {AFRESH}, which replaces this run"
                    ) from error
            logger.info("resuming %s at step %d", self.run.path, step)
            for name, number in now.items():
                if (begun := getattr(state, name)) not in (None, number):
                    logger.warning(f"{BEGUN[name]}, {CONSEQUENCE}", begun, number)
        self.devices.draw_differently(self._random_states())
        names = (*FIXED, *CHOICE[: 2 if self.config.best_metric == "smoothed_loss" else 1])
        settings = {name: getattr(self.config, name) for name in names}
        state = dataclasses.replace(state, **now, settings=settings)
        self._check_validations(state)
        self.run.truncate_log(state.validated_step)
        complete = {f"step-{step}" for step in self.run.steps()}
        for path in self.run.path.glob("checkpoints/step-*.h5"):  # a process was killed between weights and state
            if path.name.partition(".")[0] not in complete:
                path.unlink()
        return state

    def check_room(self, validations: int) -> None:
        """Raise `InputError` if the disk has no room for the files that such a training keeps at once."""
        config, folder, weights = self.config, self.run.path, sum(map(_size, self.model.weights))
        checkpoint = weights + sum(map(_size, self._state_variables()))
        kept = min(config.keep_last + config.keep_best, validations)
        at_first = 1 + (config.ema_decay is not None)  # best, ema
        # A further checkpoint is written before the oldest one is removed.
        needed = (at_first + bool(config.average_last)) * weights, (kept + 1) * checkpoint
        own, former = (list(run_folder.run_files(path)) for path in (folder, folder / run_folder.FORMER))
        advice = (
            f"lower train.keep_last ({config.keep_last}) or train.keep_best ({config.keep_best}), set "
            "train.average_last=0, free up space"
        )
        self._check_room(needed, own + former, "the checkpoints of this training need", advice)
        first = "the first checkpoint of this training, saved before the previous run is removed, needs"
        self._check_room((at_first * weights, checkpoint), own, first, "free up space")

    def _check_room(self, needed, files, what, advice):
        """Raise `InputError`, from `what` to `advice`, if the disks have less room than `needed`.

        `needed` is (bytes in the run directory, bytes in its checkpoints folder), which may be on another disk; the
        space of `files` will be reused.
        """
        folders = self.run.path, self.run.path / "checkpoints"
        make_folder(folders[1])  # which the user may have deleted
        disks = [folder.stat().st_dev for folder in folders]
        for folder, disk in zip(folders, disks, strict=True):
            size = sum(size for size, other in zip(needed, disks, strict=True) if other == disk)
            sizes = (path.stat() for path in files if path.suffix in (".h5", ".npz"))
            room = shutil.disk_usage(folder).free + sum(file.st_size for file in sizes if file.st_dev == disk)
            if size > room:
                raise InputError(
                    f"{what} {bytes_in_words(size)}, but the disk of {folder} has room for {bytes_in_words(room)}; "
                    f"{advice}, or choose a --run-dir on another disk"
                )

    def save_moving_average(self) -> None:
        """Save the exponential moving average of the weights as `ema`."""
        weights = self.model.get_weights()
        with self.devices.scope():
            self.training_model.adam.overwrite_with_moving_average()
            self.run.save_weights(self.model, self.run.weights_path("ema"))
            self.model.set_weights(weights)

    def average(self, steps: list[int]) -> None:
        """Set the model to the mean weights of several checkpoints, and save it as `average`."""
        total = None
        for step in steps:
            load_weights(self.run, self.model, self.run.find_weights(f"step-{step}"))
            values = [np.asarray(value, dtype="float64") for value in self.model.get_weights()]
            total = values if total is None else [a + b for a, b in zip(total, values, strict=True)]
        self.model.set_weights([value / len(steps) for value in total])
        self.run.save_weights(self.model, self.run.weights_path("average"))

    def _check_checkpoint(self, checkpoint):
        """Raise `InputError` if there is none, but log.jsonl has validations: from the start, these would be lost.

        After a single validation, a process may have been killed before its first checkpoint.
        """
        validations = 0 if checkpoint else len(self.run.read_log())
        if max(self.devices.from_all_processes(validations)) > 1:
            lacks = "no checkpoint that all processes have" if self.run.steps() else "no intact checkpoint"
            raise InputError(
                f"{self.run.path / 'checkpoints'} has {lacks}, but the training has had validations; mount that folder "
                f"or copy it again, remove {self.run.path}, or {AFRESH}"
            )

    def _check_validations(self, state):
        """Raise `InputError` if log.jsonl lacks a score or the best validation, or the best weights are missing."""
        try:
            scores = {record["step"]: score_of(record, self.config.best_metric) for record in self.run.read_log()}
            is_whole = state.best_step in (0, *scores) and all(map(math.isfinite, scores.values()))
        except (KeyError, TypeError):
            is_whole = False
        if not is_whole:
            raise InputError(f"{self.run.path / 'log.jsonl'} {DAMAGED}, or {AFRESH}")
        best = self.run.weights_path("best")
        if state.best_step and not best.is_file():
            raise InputError(
                f"{best}, the weights of step {state.best_step}, is missing; copy it again from the original run "
                f"directory, or {AFRESH}"
            )

    def _check_settings(self, saved):
        """Raise `InputError` if a setting that must not change differs from the stored one."""
        for name, begun in (saved.get("settings") or {}).items():
            if (now := getattr(self.config, name)) != begun and (name in FIXED or saved["best_step"]):
                raise InputError(
                    f"{self.run.path} began with train.{name}={begun}, got {now}, which training cannot change; set it "
                    f"back, or {AFRESH}"
                )

    def _newest(self, limit):
        """Return step and content of the newest intact checkpoint up to a step, or (0, None)."""
        for step in reversed(self.run.steps()):
            if step > limit:
                continue
            if checkpoint := self.run.load_checkpoint(step):
                return step, checkpoint
            logger.warning("removed the damaged checkpoint of step %d; using the one before it", step)
            self.run.remove_checkpoints([step])
        return 0, None

    def _state_variables(self):
        return [*self._optimizer_variables(), *self._random_states()]

    def _optimizer_variables(self):
        return self.training_model.optimizer.variables

    def _random_states(self):
        weights = {id(weight) for weight in self.training_model.weights}
        return [v for v in self.training_model.non_trainable_variables if id(v) not in weights]


def score_of(record: dict, best_metric: str) -> float:
    """Return the score of a validation for choosing the best: higher is better."""
    return record["bleu"] if best_metric == "bleu" else -record[f"validation_{best_metric}"]


def bytes_in_words(size: float) -> str:
    """Return a number of bytes in GiB or MiB."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _size(variable):
    """Return the size of a Keras variable in a file, in bytes."""
    return 4 * math.prod(variable.shape)
