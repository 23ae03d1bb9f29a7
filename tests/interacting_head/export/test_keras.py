import os
import re
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from interacting_head import export
from interacting_head.runs.run_directory import RunDirectory
from layers import ATTENTION_SCHEMES
from tests.interacting_head.export import exports
from tests.parameters import mostly_slow

ROOT = Path(__file__).parents[3]
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
    assert RunDirectory.open(tmp_path / "out" / "text").subwords()[0].digest == trained.source_subwords.digest


@pytest.mark.slow
def test_the_code_in_the_readme_runs_as_printed(tmp_path):
    export.convert(exports.trained(exports.subwords(tmp_path)), "keras", tmp_path / "out")
    [code] = re.findall(r"```python\n(.*?)```", (tmp_path / "out" / "README.md").read_text(), re.DOTALL)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "out", env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("\n") == 1
