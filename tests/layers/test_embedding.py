import numpy as np
import pytest

from layers import PositionalEncoding, TokenEmbedding
from tests.layers.backend import array
from tests.layers.schemes import normal


def test_tokens_are_rows_scaled_by_the_root_of_the_dimension():
    layer = TokenEmbedding(7, 16)
    vectors = array(layer(np.array([[1, 6, 0]])))
    np.testing.assert_allclose(vectors[0], 4 * array(layer.embeddings.value)[[1, 6, 0]], rtol=1e-6)


def test_logits_are_products_with_the_same_rows():
    layer = TokenEmbedding(7, 16)
    layer(np.array([[1]]))
    hidden = normal(2, 3, 16)
    expected = hidden @ array(layer.embeddings.value).T
    np.testing.assert_allclose(array(layer(hidden, reverse=True)), expected, rtol=1e-5, atol=1e-5)
    assert len(layer.weights) == 1


def test_positions_are_interleaved_sines_and_cosines():
    encoding = array(PositionalEncoding()(np.zeros((1, 50, 8), "float32")))[0]
    for t in (0, 1, 49):
        for i in range(4):
            angle = t / 10000 ** (2 * i / 8)
            np.testing.assert_allclose(encoding[t, 2 * i], np.sin(angle), atol=1e-5)
            np.testing.assert_allclose(encoding[t, 2 * i + 1], np.cos(angle), atol=1e-5)


def test_a_single_position_is_encoded_as_among_all_positions():
    layer, inputs = PositionalEncoding(), normal(2, 6, 8)
    np.testing.assert_allclose(array(layer.at(inputs[:, 4:5], 4)), array(layer(inputs))[:, 4:5], atol=1e-5)


def test_an_odd_dimension_is_an_error():
    with pytest.raises(ValueError, match="even model dimension"):
        PositionalEncoding()(np.zeros((1, 2, 7), "float32"))
