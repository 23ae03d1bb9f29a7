import keras
import numpy as np
import pytest
from keras import ops

from layers import InteractingHeadAttention, MultiHeadAttention
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import normal, randomize

D = 12


def make(layer_class=InteractingHeadAttention, heads=4, **arguments):
    layer = layer_class(heads, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return randomize(layer)


def printed_loop(layer, query, value):
    """Algorithm 1 as a double loop in Keras operations, for its gradients."""
    W_q, W_k, W_v = layer.query_kernel, layer.key_kernel, layer.value_kernel
    outputs = []
    for j in range(layer.num_heads):
        logits = 0.0
        for i in range(layer.num_heads):
            q, k = ops.matmul(query, W_q[:, i]), ops.matmul(value, W_k[:, j])
            logits = logits + ops.matmul(q, ops.transpose(k, (0, 2, 1))) / np.sqrt(layer.key_dim)
        outputs.append(ops.matmul(ops.softmax(logits), ops.matmul(value, W_v[:, j])))
    kernel = ops.reshape(layer.output_kernel, (-1, D))
    return ops.matmul(ops.concatenate(outputs, axis=-1), kernel) + layer.output_bias


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_values_and_gradients_of_folded_head_pairs_and_loop_agree(heads):
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    folded, pairs = (make(heads=heads, implementation=name) for name in ("folded", "head_pairs"))
    computations = [
        (folded, lambda: folded(query, value)),
        (pairs, lambda: pairs(query, value)),
        (folded, lambda: printed_loop(folded, ops.convert_to_tensor(query), ops.convert_to_tensor(value))),
    ]
    expected = array(computations[-1][1]())
    expected_gradients = weight_gradients(folded, lambda: ops.sum(ops.square(computations[-1][1]())))
    for layer, compute in computations[:-1]:
        np.testing.assert_allclose(array(compute()), expected, rtol=1e-5, atol=1e-5)
        for name, gradient in weight_gradients(layer, lambda c=compute: ops.sum(ops.square(c()))).items():
            np.testing.assert_allclose(gradient, expected_gradients[name], rtol=1e-4, atol=1e-4, err_msg=name)


def test_all_query_heads_receive_the_same_gradient():
    layer = make()
    gradient = weight_gradients(layer, lambda: ops.sum(ops.square(layer(normal(2, 5, D), normal(2, 5, D)))))
    kernel = gradient["query_kernel"]  # (D, H, K)
    np.testing.assert_allclose(kernel, np.repeat(kernel[:, :1], 4, axis=1), rtol=1e-5)


def test_with_one_head_it_is_multi_head_attention():
    interacting, base = make(heads=1), make(MultiHeadAttention, heads=1)
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    np.testing.assert_allclose(array(interacting(query, value)), array(base(query, value)), rtol=1e-5, atol=1e-5)


def test_it_is_multi_head_attention_whose_heads_share_the_summed_query():
    interacting, base = make(use_bias=True), make(MultiHeadAttention, use_bias=True)
    for name in ("query_kernel", "query_bias"):
        total = array(getattr(interacting, name).value).sum(axis=-2, keepdims=True)
        getattr(base, name).assign(np.repeat(total, 4, axis=-2))
    query, value = normal(2, 5, D), normal(2, 6, D, seed=1)
    np.testing.assert_allclose(array(interacting(query, value)), array(base(query, value)), rtol=1e-5, atol=1e-5)


def test_it_has_the_weights_of_multi_head_attention():
    shapes = [
        {w.name: tuple(w.shape) for w in make(cls).weights} for cls in (InteractingHeadAttention, MultiHeadAttention)
    ]
    assert shapes[0] == shapes[1]


def test_an_unknown_implementation_is_an_error():
    with pytest.raises(ValueError, match="implementation must be one of"):
        InteractingHeadAttention(2, 4, implementation="loop")


def test_bfloat16_stays_close():
    layer = make()
    half = InteractingHeadAttention.from_config({**layer.get_config(), "dtype": "mixed_bfloat16"})
    half.build((None, None, D), (None, None, D))
    half.set_weights(layer.get_weights())
    x = normal(2, 5, D)
    difference = array(ops.cast(half(x, x), "float32")) - array(layer(x, x))
    assert keras.backend.standardize_dtype(half(x, x).dtype) == "bfloat16"
    assert abs(difference).max() < 0.1


def test_a_balanced_query_starts_as_one_head_does():
    layers = {balanced: InteractingHeadAttention(16, 8, balanced_query=balanced) for balanced in (True, False)}
    for balanced, layer in layers.items():
        layer.build((None, None, 128), (None, None, 128))
        total = array(layer.query_kernel.value).sum(axis=1)  # Σ_i W_q^i: (D, K)
        one_head = np.sqrt(2 / (128 + 128))  # the standard deviation of Glorot's initialiser
        np.testing.assert_allclose(total.std(), one_head * (1 if balanced else 4), rtol=0.1)
        assert getattr(layer.query_kernel, "learning_rate_factor", 1) == (1 / 16 if balanced else 1)
