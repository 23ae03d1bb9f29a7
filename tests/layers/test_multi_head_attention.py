import inspect
import re
from pathlib import Path

import keras
import numpy as np
import pytest

from layers import ATTENTION_SCHEMES, MultiHeadAttention
from layers.dot_product import attention_bias
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D = 12


def pair(use_bias, **arguments):
    """Our layer and Keras' own with the same weights; Keras' has an output bias only with `use_bias`."""
    ours = MultiHeadAttention(3, 4, 5, use_bias=use_bias, **arguments)
    ours.build((None, None, D), (None, None, D))
    randomize(ours)
    theirs = keras.layers.MultiHeadAttention(3, 4, 5, use_bias=use_bias)
    theirs.build((None, None, D), (None, None, D))
    named = {weight.name: array(weight.value) for weight in ours.weights}
    if not use_bias:
        ours.output_bias.assign(np.zeros(D))
    for weight in theirs.weights:
        part, kind = weight.path.split("/")[-2:]
        weight.assign(named[f"{part.replace('attention_', '')}_{kind}"])
    return ours, theirs


@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_the_layer_equals_the_keras_layer(use_bias, causal, masked):
    ours, theirs = pair(use_bias)
    query, value, key = normal(2, 4, D), normal(2, 4, D, seed=1), normal(2, 4, D, seed=2)
    mask = np.random.default_rng(3).random((2, 4, 4)) < 0.7 if masked else None
    if masked:
        mask[:, :, 0] = True  # Keras weighs the keys of a fully masked row in its own way
    arguments = {"attention_mask": mask, "use_causal_mask": causal, "return_attention_scores": True}
    for found, expected in zip(
        ours(query, value, key, **arguments), theirs(query, value, key, **arguments), strict=True
    ):
        np.testing.assert_allclose(array(found), array(expected), rtol=1e-5, atol=1e-5)


def test_the_output_is_the_same_without_scores():
    ours, theirs = pair(True)
    x = normal(2, 6, D)
    expected, _ = theirs(x, x, return_attention_scores=True)
    np.testing.assert_allclose(array(ours(x, x)), array(expected), rtol=1e-5, atol=1e-5)


def test_keras_own_masks_are_used():
    ids = np.array([[5, 6, 7, 0, 0], [5, 6, 7, 8, 9]])
    embedding = keras.layers.Embedding(10, D, mask_zero=True)
    ours, theirs = pair(False)
    x = embedding(ids)
    # With the scores, since JAX's path without them fails on value sizes other than the key size.
    found, expected = (array(layer(x, x, return_attention_scores=True)[0]) for layer in (ours, theirs))
    np.testing.assert_allclose(found[0, :3], expected[0, :3], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-5, atol=1e-5)


def test_the_mask_of_the_query_is_passed_on():
    embedding, first, second = keras.layers.Embedding(10, D, mask_zero=True), pair(True)[0], pair(True)[0]
    embedding.build((None, None))
    embedding.embeddings.assign(normal(10, D))
    x = embedding(np.array([[5, 6, 7, 0, 0], [5, 6, 7, 8, 9]]))
    hidden = first(x, x)
    found, plain = second(hidden, hidden), array(hidden)
    expected = second(plain, plain, value_mask=np.array([[1, 1, 1, 0, 0], [1] * 5], "bool"))
    np.testing.assert_allclose(array(found), array(expected), rtol=1e-5, atol=1e-5)
    assert abs(array(found) - array(second(plain, plain))).max() > 1e-2


def test_masks_of_key_and_value_are_joined():
    layer = MultiHeadAttention(3, 4)
    query, value, key = normal(1, 2, D), normal(1, 3, D, seed=1), normal(1, 3, D, seed=2)
    masks = np.array([[1, 1, 0]], "bool"), np.array([[0, 1, 1]], "bool")
    found = layer(query, value, key, value_mask=masks[0], key_mask=masks[1])
    expected = layer(query, value, key, attention_mask=(masks[0] & masks[1])[:, None])
    np.testing.assert_array_equal(array(found), array(expected))


@pytest.mark.parametrize("size", ["float16", "bfloat16", "float64"])
def test_the_bias_of_a_mask_is_in_single_precision(size):
    before = keras.config.floatx()
    keras.config.set_floatx(size)
    try:
        bias = attention_bias(keras.ops.convert_to_tensor(np.array([[[True, False]]])))
    finally:
        keras.config.set_floatx(before)
    assert keras.backend.standardize_dtype(bias.dtype) == "float32"


def test_a_mask_may_be_the_same_for_all_queries():
    ours, _ = pair(False)
    query, value = normal(2, 4, D), normal(2, 3, D, seed=1)
    short = np.array([[[1, 1, 0]], [[1, 0, 1]]])
    np.testing.assert_allclose(
        array(ours(query, value, attention_mask=short)),
        array(ours(query, value, attention_mask=np.repeat(short, 4, axis=1))),
        rtol=1e-5,
        atol=1e-5,  # of two shapes, so in two orders perhaps
    )


