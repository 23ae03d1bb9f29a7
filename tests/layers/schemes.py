"""The schemes of the registry with arguments for a test, so that one test runs over all of them."""

import numpy as np

from layers import ATTENTION_SCHEMES

MODEL_DIM = 16

VARIANTS = {
    "multi_head": [{}, {"use_bias": True}],
    "talking_heads": [{}, {"mixing_initializer": "identity"}, {"mix_before": False}, {"mix_after": False}],
    "interacting_head": [
        {},
        {"implementation": "head_pairs"},
        {"implementation": "listing"},
        {"query_combination": "mean"},
        {"query_combination": "scaled_sum"},
        {"scaled": False},
        {"cumulative": True},
        {"cumulative": True, "implementation": "listing", "scaled": False, "query_combination": "mean"},
        {"use_bias": True},
        {"use_bias": True, "cumulative": True},
    ],
    "interacting_head_pairwise": [{}, {"implementation": "listing"}, {"use_bias": True}],
    "dynamic_head_importance": [{}, {"importance_dim": 6, "use_bias": True}, {"importance_score": "mlp"}],
    "multi_hop": [{}, {"hop_dim": 1, "use_bias": True}],
    "multi_layer": [
        {"num_sources": 3, "joint_attention": joint, "concat_contexts": concat}
        for joint in (True, False)
        for concat in (True, False)
    ]
    + [{}, {"num_sources": 2, "use_bias": True}, {"num_sources": 2, "joint_attention": False, "use_bias": True}],
    "knocking_heads": [
        {},
        {"mix_query": False, "mix_key": False},
        {"mix_value": False},
        {"value_mixing": "mlp"},
        {"value_mixing": "mlp", "mix_query": False, "mix_key": False},
        {"use_bias": True},
    ],
    "collaborative_heads": [{}, {"use_bias": True}],
    "interleaved_heads": [{}, {"num_pseudo_heads": 1}, {"num_pseudo_heads": 3}, {"use_bias": True}],
    "differential": [{}, {"lambda_init": 0.2}, {"use_bias": True}],
    "gated_heads": [{}, {"gate": "headwise"}, {"use_bias": True}],
    "folded": [
        {},
        {"start": "interacting_head", "query_combination": "mean", "use_bias": True},
        {"start": "talking_heads"},
        {"start": "collaborative_heads"},
        {"start": "interleaved_heads", "num_pseudo_heads": 1},
    ],
}
"""Registry name → further constructor arguments to test it with."""

ALL = [(name, options) for name in ATTENTION_SCHEMES for options in VARIANTS.get(name, [{}])]
IDS = ["-".join([name, *(f"{key}={value}" for key, value in options.items())]) for name, options in ALL]


def make(name, options, num_heads=4, key_dim=6, value_dim=3, **arguments):
    """A layer of a scheme, not built."""
    return ATTENTION_SCHEMES[name](num_heads, key_dim, value_dim, **options, **arguments)


def built(name, options, **arguments):
    """A built layer of a scheme with random weights."""
    layer = make(name, options, **arguments)
    layer.build((None, None, MODEL_DIM), (None, None, MODEL_DIM))
    return randomize(layer)


def with_ones(x):
    """Inputs with a last column of ones, for kernels whose last row is the bias."""
    return np.concatenate([x, np.ones_like(x[..., :1])], axis=-1)


def normal(*shape, seed=0):
    """Standard normal numbers in float32."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def randomize(layer, seed=0):
    """Give every weight of a built layer random values, biases included."""
    for index, weight in enumerate(layer.weights):
        weight.assign(0.5 * normal(*weight.shape, seed=seed + index))
    return layer
