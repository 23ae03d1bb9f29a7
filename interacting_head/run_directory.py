"""A run directory: configuration, sub-words, checkpoints and scores of one experiment; movable."""

import json
import math
import operator
import os
import re
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import atomic_write, check_plain, check_room, full_disk_named, make_folder, sha256, written_beside
from data.text.profiles import PROFILES, RAW_TEXT, Preprocessor
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from interacting_head import config as configuration
from interacting_head import former_runs, run_files, run_folder
from interacting_head.config import ExperimentConfig
from interacting_head.run_folder import PRUNING, WEIGHTS

VERSION = "2"


class RunDirectory:
    """Reads and writes the files of a run.

    ```
    config.yaml  text.json  subwords/{source,target}.model  truecasing/{source,target}.truecase
    checkpoints/step-N.weights.h5, step-N.state.npz
    best.weights.h5  average.weights.h5  ema.weights.h5  log.jsonl  train.log  metrics.json  tensorboard/  VERSION
    ```

    Args:
        path: the folder.
    """

    def __init__(self, path):
        self.path = Path(path)

    @classmethod
    def open(cls, path):
        """An existing run. Raises `InputError` where `path` is none, or one of a version that is not known."""
        run = cls(path)
        # Only of a run are the files looked at: the path may be anything, and as large as a home folder.
        if missing := [name for name in ("config.yaml", "VERSION") if not os.path.exists(run.path / name)]:
            former = run_folder.former_hint(run.path)
            raise InputError(
                f"{path} is not a run directory (it has no {missing[0]}); give the --run-dir of train.py{former}"
            )
        for file in run_folder.own_files(run.path):
            check_plain(file)
        if not run._is_of_known_version():
            readable = " and ".join([*former_runs.UPGRADES, VERSION])
            raise InputError(f"{path} has version {run.version}, this program reads {readable}; see CHANGELOG.md")
        return run

    def create_or_check(self, config, is_same=operator.eq):
        """Writes the configuration, or checks that the run has the same one.

        Args:
            config: an `ExperimentConfig`.
            is_same: a function of two of them, such as `model.placement.same_experiment`.

        Returns:
            True if the run is new.

        Raises:
            InputError: when the run has another configuration; it names the keys that differ. When the folder holds
                something else than a run.
        """
        if (self.path / "config.yaml").is_file():
            existing = RunDirectory.open(self.path).config
            former_runs.check_trainable(self.path, self.version)
            if (self.path / PRUNING).is_file():
                raise InputError(
                    f"{self.path} is a run with heads removed and has no checkpoint to train on from; choose another "
                    "--run-dir, or --no-resume to start a new training"
                )
            if not is_same(existing, config):
                differing = configuration.differences(existing, config)
                listed = ", ".join(f"{key} ({there!r} there, {here!r} now)" for key, (there, here) in differing.items())
                raise InputError(
                    f"{self.path} holds a run with another configuration: {listed}; "
                    "choose another --run-dir, or --no-resume to start a new training"
                )
            return False
        run_folder.check_unused(self.path, self._is_of_known_version())
        make_folder(self._checkpoints)
        # The configuration comes last and makes it a run.
        with atomic_write(self.path / "VERSION") as file:
            file.write(VERSION + "\n")
        with atomic_write(self.path / "config.yaml") as file:
            file.write(configuration.to_yaml(config))
        return True

    @property
    def version(self):
        """The version of the program that began the run; "none" where that is not known."""
        path = self.path / "VERSION"
        return path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else "none"

    @property
    def config(self):
        """The `ExperimentConfig`; of a run of a former version, the one that means the same now."""
        return configuration.load_config(self.path / "config.yaml", former_runs.UPGRADES.get(self.version))

    @property
    def subword_digests(self):
        """The SHA-256 of both sub-word models with which the run was begun, or None where that is not known."""
        return (self._text() or {}).get("subwords")

    @property
    def subword_paths(self):
        """The model files of the source and the target sub-words."""
        return self.path / "subwords" / "source.model", self.path / "subwords" / "target.model"

    def subwords(self):
        """Source and target `Subwords`, one object where they are equal files.

        Raises:
            InputError: where they are damaged, or not those that the run was begun with.
        """
        source, target = self.subword_paths
        digests = self.subword_digests or [None, None]
        source_subwords = Subwords(source, digests[0])
        same = digests[0] == digests[1] and target.is_file() and source.read_bytes() == target.read_bytes()
        return source_subwords, source_subwords if same else Subwords(target, digests[1])

    @property
    def truecasing_paths(self):
        """The files of the source and the target truecaser; only the profile `paper` has them."""
        return self.path / "truecasing" / "source.truecase", self.path / "truecasing" / "target.truecase"

    def truecasers(self):
        """Source and target `Truecaser`, or None where the run has none."""
        if not all(path.is_file() for path in self.truecasing_paths):
            return None
        return tuple(map(Truecaser.load, self.truecasing_paths))

    def check_text(self, digests):
        """Raises `InputError` where the run was begun on text with other digests, {split: [source, target]}."""
        begun_with = (self._text() or {}).get("digests", digests)
        if changed := [split for split in digests if digests[split] != begun_with.get(split)]:
            raise InputError(
                f"the text of {' and '.join(changed)} has changed since {self.path} was begun; restore it, choose "
                "another --run-dir, or use --no-resume to start a new training"
            )

    def save_text(self, languages, digests, truecasers, subwords):
        """Writes languages, digests and truecasers of the text, and the digests of its two `Subwords`.

        `truecasers` is None or two of them.
        """
        for path, truecaser in zip(self.truecasing_paths, truecasers or (), strict=False):
            path.parent.mkdir(exist_ok=True)
            truecaser.save(path)
        subwords = [model.digest for model in subwords]
        self.write_json("text.json", {"languages": languages, "digests": digests, "subwords": subwords})

    def text_forms(self):
        """The `Preprocessor`s of source and target.

        Raises:
            InputError: where truecasers are missing.
        """
        profile = self.config.data.profile
        if not PROFILES[profile].is_tokenized:
            return RAW_TEXT, RAW_TEXT
        truecasers = self.truecasers() if PROFILES[profile].is_truecased else (None, None)
        text = self._text()
        if not (truecasers and text and "languages" in text):
            raise InputError(f"{self.path} lacks text.json or a file of truecasing/; copy the run directory again")
        return tuple(map(Preprocessor, (profile, profile), text["languages"], truecasers))

    # Weights.

    def steps(self):
        """The steps of the complete checkpoints, in ascending order."""
        found = (re.fullmatch(r"step-(\d+)\.state\.npz", path.name) for path in self._checkpoints.glob("*.npz"))
        steps = sorted(int(match[1]) for match in found if match)
        return [step for step in steps if self._weights(step).is_file()]

    def weights(self, name=None):
        """The path of the weights called `best`, `average`, `ema` or `step-N`.

        Default: best; of a training that has not come to its first validation, the newest.

        Raises:
            InputError: when there are none of that name; it lists those there are.
        """
        steps = self.steps()
        available = {f"step-{step}": self._weights(step) for step in steps}
        for special in ("ema", "average", "best"):
            path = self.weights_path(special)
            if path.is_file():
                available[special] = path
        if not available:
            former = run_folder.former_hint(self.path)
            raise InputError(
                f"{self.path} has no checkpoint yet; train it first (train.py --run-dir {self.path}){former}"
            )
        if name is None and "best" not in available:
            # A checkpoint is saved after the best weights of a validation at its step.
            validated = (self.path / "metrics.json").is_file() or len(available) > len(steps)
            if validated or any(record["step"] <= steps[-1] for record in self.read_log()):
                raise InputError(
                    f"{self.weights_path('best')} is missing; copy it again from where the run directory came from, or "
                    f"choose with --checkpoint: there are {', '.join(available)}"
                )
            name = f"step-{steps[-1]}"
        name = name or "best"
        if name not in available:
            raise InputError(f"{self.path} has no checkpoint {name!r}; it has {', '.join(available)}")
        return available[name]

    def weights_path(self, name):
        """The file of the weights called `best`, `average` or `ema`."""
        return self.path / f"{name}{WEIGHTS}"

    def save_weights(self, model, path):
        """Saves the model's weights, sealed, `written_beside` `path`; `OSError` where the disk has no room."""
        weights = sum(math.prod(weight.shape) * np.dtype("float32").itemsize for weight in model.weights)
        with written_beside(path) as partial:
            # HDF5 that meets a full disk brings the process down as that ends.
            check_room(partial, weights + 2**14 * len(model.weights))
            model.save_weights(partial)
            run_files.seal(partial, self._owner(model))

    def save_checkpoint(self, model, step, arrays, state):
        """Writes a checkpoint.

        Args:
            model: whose weights to save.
            step: number of steps trained.
            arrays: list of arrays (optimizer and random states).
            state: a dictionary that JSON can hold.
        """
        self.save_weights(model, self._weights(step))
        state = {**state, "weights_sha256": sha256(self._weights(step))}
        # The state comes last and vouches for the weights: without it the checkpoint does not count.
        with atomic_write(self._state(step), "wb") as file:
            np.savez(file, *arrays, state=json.dumps(state))

    def remove_checkpoints(self, steps):
        """Removes the checkpoints of these steps."""
        for step in steps:
            self._state(step).unlink(missing_ok=True)
            self._weights(step).unlink(missing_ok=True)

    def load_checkpoint(self, step):
        """The weights' path, arrays and state of a checkpoint, or None where it is damaged."""
        arrays, state = run_files.read_state(self._state(step))
        if sha256(self._weights(step)) != state.pop("weights_sha256", None):
            return None
        return self._weights(step), arrays, state

    def append_log(self, record):
        """Adds one JSON object to log.jsonl."""
        path = self.path / "log.jsonl"
        with full_disk_named(path), open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def read_log(self):
        """The records of log.jsonl; a line that was cut off by a crash is not one."""
        return run_files.read_records(self.path / "log.jsonl")

    def truncate_log(self, step):
        """Drops the records after `step`, which a resumed run writes again."""
        records = [record for record in self.read_log() if record["step"] <= step]
        with atomic_write(self.path / "log.jsonl") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def write_json(self, name, value):
        """Writes a value to the JSON file `name`."""
        with atomic_write(self.path / name) as file:
            json.dump(value, file, indent=2, ensure_ascii=False)
            file.write("\n")

    def read_json(self, name):
        """The value in the JSON file `name`, or None where there is none."""
        return run_files.read_json(self.path / name)

    def _is_of_known_version(self):
        return self.version in (VERSION, *former_runs.UPGRADES)

    def _owner(self, model):
        """Return what the weights of a `Transformer` of this run belong to, for their seal."""
        settings = configuration.to_dict(ExperimentConfig(model=model.config))["model"]
        data = {"profile": self.config.data.profile, "shared_vocabulary": model.shared_vocabulary}
        return {"version": VERSION, "model": settings, "data": data, "subwords": self.subword_digests}

    def _text(self):
        return run_files.read_text_record(self.path / "text.json")

    @property
    def _checkpoints(self):
        return self.path / "checkpoints"

    def _weights(self, step):
        return self._checkpoints / f"step-{step}{WEIGHTS}"

    def _state(self, step):
        return self._checkpoints / f"step-{step}.state.npz"
