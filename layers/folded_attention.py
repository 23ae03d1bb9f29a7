"""Multi-head attention that starts with the function of another scheme."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import ClassVar

import keras
import numpy as np
from keras import ops

from layers.configured_layer import one_of
from layers.multi_head_attention import MultiHeadAttention, float64

START = "interacting_head"


@keras.saving.register_keras_serializable("interacting_head")
class FoldedAttention(MultiHeadAttention):
    """Multi-head attention whose initial weights compute what a new layer of another scheme does.

    Trained next to that scheme, it shows whether the scheme gains by its functions, which are the same here, or by how
    its parameters learn. It draws the random numbers of the scheme: models with the same seed start equal.

    `start` is the registry name of a scheme that standard attention can compute with as many heads; its options are
    arguments too. After `build`, `key_dim` and `value_dim` are the sizes that the function needs, perhaps larger ones.
    """

    arguments = ("start",)
    schemes: ClassVar = {}
    """The registry, filled by the package."""

    @classmethod
    def option_types(cls, options: dict) -> dict[str, type]:
        start = cls.schemes.get(options.get("start", START))
        return {**(start.option_types({}) if start else {}), **super().option_types(options)}

    def __init__(self, num_heads: int, key_dim: int, value_dim: int | None = None, *, start: str = START, **kwargs):
        scheme = self.schemes[one_of(self.schemes, "start", start)]
        common = inspect.signature(MultiHeadAttention.__init__).parameters
        own = [name for name in inspect.signature(scheme.__init__).parameters if name in kwargs and name not in common]
        options = {name: kwargs.pop(name) for name in own}
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        self.start, self.options = start, options
        layer = scheme(num_heads, key_dim, value_dim, use_bias=self.use_bias, seed=0, **options)
        if layer.why_not_standard:
            raise ValueError(f"standard attention cannot start as {start}: {layer.why_not_standard}")
        if (heads := len(layer.head_names)) != num_heads:
            raise ValueError(f"{start} with {num_heads} heads is standard attention with {heads}")
        self._folded = SimpleNamespace(layer=layer)  # Keras would track a layer in an attribute, and add its weights
        self._given_sizes = {"key_dim": key_dim, "value_dim": value_dim}

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        folded = self._folded.layer
        if not folded.built:  # Keras may have tried `build` before, inside a model without a `build` of its own
            folded.build(query_shape, value_shape, key_shape)
        query, key, value, output = folded.standard_projections()
        size = query.shape[-1]
        query = query * np.sqrt(size / self.key_dim)
        self.key_dim, self.value_dim = size, value.shape[-1]
        self._initial_weights = {"output_kernel": output, "output_bias": float64(folded.output_bias)}
        for name, kernel in {"query": query, "key": key, "value": value}.items():
            self._initial_weights |= {f"{name}_kernel": kernel[:-1], f"{name}_bias": kernel[-1]}
        super().build(query_shape, value_shape, key_shape)
        del self._initial_weights, self._folded

    # Functions initialise the weights: a Keras initialiser would draw a random number for its seed.

    def projection_initializer(self, name: str, input_dim: int, head_dim: int) -> Callable:
        return self._initializer(name)

    def add_projection_bias(self, name: str, head_dim: int) -> keras.Variable:
        return self.add_weight((self.num_heads, head_dim), self._initializer(name), name=name)

    def add_output_projection(self, heads_shape: tuple[int, ...], model_dim: int) -> None:
        shape = (*heads_shape, model_dim)
        self.output_kernel = self.add_weight(shape, self._initializer("output_kernel"), name="output_kernel")
        self.output_bias = self.add_weight((model_dim,), self._initializer("output_bias"), name="output_bias")

    def _initializer(self, name: str) -> Callable:
        """Return an initialiser of the first value of a weight."""
        value = self._initial_weights[name]
        return lambda shape, dtype: ops.convert_to_tensor(value.reshape(shape), dtype)

    @property
    def why_not_removable(self) -> str | None:
        key_dim, value_dim = self._given_sizes["key_dim"], self._given_sizes["value_dim"]
        is_larger = (self.key_dim, self.value_dim) != (key_dim, value_dim or key_dim)
        return "their sizes depend on their number" if is_larger else None

    def get_config(self) -> dict:
        return {**super().get_config(), **self._given_sizes, **self.options}
