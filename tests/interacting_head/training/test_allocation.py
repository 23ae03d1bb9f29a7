"""Batches that do not fit into the RAM, in training, validation and translation."""

import resource
import sys
from pathlib import Path

import keras
import pytest

from data.errors import InputError
from data.text.subwords import Subwords, train_subwords
from interacting_head.console import RunError
from interacting_head.search.transformer_search import Scorer
from interacting_head.training.trainer import train
from interacting_head.training.training_model import TrainingModel
from interacting_head.translation.translator import Translator
from tests import tiny_corpus
from tests.interacting_head import tiny
from tests.interacting_head.out_of_memory import raised_by_the_backend

pytestmark = pytest.mark.usefixtures("cache")
STEP = r"^not enough memory for a batch of \d+ × \d+ × \d+ \(sentences × source × target sub-words\) at step 1; "
GIB = 2**30


def fail(*arguments, **options):
    raise raised_by_the_backend()


def test_a_training_step_without_memory_names_its_batch_and_the_settings(config, tmp_path, monkeypatch):
    monkeypatch.setattr(TrainingModel, "fit", fail)
    advice = "lower train.batch_tokens or data.max_length, .* changed settings need a new training: --no-resume"
    with pytest.raises(RunError, match=STEP + advice):
        train(config, tmp_path / "run")


def test_a_model_without_memory_leaves_no_run_behind(config, tmp_path, monkeypatch):
    monkeypatch.setattr("interacting_head.model.building.Transformer", fail)
    with pytest.raises(InputError, match=r"^not enough memory for the weights of the model; lower model.model_dim, "):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_validation_without_memory_names_its_batch_and_the_settings(config, tmp_path, monkeypatch):
    monkeypatch.setattr(TrainingModel, "fit", lambda model, *arguments, callbacks, **options: None)
    monkeypatch.setattr("interacting_head.training.callbacks.Progress.tokens_per_second", 1.0, raising=False)
    monkeypatch.setattr(Scorer, "__call__", fail)
    message = r"batch of \d+ × \d+ × \d+ \(sentences × source × target sub-words\) of the development text; lower train"
    with pytest.raises(RunError, match=message):
        train(config, tmp_path / "run")


def test_a_translation_without_memory_names_its_batch_and_the_settings(tmp_path, monkeypatch):
    train_subwords(["der hund sieht die katze", "die katze sieht den hund"] * 5, 300, tmp_path / "both.model")
    subwords = Subwords(tmp_path / "both.model")
    translator = Translator(tiny.transformer(), subwords, subwords)
    monkeypatch.setattr(translator.engine, "search", fail)
    message = (
        r"a batch of \d × \d+ \(sentences × sub-words of the longest, line 3\), with 4 hypotheses each; lower "
        "batch_size or batch_tokens, beam_size, max_length or max_source_length$"
    )
    with pytest.raises(RunError, match=message):
        list(translator.translate(["der hund", "", "die katze und der hund"]))


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux limits the address space of a process; run the test on Linux"
)
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="JAX compiles for minutes; run the test with KERAS_BACKEND=tensorflow",
)
def test_a_batch_that_cannot_be_allocated_is_an_error(tmp_path):
    files = tiny_corpus.write_corpus(tmp_path)
    for name in ("source", "target"):
        with open(files[name], "a") as file:
            file.write("der " * 200_000 + "\n")  # 200,000 to 800,000 sub-words: attention weights of 300 GB and more
    settings = ["data.max_length=1000000", "train.batch_tokens=1000000", "train.validation_interval=1"]
    config = tiny_corpus.configuration(files, *settings)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 16 * GIB, limits[1]))
    try:
        with pytest.raises(RunError, match=r"^not enough memory for a batch of 1 × \d{6} × \d{6} \(sentences"):
            train(config, tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
