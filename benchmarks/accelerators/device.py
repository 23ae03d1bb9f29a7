"""The backend's device: its name, its memory, and its speed on large matrix products."""

import time

import numpy as np

PRODUCTS = 8  # one after another, so that the time to start them does not count
ROUNDS = 5


def device_name():
    """Return the name of the first GPU, or of the processor, which contains "CPU"."""
    import keras

    from interacting_head.console.machine import processor

    if keras.backend.backend() == "jax":
        import jax

        device = jax.devices()[0]
        return f"CPU {processor()}" if device.platform == "cpu" else device.device_kind
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    return tf.config.experimental.get_device_details(gpus[0])["device_name"] if gpus else f"CPU {processor()}"


def memory_limit():
    """Return the device memory that this process may use in bytes, or RAM on a CPU."""
    import keras

    from interacting_head.training.devices import machine_ram, memory_per_device

    if keras.backend.backend() == "jax":
        import jax

        stats = jax.devices()[0].memory_stats()
        return stats["bytes_limit"] if stats else machine_ram()
    return memory_per_device()[0]


def matmul_peak(precision, size):
    """Return the FLOP/s of square matrix products in a precision, the best of a few rounds."""
    import keras

    dtype = keras.dtype_policies.get(precision).compute_dtype
    # Entries for which products neither grow nor vanish.
    matrix = keras.ops.convert_to_tensor(np.random.default_rng(1).normal(size=(size, size)) / size**0.5, dtype)

    def products(x):
        for _ in range(PRODUCTS):
            x = keras.ops.matmul(x, matrix)
        return keras.ops.cast(x[0, 0], "float32")

    if keras.backend.backend() == "jax":
        import jax

        function = jax.jit(products)
    else:
        import tensorflow as tf

        function = tf.function(products)
    seconds = []
    for _ in range(1 + ROUNDS):  # the first compiles
        started = time.perf_counter()
        keras.ops.convert_to_numpy(function(matrix))
        seconds.append(time.perf_counter() - started)
    return PRODUCTS * 2 * size**3 / min(seconds[1:])
