import math

import numpy as np
import pytest
from keras import ops

from layers import DynamicHeadImportanceAttention, MultiHeadAttention
from layers.dynamic_head_importance_attention import mean_divergence
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D, HEADS = 12, 4
QUERY, MEMORY = normal(2, 5, D), normal(2, 6, D, seed=1)
KEPT = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], "bool")
# Logarithms of up to ln H = 1.4 in float32 are exact to a few times 1e-7, exponentials of them likewise.
ROUNDING = 2e-6


def make(heads=HEADS, **arguments):
    layer = DynamicHeadImportanceAttention(heads, 3, **arguments)
    layer.build((None, None, D), (None, None, D))
    return randomize(layer)


def importance_and_loss(layer, query=QUERY, **arguments):
    _, importance = layer(query, MEMORY, return_head_importance=True, **arguments)
    (loss,) = layer.losses
    return array(importance), float(loss)


def divergence(importance):
    """KL(G ‖ uniform) = ln H − entropy of G, in nats."""
    importance = importance.astype("float64")
    return math.log(importance.shape[-1]) + (importance * np.log(importance)).sum(axis=-1)


@pytest.mark.parametrize("score", ["dot", "mlp"])
@pytest.mark.parametrize("weight", [0.1, 0.7])
def test_the_loss_is_the_negative_mean_divergence_from_equal_importances(score, weight):
    layer = make(importance_score=score, importance_loss_weight=weight)
    importance, loss = importance_and_loss(layer)
    np.testing.assert_allclose(importance.sum(axis=-1), 1, rtol=ROUNDING)
    assert loss == pytest.approx(-weight * divergence(importance).mean(), rel=1e-5)
    assert loss < -1e-3


def test_positions_left_out_by_the_query_mask_do_not_count():
    layer = make()
    importance, loss = importance_and_loss(layer, query_mask=KEPT)
    assert loss == pytest.approx(-0.1 * divergence(importance)[KEPT].mean(), rel=1e-5)
    _, whole = importance_and_loss(layer)
    assert abs(loss - whole) > 1e-3
    padded = np.where(KEPT[..., None], QUERY, 7).astype("float32")
    assert importance_and_loss(layer, padded, query_mask=KEPT)[1] == pytest.approx(loss, rel=1e-5)


def test_a_batch_of_nothing_but_padding_adds_no_loss():
    assert importance_and_loss(make(), query_mask=np.zeros_like(KEPT))[1] == 0


@pytest.mark.parametrize("name", ["importance_query_kernel", "importance_key_kernel"])
def test_equal_importances_have_no_divergence(name):
    layer = make()
    kernel = getattr(layer, name)
    kernel.assign(np.zeros(kernel.shape))
    importance, loss = importance_and_loss(layer)
    np.testing.assert_allclose(importance, 1 / HEADS, rtol=ROUNDING)
    assert loss == pytest.approx(0, abs=ROUNDING)


def test_equal_heads_have_equal_importances():
    layer = make()
    for kernel in (layer.query_kernel, layer.key_kernel, layer.value_kernel):
        kernel.assign(np.repeat(array(kernel.value)[:, :1], HEADS, axis=1))
    importance, loss = importance_and_loss(layer)
    np.testing.assert_allclose(importance, 1 / HEADS, rtol=1e-5)
    assert loss == pytest.approx(0, abs=ROUNDING)


def test_one_head_is_all_important():
    importance, loss = importance_and_loss(make(heads=1))
    np.testing.assert_allclose(importance, 1, rtol=ROUNDING)
    assert loss == pytest.approx(0, abs=ROUNDING)


def test_the_divergence_is_zero_for_equal_importances_and_else_positive():
    scores = 3 * normal(1000, 1, 5)
    scores[0] = 0.3
    log_importance = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    found = np.array([float(mean_divergence(ops.exp(row), ops.convert_to_tensor(row), None)) for row in log_importance])
    assert found[0] == pytest.approx(0, abs=1e-5)  # its logarithms are from NumPy, rounded too
    assert found[1:].min() > 1e-3
    assert found.max() < math.log(5)


def test_a_single_important_head_has_the_largest_divergence():
    importance = np.full((2, 3, HEADS), 1e-12, "float32")
    importance[..., 1] = 1
    assert float(mean_divergence(importance, np.log(importance), None)) == pytest.approx(math.log(HEADS), rel=ROUNDING)


def test_dropout_of_the_second_attention_acts_in_training_only():
    layer = make(importance_dropout=0.5)
    outputs = [array(layer(QUERY, MEMORY, training=training)) for training in (False, False, True)]
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert abs(outputs[0] - outputs[2]).max() > 1e-3


def test_the_seed_determines_the_dropout_of_the_second_attention():
    first, second, other = (
        array(make(importance_dropout=0.5, seed=seed)(QUERY, MEMORY, training=True)) for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(first, second)
    assert abs(first - other).max() > 1e-3


@pytest.mark.parametrize("importance_dim", [None, 6])
def test_the_second_attention_takes_the_place_of_the_output_projection(importance_dim):
    M, V = importance_dim or D, 3
    base = MultiHeadAttention(HEADS, V)
    base.build((None, None, D), (None, None, D))
    # U, W and V, and W_s instead of W_o.
    expected = base.count_params() + D * M + 2 * V * M + M * D - D * D
    assert make(importance_dim=importance_dim).count_params() == expected


def test_an_unknown_score_is_an_error():
    with pytest.raises(ValueError, match="importance_score must be one of"):
        DynamicHeadImportanceAttention(2, 4, importance_score="cosine")
