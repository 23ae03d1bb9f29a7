import keras
import numpy as np
import pytest
from keras import ops

from layers import IterativeCombination, LinearCombination, TransparentAttention
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import normal, randomize

D, M = 12, 3
OUTPUTS, EMBEDDING = [normal(2, 5, D, seed=seed) for seed in range(4)], normal(2, 5, D, seed=9)
AGGREGATIONS = {
    "linear": lambda **keywords: LinearCombination(M, **keywords),
    "transparent": lambda **keywords: TransparentAttention(M, **keywords),
    "iterative": lambda **keywords: IterativeCombination(M, 7, **keywords),
}
every_aggregation = pytest.mark.parametrize("make", AGGREGATIONS.values(), ids=AGGREGATIONS)


def memories(layer, outputs=OUTPUTS, **arguments):
    return [array(memory) for memory in layer(outputs, embedding_output=EMBEDDING, **arguments)]


def assert_all_equal(found, expected):
    assert len(found) == M
    for memory in found:
        np.testing.assert_allclose(memory, expected, rtol=1e-5, atol=1e-5)


def test_linear_combination_with_identity_kernels_is_the_sum():
    layer = LinearCombination(M)
    layer(OUTPUTS)  # builds
    layer.kernel.assign(np.repeat(np.eye(D)[None], 4, axis=0))
    assert_all_equal(memories(layer), sum(OUTPUTS))


def test_linear_combination_can_choose_one_layer():
    layer = LinearCombination(M)
    layer(OUTPUTS)  # builds
    layer.kernel.assign(np.eye(D)[None] * np.array([0, 0, 1, 0])[:, None, None])
    assert_all_equal(memories(layer), OUTPUTS[2])


def test_transparent_attention_starts_as_the_mean_of_its_sources():
    layer = TransparentAttention(M)
    assert_all_equal(memories(layer), (sum(OUTPUTS) + EMBEDDING) / 5)
    np.testing.assert_array_equal(array(layer.kernel.value), 0)


def test_transparent_attention_gives_each_decoder_layer_its_own_mixture():
    layer = TransparentAttention(M)
    layer(OUTPUTS, embedding_output=EMBEDDING)  # builds
    kernel = np.zeros((5, M))
    kernel[[0, 2, 4], [0, 1, 2]] = 100  # a softmax with one weight that is all
    layer.kernel.assign(kernel)
    for memory, expected in zip(memories(layer), (EMBEDDING, OUTPUTS[1], OUTPUTS[3]), strict=True):
        np.testing.assert_allclose(memory, expected, rtol=1e-6)


def test_transparent_attention_of_equal_sources_is_that_source():
    layer = TransparentAttention(M)
    layer([EMBEDDING] * 4, embedding_output=EMBEDDING)  # builds
    randomize(layer)
    assert_all_equal(memories(layer, [EMBEDDING] * 4), EMBEDDING)


def test_transparent_attention_needs_the_embeddings():
    with pytest.raises(ValueError, match="give embedding_output"):
        TransparentAttention(M)(OUTPUTS)


def test_transparent_attention_drops_weights_in_training_only():
    layer = TransparentAttention(M, dropout=0.5)
    assert_all_equal(memories(layer), (sum(OUTPUTS) + EMBEDDING) / 5)
    assert abs(memories(layer, training=True)[0] - memories(layer)[0]).max() > 1e-2


def test_iterative_combination_of_one_layer_is_that_layer():
    layer = IterativeCombination(M, 7)
    assert_all_equal(memories(layer, OUTPUTS[:1]), OUTPUTS[0])
    assert layer.count_params() == 0


def test_iterative_combination_without_its_network_normalizes_sums():
    layer = IterativeCombination(M, 7)
    layer(OUTPUTS)  # builds
    layer.output_kernel.assign(np.zeros(layer.output_kernel.shape))
    normalize = keras.layers.LayerNormalization(epsilon=layer.EPSILON)
    expected = OUTPUTS[0]
    for output in OUTPUTS[1:]:
        expected = array(normalize(expected + output))
    assert_all_equal(memories(layer), expected)


@pytest.mark.parametrize("layers", [1, 2, 6])
def test_numbers_of_parameters_follow_the_equations(layers):
    outputs, F = OUTPUTS[:1] * layers, 7
    expected = {
        "linear": layers * D * D,
        "transparent": (layers + 1) * M,
        "iterative": (layers - 1) * (2 * D * F + F + F * D + D + 2 * D),
    }
    for name, make in AGGREGATIONS.items():
        layer = make()
        memories(layer, outputs)
        assert layer.count_params() == expected[name], name


@every_aggregation
def test_a_layer_is_its_configuration_and_reloads_exactly(make, tmp_path):
    sources = [keras.Input((None, D)) for _ in range(3)]
    model = keras.Model(sources, make()(sources[1:], embedding_output=sources[0]))
    randomize(model.layers[-1])
    inputs = [EMBEDDING, *OUTPUTS[:2]]
    expected = list(map(array, model(inputs)))
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.layers[-1].get_config() == model.layers[-1].get_config()
    for found, right in zip(again(inputs), expected, strict=True):
        np.testing.assert_array_equal(array(found), right)


@every_aggregation
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_stays_close(make, dtype):
    layer, half = make(), make(dtype=f"mixed_{dtype}")
    for some in (layer, half):
        some(OUTPUTS, embedding_output=EMBEDDING)  # builds
        randomize(some)
    for found, expected in zip(half(OUTPUTS, embedding_output=EMBEDDING), memories(layer), strict=True):
        assert keras.backend.standardize_dtype(found.dtype) == dtype
        assert abs(array(ops.cast(found, "float32")) - expected).max() < 0.03 * abs(expected).max()


@every_aggregation
def test_all_weights_are_trained(make):
    layer = make()
    layer(OUTPUTS, embedding_output=EMBEDDING)  # builds
    randomize(layer)
    target = normal(2, 5, D, seed=5)

    def loss():
        found = layer(OUTPUTS, embedding_output=EMBEDDING)
        return sum(ops.sum(ops.square(memory - target)) for memory in found)

    for name, gradient in weight_gradients(layer, loss).items():
        assert (abs(gradient) > 1e-6).any(), name
