"""A run directory: configuration, sub-words, checkpoints and scores of one experiment; movable."""

import errno
import json
import operator
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import (
    atomic_write,
    check_plain,
    check_room,
    full_disk_named,
    make_folder,
    sha256,
    write_json,
    written_atomically,
)
from data.text.parallel_text import SIDES
from data.text.profiles import PROFILES, RAW_TEXT, Preprocessor
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from interacting_head import config as configuration
from interacting_head.config import DataConfig, ExperimentConfig
from interacting_head.runs import migrations, run_folder
from interacting_head.runs.alignment_choice import ALIGNMENT, AlignmentChoice
from interacting_head.runs.run_folder import PRUNING, TRANSLATIONS, WEIGHTS
from interacting_head.runs.seals import DAMAGED, seal

VERSION = "3"
KNOWN_VERSIONS = (*migrations.UPGRADES, VERSION)


class RunDirectory:
    """The files of a run.

    ```
    config.yaml  text.json  subwords/{source,target}.model  truecasing/{source,target}.truecase
    checkpoints/step-N.weights.h5, step-N.state.npz
    best.weights.h5  average.weights.h5  ema.weights.h5  log.jsonl  train.log  metrics.json  tensorboard/  VERSION
    alignment.json  pruning.json  exports/FORMAT/  translations/
    ```
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.subword_paths = tuple(self.path / "subwords" / f"{side}.model" for side in SIDES)
        self.truecasing_paths = tuple(self.path / "truecasing" / f"{side}.truecase" for side in SIDES)

    @property
    def name(self) -> str:
        """The name of the folder as text; bytes that are not UTF-8 are escaped."""
        return os.fsencode(self.path.resolve().name).decode("utf-8", "backslashreplace")

    @classmethod
    def open(cls, path: str | Path) -> "RunDirectory":
        """Return an existing run; raise `InputError` if `path` is not a run, or its version is unknown."""
        run = cls(path)
        # Look at its files only if it is a run: the path may be anything, such as a home folder.
        if missing := [name for name in ("config.yaml", "VERSION") if not os.path.exists(run.path / name)]:
            former = run_folder.former_hint(run.path)
            raise InputError(
                f"{path} is not a run directory (it has no {missing[0]}); name the directory of one run, such as "
                f"runs/quickstart{former}"
            )
        for file in run_folder.run_files(run.path):
            check_plain(file)
        if run.version not in KNOWN_VERSIONS:
            readable = f"{', '.join(KNOWN_VERSIONS[:-1])} and {VERSION}"
            raise InputError(
                f"{path} has format version {run.version}, but this program reads {readable}; see CHANGELOG.md"
            )
        return run

    def create_or_check(
        self, config: ExperimentConfig, is_same: Callable[[ExperimentConfig, ExperimentConfig], bool] = operator.eq
    ) -> bool:
        """Write the configuration, or check that the run has the same one; return whether the run is new.

        Raises `InputError` if the run has another configuration or cannot be trained further, or the folder contains
        something other than a run.
        """
        if not (self.path / "config.yaml").is_file():
            run_folder.check_unused(self.path, self.version in KNOWN_VERSIONS)
            make_folder(self.path / "checkpoints")
            # The configuration comes last: with it, the folder is a run.
            for name, text in (("VERSION", VERSION + "\n"), ("config.yaml", configuration.to_yaml(config))):
                with atomic_write(self.path / name) as file:
                    file.write(text)
            return True
        existing = RunDirectory.open(self.path).config
        migrations.check_trainable(self.path, self.version)
        if (self.path / PRUNING).is_file():
            raise InputError(
                f"{self.path} has had heads removed, so its training cannot be resumed; choose another --run-dir, or "
                "--no-resume to start a new training"
            )
        if not is_same(existing, config):
            differing = configuration.differences(existing, config)
            listed = ", ".join(f"{key} ({there!r} there, {here!r} now)" for key, (there, here) in differing.items())
            raise InputError(
                f"{self.path} contains a run with a different configuration: {listed}; "
                "choose another --run-dir, or --no-resume to start a new training"
            )
        return False

    @property
    def version(self) -> str:
        """The format version of the run; "none" if unknown."""
        path = self.path / "VERSION"
        return path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else "none"

    @property
    def config(self) -> ExperimentConfig:
        """The configuration, migrated to this version."""
        return configuration.load_config(self.path / "config.yaml", migrations.UPGRADES.get(self.version))

    # Text.

    @property
    def text(self) -> dict:
        """The languages of the text, and digests of its splits and sub-words; empty if unknown."""
        if (record := self.read_json("text.json")) is None:
            return {}
        is_object = isinstance(record, dict) and isinstance(record.get("digests", {}), dict)
        pairs = [record.get(name, ["", ""]) for name in ("languages", "subwords")] if is_object else [None]
        if not all(isinstance(pair, list) and [type(item) for item in pair] == [str, str] for pair in pairs):
            raise InputError(f"{self.path / 'text.json'} {DAMAGED}")
        return record

    def languages(self, data: DataConfig) -> tuple[str | None, str | None]:
        """Return the codes of source and target language for the run's settings; None where they are not known."""
        known = data.source_language, data.target_language
        return tuple(self.text.get("languages", known)) if None in known else known

    @property
    def subword_digests(self) -> list[str] | None:
        """The SHA-256 of the run's original sub-word models, or None if unknown."""
        return self.text.get("subwords")

    def subwords(self) -> tuple[Subwords, Subwords]:
        """Return source and target sub-words, one object if their files are equal.

        Raises `InputError` if they are damaged, or differ from the run's original ones.
        """
        source, target = self.subword_paths
        digests = self.subword_digests or [None, None]
        source_subwords = Subwords(source, digests[0])
        same = digests[0] == digests[1] and target.is_file() and source.read_bytes() == target.read_bytes()
        return source_subwords, source_subwords if same else Subwords(target, digests[1])

    def truecasers(self) -> tuple[Truecaser, Truecaser] | None:
        """Return source and target truecaser, or None except for the profile `truecased`."""
        if not all(path.is_file() for path in self.truecasing_paths):
            return None
        return tuple(map(Truecaser.load, self.truecasing_paths))

    def check_text(self, digests: dict[str, list[str]]) -> None:
        """Raise `InputError` unless the run began on text with these digests, {split: [source, target]}."""
        begun_with = self.text.get("digests", digests)
        if changed := [split for split in digests if digests[split] != begun_with.get(split)]:
            raise InputError(
                f"the text of {' and '.join(changed)} has changed since {self.path} was started; restore it, choose "
                "another --run-dir, or use --no-resume to start a new training"
            )

    def save_text(self, languages: tuple, digests: dict, truecasers: tuple | None, subwords: tuple) -> None:
        """Write languages and digests of the text, its truecasers (or None), and the digests of its `Subwords`."""
        for path, truecaser in zip(self.truecasing_paths, truecasers or (), strict=False):
            path.parent.mkdir(exist_ok=True)
            truecaser.save(path)
        subwords = [model.digest for model in subwords]
        self.write_json("text.json", {"languages": languages, "digests": digests, "subwords": subwords})

    def text_forms(self) -> tuple[Preprocessor, Preprocessor]:
        """Return the preprocessors of source and target; raise `InputError` if truecasers are missing."""
        profile = self.config.data.profile
        if not PROFILES[profile].is_tokenized:
            return RAW_TEXT, RAW_TEXT
        truecasers = self.truecasers() if PROFILES[profile].is_truecased else (None, None)
        languages = self.text.get("languages")
        if not (truecasers and languages):
            raise InputError(f"{self.path} lacks text.json or a file in truecasing/; copy the run directory again")
        return tuple(map(Preprocessor, (profile, profile), languages, truecasers))

    # Weights.

    def steps(self) -> list[int]:
        """Return the steps of the complete checkpoints, in ascending order."""
        states = (self.path / "checkpoints").glob("*.npz")
        found = (re.fullmatch(r"step-(\d+)\.state\.npz", path.name) for path in states)
        steps = sorted(int(match[1]) for match in found if match)
        return [step for step in steps if self._checkpoint_path(step).is_file()]

    def find_weights(self, name: str | None = None) -> Path:
        """Return the path of the weights `best`, `average`, `ema` or `step-N`; raise `InputError` if there are none.

        Default: best, or the newest before the first validation.
        """
        steps = self.steps()
        available = {f"step-{step}": self._checkpoint_path(step) for step in steps}
        special = {name: self.weights_path(name) for name in ("ema", "average", "best")}
        available |= {name: path for name, path in special.items() if path.is_file()}
        if not available:
            former = run_folder.former_hint(self.path)
            raise InputError(
                f"{self.path} has no checkpoint yet; train first (interacting-head train --run-dir {self.path}){former}"
            )
        if name is None and "best" not in available:
            # A checkpoint is saved after the best weights of a validation at its step.
            validated = (self.path / "metrics.json").is_file() or len(available) > len(steps)
            if validated or any(record["step"] <= steps[-1] for record in self.read_log()):
                raise InputError(
                    f"{self.weights_path('best')} is missing; copy it again from the original run directory, or choose "
                    f"another --checkpoint: {', '.join(available)}"
                )
            name = f"step-{steps[-1]}"
        name = "best" if name is None else name
        if name not in available:
            raise InputError(f"{self.path} has no checkpoint {name!r}; it has {', '.join(available)}")
        return available[name]

    def weights_path(self, name: str) -> Path:
        """Return the path of the weights `best`, `average` or `ema`, which may not exist."""
        return self.path / f"{name}{WEIGHTS}"

    def save_weights(self, model: object, path: Path) -> None:
        """Save the weights of a `Transformer`, sealed; raise `OSError` if the disk has no room."""
        owner = {
            "version": VERSION,
            "model": configuration.to_dict(ExperimentConfig(model=model.config))["model"],
            "data": {"profile": self.config.data.profile, "shared_vocabulary": model.shared_vocabulary},
            "subwords": self.subword_digests,
        }
        with written_atomically(path) as partial:
            # After writing to a full disk, HDF5 crashes the process at exit.
            check_room(partial.parent, 4 * model.count_params() + 2**14 * len(model.weights))
            model.save_weights(partial)
            seal(partial, owner)

    def save_checkpoint(self, model: object, step: int, arrays: list[np.ndarray], state: dict) -> None:
        """Write a checkpoint: weights, arrays (optimizer and random states), and a JSON state."""
        self.save_weights(model, self._checkpoint_path(step))
        state = {**state, "weights_sha256": sha256(self._checkpoint_path(step))}
        # The state comes last: without it the checkpoint does not count.
        with atomic_write(self._state(step), "wb") as file:
            np.savez(file, *arrays, state=json.dumps(state))

    def remove_checkpoints(self, steps: Iterable[int]) -> None:
        """Remove the checkpoints of these steps."""
        for step in steps:
            self._state(step).unlink(missing_ok=True)
            self._checkpoint_path(step).unlink(missing_ok=True)

    def load_checkpoint(self, step: int) -> tuple[Path, list[np.ndarray], dict] | None:
        """Return the weights' path, arrays and state of a checkpoint, or None if it is damaged.

        Raises `MemoryError` or `OSError` if it may be intact, but cannot be read at present.
        """
        try:
            with np.load(self._state(step), allow_pickle=False) as file:
                arrays = [file[f"arr_{index}"] for index in range(len(file.files) - 1)]
                state = dict(json.loads(str(file["state"])))
        except Exception as error:  # NumPy and zipfile raise many kinds for a damaged file
            if isinstance(error, MemoryError) or getattr(error, "errno", None) not in (None, errno.EINVAL):
                raise
            return None
        if sha256(self._checkpoint_path(step)) != state.pop("weights_sha256", None):
            return None
        return self._checkpoint_path(step), arrays, state

    def _checkpoint_path(self, step):
        return self.path / "checkpoints" / f"step-{step}{WEIGHTS}"

    def _state(self, step):
        return self.path / "checkpoints" / f"step-{step}.state.npz"

    # Records.

    def translation_path(self, split: str) -> Path:
        """Return the path of the compressed translations of a split of the corpus, which may not exist."""
        return self.path / TRANSLATIONS / f"{split}.{self.config.data.target_language}.gz"

    def append_log(self, record: dict) -> None:
        """Add one JSON object to log.jsonl."""
        path = self.path / "log.jsonl"
        with full_disk_named(path), open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def read_log(self) -> list[dict]:
        """Return the records of log.jsonl without an incomplete last line; raise `InputError` if one is damaged."""
        path = self.path / "log.jsonl"
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        records = []
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                continue
            try:
                record = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict) or type(record.get("step")) is not int:
                raise InputError(f"{path}, line {number}, {DAMAGED}, or start a new training with --no-resume")
            records.append(record)
        return records

    def truncate_log(self, step: int) -> None:
        """Drop the records after `step`, which a resumed run will write again."""
        records = [record for record in self.read_log() if record["step"] <= step]
        with atomic_write(self.path / "log.jsonl") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def alignment_choice(self) -> AlignmentChoice:
        """Return the layer and head of word alignments, the default if none is stored; `InputError` if damaged."""
        layers = self.config.model.decoder_layers
        if (record := self.read_json(ALIGNMENT)) is None:
            return AlignmentChoice.default(layers)
        return AlignmentChoice.read(record, layers, self.path / ALIGNMENT)

    def write_json(self, name: str, value: object) -> None:
        """Write a value to the JSON file `name`."""
        write_json(self.path / name, value)

    def read_json(self, name: str) -> dict | list | None:
        """Return the value in a JSON file, or None if it is missing; raise `InputError` if it is damaged."""
        path = self.path / name
        try:
            return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} {DAMAGED}") from error
