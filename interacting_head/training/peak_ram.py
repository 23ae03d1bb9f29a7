"""The peak of RAM, or of GPU memory, of a training, extrapolated from steps on a part of a batch (TensorFlow).

Steps are measured in another process that starts as a training does: this module imports Keras only there.
"""

from pathlib import Path

import numpy as np

from data.text.subwords import END
from data.workers import in_new_process
from interacting_head.config import ExperimentConfig
from interacting_head.console import importing_keras

STEPS = 2  # of each size: the second still has the gradients and the optimizer's variables of the first


def predicted(config: ExperimentConfig, vocabulary_sizes: list, shape: np.ndarray, multiple: int = 1) -> float | None:
    """Return the peak bytes of steps on batches of a shape (B, S, T), or None if even a part is too much.

    The peak grows linearly with the rows, so measurements at a quarter and at half of them suffice. Rows, also B, are
    multiples of `multiple`.
    """
    rows, *lengths = map(int, shape)
    units = rows // multiple
    small, half = max(1, units // 4) * multiple, max(1, units // 2) * multiple
    sizes = [small, half] if small < half else [rows]
    if (peaks := in_new_process(measured, config, vocabulary_sizes, lengths, sizes)) is None:
        return None
    return peaks[-1] + (rows - sizes[-1]) * (peaks[-1] - peaks[0]) / max(1, half - small)


def measured(config: ExperimentConfig, vocabulary_sizes: list, lengths: list, sizes: list) -> list[int] | None:
    """Return the peaks in bytes after steps on synthetic batches of ascending sizes, or None if memory runs out."""
    with importing_keras():
        import keras
        import tensorflow as tf

        from data.batches.pipeline import as_tf_dataset
        from interacting_head.model import compilation
        from interacting_head.model.transformer import Transformer
        from interacting_head.training.devices import Devices
        from interacting_head.training.setup import make_training_model

    compilation.share_cores_in_training()
    keras.config.set_dtype_policy(config.train.precision)
    peaks = []
    try:
        with Devices.find().scope():
            model = Transformer(config.model, *vocabulary_sizes, config.data.shared_vocabulary)
            training_model = make_training_model(model, config, config.train.max_steps)
            for rows in sizes:
                source_ids, target_ids = (np.full((rows, length), END, "int32") for length in lengths)
                batch = {"source_ids": source_ids, "target_ids": target_ids}, target_ids
                training_model.fit(as_tf_dataset([batch] * STEPS), steps_per_epoch=STEPS, verbose=0, shuffle=False)
                peaks.append(peak_memory())
    except tf.errors.ResourceExhaustedError:
        return None
    return peaks


def peak_memory() -> int:
    """Return the peak bytes of this process so far: of the first GPU or, without one, of RAM."""
    import keras

    if keras.backend.backend() == "jax":
        import jax

        if stats := jax.local_devices()[0].memory_stats():  # none of a processor
            return stats["peak_bytes_in_use"]
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        if tf.config.list_physical_devices("GPU"):
            return tf.config.experimental.get_memory_info("GPU:0")["peak"]
    status = Path("/proc/self/status")
    if status.is_file():  # here getrusage would count the process that this one was forked from
        return next(int(line.split()[1]) * 1024 for line in status.open() if line.startswith("VmHWM"))
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS
