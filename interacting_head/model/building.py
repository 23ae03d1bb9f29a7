"""Models of configurations and of runs: their weights are whole, finite and of the run's configuration."""

import dataclasses
import logging
import reprlib
import warnings
from pathlib import Path

import h5py
import keras
import numpy as np

from data.errors import InputError
from data.text.subwords import Subwords
from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig
from interacting_head.model.allocation import out_of_memory_explained
from interacting_head.model.placement import resolved
from interacting_head.model.transformer import Transformer
from interacting_head.runs.migrations import UPGRADES
from interacting_head.runs.run_directory import VERSION, RunDirectory
from interacting_head.runs.seals import check_seal

DROPOUTS = {"dropout", "activation_dropout"}
"""Keys of a `ModelConfig` that change how weights are learnt, and not what they compute."""
logger = logging.getLogger("interacting_head")


def build_model(config: ExperimentConfig, source_subwords: Subwords, target_subwords: Subwords) -> Transformer:
    """Return the `Transformer` of a configuration and its vocabularies, with fresh weights.

    Raises:
        InputError: if it does not fit into the memory.
    """
    advice = "lower model.model_dim, model.feed_forward_dim or the number of layers"
    sizes = source_subwords.vocabulary_size, target_subwords.vocabulary_size
    with out_of_memory_explained(lambda: "the weights of the model", advice, InputError):
        return Transformer(config.model, *sizes, config.data.shared_vocabulary)


def load_model(run: RunDirectory, subwords: tuple[Subwords, Subwords], checkpoint: str | None = None) -> Transformer:
    """Return the `Transformer` of a `RunDirectory` and the pair of its `data.Subwords`, with its weights.

    The checkpoint is as in `RunDirectory.weights`.

    Raises:
        InputError: if there is no such checkpoint or the model does not fit into the memory, and as `load_weights`.
    """
    path = run.weights(checkpoint)
    if checkpoint is None and path != run.weights_path("best"):
        logger.warning("%s has no validation yet: its newest checkpoint, %s, is used", run.path, path.name)
    seal = _verified(run, path)  # first: a model of another configuration may be none at all
    model = build_model(run.config, *subwords)
    _fill(run, model, path, seal)
    return model


def load_weights(run: RunDirectory, model: Transformer, path: Path) -> None:
    """Load a file of weights of a `RunDirectory` into a `Transformer` of its configuration.

    Raises:
        InputError: if the file is damaged, its weights belong to another configuration or to other sub-words, or
            one of them is not finite.
    """
    _fill(run, model, path, _verified(run, path))


def _verified(run, path):
    """Return the seal of a file of weights, see `run_files.check_seal`, if its configuration and sub-words fit."""
    seal = check_seal(path)
    if not seal:  # of an earlier program
        return seal
    if seal.get("version") not in (VERSION, *UPGRADES):
        raise InputError(f"{path} was saved by a program with another format of runs; see CHANGELOG.md")
    try:
        upgrade = UPGRADES.get(seal["version"], dict)
        then = configuration.from_dict(upgrade({name: seal.get(name, {}) for name in ("model", "data")}))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    now = run.config
    if _computed(then) != _computed(now):
        raise InputError(
            f"{path} belongs to another configuration than {run.path / 'config.yaml'}: {_differences(then, now)}; "
            "restore config.yaml, or copy the run directory again from where it came from"
        )
    if seal.get("subwords") and run.subword_digests and seal["subwords"] != run.subword_digests:
        raise InputError(
            f"{path} belongs to other sub-words than those in {run.path / 'subwords'}; copy the run directory again "
            "from where it came from"
        )
    return seal


def _fill(run, model, path, seal):
    """Load a file of weights with a verified seal."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            model.load_weights(path)
        if warned:  # if a file lacks some weights, Keras only warns and keeps fresh ones
            raise ValueError(str(warned[0].message))
        if (arrays := _number_of_arrays(path)) != len(model.weights):  # Keras leaves out what the model does not have
            raise ValueError(f"it has {arrays} weights, the model {len(model.weights)}")
    except Exception as error:  # h5py and Keras raise many kinds for a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        damaged = "" if seal is not None else "is damaged, or "  # a sealed file is whole
        raise InputError(
            f"{path} {damaged}does not belong to {run.path / 'config.yaml'} ({reason}); copy the run directory again "
            "from where it came from, or give another --checkpoint"
        ) from error
    for weight in model.weights:
        if not np.isfinite(keras.ops.convert_to_numpy(weight.value)).all():
            raise InputError(
                f"{path} holds NaN or infinity in {weight.path}: its training has diverged; give another --checkpoint, "
                "or train again with a lower train.learning_rate"
            )


def _computed(config):
    """Return what of an `ExperimentConfig` decides what weights compute, defaults filled in."""
    mapping = configuration.to_dict(dataclasses.replace(config, model=resolved(config.model)))
    return _without_dropout(mapping["model"]), config.data.profile, config.data.shared_vocabulary


def _without_dropout(value):
    if isinstance(value, dict):
        return {key: _without_dropout(item) for key, item in value.items() if key not in DROPOUTS}
    return list(map(_without_dropout, value)) if isinstance(value, list) else value


def _differences(then, now):
    """Return in words the keys in which two `ExperimentConfig`s compute something else."""
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
