"""Batches that cannot be allocated, told in one line in the place of a backend's report."""

import contextlib

from interacting_head.console import RunError

TRAINING_ADVICE = "lower train.batch_tokens or data.max_length, raise train.accumulate_batches or take a smaller model"

EXCEPTIONS = {"MemoryError", "ResourceExhaustedError", "OutOfMemoryError"}
"""Of Python and NumPy, TensorFlow, PyTorch, by name: a backend is imported only where it is used."""
OF_XLA = "RESOURCE_EXHAUSTED"  # in the message of an exception that stands for others too


@contextlib.contextmanager
def allocation_told(batch, advice):
    """Turn what a backend raises in the block where memory does not suffice into one line.

    Args:
        batch: a function that describes the batch, its shape above all.
        advice: which settings to change.

    Raises:
        RunError: where the RAM, or a GPU's memory, does not suffice.
    """
    try:
        yield
    except Exception as error:
        if is_out_of_memory(error):
            raise RunError(f"not enough memory for {batch()}; {advice}") from error
        raise


def is_out_of_memory(error):
    """Return whether an exception says that the RAM, or a GPU's memory, does not suffice, on any backend."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & EXCEPTIONS) or OF_XLA in str(error)
