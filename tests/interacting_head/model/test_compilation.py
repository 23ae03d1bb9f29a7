"""Calls of compiled functions that share the processor."""

import keras
import pytest

from interacting_head.model import compilation

THREADS = "TF_NUM_INTRAOP_THREADS"


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow computes several calls at a time; run the test with KERAS_BACKEND=tensorflow",
)
@pytest.mark.parametrize(("cores", "given", "threads"), [(2, "", [1]), (8, "", [2]), (1, "", []), (8, "5", [])])
def test_each_call_gets_its_share_of_the_cores(monkeypatch, cores, given, threads):
    import tensorflow as tf

    chosen = []
    monkeypatch.setattr(tf.config.threading, "set_intra_op_parallelism_threads", chosen.append)
    monkeypatch.setattr(compilation, "available_cores", lambda: cores)
    monkeypatch.delenv(THREADS, raising=False)
    if given:
        monkeypatch.setenv(THREADS, given)
    compilation.share_cores()
    assert chosen == threads


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow computes several calls at a time; run the test with KERAS_BACKEND=tensorflow",
)
@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (8, 4)])
def test_a_training_has_as_many_parts_on_every_processor(monkeypatch, cores, threads):
    import tensorflow as tf

    chosen = []
    monkeypatch.setattr(tf.config.threading, "set_intra_op_parallelism_threads", chosen.append)
    monkeypatch.setattr(compilation, "available_cores", lambda: cores)
    monkeypatch.setattr(compilation, "_parts_side_by_side", 1)
    monkeypatch.delenv(THREADS, raising=False)
    compilation.share_cores_in_training()
    assert (chosen, compilation.parts_side_by_side()) == ([threads], 2)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow computes several calls at a time; run the test with KERAS_BACKEND=tensorflow",
)
def test_cores_are_not_shared_once_tensorflow_has_started(monkeypatch):
    import tensorflow as tf

    monkeypatch.delenv(THREADS, raising=False)
    monkeypatch.setattr(compilation, "available_cores", lambda: 64)
    keras.ops.zeros(1)
    before = tf.config.threading.get_intra_op_parallelism_threads()
    compilation.share_cores()
    assert tf.config.threading.get_intra_op_parallelism_threads() == before
