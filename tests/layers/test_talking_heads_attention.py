import numpy as np
import pytest

from layers import MultiHeadAttention, TalkingHeadsAttention
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D = 12


def make(layer_class=TalkingHeadsAttention, heads=4, **arguments):
    layer = layer_class(heads, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return layer


def with_weights_of(layer, other):
    """`other`, its weights those that `layer` has by the same names."""
    values = {weight.name: weight for weight in layer.weights}
    for weight in other.weights:
        weight.assign(values[weight.name])
    return other


def call(layer, mask=None):
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    return map(array, layer(query, value, attention_mask=mask, return_attention_scores=True))


MASK = np.random.default_rng(3).random((2, 5, 6)) < 0.6


@pytest.mark.parametrize("mask", [None, MASK], ids=["whole", "masked"])
def test_heads_that_do_not_talk_are_multi_head_attention(mask):
    layer = make(mixing_initializer="identity", use_bias=True)
    base = with_weights_of(layer, make(MultiHeadAttention, use_bias=True))
    for found, expected in zip(call(layer, mask), call(base, mask), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_renaming_the_heads_in_both_mixings_changes_nothing():
    # New heads are another order of the same heads: the second mixing undoes what the first has done.
    layer = make()
    order = np.array([2, 0, 3, 1])
    permutation = np.eye(4, dtype="float32")[order]
    layer.pre_softmax_kernel.assign(permutation)
    layer.post_softmax_kernel.assign(permutation.T)
    base = with_weights_of(layer, make(MultiHeadAttention))
    for found, expected in zip(call(layer), call(base), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_mixed_weights_sum_to_the_row_sums_of_the_second_mixing():
    layer = randomize(make())
    _, scores = call(layer, MASK)
    expected = array(layer.post_softmax_kernel.value).sum(axis=1)
    np.testing.assert_allclose(scores.sum(axis=-1), np.broadcast_to(expected[:, None], (2, 4, 5)), atol=1e-5)


def test_the_two_mixings_start_from_different_numbers():
    layer = make()
    assert abs(array(layer.pre_softmax_kernel.value) - array(layer.post_softmax_kernel.value)).max() > 0.01


@pytest.mark.parametrize("heads", [1, 4])
def test_talking_heads_add_only_two_matrices_over_the_heads(heads):
    assert make(heads=heads).count_params() == make(MultiHeadAttention, heads).count_params() + 2 * heads**2
