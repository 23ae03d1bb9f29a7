"""JAX compiles few functions, and keeps them on disk."""

import json

import pytest

from tests import tiny_corpus
from tests.backends import finish, needs_jax, start
from tests.command_line import ROOT

pytestmark = [pytest.mark.slow, needs_jax]


def counted(what, folder):
    output, _ = finish(start("jax", ["-m", "tests.jax_compilations", what, folder], folder))
    return json.loads(output.splitlines()[-1])


def test_training_compiles_one_step_per_shape_and_donates_its_state(tmp_path):
    found = counted("training", tmp_path)
    assert 1 < found["train steps"] <= found["shapes"]
    assert [fit["donated"] for fit in found["fits"]] == [True, True]


def test_a_stream_of_any_lengths_compiles_few_functions(tmp_path):
    first, *later = counted("search", tmp_path)
    assert 3 < first <= 20
    assert later == [first, first]


def test_a_second_process_compiles_nothing_again(tmp_path):
    files = tiny_corpus.write_corpus(tmp_path, words=(3, 3))
    settings = [*tiny_corpus.SETTINGS, "train.max_steps=4", "train.validation_interval=4", "train.average_last=0"]
    own = [word for name, path in files.items() for word in (f"--{name.replace('_', '-')}", path)]
    changes = [word for setting in settings for word in ("--set", setting)]
    found = []
    for run in ("first", "second"):
        finish(start("jax", [ROOT / "train.py", *own, *changes, "--run-dir", run], tmp_path))
        output, _ = finish(start("jax", [ROOT / "translate.py", "-m", run, "-i", files["dev_source"]], tmp_path))
        found.append((output, {path.name for path in (tmp_path / "cache" / "jax").rglob("*-cache")}))
    assert found[1] == found[0]
    assert len(found[0][1]) > 10
