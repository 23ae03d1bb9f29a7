"""The arithmetic that `train.precision: auto` resolves to: bfloat16 if the devices support it, else float32."""

import dataclasses
import os

import keras

from data.errors import InputError
from interacting_head.config import ExperimentConfig
from interacting_head.console.machine import processor_instructions
from interacting_head.runs.run_directory import RunDirectory

# Names in /proc/cpuinfo of the instructions that multiply bfloat16: Intel and AMD, then ARM.
BFLOAT16_INSTRUCTIONS = {"avx512_bf16", "amx_bf16", "bf16"}
# Values of ONEDNN_MAX_CPU_ISA that disable them for TensorFlow's products, which then crash in bfloat16.
CAPS_WITHOUT_BFLOAT16 = {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX2_VNNI_2"}
BFLOAT16_CAPABILITY = (8, 0)  # of NVIDIA's GPUs: from Ampere on


def resolved(config: ExperimentConfig, run: RunDirectory | None = None) -> ExperimentConfig:
    """Return the configuration with `train.precision: auto` resolved; an existing run keeps its precision.

    Raises `InputError` if `auto` was written into an existing run.
    """
    if config.train.precision != "auto":
        return config
    if run is not None and (run.path / "config.yaml").is_file():
        precision = run.config.train.precision
        if precision == "auto":
            raise InputError(f"{run.path / 'config.yaml'} has lost the run's train.precision; set it back from auto")
    else:
        precision = "mixed_bfloat16" if multiplies_bfloat16() else "float32"
    return dataclasses.replace(config, train=dataclasses.replace(config.train, precision=precision))


def multiplies_bfloat16() -> bool:
    """Return whether all devices of the backend have bfloat16 arithmetic that is faster than float32."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        gpus = tf.config.list_physical_devices("GPU")
        details = [tf.config.experimental.get_device_details(gpu) for gpu in gpus]
        if gpus:
            return all(detail.get("compute_capability", (0, 0)) >= BFLOAT16_CAPABILITY for detail in details)
        return bool(processor_instructions() & BFLOAT16_INSTRUCTIONS) and not is_capped()
    if backend == "jax":
        import jax

        # JAX computes bfloat16 on processors in float32, step by step.
        return all(
            device.platform == "tpu"
            or float(getattr(device, "compute_capability", 0)) >= float("{}.{}".format(*BFLOAT16_CAPABILITY))
            for device in jax.devices()
        )
    return False


def is_capped() -> bool:
    """Return whether the environment disables bfloat16 in oneDNN."""
    return os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() in CAPS_WITHOUT_BFLOAT16
