import numpy as np
import pytest

from layers import MultiHeadAttention, MultiLayerMultiHeadAttention
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D, HEADS = 12, 4
QUERY, SOURCES = normal(2, 5, D), [normal(2, 6, D, seed=seed) for seed in (1, 2, 3)]
MASK = np.random.default_rng(3).random((2, 5, 6)) < 0.6
VARIANTS = {
    "M-00": {"joint_attention": True, "concat_contexts": True},
    "M-01": {"joint_attention": True, "concat_contexts": False},
    "M-10": {"joint_attention": False, "concat_contexts": True},
    "M-11": {"joint_attention": False, "concat_contexts": False},
}
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def make(num_sources=3, seed=0, **arguments):
    layer = MultiLayerMultiHeadAttention(HEADS, 3, num_sources=num_sources, **arguments)
    layer.build((None, None, D), [(None, None, D)] * num_sources)
    return randomize(layer, seed)


def base_layer(**arguments):
    layer = MultiHeadAttention(HEADS, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return layer


def of_one_source(layer, source):
    """`MultiHeadAttention` with the projections that `layer` has for one of its sources."""
    base = base_layer(use_bias=layer.use_bias)
    values = {weight.name: array(weight.value) for weight in layer.weights}
    for weight in base.weights:
        value = values[weight.name]
        weight.assign(value if value.ndim == len(weight.shape) else value[source])
    return base


@every_variant
@pytest.mark.parametrize("use_bias", [False, True])
def test_one_source_is_plain_multi_head_attention(variant, use_bias):
    layer = make(1, use_bias=use_bias, **VARIANTS[variant])
    base = of_one_source(layer, 0)
    output, scores = layer(QUERY, SOURCES[:1], attention_mask=MASK, return_attention_scores=True)
    expected, expected_scores = base(QUERY, SOURCES[0], attention_mask=MASK, return_attention_scores=True)
    np.testing.assert_allclose(array(output), array(expected), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(array(scores)[:, 0], array(expected_scores), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", ["M-10", "M-11"])
def test_separate_softmaxes_sum_the_attentions_to_each_source(variant):
    # Concatenated contexts times one kernel are a sum of products, too; the output bias counts once.
    layer = make(**VARIANTS[variant])
    bias = array(layer.output_bias.value)
    parts = [array(of_one_source(layer, i)(QUERY, source, attention_mask=MASK)) for i, source in enumerate(SOURCES)]
    found = array(layer(QUERY, SOURCES, attention_mask=MASK))
    np.testing.assert_allclose(found, sum(parts) - 2 * bias, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", ["M-00", "M-01"])
def test_joint_attention_is_one_softmax_for_all_sources(variant):
    layer = make(**VARIANTS[variant])
    _, scores = layer(QUERY, SOURCES, attention_mask=MASK, return_attention_scores=True)
    np.testing.assert_array_equal(array(scores), np.repeat(array(scores)[:, :1], 3, axis=1))


@pytest.mark.parametrize("variant", ["M-00", "M-01"])
def test_dropout_gives_joint_weights_one_mask_for_all_sources(variant):
    # Equal sources with equal projections have equal contexts only under one and the same mask.
    layer, contexts = make(dropout=0.5, **VARIANTS[variant]), []
    layer.value_kernel.assign(np.repeat(array(layer.value_kernel.value)[:1], 3, axis=0))
    layer.attend = lambda weights, v: contexts.append(type(layer).attend(layer, weights, v)) or contexts[-1]
    for training in (True, False):
        layer(QUERY, SOURCES[:1] * 3, training=training)
    dropped, whole = map(array, contexts)  # (B, n, H, T, V)
    np.testing.assert_array_equal(dropped, np.repeat(dropped[:, :1], 3, axis=1))
    assert (dropped != whole).any()


@every_variant
def test_a_masked_source_is_a_source_of_zeros(variant):
    layer = make(**VARIANTS[variant])
    before = array(layer(QUERY, SOURCES))
    expected = array(layer(QUERY, [SOURCES[0], np.zeros_like(SOURCES[1]), SOURCES[2]]))
    layer.masked_sources = (2,)
    np.testing.assert_array_equal(array(layer(QUERY, SOURCES)), expected)
    assert abs(expected - before).max() > 1e-2
    layer.masked_sources = ()
    np.testing.assert_array_equal(array(layer(QUERY, SOURCES)), before)


@every_variant
def test_sources_and_their_projections_may_change_places_together(variant):
    layer = make(**VARIANTS[variant])
    expected = array(layer(QUERY, SOURCES, attention_mask=MASK))
    order = [2, 0, 1]
    for weight in layer.weights:
        if weight.shape[0] == 3 and len(weight.shape) == 4:
            weight.assign(array(weight.value)[order])
    found = array(layer(QUERY, [SOURCES[i] for i in order], attention_mask=MASK))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@every_variant
@pytest.mark.parametrize("num_sources", [1, 2, 6])
def test_each_further_source_adds_its_projections(variant, num_sources):
    # Ampomah et al. 2020, section 7.2: n sets of query, key and value weights, n·d × d to project a concatenation.
    layer = make(num_sources, **VARIANTS[variant])
    kernels = 4 if layer.concat_contexts else 3
    expected = base_layer().count_params() + (num_sources - 1) * kernels * D * D
    assert layer.count_params() == expected


def test_another_number_of_sources_is_an_error():
    with pytest.raises(ValueError, match="expected 3 sources, got 2"):
        make()(QUERY, SOURCES[:2])
    with pytest.raises(ValueError, match="num_sources must be at least 1"):
        MultiLayerMultiHeadAttention(HEADS, 3, num_sources=0)


def test_masking_a_source_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match=r"masked_sources must be numbers from 1 to 3, got \[0, 4\]"):
        make(masked_sources=(0, 3, 4))(QUERY, SOURCES)


@every_variant
def test_the_mask_of_any_source_counts(variant):
    layer, padding = make(**VARIANTS[variant]), np.ones(SOURCES[0].shape[:2], "bool")
    padding[:, -1] = False
    expected = array(layer(QUERY, SOURCES, attention_mask=padding[:, np.newaxis]))
    np.testing.assert_array_equal(array(layer(QUERY, SOURCES, value_mask=[None, padding, None])), expected)
