"""Compilation of pure functions of tensors over the weights of models."""

import contextlib
import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterator

import keras
from keras import KerasTensor

from data.errors import InputError
from data.workers import available_cores

MOST_CALLS = 4  # at a time: each has its own caches
LEAST_SIZE = 16  # of a batch if each shape is compiled: smaller ones save less than a compilation costs
PARTS_OF_A_BATCH = 2  # computed in parallel on a CPU; the same on all machines, since dropout depends on it
_parts_side_by_side = 1


class Compiled:
    """A compiled function of nested tensors that reads the current weights of models; called with keywords.

    TensorFlow traces it once, for any size of open axes; JAX compiles it for each shape; other backends only call it.
    If the weights are on several devices, with JAX also of several processes, each device computes a part of the rows.

    Args:
        function: free of side effects; losses that layers add are dropped.
        arguments: a function that returns specifications of the arguments by name: nested `keras.KerasTensor`s with
            None for open axes, or `outputs` of another `Compiled`. Used by TensorFlow only.
        static: names of arguments that are whole numbers on which shapes depend.
        rows: names of arguments whose tensors, like all results, have the same number of independent rows.
    """

    def __init__(self, function, models=(), *, arguments, static=(), rows=()):
        self._function, self._models, self._arguments = function, models, arguments
        self._static, self._rows, self._parameters = static, rows, inspect.signature(function)
        self._backend = keras.backend.backend()
        self._lock = threading.Lock()

    def __call__(self, **arguments: object) -> object:
        with self._lock:  # compiled by one thread only
            compiled = self._compiled
        if self._backend != "jax":
            return compiled(*self._parameters.bind(**arguments).args)
        static = tuple((name, arguments.pop(name)) for name in self._static)
        return compiled(arguments, [variable.value for variable in self._variables], static)

    @property
    def outputs(self) -> object:
        """Nested specifications of its results (TensorFlow only)."""
        return self._compiled.get_concrete_function().structured_outputs

    @property
    def count(self) -> int:
        """The number of compiled versions."""
        if self._backend == "tensorflow":
            return self._compiled.experimental_get_tracing_count()
        return self._compiled._cache_size() if self._backend == "jax" else 0

    @property
    def devices(self) -> int:
        """The number of devices that share the rows of a call."""
        if not self._rows or self._spread is None:
            return 1
        return self._spread.size if self._backend == "jax" else self._spread.num_replicas_in_sync

    @property
    def _variables(self):
        return [variable for model in self._models for variable in model.variables]

    @property
    def _spread(self):
        """The strategy under which the weights were made (TensorFlow), their mesh of devices (JAX), or None."""
        weight = next((variable.value for variable in self._variables), None)
        if self._backend == "tensorflow":
            return getattr(weight, "distribute_strategy", None)
        mesh = getattr(getattr(weight, "sharding", None), "mesh", None)
        return mesh if mesh is not None and mesh.size > 1 else None

    @functools.cached_property
    def _compiled(self):
        if self._backend == "tensorflow":
            import tensorflow as tf

            def specification(argument):
                is_known = isinstance(argument, tf.TypeSpec)
                return argument if is_known else tf.TensorSpec(argument.shape, argument.dtype)

            function = stateless()(self._function) if self.devices == 1 else self._on_replicas
            signature = [keras.tree.map_structure(specification, argument) for argument in self._arguments().values()]
            # A new object: TensorFlow takes functions of the same code for one that is retraced, and warns.
            return tf.function(functools.partial(function), input_signature=signature, autograph=False)
        if self._backend == "jax":
            import jax

            function = self._with_values if self.devices == 1 else self._on_devices
            mesh, whole = self._spread, jax.sharding.PartitionSpec()
            shardings = None if mesh is None else jax.sharding.NamedSharding(mesh, whole)  # results whole on each
            return jax.jit(function, static_argnums=2, out_shardings=shardings)
        return stateless()(self._function)

    def _with_values(self, arguments, values, static):
        with stateless(list(zip(self._variables, values, strict=True))):
            return self._function(**arguments, **dict(static))

    def _divided(self, arguments):
        """Return the arguments with rows, the others, and the number of rows."""
        of_rows = {name: arguments[name] for name in self._rows}
        others = {name: argument for name, argument in arguments.items() if name not in self._rows}
        return of_rows, others, keras.ops.shape(keras.tree.flatten(of_rows)[0])[0]

    def _on_replicas(self, *values):
        """Call the function with the rows divided among the replicas of the weights' strategy."""
        import tensorflow as tf

        arguments = self._parameters.bind(*values).arguments
        of_rows, others, count = self._divided(arguments)
        size = -(-count // self.devices)  # of a part

        def part():
            first = tf.distribute.get_replica_context().replica_id_in_sync_group * size

            def of_part(rows):
                padding = [(0, self.devices * size - count)] + [(0, 0)] * (len(rows.shape) - 1)
                return tf.pad(rows, padding)[first : first + size]

            return stateless()(self._function)(**others, **tf.nest.map_structure(of_part, of_rows))

        def joined(parts):
            return tf.concat(self._spread.experimental_local_results(parts), axis=0)[:count]

        return tf.nest.map_structure(joined, self._spread.run(part))

    def _on_devices(self, arguments, values, static):
        """Call the function with the rows divided among the devices of the weights."""
        import jax

        mesh = self._spread
        of_rows, others, count = self._divided(arguments)

        def padded(array):
            return jax.numpy.pad(array, [(0, -count % mesh.size)] + [(0, 0)] * (array.ndim - 1))

        def part(of_rows, others, values):
            return self._with_values({**of_rows, **others}, values, static)

        whole, divided = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec(mesh.axis_names)
        spread = jax.shard_map(part, mesh=mesh, in_specs=(divided, whole, whole), out_specs=divided, check_vma=False)
        return jax.tree.map(lambda array: array[:count], spread(jax.tree.map(padded, of_rows), others, values))


@contextlib.contextmanager
def stateless(values: list[tuple] | None = None) -> Iterator[None]:
    """Let layers take these values, pairs of a variable and a tensor, and drop the losses that they add."""
    with keras.StatelessScope(state_mapping=values, collect_losses=False):
        yield


def gradient(function: Callable[[KerasTensor], KerasTensor], inputs: KerasTensor) -> KerasTensor:
    """Return the gradient of a scalar function of one tensor at `inputs`, also inside a `Compiled` function.

    Raises `InputError` on backends other than TensorFlow and JAX.
    """
    backend = keras.backend.backend()
    if backend == "jax":
        import jax

        return jax.grad(function)(inputs)
    if backend == "tensorflow":
        import tensorflow as tf

        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(inputs)
        return tape.gradient(result, inputs)
    raise InputError(f"the backend {backend} has no gradients here; set KERAS_BACKEND to tensorflow or jax")


def compiles_shapes() -> bool:
    """Return whether the backend compiles a function for each shape of its arguments, so few shapes are better."""
    return keras.backend.backend() == "jax"


def size_compiled_for(size: int) -> int:
    """Return the padded size of a batch: a power of two if each shape is compiled."""
    return max(LEAST_SIZE, 2 ** (size - 1).bit_length()) if compiles_shapes() else size


def calls_at_a_time() -> int:
    """Return the best number of concurrent calls of compiled functions.

    Many operations of TensorFlow on a CPU are too small for several cores: a core for each call is faster.
    """
    if keras.backend.backend() != "tensorflow" or _has_gpu():
        return 1
    return min(available_cores(), MOST_CALLS)


def share_cores() -> None:
    """Give each concurrent call its share of the cores, unless TensorFlow is already running.

    By default TensorFlow spreads each operation over all cores, and concurrent calls wait for each other: on two cores
    translation took up to 1.7 times as long. `TF_NUM_INTRAOP_THREADS` takes precedence.
    """
    _share_cores(calls_at_a_time())


def share_cores_in_training() -> None:
    """Share the cores among the parts of a batch, which training in this process then computes in parallel."""
    global _parts_side_by_side
    if keras.backend.backend() == "tensorflow" and not _has_gpu():
        _share_cores(PARTS_OF_A_BATCH)
        _parts_side_by_side = PARTS_OF_A_BATCH


def parts_side_by_side() -> int:
    """Return the number of parts of a batch that training computes at a time: 1 without `share_cores_in_training`."""
    return _parts_side_by_side


def _share_cores(calls):
    if calls > 1 and "TF_NUM_INTRAOP_THREADS" not in os.environ:
        import tensorflow as tf

        with contextlib.suppress(RuntimeError):  # TensorFlow has been at work
            tf.config.threading.set_intra_op_parallelism_threads(max(1, available_cores() // calls))


def _has_gpu():
    import tensorflow as tf

    return bool(tf.config.list_physical_devices("GPU"))
