"""Keys and values of earlier decoding steps. Letters for shapes: `L` slots, `T` new ones, `K` head size."""

import math

import keras
from keras import KerasTensor, ops


def own_zeros(shape: tuple, dtype: str) -> KerasTensor:
    """Return zeros with their own memory; equal `ops.zeros` in a TensorFlow graph share theirs."""
    if keras.backend.backend() != "tensorflow":
        return ops.zeros(shape, dtype=dtype)
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    return tf.raw_ops.Empty(shape=ops.stack(shape), dtype=dtype, init=True)


def inserted(caches: tuple, new: list, index: KerasTensor) -> tuple:
    """Return caches `(…, L, K)` with new parts `(…, T, K)` in the slots from `index` on.

    Raises `ValueError` if there are no such slots, unless L or `index` is a tensor.
    """
    first, L, T = _rows(caches, new, index)
    slots = ops.expand_dims(first * L + index, 1) + ops.arange(T, dtype="int32")
    slots = ops.reshape(slots, (-1, 1))
    # TensorFlow's `slice_update` compiles for each shape.
    return _updated(caches, new, 1, lambda cache, part: ops.scatter_update(cache, slots, part))


def overwritten(caches: tuple, new: list, index: KerasTensor) -> tuple:
    """Return the same as `inserted`, written in place; L and `index` must be multiples of T.

    JAX does this itself in a compiled loop; TensorFlow's scatter copies the whole cache.
    """
    if keras.backend.backend() != "tensorflow":
        return inserted(caches, new, index)
    import tensorflow as tf

    first, L, T = _rows(caches, new, index)
    slots = first * (L // T) + index // T
    return _updated(caches, new, T, lambda cache, part: tf.raw_ops.InplaceUpdate(x=cache, i=slots, v=part))


def _rows(caches, new, index):
    """Return the numbers of the rows `…` of caches `(…, L, K)`, L and T."""
    (*rows, L, _), T = ops.shape(caches[0]), new[0].shape[-2]
    # JAX would write into the slots of another row.
    if isinstance(index, int) and isinstance(L, int) and not 0 <= index <= L - T:
        raise ValueError(f"{T} new positions from {index} on do not fit into a cache of {L} slots; make it longer")
    return ops.arange(math.prod(rows), dtype="int32"), L, T


def _updated(caches, new, together, update):
    """Return each cache after `update` with its new part, both reshaped to matrices with `together` slots a row."""

    def updated(cache, part):
        width = together * cache.shape[-1]
        cache_rows, part_rows = (ops.reshape(each, (-1, width)) for each in (cache, ops.cast(part, cache.dtype)))
        return ops.reshape(update(cache_rows, part_rows), ops.shape(cache))

    return tuple(updated(*pair) for pair in zip(caches, new, strict=True))
