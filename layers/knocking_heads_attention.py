"""Knocking-heads attention (Zhou et al. 2025)."""

import keras
import numpy as np
from keras import KerasTensor, ops

from layers.configured_layer import one_of
from layers.multi_head_attention import MultiHeadAttention, float64
from layers.projection import linear

VALUE_MIXINGS = ("linear", "mlp")


@keras.saving.register_keras_serializable("interacting_head")
class KnockingHeadsAttention(MultiHeadAttention):
    """Multi-head attention whose projections pass through matrices that all heads share.

        Q̃_h = Q_h T_q,    K̃_h = K_h T_k,    Ṽ_h = V_h T_v

    The matrices start as the identity, so that the layer starts as multi-head attention. They are folded into the
    kernels (8) rather than applied to the projections, which costs next to nothing. Linear mixing therefore computes
    nothing that multi-head attention cannot; it learns differently.

    Args: as in `MultiHeadAttention`, and
        mix_query, mix_key, mix_value: true if the queries, keys and values are mixed. The paper gains most by values.
        value_mixing: `"linear"`, equation (7), or `"mlp"`, equation (9), which starts as the identity too:
            Ṽ_h = 2 (V_h W_up ⊙ σ(V_h W_gate)) W_down. The paper combines it with `mix_query=False, mix_key=False`.

    Reference: Zhou et al. 2025, "Knocking-Heads Attention", arXiv:2510.23052, equations (5)–(9), section 3.3.
    """

    arguments = ("mix_query", "mix_key", "mix_value", "value_mixing")
    head_axes = MultiHeadAttention.head_axes

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        mix_query: bool = True,
        mix_key: bool = True,
        mix_value: bool = True,
        value_mixing: str = "linear",
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, value_dim, **kwargs)
        if not (mix_query or mix_key or mix_value):
            raise ValueError("mix_query, mix_key and mix_value are all false; use MultiHeadAttention instead")
        self.mix_query, self.mix_key, self.mix_value = mix_query, mix_key, mix_value
        self.value_mixing = one_of(VALUE_MIXINGS, "value_mixing", value_mixing)
        if self.has_mlp and not mix_value:
            raise ValueError("value_mixing='mlp' mixes values, but mix_value is false; change one of them")

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        K, V = self.key_dim, self.value_dim

        def add(name, size, initializer="identity"):
            return self.add_weight((size, size), initializer, name=name)

        self.query_mixing_kernel = add("query_mixing_kernel", K) if self.mix_query else None
        self.key_mixing_kernel = add("key_mixing_kernel", K) if self.mix_key else None
        self.value_mixing_kernel = add("value_mixing_kernel", V) if self.mix_value and not self.has_mlp else None
        if self.has_mlp:
            self.value_up_kernel = add("value_up_kernel", V)
            self.value_gate_kernel = add("value_gate_kernel", V, "zeros")  # 2 σ(0) = 1
            self.value_down_kernel = add("value_down_kernel", V)

    @property
    def has_mlp(self) -> bool:
        """True if the values are mixed by equation (9)."""
        return self.value_mixing == "mlp"

    def query_projection(self) -> tuple:
        return self.mixed(super().query_projection(), self.query_mixing_kernel)

    def key_projection(self) -> tuple:
        return self.mixed(super().key_projection(), self.key_mixing_kernel)

    def value_projection(self) -> tuple:
        return self.mixed(super().value_projection(), self.value_mixing_kernel)

    def mixed(self, projection: tuple, kernel: keras.Variable | None) -> tuple:
        """Return a projection, a kernel `(D, H, K)` and a bias, times a mixing kernel `(K, K)`: equation (8)."""
        if kernel is None:
            return projection
        return tuple(None if part is None else linear(part, self.cast(kernel)) for part in projection)

    def project_memory(self, value: KerasTensor, key: KerasTensor | None = None) -> tuple:
        k, v = super().project_memory(value, key)
        return k, self.mlp(v)

    def project_jointly(self, inputs: KerasTensor, kernels: tuple) -> list[KerasTensor]:
        q, *memory = super().project_jointly(inputs, kernels)
        return [q, memory[0], self.mlp(memory[1])] if memory else [q]

    def mlp(self, v: KerasTensor) -> KerasTensor:
        """Return the values `(B, H, S, V)` after equation (9), if it is in use."""
        if not self.has_mlp:
            return v
        kernels = (self.value_up_kernel, self.value_gate_kernel, self.value_down_kernel)
        up, gate, down = map(self.cast, kernels)
        return linear(2.0 * linear(v, up) * ops.sigmoid(linear(v, gate)), down)

    def own_parameters(self) -> dict[str, dict]:
        # Transposed: a row for each new dimension.
        kernels = {
            "of queries": self.query_mixing_kernel,
            "of keys": self.key_mixing_kernel,
            "of values": self.value_mixing_kernel,
        }
        if self.has_mlp:
            kernels |= {"of values, up": self.value_up_kernel, "of values, down": self.value_down_kernel}
        return {"dimension mixing": {name: float64(one).T for name, one in kernels.items() if one is not None}}

    @property
    def why_not_standard(self) -> str | None:
        return "its values pass through a non-linear function" if self.has_mlp else None

    def standard_projections(self) -> tuple[np.ndarray, ...]:
        *projections, output_kernel = super().standard_projections()
        mixing = (self.query_mixing_kernel, self.key_mixing_kernel, self.value_mixing_kernel)
        pairs = zip(projections, mixing, strict=True)
        return *(kernel if T is None else kernel @ float64(T) for kernel, T in pairs), output_kernel
