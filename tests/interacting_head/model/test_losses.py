import keras
import numpy as np
import pytest
from keras import ops

from interacting_head.model.losses import CHUNKS, linear_cross_entropy, token_cross_entropy
from tests.layers.backend import array, gradients

V, D = 11, 6


def batch(B, T, padded=0, seed=0, scale=1.0):
    """Hidden vectors, embeddings and labels whose last `padded` columns are padding."""
    draw = np.random.default_rng(seed)
    hidden = (scale * draw.normal(size=(B, T, D))).astype("float32")
    embeddings = draw.normal(size=(V, D)).astype("float32")
    labels = draw.integers(1, V, (B, T)).astype("int32")
    if padded:
        labels[:, -padded:] = 0
    return hidden, embeddings, labels


def closed_form(logits, labels, smoothing):
    """−Σ_k q_k log p_k with q = (1 − ε) onehot + ε / N, in float64, for each token."""
    logits = np.asarray(logits, "float64")
    log_p = logits - logits.max(-1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(-1, keepdims=True))
    q = (1 - smoothing) * np.eye(logits.shape[-1])[labels] + smoothing / logits.shape[-1]
    return -(q * log_p).sum(-1)


def mean_of_tokens(hidden, embeddings, labels, smoothing):
    """The loss of `linear_cross_entropy`, left to automatic differentiation."""
    losses = token_cross_entropy(labels, ops.matmul(hidden, ops.transpose(embeddings)), smoothing)
    real = ops.cast(ops.not_equal(labels, 0), "float32")
    return ops.sum(losses * real) / ops.maximum(ops.sum(real), 1.0)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_the_loss_of_a_token_is_cross_entropy_with_smoothed_labels(smoothing):
    draw = np.random.default_rng(0)
    logits, labels = draw.normal(size=(3, 4, V)).astype("float32") * 5, draw.integers(0, V, (3, 4))
    found = array(token_cross_entropy(labels, logits, smoothing))
    np.testing.assert_allclose(found, closed_form(logits, labels, smoothing), rtol=1e-5)


def test_equal_logits_cost_the_logarithm_of_the_vocabulary():
    losses = array(token_cross_entropy(np.array([[1, 2]]), np.full((1, 2, V), 3.0, "float32"), 0.1))
    np.testing.assert_allclose(losses, np.log(V), rtol=1e-5)


def test_large_logits_stay_finite():
    logits = np.array([[[1e4, -1e4, 0.0]]], "float32")
    np.testing.assert_allclose(array(token_cross_entropy(np.array([[1]]), logits, 0.0)), [[2e4]])


# 1 and 2 tokens are fewer than the chunks, 15 and 21 are no multiple of them
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (3, 5), (4, CHUNKS), (3, 7)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_value_and_gradients_equal_automatic_differentiation(shape, smoothing):
    hidden, embeddings, labels = batch(*shape, seed=sum(shape))
    if shape[1] > 3:
        labels[0, -3:] = 0
    found = linear_cross_entropy(hidden, embeddings, labels, smoothing)
    np.testing.assert_allclose(array(found), array(mean_of_tokens(hidden, embeddings, labels, smoothing)), rtol=1e-5)
    # A factor shows that the gradient from above is taken.
    ours = gradients(lambda x, E: 3.0 * linear_cross_entropy(x, E, labels, smoothing), hidden, embeddings)
    theirs = gradients(lambda x, E: 3.0 * mean_of_tokens(x, E, labels, smoothing), hidden, embeddings)
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-4, atol=1e-6)


def test_embeddings_used_twice_get_the_sum_of_both_gradients():
    _, embeddings, labels = batch(2, 5)

    def tied(loss):
        return gradients(lambda E: loss(ops.take(E, labels, axis=0) * 2.0, E, labels, 0.1), embeddings)[0]

    np.testing.assert_allclose(tied(linear_cross_entropy), tied(mean_of_tokens), rtol=1e-4, atol=1e-6)


def test_padding_changes_neither_the_loss_nor_the_gradients():
    hidden, embeddings, labels = batch(3, 4)
    wider, _, _ = batch(5, 9, seed=7)
    wider[:3, :4] = hidden
    more_labels = np.zeros((5, 9), "int32")
    more_labels[:3, :4] = labels
    np.testing.assert_allclose(
        array(linear_cross_entropy(wider, embeddings, more_labels, 0.1)),
        array(linear_cross_entropy(hidden, embeddings, labels, 0.1)),
        rtol=1e-5,  # of other shapes, and so in another order
    )
    x, E = gradients(lambda x, E: linear_cross_entropy(x, E, labels, 0.1), hidden, embeddings)
    more_x, more_E = gradients(lambda x, E: linear_cross_entropy(x, E, more_labels, 0.1), wider, embeddings)
    np.testing.assert_allclose(more_E, E, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(more_x[:3, :4], x, rtol=1e-4, atol=1e-6)
    more_x[:3, :4] = 0
    assert not more_x.any()


def test_a_batch_of_nothing_but_padding_has_no_loss_and_no_gradient():
    hidden, embeddings, labels = batch(2, 3, padded=3)
    assert array(linear_cross_entropy(hidden, embeddings, labels, 0.1)) == 0
    for gradient in gradients(lambda x, E: linear_cross_entropy(x, E, labels, 0.1), hidden, embeddings):
        assert not gradient.any()


@pytest.mark.parametrize(("dtype", "tolerance"), [("bfloat16", 0.02), ("float16", 0.003)])
def test_half_precision_is_close_to_float32(dtype, tolerance):
    hidden, embeddings, labels = batch(8, 20, padded=2, seed=3)
    expected = gradients(lambda x, E: mean_of_tokens(x, E, labels, 0.1), hidden, embeddings)
    loss = linear_cross_entropy(ops.cast(hidden, dtype), embeddings, labels, 0.1)
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    assert array(loss) == pytest.approx(array(mean_of_tokens(hidden, embeddings, labels, 0.1)), rel=tolerance)
    # As in training: both are weights or activations in float32 that are cast, and the loss is scaled.
    found = gradients(
        lambda x, E: 1024.0 * linear_cross_entropy(ops.cast(x, dtype), E, labels, 0.1), hidden, embeddings
    )
    for our, their in zip(found, expected, strict=True):
        assert np.abs(our / 1024 - their).max() < tolerance * np.abs(their).max()
