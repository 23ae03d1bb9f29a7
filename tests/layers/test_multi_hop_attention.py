import numpy as np
import pytest

from layers import MultiHeadAttention, MultiHopAttention
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D, HEADS, V = 12, 4, 3
QUERY, MEMORY = normal(2, 5, D), normal(2, 6, D, seed=1)


def make(heads=HEADS, **arguments):
    layer = MultiHopAttention(heads, V, **arguments)
    layer.build((None, None, D), (None, None, D))
    return randomize(layer)


def base_of(layer):
    """`MultiHeadAttention` with the weights that `layer` shares with it."""
    base = MultiHeadAttention(layer.num_heads, layer.key_dim)
    base.build((None, None, D), (None, None, D))
    values = {weight.name: weight for weight in layer.weights}
    for weight in base.weights:
        weight.assign(values[weight.name])
    return base


def identities(heads, scale=1.0):
    return np.repeat(scale * np.eye(V)[None], heads, axis=0)


def test_importances_of_a_position_sum_to_one():
    _, importance = make()(QUERY, MEMORY, return_head_importance=True)
    assert array(importance).min() > 0
    np.testing.assert_allclose(array(importance).sum(axis=-1), 1, rtol=1e-5)


def test_multi_hop_attention_with_equal_scores_is_multi_head_attention():
    layer = make()
    layer.hop_score_kernel.assign(np.zeros(layer.hop_score_kernel.shape))
    layer.hop_value_kernel.assign(identities(HEADS, HEADS))  # undoes β = 1 / H
    output, importance = layer(QUERY, MEMORY, return_head_importance=True)
    np.testing.assert_allclose(array(importance), 1 / HEADS, rtol=1e-5)
    np.testing.assert_allclose(array(output), array(base_of(layer)(QUERY, MEMORY)), rtol=1e-5, atol=1e-5)


def test_the_second_hop_of_one_head_is_a_linear_map():
    layer = make(heads=1)
    layer.hop_value_kernel.assign(identities(1))
    output, importance = layer(QUERY, MEMORY, return_head_importance=True)
    np.testing.assert_allclose(array(importance), 1, rtol=1e-6)  # some processors take a reciprocal for a division
    np.testing.assert_allclose(array(output), array(base_of(layer)(QUERY, MEMORY)), rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_single_head_is_no_reason_for_a_warning():
    importance = make(1)(QUERY, MEMORY, return_head_importance=True)[1]
    np.testing.assert_array_equal(array(importance), 1)


def test_the_order_of_the_heads_does_not_matter():
    layer = make()
    output, importance = map(array, layer(QUERY, MEMORY, return_head_importance=True))
    order = [2, 0, 3, 1]
    for name in ("query_kernel", "key_kernel", "value_kernel"):
        kernel = getattr(layer, name)
        kernel.assign(array(kernel.value)[:, order])
    for name in ("output_kernel", "hop_head_kernel", "hop_value_kernel"):
        kernel = getattr(layer, name)
        kernel.assign(array(kernel.value)[order])
    found, found_importance = map(array, layer(QUERY, MEMORY, return_head_importance=True))
    np.testing.assert_allclose(found, output, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found_importance, importance[..., order], rtol=1e-5, atol=1e-6)


def test_an_importance_depends_on_the_query_and_not_on_its_neighbours():
    layer = make()
    changed = QUERY.copy()
    changed[:, 3] += 1
    before, after = (array(layer(x, MEMORY, return_head_importance=True)[1]) for x in (QUERY, changed))
    np.testing.assert_allclose(np.delete(after, 3, axis=1), np.delete(before, 3, axis=1), atol=1e-5)
    assert abs(after[:, 3] - before[:, 3]).max() > 1e-3


@pytest.mark.parametrize("hop_dim", [None, 1, 7])
def test_the_second_hop_adds_its_four_kernels(hop_dim):
    layer, a = make(hop_dim=hop_dim), hop_dim or V
    expected = V * a + HEADS * V * a + a + HEADS * V * V  # W_b, U_b, v_b, U_c
    assert layer.count_params() == base_of(layer).count_params() + expected
