"""Schemes that start as multi-head attention, and what sets them apart from it when they are trained."""

import keras
import numpy as np
import pytest
from keras import ops

from layers import (
    DifferentialAttention,
    GatedHeadsAttention,
    InterleavedHeadsAttention,
    KnockingHeadsAttention,
    MultiHeadAttention,
)
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import make, normal

D = 12
MASK = np.random.default_rng(3).random((2, 5, 6)) < 0.6


def build(layer):
    layer.build((None, None, D), (None, None, D))
    return layer


def call(layer, mask=None):
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    return [array(found) for found in layer(query, value, attention_mask=mask, return_attention_scores=True)]


@pytest.mark.parametrize("mask", [None, MASK], ids=["whole", "masked"])
@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("knocking_heads", {}),
        ("knocking_heads", {"value_mixing": "mlp"}),
        ("collaborative_heads", {}),
        ("interleaved_heads", {"num_pseudo_heads": 1}),
        ("interleaved_heads", {"num_pseudo_heads": 3}),
    ],
)
def test_a_new_layer_computes_multi_head_attention(name, options, use_bias, mask):
    layer = build(make(name, options, use_bias=use_bias))
    base = build(MultiHeadAttention(4, 6, 3, use_bias=use_bias))
    for weight in base.weights:
        weight.assign(next(one for one in layer.weights if one.name == weight.name))
    (output, scores), (expected, expected_scores) = call(layer, mask), call(base, mask)
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)
    for one in scores.swapaxes(0, 1) if scores.ndim == 5 else [scores]:  # of each pseudo-query
        np.testing.assert_allclose(one, expected_scores, rtol=1e-5, atol=1e-6)


def test_pseudo_keys_of_a_head_that_start_equal_get_different_gradients():
    layer = build(InterleavedHeadsAttention(4, 6, 3))
    found = weight_gradients(layer, lambda: ops.sum(layer(normal(2, 5, D), normal(2, 6, D, seed=1)) ** 2))
    first, second = np.moveaxis(found["key_mixing_kernel"], -1, 0)
    assert abs(first - second).max() > 1e-3 * abs(first).max()


def test_equal_halves_of_heads_leave_a_share_of_the_attention():
    layer = build(DifferentialAttention(4, 6, 3, lambda_init=0.25))
    for weight in layer.weights:
        if weight.name in ("query_kernel", "key_kernel"):
            half = array(weight.value)[..., :3]
            weight.assign(np.concatenate([half, half], axis=-1))
        if weight.name.startswith("lambda"):
            weight.assign(np.zeros(3))
    base = build(MultiHeadAttention(4, 3, 3))
    for weight in base.weights[:2]:
        weight.assign(next(array(one.value) for one in layer.weights if one.name == weight.name)[..., :3])
    np.testing.assert_allclose(call(layer, MASK)[1], 0.75 * call(base, MASK)[1], rtol=1e-5, atol=1e-6)


def test_the_lambda_of_a_layer_grows_with_its_number():
    values = [DifferentialAttention.layer_options(number)["lambda_init"] for number in (1, 2, 6)]
    np.testing.assert_allclose(values, [0.2, 0.8 - 0.6 * np.exp(-0.3), 0.8 - 0.6 * np.exp(-1.5)])


def test_an_odd_head_has_no_halves():
    with pytest.raises(ValueError, match="key_dim must be even"):
        DifferentialAttention(4, 5)


def test_an_mlp_of_values_that_are_not_mixed_is_an_error():
    with pytest.raises(ValueError, match="value_mixing='mlp' mixes values, but mix_value is false"):
        KnockingHeadsAttention(4, 4, mix_value=False, value_mixing="mlp")


@pytest.mark.parametrize(("gate", "size"), [("elementwise", 3), ("headwise", 1)])
def test_gates_at_zero_halve_the_heads(gate, size):
    layer = build(GatedHeadsAttention(4, 6, 3, gate=gate))
    assert tuple(layer.gate_kernel.shape) == (D, 4, size)
    layer.gate_kernel.assign(np.zeros(layer.gate_kernel.shape))
    base = build(MultiHeadAttention(4, 6, 3))
    for weight in base.weights:
        weight.assign(next(one for one in layer.weights if one.name == weight.name))
    np.testing.assert_allclose(call(layer)[0], call(base)[0] / 2, rtol=1e-5, atol=1e-6)


FOLDED = [
    ("interacting_head", {}),
    ("interacting_head", {"query_combination": "mean"}),
    ("talking_heads", {}),
    ("knocking_heads", {}),
    ("collaborative_heads", {}),
    ("interleaved_heads", {"num_pseudo_heads": 1}),
]


@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize(("name", "options"), FOLDED)
def test_folded_attention_starts_as_its_scheme_with_the_same_seed(name, options, use_bias):
    outputs = []
    for scheme, more in ((name, {}), ("folded", {"start": name})):
        keras.utils.set_random_seed(3)
        layers = [make(scheme, {**options, **more}, dropout=0.1, use_bias=use_bias) for _ in range(2)]
        x = normal(2, 5, D)
        for layer in layers:
            x = layer(x, x, attention_mask=MASK[:, :, :5])
        outputs.append(array(x))
    np.testing.assert_allclose(*outputs, rtol=1e-4, atol=1e-5)
    again = type(layers[0]).from_config(layers[0].get_config())
    assert again.get_config() == layers[0].get_config()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "interacting"}, "start must be one of"),
        ({"start": "multi_hop"}, "standard attention cannot start as multi_hop: the weight of each head"),
        ({"start": "interacting_head_pairwise"}, "with 4 heads is standard attention with 16"),
    ],
)
def test_folded_attention_refuses_schemes_that_it_cannot_start_as(options, message):
    with pytest.raises(ValueError, match=message):
        make("folded", options)
