import keras
import numpy as np
import pytest

from interacting_head import export
from interacting_head.run_directory import RunDirectory
from layers import ATTENTION_SCHEMES
from tests.interacting_head.export import exports
from tests.parameters import mostly_slow

MODELS = {
    **{scheme: {"scheme": scheme} for scheme in ATTENTION_SCHEMES},
    **{memory: {"memory": memory, "normalization": "pre"} for memory in ("linear", "transparent", "iterative")},
    "several schemes": {**exports.MIXED, "tied_output": False},
}


@pytest.mark.parametrize("name", mostly_slow(MODELS, "interacting_head", "several schemes"))
def test_a_keras_file_gives_the_same_model(tmp_path, name):
    trained = exports.trained(exports.subwords(tmp_path), **MODELS[name])
    export.convert(trained, "keras", tmp_path / "out")
    loaded = keras.saving.load_model(tmp_path / "out" / "model.keras")
    pairs = exports.pairs(count=3)
    np.testing.assert_array_equal(exports.logits(loaded, *pairs), exports.logits(trained.model, *pairs))
    assert "load_model" in (tmp_path / "out" / "README.md").read_text()
    assert RunDirectory.open(tmp_path / "out" / "text").subwords()[0].digest == trained.source_subwords.digest
