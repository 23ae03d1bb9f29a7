"""Run directories with bytes changed, and with files missing, empty, cut, or in the place of others."""

import contextlib
import logging
import os
import shutil
from unittest import mock

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interacting_head.model.building import load_weights
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.runs.seals import LENGTH, OWNER
from tests.hostile import attempts, changed, changes, few_and_many, many, refusal
from tests.interacting_head import tiny

damages = st.tuples(
    st.integers(0, 999),  # which file
    st.sampled_from(["changed", "changed", "changed", "removed", "empty", "swapped"]),
    changes,
    st.integers(0, 999),  # the file that it changes places with
)


class Damaged:
    """Copies of a run directory, each with one file damaged."""

    def __init__(self, whole, folder):
        self.whole, self.folder = whole, folder
        self.files = sorted(
            path.relative_to(whole) for path in whole.rglob("*") if path.is_file() and "tensorboard" not in path.parts
        )

    def __call__(self, number, damage, made, other):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.whole, self.folder, ignore=shutil.ignore_patterns("tensorboard"))
        name, other = self.files[number % len(self.files)], self.files[other % len(self.files)]
        path = self.folder / name
        match damage:
            case "changed":
                path.write_bytes(changed(path.read_bytes(), made))
            case "removed":
                path.unlink()
            case "empty":
                path.write_bytes(b"")
            case "swapped":
                shutil.copyfile(self.whole / other, path)
                shutil.copyfile(self.whole / name, self.folder / other)
        return self.folder


SMALL = {"encoder_layers": 1, "decoder_layers": 1}
MODELS = {}  # in the child: one model is enough for all runs with the same configuration


def once(name, make):
    """A function like `make` that makes one model for each configuration."""

    def made(first, *rest):
        key = name, repr(getattr(first, "model", "")), *(getattr(one, "vocabulary_size", "") for one in rest)
        if key not in MODELS:
            MODELS[key] = make(first, *rest)
        return MODELS[key]

    return made


def load(folder, checkpoint):
    from interacting_head.model import building
    from interacting_head.translation.translator import Translator

    with mock.patch.object(building, "build_model", once("model", building.build_model)):
        return refusal(lambda: Translator.from_run(folder, checkpoint))


def resume(folder, workplace):
    """Do what `train.py` does before the first step, and read the scores as it does at the end."""
    from interacting_head.training import trainer

    class LoadedError(Exception):
        pass

    def start(self):
        self.run.read_json("metrics.json")
        raise LoadedError

    def train():
        with contextlib.ExitStack() as stack:
            for name, replacement in {
                "build_model": once("model", trainer.build_model),
                "make_training_model": once("training model", trainer.make_training_model),
            }.items():
                stack.enter_context(mock.patch.object(trainer, name, replacement))
            stack.enter_context(mock.patch.object(trainer.Trainer, "start", start))
            stack.enter_context(contextlib.suppress(LoadedError))
            # The command's own configuration does not come from the folder.
            trainer.train(RunDirectory.open(workplace / "trained").config, folder)

    logging.disable()  # the log goes to the standard error too
    os.chdir(workplace)
    os.environ["INTERACTING_HEAD_CACHE"] = str(workplace / "cache")
    return refusal(train)


@many
def test_a_damaged_run_translates_or_is_refused(workplace, tmp_path, in_child, examples):
    damaged, use = Damaged(workplace / "trained", tmp_path / "run"), in_child(load)

    @attempts(examples)
    @given(damages, st.sampled_from([None, "best", "average", "step-120"]))
    def attempt(damage, checkpoint):
        use(damaged(*damage), checkpoint)

    attempt()


@many
def test_a_damaged_run_is_continued_or_refused(workplace, tmp_path, in_child, examples):
    damaged, use = Damaged(workplace / "trained", tmp_path / "run"), in_child(resume)

    @attempts(examples)
    @given(damages)
    def attempt(damage):
        use(damaged(*damage), workplace)

    attempt()


def unsealed(path):
    """The bytes of a file of weights as earlier programs wrote them."""
    return path.read_bytes().rpartition(OWNER)[0]


def load_tiny(path):
    if "tiny" not in MODELS:
        MODELS["tiny"] = tiny.transformer(**SMALL)
    return refusal(load_weights, RunDirectory(path.parent), MODELS["tiny"], path)


@many
def test_weights_without_a_seal_are_loaded_or_refused(tmp_path, in_child, examples):
    run, model = tiny.run(tmp_path, **SMALL)
    run.save_weights(model, tmp_path / "whole.weights.h5")
    content, use = unsealed(tmp_path / "whole.weights.h5"), in_child(load_tiny)
    path = tmp_path / "changed.weights.h5"

    @attempts(examples)
    @given(changes)
    def attempt(made):
        path.write_bytes(changed(content, made))
        use(path)

    attempt()


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A file of weights as a run has them."""
    run, model = tiny.run(tmp_path_factory.mktemp("weights"))
    run.save_weights(model, run.weights_path("best"))
    return run.weights_path("best")


def test_every_byte_of_a_file_of_weights_counts(sealed, tmp_path):
    content, path, (run, model) = sealed.read_bytes(), tmp_path / "best.weights.h5", tiny.run(tmp_path)
    end_of_arrays = len(unsealed(sealed))
    for place in np.linspace(0, len(content) - LENGTH - 1, 50, dtype=int):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert f"{path} is damaged" in refusal(load_weights, run, model, path)
    for end in (0, 100, end_of_arrays // 2, end_of_arrays - 1, len(content) - LENGTH - 1, len(content) - 1):
        path.write_bytes(content[:end])
        assert f"{path} is damaged" in refusal(load_weights, run, model, path)


def test_a_seal_is_not_part_of_the_weights(sealed, tmp_path):
    model = tiny.transformer(seed=1)
    assert refusal(lambda: model.load_weights(sealed)) is None  # as Keras does
    for ours, theirs in zip(model.get_weights(), tiny.transformer().get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with h5py.File(sealed) as file:
        assert "layers" in file or list(file)


def test_a_file_of_weights_without_layers_is_an_error_of_one_line(sealed, tmp_path):
    path = tmp_path / "changed.weights.h5"
    run, model = tiny.run(tmp_path)
    path.write_bytes(unsealed(sealed))
    with h5py.File(path, "r+") as file:
        del file["layers"]
    assert f"{path} is damaged" in refusal(load_weights, run, model, path)


@few_and_many
def test_any_text_record_is_read_or_refused(tmp_path, examples):
    from interacting_head.config import ExperimentConfig

    run = RunDirectory(tmp_path)
    run.create_or_check(ExperimentConfig())
    scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    values = st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
    )
    names = st.sampled_from(["languages", "digests", "subwords"])

    @attempts(examples)
    @given(st.dictionaries(names, values) | values)
    def attempt(record):
        run.write_json("text.json", record)
        refusal(lambda: run.check_text({"train": ["a", "b"]}))
        refusal(run.text_forms)
        assert refusal(run.subwords)  # there are none

    attempt()


@few_and_many
def test_any_log_is_read_or_refused(tmp_path, examples):
    run, record = RunDirectory(tmp_path), b'{"step": 40, "bleu": 1.5}\n'

    @attempts(examples)
    @given(st.binary(max_size=100) | st.builds(changed, st.just(record * 3), changes))
    def attempt(content):
        (tmp_path / "log.jsonl").write_bytes(content)
        refusal(run.truncate_log, 40)

    attempt()
