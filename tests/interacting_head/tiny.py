"""A tiny Transformer with random weights, and batches of ids for it."""

import numpy as np

from data.text.subwords import BEGIN, END, PAD
from interacting_head.config import AttentionConfig, ExperimentConfig, ModelConfig
from interacting_head.model.transformer import Transformer
from interacting_head.runs.run_directory import RunDirectory
from layers import ATTENTION_SCHEMES
from tests.layers.backend import array
from tests.layers.schemes import randomize

V = 17


def config(scheme="interacting_head", num_heads=2, options=None, **settings):
    """A `ModelConfig` of two blocks on either side."""
    sizes = {"model_dim": 8, "feed_forward_dim": 12, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    key_dim = 5 if scheme in ATTENTION_SCHEMES and ATTENTION_SCHEMES[scheme].why_key_dim else None
    attention = AttentionConfig(scheme, num_heads, key_dim=key_dim, options=options or {})
    return ModelConfig(attention=attention, **{**sizes, **settings})


def transformer(seed=0, source_vocabulary=V, shared=True, **settings):
    """A `Transformer` whose weights are all random and large enough to matter."""
    return randomize(Transformer(config(**settings), source_vocabulary, V, shared), seed)


def run(path, **settings):
    """A new `RunDirectory` without text, and a `transformer` of its configuration."""
    run = RunDirectory(path)
    run.create_or_check(ExperimentConfig(model=config(**settings)))
    return run, transformer(**settings)


def sources(lengths, width=None, seed=0):
    """Source ids `(B, S)` of random sentences, `END` and padding included; each depends on its length only."""
    ids = np.full((len(lengths), width or max(lengths)), PAD, "int32")
    for row, length in zip(ids, lengths, strict=True):
        row[: length - 1] = np.random.default_rng((seed, length)).integers(4, V, length - 1)
        row[length - 1] = END
    return ids


def logits(model):
    """The logits `(2, 5, V)` of two pairs of sentences."""
    target_ids, _ = targets([3, 5])
    return array(model({"source_ids": sources([4, 6]), "target_ids": target_ids}))


def targets(lengths, width=None, seed=1):
    """Target ids `(B, T)` shifted right, and labels `(B, T)`."""
    labels = sources(lengths, width, seed)
    shifted = np.full_like(labels, PAD)
    shifted[:, 0] = BEGIN
    shifted[:, 1:] = np.where(labels == END, PAD, labels)[:, :-1]
    return shifted, labels
