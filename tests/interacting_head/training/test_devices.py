import keras

from interacting_head.training.devices import Devices


def test_pytorch_without_a_list_of_devices_has_one_device(monkeypatch):
    def fail():
        raise AttributeError("'NoneType' object has no attribute 'list_devices'")

    monkeypatch.setattr(keras.backend, "backend", lambda: "torch")
    monkeypatch.setattr(keras.distribution, "list_devices", fail)
    assert Devices.find().names == ["one device"]
