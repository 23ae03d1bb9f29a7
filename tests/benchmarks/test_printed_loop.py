"""The loops that serve as baselines for speed compute what the layers compute."""

import numpy as np
import pytest

from benchmarks.printed_loop import PrintedLoopAttention, PrintedPairwiseLoopAttention
from layers import InteractingHeadAttention, PairwiseInteractingHeadAttention
from tests.layers.backend import array
from tests.layers.schemes import MODEL_DIM, normal, randomize

PAIRS = [
    (PrintedLoopAttention, InteractingHeadAttention),
    (PrintedPairwiseLoopAttention, PairwiseInteractingHeadAttention),
]


@pytest.mark.parametrize(("loop_class", "layer_class"), PAIRS, ids=["algorithm 1", "pairwise"])
@pytest.mark.parametrize("heads", [1, 4])
def test_the_loop_equals_the_layer(loop_class, layer_class, heads):
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    mask = np.arange(5) < np.array([[[4]], [[2]]])
    outputs = []
    for cls in (loop_class, layer_class):
        layer = cls(heads, 5, 3)
        layer.build(query.shape, memory.shape)
        outputs.append(array(randomize(layer)(query, memory, attention_mask=mask)))
    np.testing.assert_allclose(*outputs, rtol=1e-5, atol=1e-5)
