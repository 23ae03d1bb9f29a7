"""Runs that train as one program on JAX, compared with the same trainings one by one."""

import gzip
import json

import numpy as np
import pytest

from interacting_head.training.together import batch_shapes, joined
from tests import tiny_corpus
from tests.backends import finish, needs_jax, start
from tests.interacting_head import tiny

SPLITS = ("test", "dev")
TRAIN = f"""
import itertools, json, sys
from pathlib import Path
import keras
import numpy as np
from interacting_head.config import ExperimentConfig, override
from interacting_head.model.building import build_model, load_weights
from interacting_head.training import together
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.setup import make_training_model
from interacting_head.training.trainer import set_seed
from interacting_head.training.validation import Validation
from interacting_head.translation.translator import Translator
from tests import tiny_corpus

folder = Path(sys.argv[1])
common = [*tiny_corpus.SETTINGS, "data.corpus=tiny", "data.source_language=de", "data.target_language=en",
          "model.dropout=0", "model.attention.dropout=0", "train.max_steps=30", "train.validation_interval=15",
          "train.best_metric=loss", "train.adam_epsilon=1e-3", "train.log_interval=4"]
own = [["train.seed=1", "train.learning_rate=0.01"],
       ["train.seed=2", "train.learning_rate=0.003", "train.schedule=cosine"]]
configs = [override(ExperimentConfig(), [*common, *settings]) for settings in own]
runs = {{folder / f"runs/{{number}}": config for number, config in enumerate(configs)}}
program = together.Together(runs, folder, {SPLITS})
assert program.train() == []
others = dict(zip([folder / "runs/2", folder / "runs/3"], reversed(configs), strict=True))
found = []
for number, (path, config) in enumerate([*runs.items(), *others.items()]):
    index = number % 2
    if number == 2:
        assert program.train(others) == []
    run = RunDirectory.open(path)
    set_seed(config.train.seed)
    model = build_model(config, *program.text.subwords)
    alone = make_training_model(model, config, program.total_steps)
    steps = itertools.islice(together.batches_in_step(program.batches), program.total_steps)
    losses = []
    forget = keras.callbacks.LambdaCallback(on_train_batch_end=lambda step, logs: losses.append(logs["loss"])
                                            or (step % 4 == 3 and forget.model.reset_metrics()))
    alone.fit((step[index] for step in steps), steps_per_epoch=program.total_steps, verbose=0, shuffle=False,
              callbacks=[forget])
    scores = {{"loss": losses[-1], **Validation(config, model, program.text)()}}
    expected = model.get_weights()
    load_weights(run, model, run.weights_path("best"))
    distance = max(float(np.abs(one - other).max()) for one, other in zip(expected, model.get_weights()))
    translations = {{}}
    for split in {SPLITS}:
        lines = [source for source, _ in program.corpus.split(split).pairs()]
        translations[split] = [best.text for best, *_ in Translator.from_run(path).translate(lines)]
    found.append({{"scores": scores, "distance": distance, "translations": translations}})
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of runs that trained together, two at a time, and the results of the same trainings one by one."""
    folder = tmp_path_factory.mktemp("together")
    (folder / "tiny").mkdir()
    files = tiny_corpus.write_corpus(folder / "tiny")
    for side, language in (("source", "de"), ("target", "en")):
        first, *others = files[side].read_text().splitlines()[:5]
        (folder / f"tiny/test.{language}").write_text("\n".join([first, "", *others]) + "\n")
    output, _ = finish(start("jax", ["-c", TRAIN, folder], folder))
    return folder / "runs", json.loads(output.splitlines()[-1])


@needs_jax
@pytest.mark.slow
def test_each_run_learns_what_it_learns_alone(trained):
    folder, alone = trained
    for index, expected in enumerate(alone):
        assert expected["distance"] < 1e-5
        log = [json.loads(line) for line in (folder / f"{index}/log.jsonl").read_text().splitlines()]
        assert [record["step"] for record in log] == [15, 30]
        for name, value in expected["scores"].items():
            assert log[-1][name] == pytest.approx(value, rel=1e-4), name
    assert alone[0]["scores"]["validation_loss"] != alone[1]["scores"]["validation_loss"]


@needs_jax
@pytest.mark.slow
def test_runs_are_finished_and_translated(trained):
    folder, alone = trained
    for index, expected in enumerate(alone):
        metrics = json.loads((folder / f"{index}/metrics.json").read_text())
        assert (metrics["steps"], metrics["best_step"], metrics["trained_together"]) == (30, 30, 2)
        assert metrics["best"]["step"] == 30
        for split in SPLITS:
            with gzip.open(folder / f"{index}/translations/{split}.en.gz", "rt") as file:
                assert file.read().splitlines() == expected["translations"][split]
        assert len(expected["translations"]["test"]) == 6
        assert expected["translations"]["test"][1] == ""


IN_16_BITS = """
import sys
from pathlib import Path
import keras
from interacting_head.training import together
from interacting_head.translation.translator import Translator
from tests import tiny_corpus

folder = Path(sys.argv[1])
settings = ["data.corpus=tiny", "data.source_language=de", "data.target_language=en", "train.max_steps=10"]
config = tiny_corpus.configuration({}, *settings, "train.precision=mixed_bfloat16")
program = together.Together({folder / "half": config}, folder, ["test"])
assert program.train() == []
assert program.model.compute_dtype == "bfloat16"
keras.config.set_dtype_policy("float32")
lines = [source for source, _ in program.corpus.split("test").pairs()]
print("\\n".join(best.text for best, *_ in Translator.from_run(folder / "half").translate(lines)))
"""


@needs_jax
@pytest.mark.slow
def test_a_program_in_16_bits_translates_in_single_precision(trained):
    folder, _ = trained
    output, _ = finish(start("jax", ["-c", IN_16_BITS, folder.parent], folder.parent))
    with gzip.open(folder.parent / "half/translations/test.en.gz", "rt") as file:
        assert file.read() in output


def test_padded_shapes_hold_all_batches_of_their_length():
    shapes = np.array([(60, 5, 7), (50, 8, 6), (20, 21, 30), (21, 29, 18), (9, 64, 61)])
    found = batch_shapes(shapes)
    assert found == [(60, 8, 7), (21, 29, 30), (9, 64, 61)]


def test_batches_are_joined_in_the_smallest_shape():
    batches = []
    for lengths in ([3, 5], [4, 2, 2]):
        target_ids, labels = tiny.targets(lengths)
        batches.append(({"source_ids": tiny.sources(lengths), "target_ids": target_ids}, labels))
    shape, (inputs, labels) = joined(batches, [(9, 9, 9), (3, 8, 8), (2, 8, 8)])
    assert shape == (3, 8, 8)
    assert inputs["source_ids"].shape == labels.shape == (2, 3, 8)
    np.testing.assert_array_equal(labels[1, :, :4], batches[1][1])
    assert labels[0, 2].sum() == labels[:, :, 5:].sum() == 0


@needs_jax
@pytest.mark.slow
def test_a_run_that_diverges_is_left_out(tmp_path):
    code = TRAIN.partition("program = ")[0].replace("train.learning_rate=0.003", "train.learning_rate=1e30")
    code += f"print([path.name for path in together.Together(runs, folder, {SPLITS[1:]}).train()])"
    (tmp_path / "tiny").mkdir()
    tiny_corpus.write_corpus(tmp_path / "tiny")
    output, _ = finish(start("jax", ["-c", code, tmp_path], tmp_path))
    assert output.splitlines()[-1] == "['1']"
    assert [path.parent.name for path in (tmp_path / "runs").glob("*/metrics.json")] == ["0"]
