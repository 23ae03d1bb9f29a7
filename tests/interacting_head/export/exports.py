"""Models with sub-words, for tests of conversions."""

import json
import os
import subprocess
import sys

import numpy as np
from scipy.special import log_softmax

from data.text.subwords import BEGIN, END, Subwords, train_subwords
from interacting_head.config import ExperimentConfig, ModelConfig, PlacedAttentionConfig, PlacementConfig
from interacting_head.export.trained_model import TrainedModel
from interacting_head.model.transformer import Transformer
from interacting_head.translation import batches
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.layers.schemes import randomize

LINES = {
    "source": ["ein hund", "die katze und der hund", "haus", "ein haus und ein hund und eine katze"],
    "target": ["a dog", "the cat and the dog", "house", "a house and a dog and a cat, and so on"],
}
MIXED = {
    "placements": (
        PlacementConfig("cross", (2,), PlacedAttentionConfig("interacting_head_pairwise")),
        PlacementConfig("encoder", (1,), PlacedAttentionConfig("talking_heads", options={"use_bias": True})),
        PlacementConfig("decoder", (1,), PlacedAttentionConfig("multi_head", 4, 3, 5)),
    ),
}
"""Settings of a model with several schemes, heads of several sizes and numbers, with biases and without."""


def subwords(folder, shared=True):
    """Source and target sub-words, 280 pieces, or 281 of the source where they are separate."""
    path = folder / "source.model"
    if shared:
        train_subwords(5 * [*LINES["source"], *LINES["target"]], 280, path)
        both = Subwords(path)
        return both, both
    train_subwords(5 * LINES["source"], 281, path)
    train_subwords(5 * LINES["target"], 280, folder / "target.model")
    return Subwords(path), Subwords(folder / "target.model")


def trained(both, decode=ExperimentConfig.decode, **settings):
    """A `TrainedModel` with these sub-words and random weights, as large as a trained model's."""
    source, target = both
    config: ModelConfig = tiny.config(**settings)
    model = Transformer(config, source.vocabulary_size, target.vocabulary_size, shared_vocabulary=source is target)
    return TrainedModel(randomize(model), source, target, ExperimentConfig(model=config, decode=decode))


def pairs(count=20, longest=12):
    """Random sentences of source and target ids, without special ones, as two lists."""
    draw = np.random.default_rng(0)
    return [[draw.integers(4, 280, draw.integers(1, longest + 1)).tolist() for _ in range(count)] for _ in range(2)]


def padded(sentences):
    """Ids `(B, T)` of sentences of different lengths."""
    return batches.padded(sentences, len(sentences), max(map(len, sentences)))


def logits(model, sources, targets):
    """Our logits `(B, T, V)` of target sentences, for each token and the end symbol."""
    batch = {"source_ids": padded([[*s, END] for s in sources]), "target_ids": padded([[BEGIN, *t] for t in targets])}
    return array(model(batch, training=False))


def log_probabilities(model, sources, targets):
    """The log-probability of each target token and of the end symbol, a list for each pair, in float64."""
    found = log_softmax(logits(model, sources, targets).astype("float64"), axis=-1)
    return [[found[row, t, token] for t, token in enumerate([*s, END])] for row, s in enumerate(targets)]


WITHOUT_PROJECT = 'import sys; sys.modules.update(dict.fromkeys(["data", "interacting_head", "layers"]))'
"""Program after which Python does not find the project, which `make` installs into the environment of the tests."""


def elsewhere(script, request, folder):
    """The output of a script, as JSON, in a process that does not find the project, even if it is installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT_PROJECT}\n{script}"],
        **{"input": json.dumps(request), "cwd": folder, "env": environment, "capture_output": True, "text": True},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
