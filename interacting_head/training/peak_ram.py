"""The peak of RAM, or of a GPU's memory, in a training step, read from its graph before it is computed (TensorFlow)."""

import collections
import itertools
import math
import os
from pathlib import Path
from typing import NamedTuple

import keras
import numpy as np

# Operations whose result is another view of an input, or of a variable.
VIEWS = {"Identity", "IdentityN", "Reshape", "ExpandDims", "Squeeze", "StopGradient", "PreventGradient"}
# Operations whose result takes nothing: inputs, variables, and constants, which are small.
OUTSIDE = {"Placeholder", "Const", "ReadVariableOp", "VarHandleOp"}
# Operations that may write their result over an input which nothing else reads any more.
IN_PLACE = {
    *("Abs", "Add", "AddN", "AddV2", "BiasAdd", "DivNoNan", "Exp", "Log", "LogSoftmax", "LogicalAnd", "LogicalNot"),
    *("Maximum", "Minimum", "Mul", "Neg", "Pow", "RealDiv", "Reciprocal", "Relu", "ReluGrad", "Rsqrt", "RsqrtGrad"),
    *("SelectV2", "Softmax", "Sqrt", "SqrtGrad", "Square", "SquaredDifference", "Sub", "Tanh", "TanhGrad"),
}
BACKWARD = "gradient_tape"  # in the names of operations of the backward pass
# On a CPU the heap grows by so much more than the tensors need at their peak: gaps between blocks, scratch space of the
# kernels. Measured with TensorFlow 2.21 on Linux, models of 8 and 52 million parameters: 1.21 to 1.35 times, and 1.67
# times for the pairwise scheme, which recomputes weights.
HEAP = 1.25


class StepRam(NamedTuple):
    """The bytes that a training step needs on each device.

    Args:
        weights: the model's weights.
        optimizer: the optimizer's variables.
        activations: results that the forward pass leaves for the backward pass.
        peak: the most that activations, gradients and intermediate results need at a time.
    """

    weights: int
    optimizer: int
    activations: int
    peak: int


