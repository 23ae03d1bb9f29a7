import keras

from interacting_head.training.devices import Devices


def test_pytorch_whose_devices_keras_does_not_list_has_one(monkeypatch):
    def fail():
        raise AttributeError("'NoneType' object has no attribute 'list_devices'")

    monkeypatch.setattr(keras.backend, "backend", lambda: "torch")
    monkeypatch.setattr(keras.distribution, "list_devices", fail)
    assert Devices.find().names == ["one device"]
