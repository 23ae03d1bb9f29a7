"""Counts what JAX compiles: `python -m tests.jax_compilations training|search FOLDER` prints JSON."""

import contextlib
import json
import random
import sys
from pathlib import Path

import jax.monitoring

from data.batches.plan import STATIC_SHAPES
from interacting_head.search.options import SearchOptions
from interacting_head.training import trainer as training
from interacting_head.translation.engines.keras import TransformerEngine
from interacting_head.translation.translator import Translator
from tests import tiny_corpus
from tests.interacting_head import tiny

LONGEST = 100  # tokens of a line


def count_of_training(folder):
    """Count the compiled training steps of three epochs in two calls of `fit`, and look at what is donated."""
    compiled, batches = [], []

    def remember(event, seconds, fun_name="", **others):
        if event.endswith("backend_compile_duration"):
            compiled.append(fun_name)

    class Trainer(training.Trainer):
        @contextlib.contextmanager
        def fitting(self):
            weights = [variable.value for variable in self.model.trainable_variables]
            with super().fitting():
                yield
            batches.append({"donated": all(array.is_deleted() for array in weights)})

    jax.monitoring.register_event_duration_secs_listener(remember)
    training.Trainer = Trainer
    files = tiny_corpus.write_corpus(folder, words=(1, 25), pairs=150)
    settings = ["train.batch_tokens=256", "train.max_steps=30", "train.validation_interval=15", "decode.max_length=10"]
    training.train(tiny_corpus.configuration(files, *settings), folder / "run")
    steps = sum("train_step" in name for name in compiled)
    return {"train steps": steps, "shapes": STATIC_SHAPES, "fits": batches, "all": len(compiled)}


class Words:
    """Sub-words of lines that are numbers: that number of tokens."""

    def encode(self, lines):
        return [[4 + index % (tiny.V - 4) for index in range(int(line))] for line in lines]

    def decode(self, sentences):
        return [str(len(ids)) for ids in sentences]


def count_of_search(folder):
    """Count compiled functions of the search after each of several streams of mixed lengths."""
    engine = TransformerEngine(tiny.transformer(encoder_layers=1, decoder_layers=1))
    options = SearchOptions(beam_size=2)
    draw, counts = random.Random(1), []
    for count, batch_size in ((200, 8), (3, 8), (150, 8)):
        lines = [str(draw.choice([draw.randint(1, 12), draw.randint(1, LONGEST)])) for _ in range(count)]
        translator = Translator(engine, Words(), Words(), options=options, batch_size=batch_size)
        assert len(list(translator.translate(lines, window=64))) == count
        counts.append(engine.compiled)
    return counts


if __name__ == "__main__":
    count = {"training": count_of_training, "search": count_of_search}[sys.argv[1]]
    print(json.dumps(count(Path(sys.argv[2]))))
