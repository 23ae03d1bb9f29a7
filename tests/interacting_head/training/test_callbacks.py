"""Callbacks that do not wait for the device."""

import contextlib
import errno
import fcntl
import os
import pty
import signal
import struct
import termios
import types

import keras
import pytest
from tqdm import tqdm

from interacting_head.training.callbacks import STEPS_AHEAD, Progress, StopOnSignal, UnhurriedCallbacks, fitted
from interacting_head.training.devices import Devices
from interacting_head.training.log import logger, logging_to


@contextlib.contextmanager
def terminal(shown):
    """Make standard error a terminal of 80 columns; what it got is added to `shown` at the end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with open(theirs, "w", buffering=1, encoding="utf-8") as file, contextlib.redirect_stderr(file):
        yield
    # The kernel passes bytes on in its own time, but a closed terminal is read to its last byte.
    with open(ours, "rb", buffering=0) as screen, contextlib.suppress(OSError):
        while block := screen.read(1 << 16):
            shown.extend(block)


@pytest.mark.parametrize(
    ("total", "loss", "shown"),
    [
        (1100, 1.28, "left ep 4 loss 1.280 ppl 3.60 lr 1.2e-03 grad 0.33 tok/s 3,466"),
        (100_000, 12.345, "left ep 334 loss 12.345 lr 1.2e-03 grad 0.33 tok/s 3,466"),
    ],
)
def test_the_bar_fits_a_terminal_of_80_columns(total, loss, shown):
    written = bytearray()
    with terminal(written):
        progress = Progress(0, total, 1, 300, 1000)
        progress.step = progress._bar.n = total - 2
        progress.loss, progress._seconds_per_step, progress.tokens_per_second = loss, 60.0, 3466.0
        adam = types.SimpleNamespace(learning_rate=0.00123, gradient_norm=0.33)
        progress.set_model(types.SimpleNamespace(adam=adam))
        progress._report()
        progress.close()
    bar = written.decode("utf-8").rstrip().split("\r")[-1]
    assert len(bar) < 80
    assert bar.startswith(f"{total - 2}/{total} ")
    assert shown in bar


def test_a_terminal_that_is_gone_does_not_end_a_training(monkeypatch, tmp_path):
    def gone(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(logger, "propagate", False)  # to pytest, whose processes exchange UTF-8
    monkeypatch.setattr(tqdm, "write", gone)
    monkeypatch.setattr(os, "get_terminal_size", gone)
    with terminal(bytearray()), logging_to(tmp_path / "train.log"):
        progress = Progress(8, 9, 1, 3, 1000)
        progress.loss, progress._seconds_per_step = 1.28, 60.0
        progress.set_model(types.SimpleNamespace(adam=types.SimpleNamespace(learning_rate=0.1, gradient_norm=0.3)))
        progress._report()
        progress.close()
        logger.info("a line about \udcff")
    log = (tmp_path / "train.log").read_text(encoding="utf-8")
    assert "step 8 of 9" in log
    assert "a line about \\udcff" in log


@pytest.mark.parametrize("ignored", [False, True])
def test_a_hang_up_stops_a_training_in_order_unless_it_is_ignored(ignored):
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        with StopOnSignal(Devices.find()) as stop:
            signal.raise_signal(signal.SIGHUP)
            assert stop.is_requested() != ignored
    finally:
        signal.signal(signal.SIGHUP, former)


def test_values_without_room_are_left_out_one_by_one():
    values = {"ep": 1, "loss": "2.000", "ppl": "7.39", "lr": "1e-3", "grad": "0.50", "tok/s": "1,000"}
    whole = "ep 1 loss 2.000 ppl 7.39 lr 1e-3 grad 0.50 tok/s 1,000"
    assert fitted(values, len(whole)) == whole
    assert fitted(values, len(whole) - 1) == "ep 1 loss 2.000 lr 1e-3 grad 0.50 tok/s 1,000"
    assert fitted(values, 0) == "loss 2.000 tok/s 1,000"


def test_logs_are_given_as_they_come_and_waited_for_some_steps_later(monkeypatch):
    given, waited = [], []
    monkeypatch.setattr(keras.ops, "convert_to_numpy", waited.append)
    remember = keras.callbacks.LambdaCallback(on_train_batch_end=lambda _, logs: given.append(logs["loss"]))
    callbacks = UnhurriedCallbacks([remember], keras.Model())
    losses = [object() for _ in range(STEPS_AHEAD + 3)]
    for step, loss in enumerate(losses):
        callbacks.on_train_batch_end(step, {"loss": loss})
    assert given == losses
    assert waited == losses[:3]


def test_a_second_ctrl_c_ends_a_training_at_once():
    former = signal.getsignal(signal.SIGINT)
    with StopOnSignal(Devices.find()) as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_requested()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is former
