"""Callbacks that do not wait for the device."""

import keras

from interacting_head.training.callbacks import STEPS_AHEAD, UnhurriedCallbacks


def test_logs_are_given_as_they_come_and_waited_for_some_steps_later(monkeypatch):
    given, waited = [], []
    monkeypatch.setattr(keras.ops, "convert_to_numpy", waited.append)
    remember = keras.callbacks.LambdaCallback(on_train_batch_end=lambda _, logs: given.append(logs["loss"]))
    callbacks = UnhurriedCallbacks([remember], keras.Model())
    losses = [object() for _ in range(STEPS_AHEAD + 3)]
    for step, loss in enumerate(losses):
        callbacks.on_train_batch_end(step, {"loss": loss})
    assert given == losses
    assert waited == losses[:3]
