"""The same model on TensorFlow and on JAX, each in a process of its own."""

import json

import numpy as np
import pytest

from tests import tiny_corpus
from tests.backends import finish, needs_jax, start
from tests.command_line import ROOT
from tests.layers.oracle import ORACLE, needs_oracle

BACKENDS = ("tensorflow", "jax")
STEPS = 50

pytestmark = needs_jax

TRAIN = f"""
import sys
import keras
import numpy as np
from interacting_head.config import ExperimentConfig, override
from interacting_head.search.transformer_search import TransformerSearch
from interacting_head.training.setup import make_training_model
from interacting_head.search.options import SearchOptions
from interacting_head.search.constraints import Limits
from tests.interacting_head import tiny

config = override(
    ExperimentConfig(), ["train.schedule=constant", "train.learning_rate=0.001", "train.warmup_steps=1",
                         "train.gradient_clip=1", "train.adam_epsilon=1e-3"]
)
model = tiny.transformer(encoder_layers=1, decoder_layers=1, dropout=0.0)
training_model = make_training_model(model, config, {STEPS})
target_ids, labels = tiny.targets([4, 2, 6, 3])
batch = {{"source_ids": tiny.sources([3, 7, 2, 5]), "target_ids": target_ids}}
losses = []
remember = keras.callbacks.LambdaCallback(on_train_batch_end=lambda _, logs: losses.append(logs["loss"]))
batches = ((batch, labels) for _ in range({STEPS}))
training_model.fit(batches, steps_per_epoch={STEPS}, verbose=0, shuffle=False, callbacks=[remember])
search = TransformerSearch(model, SearchOptions(beam_size=3, n_best=3))
found = search(batch["source_ids"], Limits(max_lengths=np.full(4, 9, "int32")))
norm = np.asarray(training_model.optimizer.gradient_norm)
np.savez(sys.argv[1], *model.get_weights(), losses=losses, norm=norm, ids=found.ids, scores=found.scores)
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The results of a few steps of training and a search on each backend."""
    folder = tmp_path_factory.mktemp("backends")
    processes = [start(backend, ["-c", TRAIN, folder / f"{backend}.npz"], folder) for backend in BACKENDS]
    for process in processes:
        finish(process)
    return {backend: dict(np.load(folder / f"{backend}.npz")) for backend in BACKENDS}


@pytest.mark.slow
def test_losses_and_gradient_norms_are_equal(trained):
    for name in ("losses", "norm"):
        np.testing.assert_allclose(trained["jax"][name], trained["tensorflow"][name], rtol=1e-4)
    assert len(set(trained["jax"]["losses"].tolist())) == STEPS


@pytest.mark.slow
def test_weights_are_equal_after_training(trained):
    names = [name for name in trained["jax"] if name.startswith("arr_")]
    assert len(names) > 10
    for name in names:
        np.testing.assert_allclose(trained["jax"][name], trained["tensorflow"][name], rtol=1e-3, atol=2e-5)


@pytest.mark.slow
def test_translations_are_equal(trained):
    np.testing.assert_array_equal(trained["jax"]["ids"], trained["tensorflow"]["ids"])
    np.testing.assert_allclose(trained["jax"]["scores"], trained["tensorflow"]["scores"], rtol=1e-3)


@pytest.mark.parametrize("module", ["layers", "interacting_head.training.trainer"])
def test_jax_does_without_tensorflow(module, tmp_path):
    code = f"import sys, {module}; print(*sorted({{'jax', 'tensorflow'}} & sys.modules.keys()))"
    assert finish(start("jax", ["-c", code], tmp_path)) == ("jax\n", "")


@pytest.mark.slow
def test_both_backends_translate_a_run_trained_with_jax_equally(tmp_path):
    # Sentences of one length: JAX compiles for each.
    files = tiny_corpus.write_corpus(tmp_path, words=(3, 3))
    settings = [*tiny_corpus.SETTINGS, "train.max_steps=60", "train.validation_interval=60", "decode.beam_size=1"]
    own = [word for name, path in files.items() for word in (f"--{name.replace('_', '-')}", path)]
    changes = [word for setting in settings for word in ("--set", setting)]
    _, errors = finish(start("jax", [ROOT / "train.py", *own, *changes, "--run-dir", "run"], tmp_path))
    for line in errors.splitlines():  # our own lines only
        assert line[:8].replace(":", "").isdigit() or line.startswith(("  reference  ", "  hypothesis ")), line
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["steps"] == 60
    command = [ROOT / "translate.py", "-m", "run", "-i", files["dev_source"]]
    processes = [start(backend, command, tmp_path) for backend in BACKENDS]
    (tensorflow, _), (jax, errors) = map(finish, processes)
    assert jax == tensorflow
    assert jax.count("\n") == 6
    assert errors.count("\n") == 1


@pytest.mark.slow
@needs_oracle
def test_every_scheme_meets_the_oracle_with_jax(tmp_path):
    cases = len(list(ORACLE.glob("*.npz")))
    tests = ROOT / "tests" / "layers" / "test_against_reference.py"
    arguments = ["-m", "pytest", tests, "-k", "oracle", "-p", "no:cacheprovider"]
    output, _ = finish(start("jax", arguments, tmp_path))
    assert f"{cases} passed" in output


@pytest.mark.slow
def test_a_batch_in_parts_gives_the_step_of_the_whole_batch_with_jax(tmp_path):
    tests = ROOT / "tests" / "interacting_head" / "model" / "test_numerics.py"
    arguments = ["-m", "pytest", tests, "-n", "0", "-k", "step_of_the_whole_batch", "-p", "no:cacheprovider"]
    output, _ = finish(start("jax", arguments, tmp_path))
    assert "2 passed" in output
