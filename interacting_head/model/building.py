"""Models of configurations and of runs, with checks that weights are intact, finite and match the configuration."""

import dataclasses
import logging
import reprlib
import warnings
from pathlib import Path

import h5py
import keras
import numpy as np

from data.errors import InputError, MisfitError
from data.text.subwords import Subwords
from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig
from interacting_head.model.allocation import MODEL_ADVICE, out_of_memory_explained
from interacting_head.model.placement import resolved
from interacting_head.model.transformer import Transformer
from interacting_head.runs.migrations import UPGRADES
from interacting_head.runs.run_directory import VERSION, RunDirectory
from interacting_head.runs.seals import check_seal

DROPOUTS = {"dropout", "activation_dropout", "importance_dropout"}
"""Keys of a `ModelConfig` that affect training only."""
logger = logging.getLogger("interacting_head")


def build_model(config: ExperimentConfig, source_subwords: Subwords, target_subwords: Subwords) -> Transformer:
    """Return a new `Transformer` of a configuration; raise `MisfitError` if it does not fit into memory."""
    sizes = source_subwords.vocabulary_size, target_subwords.vocabulary_size
    with out_of_memory_explained(lambda: "the weights of the model", MODEL_ADVICE, MisfitError):
        return Transformer(config.model, *sizes, config.data.shared_vocabulary)


def load_model(run: RunDirectory, subwords: tuple[Subwords, Subwords], checkpoint: str | None = None) -> Transformer:
    """Return the `Transformer` of a `RunDirectory` with its weights; `checkpoint` as in `RunDirectory.find_weights`.

    Raises `InputError` if there is no such checkpoint or the model does not fit into memory, and as `load_weights`.
    """
    path = run.find_weights(checkpoint)
    if checkpoint is None and path != run.weights_path("best"):
        logger.warning("%s has no validation yet: using its newest checkpoint, %s", run.path, path.name)
    seal = _verified(run, path)  # first: a wrong configuration may be unbuildable
    model = build_model(run.config, *subwords)
    _fill(run, model, path, seal)
    return model


def load_weights(run: RunDirectory, model: Transformer, path: Path) -> None:
    """Load a weight file of a `RunDirectory` into a `Transformer` of its configuration.

    Raises `InputError` if the file is damaged, belongs to another configuration or other sub-words, or contains NaN or
    infinity.
    """
    _fill(run, model, path, _verified(run, path))


def _verified(run, path):
    """Return the seal of a weight file, see `check_seal`; raise `InputError` unless it matches the run."""
    seal = check_seal(path)
    if not seal:  # of an earlier version
        return seal
    if seal.get("version") not in (VERSION, *UPGRADES):
        raise InputError(f"{path} was saved in an unknown format version; see CHANGELOG.md")
    try:
        upgrade = UPGRADES.get(seal["version"], dict)
        then = configuration.from_dict(upgrade({name: seal.get(name, {}) for name in ("model", "data")}))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    now = run.config
    if _computed(then) != _computed(now):
        raise InputError(
            f"{path} was saved with a different configuration than {run.path / 'config.yaml'}: "
            f"{_differences(then, now)}; restore config.yaml, or copy the original run directory again"
        )
    if seal.get("subwords") and run.subword_digests and seal["subwords"] != run.subword_digests:
        raise InputError(
            f"{path} was trained with different sub-words than {run.path / 'subwords'} contains; copy the original run "
            "directory again"
        )
    return seal


def _fill(run, model, path, seal):
    """Load a weight file with a verified seal."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            model.load_weights(path)
        if warned:  # if a file lacks some weights, Keras only warns and keeps fresh ones
            raise ValueError(str(warned[0].message))
        if (arrays := _number_of_arrays(path)) != len(model.weights):  # Keras ignores what the model does not have
            raise ValueError(f"it has {arrays} weights, the model {len(model.weights)}")
    except Exception as error:  # h5py and Keras raise many kinds for a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        damaged = "" if seal is not None else "is damaged, or "  # a sealed file is intact
        raise InputError(
            f"{path} {damaged}does not match {run.path / 'config.yaml'} ({reason}); copy the original run directory "
            "again, or give another --checkpoint"
        ) from error
    for weight in model.weights:
        if not np.isfinite(keras.ops.convert_to_numpy(weight.value)).all():
            raise InputError(
                f"{path} contains NaN or infinity in {weight.path}: its training has diverged; give another "
                "--checkpoint, or train again with a lower train.learning_rate"
            )


def _computed(config):
    """Return the parts of an `ExperimentConfig` that determine what weights compute, defaults filled in."""
    mapping = configuration.to_dict(dataclasses.replace(config, model=resolved(config.model)))
    return _without_dropout(mapping["model"]), config.data.profile, config.data.shared_vocabulary


def _without_dropout(value):
    if isinstance(value, dict):
        return {key: _without_dropout(item) for key, item in value.items() if key not in DROPOUTS}
    return list(map(_without_dropout, value)) if isinstance(value, list) else value


def _differences(then, now):
    """Describe the keys that make two `ExperimentConfig`s compute different things."""
    data = {name: getattr(then.data, name) for name in ("profile", "shared_vocabulary")}
    then = dataclasses.replace(now, model=then.model, data=dataclasses.replace(now.data, **data))
    return ", ".join(
        f"{key} ({reprlib.repr(former)} with the weights, {reprlib.repr(present)} now)"
        for key, (former, present) in configuration.differences(then, now).items()
        if key.rpartition(".")[2] not in DROPOUTS
    )


def _number_of_arrays(path):
    arrays = []
    with h5py.File(path) as file:
        file.visititems(lambda name, item: arrays.append(name) if isinstance(item, h5py.Dataset) else None)
    return len(arrays)
