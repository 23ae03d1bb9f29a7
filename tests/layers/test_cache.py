"""Caches of keys and values: what is written where."""

import functools

import keras
import numpy as np
import pytest
from keras import ops

from layers.cache import inserted, overwritten, own_zeros
from tests.layers.backend import array
from tests.layers.schemes import normal

B, H, L, T, K, V = 2, 3, 6, 2, 4, 5


def new_parts(seed=0, dtype="float32"):
    return [ops.cast(normal(B, H, T, size, seed=seed + size), dtype) for size in (K, V)]


def empty(dtype="float32"):
    return tuple(own_zeros((B, H, L, size), dtype) for size in (K, V))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("into", [inserted, overwritten])
def test_new_parts_are_written_only_at_their_places(into, dtype):
    first, second = new_parts(0, dtype), new_parts(9, dtype)
    caches = into(into(empty(dtype), first, 4), second, 0)
    for cache, *parts in zip(caches, second, first, strict=True):
        later, earlier = (array(ops.cast(part, "float32")) for part in parts)
        expected = np.concatenate([later, np.zeros_like(later), earlier], axis=2)
        np.testing.assert_array_equal(array(ops.cast(cache, "float32")), expected)


def test_inserted_takes_any_place_and_keeps_its_arguments():
    given = empty()
    caches = inserted(given, new_parts(), 3)
    for cache, before, part in zip(caches, given, new_parts(), strict=True):
        np.testing.assert_array_equal(array(cache)[:, :, 3:5], array(part))
        assert not array(before).any()


@pytest.mark.parametrize("index", [-1, L - T + 1, L])
@pytest.mark.parametrize("into", [inserted, overwritten])
def test_parts_that_do_not_fit_are_an_error(into, index):
    with pytest.raises(ValueError, match=f"{T} new positions from {index} on do not fit into a cache of {L} slots"):
        into(empty(), new_parts(), index)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow has graphs that can share memory; run the test with KERAS_BACKEND=tensorflow",
)
def test_caches_of_one_shape_do_not_share_memory_in_a_graph():
    import tensorflow as tf

    @functools.partial(tf.function, autograph=False)
    def several(size):
        return [own_zeros((B, H, size, K), "float32") for _ in range(3)]

    first, second, third = several(tf.constant(L))
    overwritten([first], new_parts()[:1], 2)
    assert array(first).any()
    assert not array(second).any()
    assert not array(third).any()
