"""Errors of a backend that is out of memory."""

import keras


def raised_by_the_backend():
    """The exception that the backend at hand raises."""
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor with shape[9,9]\n and more")
    if keras.backend.backend() == "jax":
        import jax

        return jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes.")
    import torch

    return torch.OutOfMemoryError("CUDA out of memory.")
