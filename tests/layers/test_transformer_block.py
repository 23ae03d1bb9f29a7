import keras
import numpy as np
import pytest

from layers import DecoderBlock, EncoderBlock, FeedForward, MultiHeadAttention
from tests.layers.backend import array
from tests.layers.schemes import normal, randomize

D = 8


def encoder(**arguments):
    block = EncoderBlock(MultiHeadAttention(2, 4, name="self"), 12, **arguments)
    block.build((None, None, D))
    return randomize(block)


def decoder(**arguments):
    block = DecoderBlock(MultiHeadAttention(2, 4, name="self"), MultiHeadAttention(2, 4, name="cross"), 12, **arguments)
    block.build((None, None, D), (None, None, D))
    return randomize(block)


def layer_norm(x, layer):
    gamma, beta = (array(weight.value) for weight in layer.weights)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gamma + beta


def feed_forward(x, layer):
    W1, b1, W2, b2 = (array(weight.value) for weight in layer.weights)
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


def test_feed_forward_is_two_dense_layers_with_relu():
    layer = FeedForward(12)
    layer.build((None, None, D))
    randomize(layer)
    x = normal(2, 3, D)
    np.testing.assert_allclose(array(layer(x)), feed_forward(x, layer), rtol=1e-5, atol=1e-5)


def test_post_norm_normalises_each_residual_sum():
    block, x = encoder(), normal(2, 3, D)
    y = layer_norm(x + array(block.self_attention(x, x)), block.self_attention_norm)
    y = layer_norm(y + feed_forward(y, block.feed_forward), block.feed_forward_norm)
    np.testing.assert_allclose(array(block(x)), y, rtol=1e-4, atol=1e-5)


def test_pre_norm_normalises_what_each_sub_layer_reads():
    block, x = encoder(normalization="pre"), normal(2, 3, D)
    read = layer_norm(x, block.self_attention_norm)
    y = x + array(block.self_attention(read, read))
    y = y + feed_forward(layer_norm(y, block.feed_forward_norm), block.feed_forward)
    np.testing.assert_allclose(array(block(x)), y, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("normalization", ["post", "pre"])
def test_the_decoder_steps_through_its_cache_with_several_hypotheses(normalization):
    block, N, T = decoder(normalization=normalization), 3, 4
    inputs, memory = normal(2 * N, T, D), normal(2, 5, D, seed=1)
    padding_mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], "bool")
    expected = array(block(inputs, np.repeat(memory, N, axis=0), padding_mask=np.repeat(padding_mask, N, axis=0)))
    inputs = inputs.reshape(2, N, T, D)
    cache = block.self_attention.empty_cache(2, T * N)
    projected, kernels = block.cross_attention.project_memory(memory), block.decoding_kernels()
    for t in range(T):
        # Each hypothesis goes on by itself: the places of its earlier steps and its own.
        mask = np.arange(T * N) % N == np.arange(N)[:, None]
        mask = np.broadcast_to(mask & (np.arange(T * N) < (t + 1) * N), (2, N, T * N))
        output, cache = block.step(inputs[:, :, t], cache, t * N, mask, projected, padding_mask, kernels)
        np.testing.assert_allclose(array(output).reshape(-1, D), expected[:, t], rtol=1e-4, atol=1e-5)


def test_blocks_survive_serialisation():
    for block in (encoder(dropout=0.1), decoder(activation_dropout=0.2, normalization="pre")):
        again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(block))
        assert again.get_config() == block.get_config()


def test_a_padded_source_row_stays_finite():
    output = array(encoder()(normal(2, 3, D), padding_mask=np.array([[1, 1, 1], [0, 0, 0]], "bool")))
    assert np.isfinite(output).all()


def test_an_unknown_normalisation_is_an_error():
    with pytest.raises(ValueError, match=r"normalization must be one of \('post', 'pre'\), got 'middle'"):
        encoder(normalization="middle")
