"""One-line out-of-memory errors for all backends."""

import contextlib
from collections.abc import Callable, Iterator

from interacting_head.console import RunError

MODEL_ADVICE = "lower model.model_dim, model.feed_forward_dim or the number of layers"
TRAINING_ADVICE = (
    "lower train.batch_tokens or data.max_length, raise train.gradient_accumulation_steps or use a smaller model"
)


class MemoryExceededError(RunError):
    """A batch does not fit into memory."""


EXCEPTIONS = {"MemoryError", "ResourceExhaustedError", "OutOfMemoryError"}
"""Names of exceptions in Python and NumPy, TensorFlow, PyTorch; no backend is imported for them."""
OF_XLA = "RESOURCE_EXHAUSTED"  # in the message, because the exception has other meanings too


@contextlib.contextmanager
def out_of_memory_explained(
    batch: Callable[[], str], advice: str, error_class: type[Exception] = MemoryExceededError
) -> Iterator[None]:
    """Turn an out-of-memory error in the block into an `error_class` with one line.

    `batch` is a function that describes what does not fit; `advice` says which settings to change.
    """
    try:
        yield
    except Exception as error:
        if is_out_of_memory(error):
            raise error_class(f"not enough memory for {batch()}; {advice}") from error
        raise


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an exception means out of memory, on any backend."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & EXCEPTIONS) or OF_XLA in str(error)
