"""Weights and the configuration that they belong to, and weights that are no numbers."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig, override
from interacting_head.model.building import load_model, load_weights
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.runs.seals import check_seal, seal
from tests.command_line import OWN, assert_refused, run
from tests.interacting_head import tiny

EDITS = {
    "model.normalization": ("normalization: post", "normalization: pre", "'post' with the weights, 'pre' now"),
    "model.attention.scheme": ("scheme: interacting_head", "scheme: multi_head", "'interacting_head' with the weights"),
    "model.encoder_layers": ("encoder_layers: 1", "encoder_layers: 2", "1 with the weights, 2 now"),
    "data.profile": ("profile: raw", "profile: lowercased", "'raw' with the weights, 'lowercased' now"),
    "data.shared_vocabulary": ("shared_vocabulary: true", "shared_vocabulary: false", "True with the weights"),
}


@pytest.fixture
def copied(workplace, tmp_path):
    """A copy of a trained run."""
    shutil.copytree(workplace / "trained", tmp_path / "copied")
    return RunDirectory(tmp_path / "copied")


def edit(run, old, new):
    path = run.path / "config.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def without_seal(path, owner_only=False):
    """Give a file of weights the form that earlier programs wrote: without a seal, or with a checksum alone."""
    from data.files import sha256
    from interacting_head.runs.seals import OWNER

    path.write_bytes(path.read_bytes().rpartition(OWNER)[0])
    if owner_only:
        digest = sha256(path)
        with open(path, "ab") as file:
            file.write(f"\nsha256 {digest}\n".encode())


@pytest.mark.parametrize("key", EDITS)
def test_weights_of_another_configuration_are_refused_with_the_key(copied, key):
    old, new, values = EDITS[key]
    edit(copied, old, new)
    message = f"was saved with a different configuration than {copied.path / 'config.yaml'}: {key} ({values}"
    with pytest.raises(InputError) as raised:
        load_model(copied, copied.subwords())
    assert str(raised.value).startswith(f"{copied.path / 'best.weights.h5'} {message}")
    assert "; restore config.yaml, or copy the original run directory again" in str(raised.value)


def test_a_wrong_configuration_ends_translation_and_training_in_one_line(copied, workplace):
    edit(copied, "normalization: post", "normalization: pre")
    message = "model.normalization ('post' with the weights, 'pre' now)"
    assert_refused(run(workplace, "translate.py", "-m", copied.path, "-i", "dev.de"), message)
    trained = run(workplace, "train.py", copied.path / "config.yaml", "--run-dir", copied.path, *OWN)
    assert trained.code == 2
    assert (
        f"step-120.weights.h5 was saved with a different configuration than {copied.path / 'config.yaml'}: model.norm"
        in (trained.errors.splitlines()[-1])
    )


def test_weights_belong_to_the_options_of_their_scheme(tmp_path):
    run, model = tiny.run(tmp_path / "run")
    run.save_weights(model, run.weights_path("best"))
    edit(run, "options: {}", "options: {query_combination: mean}")
    with pytest.raises(
        InputError, match=r"model\.attention\.options\.query_combination \(None with the weights, 'mean'"
    ):
        load_weights(run, model, run.weights_path("best"))


def test_settings_of_training_and_search_may_be_edited(tmp_path):
    run, model = tiny.run(tmp_path / "run", scheme="multi_hop")
    run.save_weights(model, run.weights_path("best"))
    settings = ["decode.beam_size=9", "train.max_steps=7", "model.dropout=0.5", "model.attention.dropout=0.5"]
    settings += ["data.max_length=9", "model.memory=top"]  # which is the default of this scheme
    config = override(run.config, settings)
    (run.path / "config.yaml").write_text(configuration.to_yaml(config))
    load_weights(run, model, run.weights_path("best"))


def test_the_dropout_of_head_importance_may_be_edited(tmp_path):
    run, model = tiny.run(tmp_path / "run", scheme="dynamic_head_importance")
    run.save_weights(model, run.weights_path("best"))
    config = override(run.config, ["model.attention.options.importance_dropout=0.5"])
    (run.path / "config.yaml").write_text(configuration.to_yaml(config))
    load_weights(run, model, run.weights_path("best"))


@pytest.mark.parametrize("owner_only", [True, False])
def test_weights_of_earlier_programs_are_loaded_or_name_the_configuration(tmp_path, owner_only):
    run, model = tiny.run(tmp_path / "run", decoder_layers=1)
    path = run.weights_path("best")
    run.save_weights(model, path)
    without_seal(path, owner_only)
    assert check_seal(path) == ({} if owner_only else None)
    load_weights(run, model, path)
    damaged = "" if owner_only else "is damaged, or "
    for settings in ({"encoder_layers": 1}, {"feed_forward_dim": 20}):
        with pytest.raises(InputError) as raised:
            load_weights(run, tiny.transformer(decoder_layers=1, **settings), path)
        assert str(raised.value).startswith(f"{path} {damaged}does not match {run.path / 'config.yaml'} (")


def test_weights_belong_to_sub_words(copied):
    record = copied.read_json("text.json")
    copied.write_json("text.json", {**record, "subwords": ["0" * 64] * 2})
    with pytest.raises(
        InputError, match=r"best\.weights\.h5 was trained with different sub-words than .*subwords contains; copy"
    ):
        load_weights(copied, None, copied.find_weights())


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        ({"version": "99"}, "was saved in an unknown format version; see CHANGELOG.md"),
        ({}, "was saved in an unknown format version; see CHANGELOG.md"),
        ({"version": "2", "model": {"no_such_key": 1}}, "no_such_key"),
        ({"version": "1", "model": [], "data": "x"}, "must be a mapping with the keys"),
        ({"version": ["2"]}, "unknown format version"),
    ],
)
def test_any_owner_in_a_seal_is_read_or_refused(tmp_path, owner, message):
    run, model = tiny.run(tmp_path / "run")
    path = run.weights_path("best")
    model.save_weights(path)
    seal(path, {**owner, "more": 1})
    with pytest.raises(InputError, match=f"^{path}.*{message}"):
        load_weights(run, model, path)


def test_an_owner_in_the_words_of_version_1_is_read_as_it_was_meant(tmp_path):
    run, model = tiny.run(tmp_path / "run", normalization="pre", memory_normalization="top")
    path, mapping = run.weights_path("best"), configuration.to_dict(run.config)
    del mapping["model"]["memory_normalization"]
    mapping["model"]["attention"]["options"] = {"balanced_query": False}
    model.save_weights(path)
    seal(path, {"version": "1", **{name: mapping[name] for name in ("model", "data")}})
    load_weights(run, model, path)


def test_a_seal_holds_no_names_of_files_and_fits_its_configuration(copied):
    owner = check_seal(copied.find_weights())
    assert str(Path("train.de")) not in json.dumps(owner)
    assert owner["data"] == {"profile": "raw", "shared_vocabulary": True}
    config = configuration.from_dict({"model": owner["model"]})
    assert config == ExperimentConfig(model=copied.config.model)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_not_numbers_are_refused_with_their_name(tmp_path, number):
    run, model = tiny.run(tmp_path / "run")
    weight = model.weights[3]
    weight.assign(np.where(np.arange(weight.shape[-1]) == 1, number, weight))
    path = run.weights_path("best")
    run.save_weights(model, path)
    with pytest.raises(InputError) as raised:
        load_weights(run, model, path)
    assert str(raised.value).startswith(
        f"{path} contains NaN or infinity in {weight.path}: its training has diverged; "
    )


def test_translation_and_export_with_infinite_weights_are_one_line(copied, workplace):
    model = load_model(copied, copied.subwords())
    model.weights[0].assign(np.full(model.weights[0].shape, np.nan))
    copied.save_weights(model, copied.find_weights())
    message = f"{copied.path / 'best.weights.h5'} contains NaN or infinity in target_embedding/embeddings"
    assert_refused(run(workplace, "translate.py", "-m", copied.path, "-i", "dev.de"), message)
    export = ["interacting_head.export", "-m", copied.path, "--format", "keras", "-o", copied.path / "out"]
    assert_refused(run(workplace, *export), message)
    assert not (copied.path / "out").exists()


def test_the_configuration_of_another_run_is_not_reported_as_damage(copied, workplace):
    config = copied.config
    larger = dataclasses.replace(config.model, model_dim=64, feed_forward_dim=32)
    (copied.path / "config.yaml").write_text(configuration.to_yaml(dataclasses.replace(config, model=larger)))
    result = run(workplace, "translate.py", "-m", copied.path, "-i", "dev.de")
    assert_refused(
        result, "model.feed_forward_dim (64 with the weights, 32 now), model.model_dim (32 with the weights, "
    )
    assert "damaged" not in result.errors


def test_a_run_without_validation_says_which_checkpoint_is_used(copied, caplog):
    for name in ("best.weights.h5", "average.weights.h5", "log.jsonl", "metrics.json"):
        (copied.path / name).unlink()
    load_model(copied, copied.subwords())
    assert "has no validation yet: using its newest checkpoint, step-120.weights.h5" in caplog.text
