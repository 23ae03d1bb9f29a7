import keras
import numpy as np
import pytest

from interacting_head.config import ExperimentConfig, override
from interacting_head.training.optimizer import Adam
from interacting_head.training.setup import make_training_model
from tests.interacting_head import tiny
from tests.layers.backend import array

SHAPES = [(3, 4), (5,), (2, 2, 2)]


def variables(seed=0):
    draw = np.random.default_rng(seed)
    return [keras.Variable(draw.normal(size=shape).astype("float32")) for shape in SHAPES]


def gradients(step, scale):
    draw = np.random.default_rng(100 + step)
    return [keras.ops.convert_to_tensor((scale * draw.normal(size=shape)).astype("float32")) for shape in SHAPES]


def train(optimizer, scale=1.0, steps=4):
    """The variables after a few steps."""
    found = variables()
    for step in range(steps):
        optimizer.apply(gradients(step, scale), found)
    return [array(variable.value) for variable in found]


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_clipping_equals_keras(scale):
    # A large epsilon: without one, Adam hides the size of the gradients.
    ours = train(Adam(0.1, epsilon=0.1, gradient_clip=1.0), scale)
    theirs = train(keras.optimizers.Adam(0.1, epsilon=0.1, global_clipnorm=1.0), scale)
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


def test_settings_of_adam_reach_it():
    config = override(ExperimentConfig(), ["train.adam_beta_1=0.7", "train.adam_beta_2=0.8", "train.adam_epsilon=1e-3"])
    found = make_training_model(tiny.transformer(), config, 10).adam
    assert (found.beta_1, found.beta_2, found.epsilon) == (0.7, 0.8, 1e-3)


def adam(steps, learning_rate=0.1, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """The variables after a few steps of Adam (Kingma & Ba 2015, Algorithm 1, with its ε̂) in float64."""
    # TensorFlow's kernel takes 1 − β from β in float32; of 0.001 that leaves five digits of what was asked for.
    beta_1, beta_2 = float(np.float32(beta_1)), float(np.float32(beta_2))
    found = [array(variable.value).astype("float64") for variable in variables()]
    means, squares = [np.zeros(shape) for shape in SHAPES], [np.zeros(shape) for shape in SHAPES]
    for step in range(steps):
        rate = learning_rate * np.sqrt(1 - beta_2 ** (step + 1)) / (1 - beta_1 ** (step + 1))
        for value, mean, square, gradient in zip(found, means, squares, gradients(step, 1.0), strict=True):
            gradient = array(gradient).astype("float64")
            mean += (1 - beta_1) * (gradient - mean)
            square += (1 - beta_2) * (gradient**2 - square)
            value -= rate * mean / (np.sqrt(square) + epsilon)
    return found


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="the kernel is one of TensorFlow; run the test with KERAS_BACKEND=tensorflow",
)
@pytest.mark.parametrize(
    ("steps", "beta_1", "beta_2"),
    # With β₂ = 0, later steps of small gradients lose their digits to the earlier squares, in Keras too.
    [*((steps, *betas) for steps in (1, 2, 50) for betas in ((0.9, 0.98), (0.9, 0.999), (0.0, 0.999))), (1, 0.9, 0.0)],
)
def test_the_kernel_is_the_adam_of_its_paper(steps, beta_1, beta_2):
    betas = {"beta_1": beta_1, "beta_2": beta_2}
    for found, expected in zip(train(Adam(0.1, **betas), steps=steps), adam(steps, **betas), strict=True):
        # Each of up to 50 steps rounds values of up to 4, by up to 1.2e-7.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.skipif(
    keras.backend.backend() == "tensorflow",
    reason="TensorFlow takes the steps of its kernel and not the ones of Keras; run the test with KERAS_BACKEND=jax",
)
def test_adam_without_a_clip_equals_keras():
    for our, their in zip(train(Adam(0.1)), train(keras.optimizers.Adam(0.1)), strict=True):
        np.testing.assert_array_equal(our, their)


@pytest.mark.parametrize("clip", [None, 0.5])
def test_the_gradient_norm_is_measured_before_clipping(clip):
    optimizer = Adam(0.1, gradient_clip=clip)
    train(optimizer, steps=3)
    flat = np.concatenate([array(gradient).ravel() for gradient in gradients(2, 1.0)])
    # 25 squares are summed in float32, in any order: 25 roundings of 6e-8 at most.
    assert array(optimizer.gradient_norm.value) == pytest.approx(np.linalg.norm(flat), rel=3e-6)


def test_a_zero_gradient_stays_a_number():
    optimizer = Adam(0.1, gradient_clip=1.0)
    found = variables()
    before = [array(variable.value) for variable in found]
    optimizer.apply([keras.ops.zeros(shape) for shape in SHAPES], found)
    for old, new in zip(before, found, strict=True):
        np.testing.assert_array_equal(old, array(new.value))
    assert array(optimizer.gradient_norm.value) == 0


def test_an_optimizer_survives_serialisation():
    optimizer = Adam(0.1, beta_2=0.98, gradient_clip=0.5)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(optimizer))
    assert again.get_config() == optimizer.get_config()
    assert again.gradient_clip == 0.5


@pytest.mark.skipif(
    keras.backend.backend() == "jax",
    reason="Keras scales losses on JAX only in compiled steps; run the test with KERAS_BACKEND=tensorflow",
)
def test_loss_scaling_skips_a_step_with_an_infinite_gradient():
    optimizer = keras.optimizers.LossScaleOptimizer(Adam(0.1, gradient_clip=1.0), initial_scale=8.0)
    found = variables()
    before = [array(variable.value) for variable in found]
    bad = gradients(0, 1.0)
    bad[1] = bad[1] * np.inf
    optimizer.apply(bad, found)
    for old, new in zip(before, found, strict=True):
        np.testing.assert_array_equal(old, array(new.value))
    optimizer.apply([8.0 * gradient for gradient in gradients(0, 1.0)], found)
    assert all(np.isfinite(array(variable.value)).all() for variable in found)
    assert array(found[0].value)[0, 0] != before[0][0, 0]


def test_the_moving_average_replaces_the_weights_only_when_asked():
    optimizer, found = Adam(0.1, ema_decay=0.8), variables()
    average = None
    for step in range(4):
        optimizer.apply(gradients(step, 1.0), found)
        weights = [array(variable.value) for variable in found]
        average = weights if step == 0 else [0.8 * a + 0.2 * w for a, w in zip(average, weights, strict=True)]
    optimizer.finalize_variable_values(found)  # as `fit` does
    for variable, weight in zip(found, weights, strict=True):
        np.testing.assert_array_equal(array(variable.value), weight)
    optimizer.overwrite_with_moving_average()
    for variable, mean in zip(found, average, strict=True):
        np.testing.assert_allclose(array(variable.value), mean, rtol=1e-5, atol=1e-7)
