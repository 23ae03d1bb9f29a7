import keras
import numpy as np
import pytest
from keras import ops

from layers import InteractingHeadAttention, MultiHeadAttention
from layers.interacting_head_attention import IMPLEMENTATIONS
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import normal, randomize

D = 12


def make(layer_class=InteractingHeadAttention, heads=4, **arguments):
    layer = layer_class(heads, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return randomize(layer)


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("arguments", [{}, {"use_bias": True}, {"query_combination": "mean"}], ids=str)
def test_all_implementations_have_the_same_values_and_gradients(heads, arguments):
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    values, found = {}, {}
    for name in IMPLEMENTATIONS:
        layer = make(heads=heads, implementation=name, **arguments)
        values[name] = array(layer(query, value))
        found[name] = weight_gradients(layer, lambda: ops.sum(ops.square(layer(query, value))))  # noqa: B023
    for name in IMPLEMENTATIONS[1:]:
        np.testing.assert_allclose(values[name], values["folded"], rtol=1e-5, atol=1e-5)
        # Sums whose terms are as large as the largest gradient; the gradient of a key bias is 0 up to rounding.
        largest = max(np.abs(gradient).max() for gradient in found["folded"].values())
        for weight, gradient in found[name].items():
            expected = found["folded"][weight]
            np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-5 * largest, err_msg=weight)


def test_all_query_heads_receive_the_same_gradient():
    layer = make()
    gradient = weight_gradients(layer, lambda: ops.sum(ops.square(layer(normal(2, 5, D), normal(2, 5, D)))))
    kernel = gradient["query_kernel"]  # (D, H, K)
    np.testing.assert_allclose(kernel, np.repeat(kernel[:, :1], 4, axis=1), rtol=1e-5)


def test_one_interacting_head_is_multi_head_attention():
    interacting, base = make(heads=1), make(MultiHeadAttention, heads=1)
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    np.testing.assert_allclose(array(interacting(query, value)), array(base(query, value)), rtol=1e-5, atol=1e-5)


def test_interacting_heads_are_heads_that_share_the_summed_query():
    interacting, base = make(use_bias=True), make(MultiHeadAttention, use_bias=True)
    for name in ("query_kernel", "query_bias"):
        total = array(getattr(interacting, name).value).sum(axis=-2, keepdims=True)
        getattr(base, name).assign(np.repeat(total, 4, axis=-2))
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    np.testing.assert_allclose(array(interacting(query, value)), array(base(query, value)), rtol=1e-5, atol=1e-5)


def test_interacting_heads_have_the_weights_of_multi_head_attention():
    shapes = [
        {w.name: tuple(w.shape) for w in make(cls).weights} for cls in (InteractingHeadAttention, MultiHeadAttention)
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("argument", ["implementation", "query_combination"])
def test_an_unknown_word_is_an_error(argument):
    with pytest.raises(ValueError, match=f"{argument} must be one of"):
        InteractingHeadAttention(2, 4, **{argument: "loop"})


def test_bfloat16_stays_close():
    layer = make()
    half = InteractingHeadAttention.from_config({**layer.get_config(), "dtype": "mixed_bfloat16"})
    half.build((None, None, D), (None, None, D))
    half.set_weights(layer.get_weights())
    x = normal(2, 5, D)
    difference = array(ops.cast(half(x, x), "float32")) - array(layer(x, x))
    assert keras.backend.standardize_dtype(half(x, x).dtype) == "bfloat16"
    assert abs(difference).max() < 0.1


def test_the_mean_equals_the_sum_of_queries_h_times_smaller():
    mean, summed = make(query_combination="mean", use_bias=True), make(use_bias=True)
    for name in ("query_kernel", "query_bias"):
        getattr(mean, name).assign(4 * array(getattr(summed, name).value))
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    np.testing.assert_allclose(array(mean(query, value)), array(summed(query, value)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("combination", "larger"), [("mean", 1), ("sum", 4)])
def test_a_mean_starts_as_large_as_a_head_and_a_sum_sqrt_h_times_larger(combination, larger):
    layer = InteractingHeadAttention(16, 8, query_combination=combination)
    layer.build((None, None, 128), (None, None, 128))
    shared = array(layer.query_projection()[0])[:, 0]  # (D, K)
    one_head = np.sqrt(2 / (128 + 128))  # the standard deviation of Glorot's initialiser
    np.testing.assert_allclose(shared.std(), larger * one_head, rtol=0.1)


def test_the_mean_learns_like_a_sum_whose_query_moves_h_times_slower():
    heads, steps = 4, 200
    query, value, goal = normal(8, 5, D), normal(8, 6, D, seed=1), normal(8, 5, D, seed=2)
    curves = {}
    for combination in ("mean", "sum"):
        layer = make(query_combination=combination, heads=heads)
        if combination == "sum":
            layer.query_kernel.assign(array(layer.query_kernel.value) / heads)
        inputs = keras.Input(query.shape[1:]), keras.Input(value.shape[1:])
        model = keras.Model(inputs, layer(*inputs))
        model.compile(keras.optimizers.Adam(1e-3, epsilon=1e-12), "mse")
        curves[combination] = []
        for _ in range(steps):
            before = array(layer.query_kernel.value)
            curves[combination].append(float(model.train_on_batch([query, value], goal)))
            if combination == "sum":
                layer.query_kernel.assign(before + (array(layer.query_kernel.value) - before) / heads)
    assert curves["sum"][-1] < 0.9 * curves["sum"][0]
    np.testing.assert_allclose(curves["mean"], curves["sum"], rtol=1e-5)
