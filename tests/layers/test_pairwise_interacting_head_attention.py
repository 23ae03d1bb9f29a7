import keras
import numpy as np
import pytest
from keras import ops

from layers import MultiHeadAttention, PairwiseInteractingHeadAttention
from layers.pairwise_interacting_head_attention import IMPLEMENTATIONS
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import normal, randomize

D, HEADS = 12, 4
QUERY, MEMORY = normal(2, 5, D), normal(2, 6, D, seed=1)
MASK = np.random.default_rng(3).random((2, 5, 6)) < 0.6


def make(layer_class=PairwiseInteractingHeadAttention, heads=HEADS, **arguments):
    layer = layer_class(heads, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return randomize(layer)


def base_of(layer, output_kernel):
    """`MultiHeadAttention` with the projections of `layer` and another output kernel."""
    base = make(MultiHeadAttention, layer.num_heads)
    for name in ("query_kernel", "key_kernel", "value_kernel", "output_bias"):
        getattr(base, name).assign(getattr(layer, name))
    base.output_kernel.assign(output_kernel)
    return base


def test_one_interacting_head_is_multi_head_attention():
    layer = make(heads=1)
    base = base_of(layer, array(layer.output_kernel.value)[0])
    found, expected = (array(some(QUERY, MEMORY, attention_mask=MASK)) for some in (layer, base))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_heads_that_meet_only_their_own_keys_are_multi_head_attention():
    # Output kernels of all pairs i ≠ j are zero: what is left are the pairs (i, i).
    layer = make()
    diagonal = np.eye(HEADS, dtype="float32")[:, :, None, None] * array(layer.output_kernel.value)
    layer.output_kernel.assign(diagonal)
    base = base_of(layer, diagonal.sum(axis=0))
    output, scores = layer(QUERY, MEMORY, attention_mask=MASK, return_attention_scores=True)
    expected, expected_scores = base(QUERY, MEMORY, attention_mask=MASK, return_attention_scores=True)
    np.testing.assert_allclose(array(output), array(expected), rtol=1e-5, atol=1e-5)
    own = array(scores)[:, range(HEADS), range(HEADS)]
    np.testing.assert_allclose(own, array(expected_scores), rtol=1e-5, atol=1e-5)


def test_the_orders_of_query_heads_and_key_heads_do_not_matter():
    layer = make()
    expected = array(layer(QUERY, MEMORY))
    queries, keys = [2, 0, 3, 1], [1, 3, 0, 2]
    layer.query_kernel.assign(array(layer.query_kernel.value)[:, queries])
    for kernel in (layer.key_kernel, layer.value_kernel):
        kernel.assign(array(kernel.value)[:, keys])
    layer.output_kernel.assign(array(layer.output_kernel.value)[queries][:, keys])
    np.testing.assert_allclose(array(layer(QUERY, MEMORY)), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_the_output_projection_grows_with_the_number_of_heads(heads):
    V = 3
    added = make(heads=heads).count_params() - make(MultiHeadAttention, heads).count_params()
    assert added == (heads - 1) * heads * V * D


@pytest.mark.parametrize("heads", [1, 4])
def test_the_printed_loop_has_the_same_values_and_gradients(heads):
    values, found = [], []
    for name in IMPLEMENTATIONS:
        layer = make(heads=heads, implementation=name)
        values.append(array(layer(QUERY, MEMORY, attention_mask=MASK)))
        found.append(weight_gradients(layer, lambda: ops.sum(ops.square(layer(QUERY, MEMORY, attention_mask=MASK)))))  # noqa: B023
    np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-5)
    largest = max(np.abs(gradient).max() for gradient in found[0].values())
    for name in found[0]:
        np.testing.assert_allclose(found[0][name], found[1][name], rtol=0, atol=1e-5 * largest)


def test_an_unknown_implementation_is_an_error():
    with pytest.raises(ValueError, match="implementation must be one of"):
        PairwiseInteractingHeadAttention(2, 4, implementation="loop")


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow also trains without XLA; run the test with KERAS_BACKEND=tensorflow",
)
def test_tensorflow_compiles_its_gradient_with_a_mask_from_outside(jit_compile):
    import tensorflow as tf

    layer, mask = make(heads=3), tf.constant(MASK)

    def gradient(query, memory):
        with tf.GradientTape() as tape:
            loss = ops.sum(ops.square(layer(query, memory, attention_mask=mask)))
        return tape.gradient(loss, layer.output_kernel.value)

    expected = array(gradient(QUERY, MEMORY))
    found = array(tf.function(gradient, jit_compile=jit_compile)(QUERY, MEMORY))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
