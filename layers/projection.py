"""Linear maps of the last axis, and their initialiser."""

import math

import keras
from keras import ops


def linear(inputs, kernel, bias=None):
    """`(…, D)` times a kernel `(D, F)`, as one product of two matrices: `(…, F)`.

    Not `ops.matmul` of the tensors as they are: TensorFlow 2.21 with oneDNN computes wrong numbers, and writes
    past its memory, where `(B, 1, T, D)` meets a kernel that has to be broadcast.
    """
    shape = ops.shape(inputs)
    outputs = ops.matmul(ops.reshape(inputs, (-1, shape[-1])), kernel)
    return ops.reshape(outputs if bias is None else outputs + bias, (*shape[:-1], kernel.shape[-1]))


def project_heads(inputs, projections):
    """Projects `(B, T, D)` by each `(kernel (D, H, K), bias (H, K) or None)` to `(B, H, T, K)`, in one product."""
    B, T, D = ops.shape(inputs)
    kernels = [ops.reshape(kernel, (D, -1)) for kernel, _ in projections]  # (D, H·K) each
    kernel = kernels[0] if len(kernels) == 1 else ops.concatenate(kernels, axis=1)
    flat = ops.matmul(ops.reshape(inputs, (B * T, D)), kernel)  # (B·T, sum of H·K)
    heads, start = [], 0
    for kernel, bias in projections:
        H, K = kernel.shape[1:]
        part = ops.reshape(flat[:, start : start + H * K], (B, T, H, K))
        heads.append(ops.transpose(part if bias is None else part + bias, (0, 2, 1, 3)))  # (B, H, T, K)
        start += H * K
    return heads


def merge_heads(heads, kernel):
    """Heads `(B, H, T, V)`, concatenated, times a kernel `(H, V, D)`: `(B, T, D)`."""
    heads = ops.transpose(heads, (0, 2, 1, 3))  # (B, T, H, V)
    B, T, H, V = ops.shape(heads)
    return linear(ops.reshape(heads, (B, T, H * V)), ops.reshape(kernel, (H * V, kernel.shape[-1])))


def dense_glorot_uniform(fan_in, fan_out):
    """Glorot's uniform initialiser of a dense matrix `(fan_in, fan_out)`, for a kernel stored in more dimensions."""
    limit = math.sqrt(6 / (fan_in + fan_out))
    return keras.initializers.RandomUniform(-limit, limit)