def test_a_mask_with_an_axis_of_heads_is_an_error():
    with pytest.raises(ValueError, match=r"attention_mask must have the shape \(B, T, S\), the same for all heads"):
        MultiHeadAttention(2, 4)(normal(1, 2, D), normal(1, 2, D), attention_mask=np.ones((1, 1, 2, 2), "bool"))


def test_kernels_start_as_dense_matrices_do():
    layer = MultiHeadAttention(8, 16)
    layer.build((None, None, 128), (None, None, 128))
    limit = np.sqrt(6 / (128 + 128))
    for kernel in (layer.query_kernel, layer.key_kernel, layer.value_kernel, layer.output_kernel):
        values = array(kernel.value)
        assert abs(values).max() <= limit
        np.testing.assert_allclose(values.std(), limit / np.sqrt(3), rtol=0.02)


def test_another_softmax_is_no_standard_attention():
    class Sharper(MultiHeadAttention):
        def softmax(self, logits, mask):
            return super().softmax(2 * logits, mask)

    assert Sharper(2, 4).why_not_standard == "no equivalent standard attention is known"


def test_head_importance_of_a_scheme_that_has_none_is_an_error():
    with pytest.raises(ValueError, match="does not weigh its heads"):
        MultiHeadAttention(2, 4)(normal(1, 2, D), normal(1, 2, D), return_head_importance=True)


# The scheme `fixed_head_size`: the same layer, whose key size does not depend on the number of heads.


def logits(layer, query, value):
    """The logits `(B, H, T, S)` before the softmax."""
    return array(layer.score(layer.project_query(query), layer.project_memory(value)[0]))


@pytest.mark.parametrize(("key_dim", "rank"), [(3, 3), (8, 8), (20, 8)])
def test_a_head_smaller_than_the_sentence_is_a_bottleneck_of_low_rank(key_dim, rank):
    # Bhojanapalli et al. 2020: T × T logits have at most the rank of the key size, whence key_dim = n̄.
    layer = ATTENTION_SCHEMES["fixed_head_size"](16, key_dim, 2)
    layer.build((None, None, 32), (None, None, 32))
    randomize(layer)
    found = logits(layer, normal(1, 8, 32), normal(1, 8, 32, seed=1))
    np.testing.assert_array_equal(np.linalg.matrix_rank(found.astype("float64"), tol=1e-4), rank)


@pytest.mark.parametrize("heads", [2, 8, 16, 64])
def test_a_fixed_head_size_changes_query_and_key_kernels_alone(heads):
    d, mean_length = 512, 20
    counts = []
    for key_dim in (mean_length, d // heads):
        layer = ATTENTION_SCHEMES["fixed_head_size"](heads, key_dim)  # value heads of size d // heads, equation (5)
        layer.build((None, None, d), (None, None, d))
        assert layer.value_kernel.shape == (d, heads, d // heads)
        counts.append(layer.count_params())
    assert counts[0] - counts[1] == 2 * d * (heads * mean_length - d)


def test_more_heads_than_dimensions_need_a_value_size():
    query = normal(2, 3, 8)
    with pytest.raises(ValueError, match="16 heads cannot share a model size of 8; set value_dim"):
        ATTENTION_SCHEMES["fixed_head_size"](16, 4)(query, query)
    assert ATTENTION_SCHEMES["fixed_head_size"](16, 4, 1)(query, query).shape == (2, 3, 8)


def test_dropout_of_the_same_seed_is_the_same():
    query = normal(2, 5, 32)

    def outputs(seed):
        layer = ATTENTION_SCHEMES["multi_head"](4, 8, dropout=0.5, seed=seed)
        layer.build((None, None, 32), (None, None, 32))
        return array(randomize(layer)(query, query, training=True))

    np.testing.assert_array_equal(outputs(3), outputs(3))
    assert np.abs(outputs(3) - outputs(4)).max() > 1e-3


def test_arguments_that_only_the_keras_layer_has_are_documented():
    page = " ".join((Path(__file__).parents[2] / "docs" / "layers.md").read_text(encoding="utf-8").split())
    keras_arguments = inspect.signature(keras.layers.MultiHeadAttention).parameters
    lacking = keras_arguments.keys() - inspect.signature(ATTENTION_SCHEMES["multi_head"]).parameters.keys()
    kinds = re.compile("_(initializer|regularizer|constraint)$")
    named = {name for name in lacking if not kinds.search(name)}
    for name in named:
        assert f"`{name}`" in page, name
    assert "initialisers, regularisers and constraints" in page
