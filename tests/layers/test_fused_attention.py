"""Attention by one kernel; without one, Keras computes the same in steps, so that every machine can compare."""

import keras
import numpy as np
import pytest
from keras import ops

from layers import ATTENTION_SCHEMES, dot_product
from tests.layers.backend import array, gradients
from tests.layers.schemes import ALL, IDS, MODEL_DIM, built, normal

T, S = 6, 4
PLAIN = {"multi_head", "fixed_head_size", "interacting_head", "dynamic_head_importance", "multi_hop"}
PLAIN |= {"knocking_heads", "gated_heads", "folded"}
"""Schemes whose heads are softmax(q kᵀ / √K) v, with the folded implementation for interacting heads."""

padding = np.array([[[1, 1, 1, 1]], [[1, 1, 0, 0]]], "bool")
nothing = np.ones((2, T, S), "bool")
nothing[1, 2] = False
MASKS = {
    "none": {},
    "padding": {"attention_mask": padding},
    "a row without keys": {"attention_mask": nothing},
    "of one batch": {"attention_mask": padding[1:]},
    "causal": {"use_causal_mask": True},
    "causal with padding": {"use_causal_mask": True, "attention_mask": padding},
}


@pytest.fixture
def fused(monkeypatch):
    """A list with an entry for each call of Keras' fused attention, which every device is made to have."""
    calls, attend = [], ops.dot_product_attention

    def spy(*arguments, **options):
        calls.append(options)
        return attend(*arguments, **options)

    monkeypatch.setattr(ops, "dot_product_attention", spy)
    monkeypatch.setattr(dot_product, "has_fused_kernels", lambda: True)
    return calls


def is_plain(name, options):
    if options.get("implementation", "folded") != "folded" or options.get("start") == "collaborative_heads":
        return False  # the latter has larger keys than values
    return name in PLAIN or (name == "interleaved_heads" and options.get("num_pseudo_heads") == 1)


@pytest.mark.parametrize(
    ("name", "options", "mask"),
    [(*scheme, "causal with padding") for scheme in ALL] + [("multi_head", {}, mask) for mask in MASKS],
    ids=[*IDS, *MASKS],
)
def test_outputs_and_gradients_equal_the_stages(fused, monkeypatch, name, options, mask):
    layer = built(name, options, value_dim=6)
    cotangent = normal(2, T, MODEL_DIM, seed=2)

    def outputs(query, memory):
        return layer(query, memory, **MASKS[mask])

    def loss(query, memory):
        return ops.sum(cotangent * outputs(query, memory))

    inputs = normal(2, T, MODEL_DIM), normal(2, S, MODEL_DIM, seed=1)
    found = [array(outputs(*inputs)), *gradients(loss, *inputs)]
    assert bool(fused) == is_plain(name, options)
    monkeypatch.setattr(dot_product, "has_fused_kernels", lambda: False)
    fused.clear()
    expected = [array(outputs(*inputs)), *gradients(loss, *inputs)]
    assert not fused
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * max(1, abs(other).max()))


def test_calls_that_a_kernel_cannot_make_are_done_in_stages(fused):
    layer = built("multi_head", {}, value_dim=6, dropout=0.5)
    query, memory = normal(2, T, MODEL_DIM), normal(2, S, MODEL_DIM)
    layer(query, memory, training=True)
    layer(query, memory, return_attention_scores=True)
    layer(query[:, :3], memory)
    layer(query, memory[:, :3])
    layer.step(query[:, :1], layer.empty_cache(2, S), 0)
    other_values = ATTENTION_SCHEMES["multi_head"](4, 5, 3)
    other_values(query, memory)
    assert not fused
    layer(query, memory, training=False)
    assert len(fused) == 1


@pytest.mark.parametrize("stage", ["softmax", "normalize"])
@pytest.mark.parametrize(
    ("name", "options"),
    [("multi_head", {}), ("interacting_head", {}), ("interleaved_heads", {"num_pseudo_heads": 1})],
)
def test_a_scheme_that_replaces_a_stage_is_not_fused(fused, name, options, stage):
    scheme = ATTENTION_SCHEMES[name]

    def sharper(self, logits, mask):
        return getattr(scheme, stage)(self, 2 * logits, mask)

    type("Sharper", (scheme,), {stage: sharper})(4, 5, **options)(normal(2, T, MODEL_DIM), normal(2, S, MODEL_DIM))
    assert not fused


def test_jax_has_kernels_on_a_gpu_that_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    monkeypatch.setattr(keras.distribution, "list_devices", lambda: ["cpu:0"])
    assert not dot_product.has_fused_kernels()
    monkeypatch.setattr(keras.distribution, "list_devices", lambda: ["gpu:0", "gpu:1"])
    assert dot_product.has_fused_kernels()
    keras.config.disable_flash_attention()
    try:
        assert not dot_product.has_fused_kernels()
    finally:
        keras.config.enable_flash_attention()
