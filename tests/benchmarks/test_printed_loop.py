"""The loops that serve as baselines for speed compute what the layers compute."""

import numpy as np
import pytest
from keras import ops

from benchmarks.printed_loop import PrintedLoopAttention, PrintedPairwiseLoopAttention
from layers import InteractingHeadAttention, PairwiseInteractingHeadAttention
from tests.layers.backend import array, weight_gradients
from tests.layers.schemes import MODEL_DIM, normal, randomize

PAIRS = [
    (PrintedLoopAttention, InteractingHeadAttention),
    (PrintedPairwiseLoopAttention, PairwiseInteractingHeadAttention),
]


@pytest.mark.parametrize(("loop_class", "layer_class"), PAIRS, ids=["algorithm 1", "pairwise"])
@pytest.mark.parametrize("heads", [1, 4])
def test_the_loop_has_the_values_and_gradients_of_the_layer(loop_class, layer_class, heads):
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    mask = np.arange(5) < np.array([[[4]], [[2]]])
    outputs, found = [], []
    for cls in (loop_class, layer_class):
        layer = cls(heads, 5, 3)
        layer.build(query.shape, memory.shape)
        randomize(layer)
        outputs.append(array(layer(query, memory, attention_mask=mask)))
        found.append(weight_gradients(layer, lambda: ops.sum(ops.square(layer(query, memory, attention_mask=mask)))))  # noqa: B023
    np.testing.assert_allclose(*outputs, rtol=1e-5, atol=1e-5)
    for name in found[0]:
        np.testing.assert_allclose(found[0][name], found[1][name], rtol=1e-4, atol=1e-4)
