"""Linear maps of the last axis, and initialisers."""

import itertools
import math

import keras
from keras import KerasTensor, ops


def linear(inputs: KerasTensor, kernel: KerasTensor, bias: KerasTensor | None = None) -> KerasTensor:
    """Return `(…, D)` times a kernel `(D, F)`, as one product of two matrices: `(…, F)`.

    `ops.matmul` of the tensors as they are would compute wrong numbers, and write outside its RAM, if `(B, 1, T, D)`
    meets a kernel that has to be broadcast, in TensorFlow 2.21 with oneDNN.
    """
    shape = sizes(inputs)
    outputs = ops.matmul(ops.reshape(inputs, (-1, shape[-1])), kernel)
    return ops.reshape(outputs if bias is None else outputs + bias, (*shape[:-1], kernel.shape[-1]))


def transposed(kernel: KerasTensor) -> KerasTensor:
    """Return a kernel `(N, D)` as a copy `(D, N)`."""
    # TensorFlow would do a plain transpose within each product, which then takes up to ten times as long on a CPU.
    return ops.reshape(ops.transpose(ops.expand_dims(kernel, 0), (0, 2, 1)), kernel.shape[::-1])


def project_heads(inputs: KerasTensor, kernel: KerasTensor, bias: KerasTensor | None = None) -> KerasTensor:
    """Project `(B, T, D)` by a kernel `(D, H, K)`, and a bias `(H, K)`, to `(B, H, T, K)`.

    Queries, keys and values are projected one by one: on a CPU, joining their kernels and splitting the result, and
    both again for the gradient, costs more than a single product saves.
    """
    B, T, D = sizes(inputs)
    H, K = kernel.shape[1:]
    inputs = ops.cast(inputs, kernel.dtype)
    heads = ops.matmul(ops.reshape(inputs, (-1, D)), ops.reshape(kernel, (D, H * K)))  # (B·T, H·K)
    heads = ops.reshape(heads, (B, T, H, K))
    return ops.transpose(heads if bias is None else heads + bias, (0, 2, 1, 3))  # (B, H, T, K)


def split_heads(outputs: KerasTensor, heads: list[tuple[int, int]]) -> list[KerasTensor]:
    """Split `(B, T, columns)` into kinds of heads, `(B, H, T, K)` each, whose `(H, K)` are `heads`.

    Kinds after the first are left out if there are no columns for them.
    """
    B, T, columns = sizes(outputs)
    ends = list(itertools.accumulate(H * K for H, K in heads))
    parts = [outputs] if columns == ends[0] else ops.split(outputs, ends[:-1], axis=-1)
    return [
        ops.transpose(ops.reshape(part, (B, T, H, K)), (0, 2, 1, 3))  # (B, H, T, K)
        for part, (H, K) in zip(parts, heads, strict=False)
    ]


def merge_heads(heads: KerasTensor, kernel: KerasTensor) -> KerasTensor:
    """Return heads `(B, H, T, V)`, concatenated, times a kernel `(H, V, D)`: `(B, T, D)`."""
    heads = ops.transpose(heads, (0, 2, 1, 3))  # (B, T, H, V)
    B, T, H, V = sizes(heads)
    return linear(ops.reshape(heads, (B, T, H * V)), ops.reshape(kernel, (H * V, kernel.shape[-1])))


def sizes(tensor: KerasTensor) -> list:
    """Return the shape of a tensor to reshape into, with -1 for a single open size: this needs no look-up."""
    shape = list(tensor.shape)
    if shape.count(None) != 1:
        return ops.shape(tensor)
    return [-1 if size is None else size for size in shape]


def identity_of_heads(shape: tuple, dtype: str) -> KerasTensor:
    """Initialise a weight `(H, H, N)`, for each n with the identity: every head is itself."""
    return ops.tile(ops.expand_dims(ops.eye(shape[0], dtype=dtype), -1), (1, 1, shape[-1]))


def dense_glorot_uniform(fan_in: int, fan_out: int) -> keras.initializers.Initializer:
    """Return Glorot's uniform initialiser of a matrix `(fan_in, fan_out)`, for a kernel stored in more dimensions."""
    limit = math.sqrt(6 / (fan_in + fan_out))
    return keras.initializers.RandomUniform(-limit, limit)
