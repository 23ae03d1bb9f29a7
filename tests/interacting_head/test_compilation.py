"""How calls of compiled functions share the processor."""

import keras
import pytest

from interacting_head import compilation

THREADS = "TF_NUM_INTRAOP_THREADS"


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="JAX computes one call at a time")
@pytest.mark.parametrize(("cores", "given", "threads"), [(2, "", "1"), (8, "", "2"), (1, "", ""), (8, "5", "5")])
def test_each_call_gets_its_share_of_the_cores(monkeypatch, cores, given, threads):
    monkeypatch.setattr(compilation, "cores", lambda: cores)
    monkeypatch.setenv(THREADS, given)
    if not given:
        monkeypatch.delenv(THREADS)
    compilation.share_cores()
    assert compilation.os.environ.get(THREADS, "") == threads