def of_step(training_model, shape):
    """The `StepRam` of a compiled `TrainingModel`, which gets the optimizer's variables if it has none yet.

    Args:
        training_model: as from `setup.make_training_model`.
        shape: (B, S, T), rows, source length and target length of a batch on one device.
    """
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    model, optimizer, parts = training_model.transformer, training_model.optimizer, training_model.accumulate_batches
    if not optimizer.built:
        optimizer.build(model.trainable_variables)
    rows, source_length, target_length = shape
    source_ids, target_ids = (tf.TensorSpec((rows // parts, n), tf.int32) for n in (source_length, target_length))
    step = tf.function(lambda *data: training_model.train_step(data), autograph=False)
    training_model.accumulate_batches = 1  # one part stands for all of them: they are computed one after another
    try:
        traced = step.get_concrete_function({"source_ids": source_ids, "target_ids": target_ids}, target_ids)
    finally:
        training_model.accumulate_batches = parts
    activations, peak = live_bytes(traced.graph.get_operations())
    if parts > 1:
        peak += _bytes_of(model.trainable_variables)  # the sum of the gradients
    return StepRam(_bytes_of(model.weights), _bytes_of(optimizer.variables), activations, peak)


def live_bytes(operations):
    """The bytes that the forward pass leaves for the backward pass, and the most that live at any time.

    Operations are taken first come, first served, as TensorFlow's executor does it, and not in the order of the
    program: all parts of the loss, say, are computed side by side. A result lives until its last reader has read it.

    Args:
        operations: those of a `tf.Graph`, in the order of their making: first the forward pass.
    """
    buffers, readers, size = {}, collections.Counter(), {}  # tensor → buffer; buffer → readers left, bytes
    live = peak = 0
    operations, activations = list(operations), set()
    forward = set(itertools.takewhile(lambda operation: BACKWARD not in operation.name, operations))
    uses = collections.Counter(tensor.ref() for operation in operations for tensor in operation.inputs)
    for operation in _first_come_first_served(operations):
        inputs = [buffers[tensor.ref()] for tensor in operation.inputs]
        if BACKWARD in operation.name:
            activations.update(buffer for buffer in inputs if buffer and buffer.is_forward)
        for index, tensor in enumerate(operation.outputs):
            reused = None
            if operation.type in VIEWS:
                reused = inputs[min(index, len(inputs) - 1)]
            elif operation.type in IN_PLACE:
                fitting = (x for x in inputs if x and readers[x] == 1 and size[x] == _bytes(tensor))
                reused = next(fitting, None)
            if reused is None and operation.type not in VIEWS | OUTSIDE:
                reused = _Buffer(tensor.ref(), operation in forward)
                size[reused] = _bytes(tensor)
                live += size[reused]
            buffers[tensor.ref()] = reused
            readers[reused] += uses[tensor.ref()]
        peak = max(peak, live)
        readers.subtract(inputs)
        for buffer in {*inputs, *(buffers[tensor.ref()] for tensor in operation.outputs)} - {None}:
            if readers[buffer] == 0:
                live -= size[buffer]
    return sum(size[buffer] for buffer in activations), peak


class _Buffer(NamedTuple):
    made_for: object
    is_forward: bool


def _first_come_first_served(operations):
    waiting, followers = {}, collections.defaultdict(list)
    for operation in operations:
        before = {*(tensor.op for tensor in operation.inputs), *operation.control_inputs}
        waiting[operation] = len(before)
        for other in before:
            followers[other].append(operation)
    ready = collections.deque(operation for operation in operations if not waiting[operation])
    while ready:
        operation = ready.popleft()
        yield operation
        for follower in followers[operation]:
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)


def _bytes(tensor):
    if tensor.dtype.name in ("resource", "variant", "string") or not tensor.shape.is_fully_defined():
        return 0
    return tensor.shape.num_elements() * tensor.dtype.size


def _bytes_of(variables):
    return sum(math.prod(x.shape) * np.dtype(keras.backend.standardize_dtype(x.dtype)).itemsize for x in variables)


def report(training_model, shapes, replicas=1):
    """Lines on the RAM, or the GPU's memory, of a training step: its parts, and the total beside what the device has.

    Args:
        training_model: as of `of_step`.
        shapes: (number of batches, 3), see `data.batches.plan.BatchPlan`.
        replicas: number of devices that share each batch.
    """
    if keras.backend.backend() != "tensorflow":
        return [f"memory              not predicted on the backend {keras.backend.backend()}, only on tensorflow"]
    rows, S, T = np.asarray(shapes, dtype="int64").T
    largest = {int((rows * (S + T)).argmax()), int((rows * (S * S + S * T + T * T)).argmax())}
    distinct = {(int(rows[i]) // replicas, int(S[i]), int(T[i])) for i in largest}
    needs = max((of_step(training_model, shape) for shape in distinct), key=lambda ram: ram.peak)
    device, available, total = _device(needs)
    lines = [
        f"memory of a step    weights {_words(needs.weights)}, optimizer {_words(needs.optimizer)}, activations "
        f"{_words(needs.activations)}, with gradients and the like at most {_words(needs.peak)}",
        f"peak memory         about {_words(total)} of {_words(available)} on {device}",
    ]
    if total > available:
        lines.append(
            "                    too much: lower train.batch_tokens or data.max_length, raise train.accumulate_batches "
            "or take a smaller model"
        )
    return lines


def process_peak(needs):
    """The bytes of RAM that this process will use at the peak of a step on a CPU.

    The process as it stands holds the libraries, the data, the weights and the optimizer's variables.
    """
    return resident_ram() + HEAP * needs.peak


def _device(needs):
    """Name and bytes of the device, and how much of them a training will use."""
    import tensorflow as tf

    if not tf.config.list_physical_devices("GPU"):
        return "this machine", machine_ram(), process_peak(needs)
    from tensorflow.python.client import device_lib

    limits = [device.memory_limit for device in device_lib.list_local_devices() if device.device_type == "GPU"]
    return "each GPU", min(limits), needs.weights + needs.optimizer + needs.peak


def machine_ram():
    """The bytes of RAM that this process may use: those of the machine or, if less, of its control group."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = Path(path).read_text().strip() if Path(path).is_file() else ""
        if text.isdigit():
            limits.append(int(text))
    return min(limits)


def resident_ram():
    """The bytes of RAM that this process uses now; at most so far, where the system does not tell."""
    status = Path("/proc/self/statm")
    if status.is_file():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS


def _words(size):
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"
