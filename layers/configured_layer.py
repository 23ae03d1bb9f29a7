"""The base of layers whose configuration is the arguments of their constructors."""

import keras


class ConfiguredLayer(keras.layers.Layer):
    """A layer whose `get_config` holds the `arguments` of its class and base classes, read from attributes."""

    arguments = ()

    def get_config(self) -> dict:
        names = [name for cls in type(self).__mro__ for name in vars(cls).get("arguments", ())]
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def one_of(known: tuple | dict, name: str, value: str) -> str:
    """Return the value of an argument; raise `ValueError` if it is not a known one."""
    if value not in known:
        raise ValueError(f"{name} must be one of {tuple(known)}, got {value!r}")
    return value
