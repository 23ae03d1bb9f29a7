"""A run directory: configuration, sub-words, checkpoints and scores of one experiment; movable."""

import json
import math
import operator
import re
import shutil
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import atomic_write, check_plain, check_room, full_disk_named, make_folder, written_beside
from data.text.profiles import PROFILES, RAW_TEXT, TextForm
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from interacting_head import config as configuration
from interacting_head import former_runs, run_files

VERSION = "2"
WEIGHTS = ".weights.h5"
PRUNING = "pruning.json"
"""The file of `analyze pruning --remove` that tells which heads are gone."""


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
        if not (run.path / "config.yaml").is_file():
            raise InputError(f"{path} is not a run directory (it has no config.yaml); give the --run-dir of train.py")
        check_plain(path)
        if run.version not in (VERSION, *former_runs.UPGRADES):
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
            InputError: when the run has another configuration; it names the keys that differ.
        """
        if (self.path / "config.yaml").is_file():
            existing = RunDirectory.open(self.path).config
            former_runs.check_trainable(self.path, self.version)
            if (self.path / PRUNING).is_file():
                raise InputError(
                    f"{self.path} is a run with heads removed and has no checkpoint to train on from; choose another "
                    "--run-dir, or --no-resume to start anew"
                )
            if not is_same(existing, config):
                differing = configuration.differences(existing, config)
                listed = ", ".join(f"{key} ({there!r} there, {here!r} now)" for key, (there, here) in differing.items())
                raise InputError(
                    f"{self.path} holds a run with another configuration: {listed}; "
                    "choose another --run-dir, or --no-resume to start it anew"
                )
            return False
        make_folder(self.path / "checkpoints")
        # The configuration comes last and makes it a run.
        with atomic_write(self.path / "VERSION") as file:
            file.write(VERSION + "\n")
        with atomic_write(self.path / "config.yaml") as file:
            file.write(configuration.to_yaml(config))
        return True

    def clear(self):
        """Removes the files of an earlier run, those of this class only; the folder stays."""
        if not (self.path / "config.yaml").is_file():
            return
        for name in ("checkpoints", "subwords", "truecasing", "tensorboard"):
            shutil.rmtree(self.path / name, ignore_errors=True)
        for name in ("best", "average", "ema"):
            (self.path / f"{name}{WEIGHTS}").unlink(missing_ok=True)
        # The configuration comes after all that belongs to it: killed before, a process leaves a run to be cleared.
        for name in ("log.jsonl", "metrics.json", PRUNING, "train.log", "text.json", "config.yaml", "VERSION"):
            (self.path / name).unlink(missing_ok=True)

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
    def subword_paths(self):
        """The model files of the source and the target sub-words."""
        return self.path / "subwords" / "source.model", self.path / "subwords" / "target.model"

    def subwords(self):
        """Source and target `Subwords`, one object where they are equal files.

        Raises:
            InputError: where they are damaged, or not those that the run was begun with.
        """
        source, target = self.subword_paths
        digests = (self._text() or {}).get("subwords", [None, None])
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
                "another --run-dir, or use --no-resume to start it anew"
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
        """The `TextForm`s of source and target.

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
        return tuple(map(TextForm, (profile, profile), text["languages"], truecasers))

    # Weights.

    def steps(self):
        """The steps of the complete checkpoints, in ascending order."""
        found = (re.fullmatch(r"step-(\d+)\.state\.npz", path.name) for path in self._checkpoints.glob("*.npz"))
        steps = sorted(int(match[1]) for match in found if match)
        return [step for step in steps if self._weights(step).is_file()]

    def weights(self, name=None):
        """The path of the weights called `best`, `average`, `ema` or `step-N`; default: best, or else the newest.

        Raises:
            InputError: when there are none of that name; it lists those there are.
        """
        available = {f"step-{step}": self._weights(step) for step in self.steps()}
        for special in ("ema", "average", "best"):
            path = self.weights_path(special)
            if path.is_file():
                available[special] = path
        if not available:
            raise InputError(f"{self.path} has no checkpoint yet; train it first (train.py --run-dir {self.path})")
        if name is None:
            return available.get("best", available[list(available)[-1]])
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
            run_files.seal(partial)

    def save_checkpoint(self, model, step, arrays, state):
        """Writes a checkpoint.

        Args:
            model: whose weights to save.
            step: number of steps trained.
            arrays: list of arrays (optimizer and random states).
            state: a dictionary that JSON can hold.
        """
        self.save_weights(model, self._weights(step))
        state = {**state, "weights_sha256": run_files.sha256(self._weights(step))}
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
        try:
            with np.load(self._state(step), allow_pickle=False) as file:
                state = json.loads(str(file["state"]))
                arrays = [file[f"arr_{index}"] for index in range(len(file.files) - 1)]
                digest = state.pop("weights_sha256")
        except Exception:  # NumPy and zipfile raise many kinds for a damaged file
            return None
        if run_files.sha256(self._weights(step)) != digest:
            return None
        return self._weights(step), arrays, state

    def average(self, model, steps):
        """Sets `model` to the mean of the weights of several checkpoints, and saves it as `average`."""
        total = None
        for step in steps:
            run_files.load_weights(model, self._weights(step))
            values = [np.asarray(value, dtype="float64") for value in model.get_weights()]
            total = values if total is None else [a + b for a, b in zip(total, values, strict=True)]
        model.set_weights([value / len(steps) for value in total])
        self.save_weights(model, self.weights_path("average"))

    def append_log(self, record):
        """Adds one JSON object to log.jsonl."""
        path = self.path / "log.jsonl"
        with full_disk_named(path), open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def read_log(self):
        """The records of log.jsonl; a line that was cut off by a crash is not one."""
        return run_files.read_records(self.path / "log.jsonl")

    def truncate_log(self, step):
        """Drops the records after `step`, which a resumed run writes anew."""
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

    def _text(self):
        return run_files.read_text_record(self.path / "text.json")

    @property
    def _checkpoints(self):
        return self.path / "checkpoints"

    def _weights(self, step):
        return self._checkpoints / f"step-{step}{WEIGHTS}"

    def _state(self, step):
        return self._checkpoints / f"step-{step}.state.npz"
