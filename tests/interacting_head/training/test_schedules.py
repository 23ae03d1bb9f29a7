import math

import keras
import numpy as np
import pytest

from data.errors import InputError
from interacting_head.config import TrainConfig
from interacting_head.training.schedules import SCHEDULES, schedule_class

TOTAL = 1000
STEPS = [1, 2, 37, 99, 100, 101, 250, 999, 1000, 5000]


def make_schedule(train, model_dim, total_steps):
    return schedule_class(train.schedule).of_training(train, model_dim, total_steps)


def rates(schedule, model_dim=512, **settings):
    """The learning rate of each of `STEPS`, counted from 1; Keras asks with a count from 0."""
    train = TrainConfig(schedule=schedule, warmup_steps=100, **settings)
    function = make_schedule(train, model_dim, TOTAL)
    return [float(keras.ops.convert_to_numpy(function(step - 1))) for step in STEPS]


def test_noam_is_the_formula_of_the_paper():
    # Vaswani et al. 2017, equation (3), times a factor
    expected = [2.0 * 512**-0.5 * min(t**-0.5, t * 100**-1.5) for t in STEPS]
    np.testing.assert_allclose(rates("noam", learning_rate=2.0), expected, rtol=1e-5)


def test_noam_peaks_at_the_end_of_the_warm_up():
    found = dict(zip(STEPS, rates("noam", learning_rate=1.0), strict=True))
    assert max(found, key=found.get) == 100
    # "we used warmup_steps = 4000" with d_model = 512: the well-known peak of 7·10⁻⁴
    peak = make_schedule(TrainConfig(schedule="noam", warmup_steps=4000), 512, TOTAL)(3999)
    assert float(keras.ops.convert_to_numpy(peak)) == pytest.approx(6.99e-4, rel=1e-3)


def test_inverse_square_root_is_given_by_its_peak():
    expected = [3e-3 * min(t / 100, math.sqrt(100 / t)) for t in STEPS]
    np.testing.assert_allclose(rates("inverse_square_root", learning_rate=3e-3), expected, rtol=1e-5)


def test_constant_holds_its_peak():
    expected = [3e-3 * min(t / 100, 1) for t in STEPS]
    np.testing.assert_allclose(rates("constant", learning_rate=3e-3), expected, rtol=1e-6)


def test_cosine_falls_to_zero_at_the_last_step_and_stays_there():
    def expected(t):
        if t <= 100:
            return 3e-3 * t / 100
        return 3e-3 * math.cos(math.pi / 2 * min((t - 100) / (TOTAL - 100), 1)) ** 2  # half-angle form

    found = rates("cosine", learning_rate=3e-3)
    np.testing.assert_allclose(found, [expected(t) for t in STEPS], rtol=1e-4, atol=1e-9)
    assert found[-2:] == pytest.approx([0, 0], abs=1e-9)  # a cosine of π in float32 may be 6e-8 off


def test_cosine_with_a_warm_up_as_long_as_the_training_is_finite():
    schedule = make_schedule(TrainConfig(schedule="cosine", learning_rate=1.0, warmup_steps=50), 512, 50)
    values = [float(keras.ops.convert_to_numpy(schedule(step))) for step in range(50)]
    np.testing.assert_allclose(values, np.arange(1, 51) / 50, rtol=1e-6)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_survive_serialisation(name):
    schedule = make_schedule(TrainConfig(schedule=name, warmup_steps=100), 512, TOTAL)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(schedule))
    for step in (0, 50, 99, 100, 500):
        assert float(again(step)) == float(schedule(step))


@pytest.mark.parametrize(("name", "hint"), [("cosin", r"did you mean cosine\?"), ("wave", "known: .*noam")])
def test_an_unknown_schedule_is_an_error_and_never_constant(name, hint):
    with pytest.raises(InputError, match=f"unknown train.schedule '{name}'; {hint}"):
        schedule_class(name)


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_rate_rises_to_a_peak_at_the_end_of_the_warm_up(name):
    found = dict(zip(STEPS, rates(name), strict=True))
    warm_up = [found[t] for t in STEPS if t <= 100]
    np.testing.assert_allclose(warm_up, [found[100] * t / 100 for t in STEPS if t <= 100], rtol=1e-5)
    assert max(found.values()) == found[100] > 0
