"""Layer normalisation gives the values and gradients of Keras' layer."""

import keras
import numpy as np
import pytest
from keras import ops

from layers.layer_normalization import LayerNormalization
from tests.layers.backend import array, gradients, weight_gradients
from tests.layers.schemes import normal, randomize


@pytest.fixture(params=[(3, 5, 16), (7, 8), (2, 1, 3, 4)], ids=str)
def pair(request):
    ours, theirs = LayerNormalization(epsilon=1e-6), keras.layers.LayerNormalization(epsilon=1e-6)
    for layer in (ours, theirs):
        layer.build(request.param)
        randomize(layer)
    return ours, theirs, normal(*request.param)


def test_values_equal_keras(pair):
    ours, theirs, x = pair
    np.testing.assert_allclose(array(ours(x)), array(theirs(x)), rtol=1e-5, atol=1e-5)


def test_gradients_equal_keras(pair):
    ours, theirs, x = pair
    factor = normal(*x.shape, seed=1)
    for of in (
        lambda layer: gradients(lambda x: ops.sum(layer(x) * factor), x),
        lambda layer: of_weights(layer, x, factor),
    ):
        for our, their in zip(of(ours), of(theirs), strict=True):
            np.testing.assert_allclose(our, their, rtol=1e-4, atol=1e-5)


def of_weights(layer, x, factor):
    found = weight_gradients(layer, lambda: ops.sum(layer(x) * factor))
    return [found[name] for name in ("gamma", "beta")]


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_half_precision_equals_rounded_float32(dtype):
    layer = LayerNormalization(dtype=dtype)
    layer.build((4, 8))
    randomize(layer)
    x = normal(4, 8)
    found = layer(x)
    assert keras.backend.standardize_dtype(found.dtype) == layer.compute_dtype
    expected = keras.layers.LayerNormalization(epsilon=1e-6)
    expected.build((4, 8))
    expected.set_weights(layer.get_weights())
    np.testing.assert_allclose(array(ops.cast(found, "float32")), array(expected(x)), atol=0.03)


def test_equal_inputs_give_the_bias():
    layer = randomize(built(LayerNormalization(), (2, 3, 8)))
    np.testing.assert_allclose(
        array(layer(np.full((2, 3, 8), 7.0, "float32"))), np.broadcast_to(array(layer.beta), (2, 3, 8)), atol=1e-5
    )


def built(layer, shape):
    layer.build(shape)
    return layer
