"""One training step as XLA compiles it, which is what TensorFlow does with one GPU."""

import keras
import numpy as np
import pytest

from interacting_head.training.training_model import TRAINING_MODELS
from layers import ATTENTION_SCHEMES
from tests.interacting_head import tiny


def one_step(scheme, jit_compile):
    """The loss of a step of gradient descent, and the gradients, by weight."""
    model = tiny.transformer(encoder_layers=1, decoder_layers=1, scheme=scheme)
    before = model.get_weights()
    training_model = TRAINING_MODELS[keras.backend.backend()](model)
    training_model.compile(optimizer=keras.optimizers.SGD(1.0), jit_compile=jit_compile)
    target_ids, labels = tiny.targets([4, 2, 6])
    loss = training_model.train_on_batch({"source_ids": tiny.sources([3, 7, 5]), "target_ids": target_ids}, labels)
    return loss, [old - new for old, new in zip(before, model.get_weights(), strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ATTENTION_SCHEMES)
def test_a_step_compiled_by_xla_equals_the_uncompiled_step(scheme):
    (compiled_loss, compiled), (loss, gradients) = one_step(scheme, True), one_step(scheme, False)
    assert compiled_loss == pytest.approx(loss, rel=1e-5)
    largest = max(np.abs(gradient).max() for gradient in gradients)
    for found, expected in zip(compiled, gradients, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * largest)
