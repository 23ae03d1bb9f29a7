"""Keys and values of earlier decoding steps.

Letters for shapes: `L` places, `T` new ones, `K` head size.
"""

import math

import keras
from keras import ops


def own_zeros(shape, dtype):
    """Zeros that share their memory with nothing.

    Of `ops.zeros` TensorFlow makes one tensor for all calls with the same shape in a graph.
    """
    if keras.backend.backend() != "tensorflow":
        return ops.zeros(shape, dtype=dtype)
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    return tf.raw_ops.Empty(shape=ops.stack(shape), dtype=dtype, init=True)


def inserted(caches, new, index):
    """Caches `(…, L, K)` with new parts `(…, T, K)` at the places from `index` on."""
    *rows, L, _ = ops.shape(caches[0])
    places = ops.expand_dims(_rows(rows) * L + index, 1) + ops.arange(new[0].shape[-2], dtype="int32")
    places = ops.reshape(places, (-1, 1))

    def updated(cache, part):
        K = cache.shape[-1]
        part = ops.reshape(ops.cast(part, cache.dtype), (-1, K))
        # TensorFlow's `slice_update` compiles for each shape.
        return ops.reshape(ops.scatter_update(ops.reshape(cache, (-1, K)), places, part), (*rows, L, K))

    return tuple(updated(*pair) for pair in zip(caches, new, strict=True))


def overwritten(caches, new, index):
    """As `inserted`, with L and `index` multiples of T: the caches given are lost, and no more is moved than is new.

    So does JAX of itself in a compiled loop. TensorFlow copies the whole of a cache to scatter something into it.
    """
    if keras.backend.backend() != "tensorflow":
        return inserted(caches, new, index)
    import tensorflow as tf

    *rows, L, _ = ops.shape(caches[0])
    T = new[0].shape[-2]
    places = _rows(rows) * (L // T) + index // T

    def updated(cache, part):
        K = cache.shape[-1]
        flat, part = (ops.reshape(each, (-1, T * K)) for each in (cache, ops.cast(part, cache.dtype)))
        return ops.reshape(tf.raw_ops.InplaceUpdate(x=flat, i=places, v=part), (*rows, L, K))

    return tuple(updated(*pair) for pair in zip(caches, new, strict=True))


def _rows(shape):
    return ops.arange(math.prod(shape), dtype="int32")
