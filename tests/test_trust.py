"""Files of strangers execute nothing: what SECURITY.md says, kind by kind."""

import ast
import itertools
import json
import os
import pickle
from pathlib import Path

import h5py
import keras
import numpy as np
import pytest

from data.errors import InputError
from data.files import sha256
from interacting_head.config import ExperimentConfig, load_config
from interacting_head.metrics import MetricUnavailable
from interacting_head.metrics.yisi import load_embedder
from interacting_head.model.building import load_weights
from interacting_head.model.placement import check_model
from interacting_head.runs.run_directory import RunDirectory
from tests import skip_reasons
from tests.interacting_head import tiny

ROOT = Path(__file__).parents[1]
PACKAGES = ("data", "interacting_head", "layers")
EXECUTING = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}


class Touch:
    """An object whose unpickling makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.fixture
def mark(tmp_path):
    """The folder that code of a stranger would make; it does not."""
    yield tmp_path / "executed"
    assert not (tmp_path / "executed").exists()


def test_no_module_unpickles_evaluates_or_loads_code():
    for path in itertools.chain.from_iterable((ROOT / package).rglob("*.py") for package in PACKAGES):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            names |= {node.module} if isinstance(node, ast.ImportFrom) else set()
            assert not names & EXECUTING, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                assert called not in (
                    "eval",
                    "exec",
                    "keras.saving.load_model",
                    "keras.models.load_model",
                    "torch.load",
                )
                assert given.get("allow_pickle", "False") == "False", path
                assert given.get("trust_remote_code", "False") == "False", path
                assert given.get("safe_mode", "True") == "True", path
                assert called not in ("yaml.unsafe_load", "yaml.full_load"), path


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.mkdir", "!!python/object/new:os.mkdir"])
def test_yaml_makes_plain_values_only(tmp_path, mark, tag):
    path = tmp_path / "config.yaml"
    path.write_text(f"data:\n  corpus: {tag} [{mark}]\n")
    with pytest.raises(InputError, match="could not determine a constructor"):
        load_config(path)


def test_options_of_a_configuration_name_no_objects_to_be_made(tmp_path, mark):
    path = tmp_path / "config.yaml"
    made = {"module": "os", "class_name": "mkdir", "config": {"path": str(mark)}, "registered_name": None}
    for value in (made, [made]):
        path.write_text(json.dumps({"model": {"attention": {"options": {"mixing_initializer": value}}}}))
        with pytest.raises(InputError, match=r"model\.attention\.options"):
            check_model(load_config(path).model)


def test_the_state_of_a_checkpoint_is_not_unpickled(tmp_path, mark):
    run = RunDirectory(tmp_path / "run")
    run.create_or_check(ExperimentConfig())
    weights = run.path / "checkpoints" / "step-1.weights.h5"
    weights.write_bytes(b"weights")
    state = json.dumps({"step": 1, "weights_sha256": sha256(weights)})
    for array, loads in ((np.zeros(2), True), (np.array([Touch(mark)], dtype=object), False)):
        np.savez(run.path / "checkpoints" / "step-1.state.npz", array, state=state)
        assert bool(run.load_checkpoint(1)) == loads


@pytest.mark.parametrize("kind", ["external data", "external link", "virtual data"])
def test_weights_do_not_read_other_files(tmp_path, kind):
    (run, model), path, other = tiny.run(tmp_path / "run"), tmp_path / "a.weights.h5", tmp_path / "secret"
    model.save_weights(path)
    found = []
    with h5py.File(path, "a") as file:
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
        name, shape = found[0], file[found[0]].shape
        del file[name]
        other.write_bytes(np.ones(shape, "float32").tobytes())
        if kind == "external data":
            file.create_dataset(name, shape, "float32", external=[(str(other), 0, h5py.h5f.UNLIMITED)])
        elif kind == "external link":
            with h5py.File(tmp_path / "other.h5", "w") as linked:
                linked["x"] = np.ones(shape, "float32")
            file[name] = h5py.ExternalLink(str(tmp_path / "other.h5"), "x")
        else:
            with h5py.File(tmp_path / "other.h5", "w") as linked:
                linked["x"] = np.ones(shape, "float32")
            layout = h5py.VirtualLayout(shape, "float32")
            layout[...] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", shape)
            file.create_virtual_dataset(name, layout)
    with pytest.raises(InputError, match="is damaged"):
        load_weights(run, model, path)


def test_a_keras_file_with_code_is_refused_by_keras_itself(tmp_path, mark):
    path = str(mark)
    model = keras.Sequential(
        [keras.Input((1,)), keras.layers.Lambda(lambda x: (os.makedirs(path, exist_ok=True), x)[1])]
    )
    model.save(tmp_path / "model.keras")
    mark.rmdir()  # the function was called when the model was made
    with pytest.raises(ValueError, match="safe"):
        keras.saving.load_model(tmp_path / "model.keras")


def test_word_vectors_are_text_or_numbers_and_nothing_else(tmp_path, mark):
    path = tmp_path / "vectors"
    for content in (pickle.dumps(Touch(mark)), b"1 1\n" + pickle.dumps(Touch(mark))):
        path.write_bytes(content)
        with pytest.raises(MetricUnavailable, match="is not a word-vector file"):
            load_embedder(path).prepare(["a"])


@pytest.fixture
def transformer(tmp_path):
    """A folder with a tiny BERT, and its configuration."""
    pytest.importorskip("torch", reason=skip_reasons.TRANSFORMERS)
    transformers = pytest.importorskip("transformers", reason=skip_reasons.TRANSFORMERS)
    folder = tmp_path / "bert"
    config = transformers.BertConfig(
        vocab_size=5, hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4
    )
    transformers.BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    return folder


def test_a_transformer_brings_no_code(transformer, mark):
    load_embedder(transformer)
    settings = json.loads((transformer / "config.json").read_text())
    settings |= {"model_type": "own", "auto_map": {"AutoModel": "own.Model", "AutoConfig": "own.Config"}}
    (transformer / "config.json").write_text(json.dumps(settings))
    (transformer / "own.py").write_text(f"import os\nos.mkdir({str(mark)!r})\n")
    os.utime(transformer)
    with pytest.raises(MetricUnavailable, match="cannot load a transformer"):
        load_embedder(transformer)


def test_the_weights_of_a_transformer_are_not_unpickled(transformer, mark):
    (transformer / "model.safetensors").unlink()
    (transformer / "pytorch_model.bin").write_bytes(pickle.dumps({"embeddings": Touch(mark)}, protocol=2))
    with pytest.raises(MetricUnavailable, match="cannot load a transformer"):
        load_embedder(transformer)
