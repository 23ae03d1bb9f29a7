"""Weights of models from files: whole, finite, and of the configuration that the run has."""

import dataclasses
import reprlib
import warnings

import h5py
import keras
import numpy as np

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.model.placement import resolved
from interacting_head.runs.migrations import UPGRADES
from interacting_head.runs.run_directory import VERSION
from interacting_head.runs.seals import check_seal

DROPOUTS = {"dropout", "activation_dropout"}
"""Keys of a `ModelConfig` that change how weights are learnt, and not what they compute."""


def load_weights(run, model, path):
    """Load weights of a run into a `Transformer` of its configuration.

    Args:
        run: a `RunDirectory`.
        model: the `Transformer`.
        path: the file.

    Raises:
        InputError: where the file is damaged, its weights belong to another configuration or to other sub-words, or
            one of them is not finite.
    """
    fill(run, model, path, verified(run, path))


def verified(run, path):
    """Return the seal of a file of weights of a run, see `seals.check_seal`; it is for `fill`.

    Raises:
        InputError: where the file is damaged, or its weights belong to another configuration or to other sub-words.
    """
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


def fill(run, model, path, seal):
    """Load weights of a run into a `Transformer`.

    Args:
        run, model, path: as of `load_weights`.
        seal: the file's, as `verified` returns it.

    Raises:
        InputError: where the file is damaged, its weights do not fit the model, or one of them is not finite.
    """
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            model.load_weights(path)
        if warned:  # of some weights that a file lacks Keras only warns, and keeps fresh ones
            raise ValueError(str(warned[0].message))
        if (arrays := _number_of_arrays(path)) != len(model.weights):  # those beyond the model's Keras leaves out
            raise ValueError(f"it has {arrays} weights, the model {len(model.weights)}")
    except Exception as error:  # h5py and Keras raise many kinds for a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        damaged = "" if seal is not None else "is damaged, or "  # a seal vouches for what it stands under
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
