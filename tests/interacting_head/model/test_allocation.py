import numpy as np
import pytest

from interacting_head.console import RunError
from interacting_head.model.allocation import is_out_of_memory, out_of_memory_explained
from tests.interacting_head.out_of_memory import raised_by_the_backend


def test_an_out_of_memory_error_of_the_backend_becomes_one_line():
    with (
        pytest.raises(RunError, match=r"^not enough memory for a batch of 9 × 9; lower it$"),
        out_of_memory_explained(lambda: "a batch of 9 × 9", "lower it"),
    ):
        raise raised_by_the_backend()


def test_numpy_out_of_memory_is_recognised_and_other_errors_are_not():
    with pytest.raises(MemoryError) as raised:
        np.zeros((2**20, 2**25))
    assert is_out_of_memory(raised.value)
    for error in (ValueError("shapes differ"), OSError(28, "No space left on device")):
        assert not is_out_of_memory(error)
        with pytest.raises(type(error)), out_of_memory_explained(lambda: "a batch", "lower it"):
            raise error
