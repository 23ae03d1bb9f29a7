"""The devices of a training: all visible ones, on this machine and, with JAX, on several machines."""

import contextlib
import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import keras
import numpy as np

from data.errors import InputError

PROCESSES = "KERAS_DISTRIBUTION_JOB_ADDRESSES"
"""The environment variable with the addresses of all processes of a training."""


@dataclasses.dataclass(frozen=True)
class Devices:
    """One replica of the model on each device, each with its part of every batch.

    TensorFlow drives the GPUs of one machine by `MirroredStrategy`, and JAX all devices of all processes by
    `keras.distribution.DataParallel`; a process joins others if the environment variables of
    `keras.distribution.initialize` are set. One device needs neither, and PyTorch uses one.

    `names` are the devices of all processes; `scope` returns the context in which to build and train the model;
    `process` is the index of this one of `processes`.
    """

    names: list[str]
    scope: Callable = contextlib.nullcontext
    process: int = 0
    processes: int = 1

    @classmethod
    def find(cls) -> "Devices":
        """Return all visible GPUs, or else all CPU devices (one, unless it was split on purpose).

        Raises `InputError` if several machines are to train without JAX.
        """
        if PROCESSES in os.environ and keras.backend.backend() != "jax":
            raise InputError(f"several machines train with JAX only: set KERAS_BACKEND=jax, or unset {PROCESSES}")
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf  # here, so that everything else works without TensorFlow

            devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
            names = [device.name.removeprefix("/device:").lower() for device in devices]
            if len(devices) == 1:
                return cls(names)
            return cls(names, _mirrored_strategy(tuple(device.name for device in devices)).scope)
        if keras.backend.backend() == "jax":
            import jax

            if PROCESSES in os.environ and not jax.distributed.is_initialized():
                keras.distribution.initialize()
            names = keras.distribution.list_devices()
            if len(names) == 1:
                return cls(names)
            distribution = keras.distribution.DataParallel(devices=names, auto_shard_dataset=False)
            return cls(names, distribution.scope, jax.process_index(), jax.process_count())
        return cls(["one device"])  # Keras lists none for PyTorch

    @property
    def replicas(self) -> int:
        """The number of devices."""
        return len(self.names)

    def draw_differently(self, random_states: Iterable[keras.Variable]) -> None:
        """Give each replica of a `MirroredStrategy` random numbers of its own; the first keeps the given states."""
        if keras.backend.backend() != "tensorflow" or self.replicas == 1:
            return
        import tensorflow as tf

        with self.scope():
            for state in random_states:  # (seed, counter)
                copies = tf.distribute.get_strategy().experimental_local_results(state.value)
                for replica, copy in enumerate(copies):
                    copy.assign(copy + tf.constant([replica, 0], copy.dtype))

    def free(self, variables: Iterable[keras.Variable]) -> None:
        """Free the memory of variables that are not used any more.

        TensorFlow never forgets a graph with gradients of its own, as `linear_cross_entropy` has, nor its variables.
        """
        if keras.backend.backend() != "tensorflow":
            return
        import tensorflow as tf

        with self.scope():
            for variable in variables:
                for copy in tf.distribute.get_strategy().experimental_local_results(variable.value):
                    tf.raw_ops.AssignVariableOp(resource=copy.handle, value=tf.zeros((), copy.dtype))

    def own_rows(self, batches: Iterable) -> Iterator:
        """Yield this process's rows of each batch; `batches` have the rows of all processes."""
        for batch in batches:
            yield keras.tree.map_structure(lambda array: np.split(array, self.processes)[self.process], batch)

    def from_first_process(self, values: list[float]) -> list[float]:
        """Return the values of the first process; each process must call this."""
        if self.processes == 1:
            return values
        from jax.experimental import multihost_utils

        return np.asarray(multihost_utils.broadcast_one_to_all(np.asarray(values, "float32"))).tolist()

    def from_all_processes(self, number: int) -> list[int]:
        """Return the numbers of all processes in order; each process must call this."""
        if self.processes == 1:
            return [number]
        from jax.experimental import multihost_utils

        return np.asarray(multihost_utils.process_allgather(np.asarray(number, "int32"))).ravel().tolist()


@functools.cache
def _mirrored_strategy(names):
    """Return the single strategy of this process for these devices: two would have clashing operation numbers."""
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(names)


def memory_per_device() -> tuple[int, str]:
    """Return the bytes of memory of the smallest GPU, or of a machine without one, and a description (TensorFlow)."""
    import tensorflow as tf

    if not tf.config.list_physical_devices("GPU"):
        return machine_ram(), "this machine"
    from tensorflow.python.client import device_lib

    limits = [device.memory_limit for device in device_lib.list_local_devices() if device.device_type == "GPU"]
    return min(limits), "each GPU"


def machine_ram() -> int:
    """Return the bytes of RAM that this process may use: the machine's or, if less, its control group's."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = Path(path).read_text().strip() if Path(path).is_file() else ""
        if text.isdigit():
            limits.append(int(text))
    return min(limits)
