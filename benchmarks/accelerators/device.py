"""The device that the backend computes on: its name, its memory, and its speed at products of large matrices."""

import time

import numpy as np

from benchmarks.attention_speed import status

PRODUCTS = 8  # one after another, so that the time to start them does not count
ROUNDS = 5


def device_name():
    """The name of the first GPU, or of the processor, which contains "CPU"."""
    import keras

    from interacting_head.console.machine import processor

    if keras.backend.backend() == "jax":
        import jax

        device = jax.devices()[0]
        return f"CPU {processor()}" if device.platform == "cpu" else device.device_kind
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    return tf.config.experimental.get_device_details(gpus[0])["device_name"] if gpus else f"CPU {processor()}"


def peak_bytes():
    """The most memory that this process has used of the device, or of RAM where there is no other."""
    import keras

    if keras.backend.backend() == "jax":
        import jax

        if stats := jax.devices()[0].memory_stats():  # none of a processor
            return stats["peak_bytes_in_use"]
    else:
        import tensorflow as tf

        if tf.config.list_physical_devices("GPU"):
            return tf.config.experimental.get_memory_info("GPU:0")["peak"]
    return 1024 * status("VmHWM")


def memory_limit():
    """The bytes of memory that this process may use of the device, or of RAM where there is no other."""
    import keras

    from interacting_head.training.devices import machine_ram, memory_of_each

    if keras.backend.backend() == "jax":
        import jax

        stats = jax.devices()[0].memory_stats()
        return stats["bytes_limit"] if stats else machine_ram()
    return memory_of_each()[0]


def matmul_peak(precision, size):
    """FLOP/s of products of square matrices in a precision: the most of a few rounds."""
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
