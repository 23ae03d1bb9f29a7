"""A loop over heads, one after another, whose gradient XLA can compile."""

import keras
from keras import ops


def fold(function, start, elements):
    """Return `function(… function(function(start, element 0), element 1) …)`, one call after another.

    Args:
        function: of the result so far and an element, in the shape and type of `start`.
        start: a tensor.
        elements: tensors with the same first axis, along which they are divided into elements.
    """
    if keras.backend.backend() != "tensorflow":
        return ops.scan(lambda total, element: (function(total, element), None), start, elements)[0]
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    # `ops.scan` keeps what the gradient needs in lists without a fixed size, which XLA refuses.
    return tf.foldl(function, elements, start, parallel_iterations=1)
