"""Keras callbacks of training: progress, an orderly stop on a signal, and asynchronous logs."""

import collections
import contextlib
import logging
import math
import os
import signal
import sys
import time

import keras
from tqdm import tqdm

from interacting_head.training.devices import Devices

logger = logging.getLogger("interacting_head")

BAR = "{n_fmt}/{total_fmt} {bar}{remaining} left {desc}"
SHORT = {"epoch": "ep", "perplexity": "ppl", "tokens/s": "tok/s"}
DISPENSABLE = ("ppl", "grad", "lr", "ep")
"""Values that a narrow terminal drops, in this order; the log has all of them."""
BATCHES_BETWEEN_PROCESSES = 10
STEPS_AHEAD = 4


class Progress(keras.callbacks.Callback):
    """A progress bar on a terminal, otherwise a log line every `interval` steps.

    `step` is the number of completed steps, over all calls of `fit`, out of `total`; `tokens_per_step` is the mean
    number of source and target tokens of a batch without padding.
    """

    def __init__(self, step: int, total: int, interval: int, steps_per_epoch: int, tokens_per_step: float):
        super().__init__()
        self.step, self.total, self.interval = step, total, interval
        self.steps_per_epoch, self.tokens_per_step = steps_per_epoch, tokens_per_step
        self.tokens_per_second = 0.0
        self.loss = math.nan
        hidden = not sys.stderr.isatty()
        self._bar = tqdm(total=total, initial=step, bar_format=BAR, dynamic_ncols=True, disable=hidden)

    def on_train_begin(self, logs: dict | None = None) -> None:
        self._resume_clock()

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        self.step += 1
        self._bar.update()
        if self.step % self.interval == 0 or self.step == self.total:
            self._measure(logs)
            self._report()
            self.model.reset_metrics()
            self._resume_clock()

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        if self.step > self._started_at:
            self._measure(logs)

    def close(self) -> None:
        """End the progress bar."""
        self._bar.close()

    def _measure(self, logs):
        """Measure loss and speed since the last line, or since `fit` was called."""
        self.loss = float(logs["loss"])  # a mean since the last reset: waits for the device
        self._seconds_per_step = (time.perf_counter() - self._started) / (self.step - self._started_at)
        self.tokens_per_second = self.tokens_per_step / self._seconds_per_step

    def _report(self):
        left = (self.total - self.step) * self._seconds_per_step
        values = {
            "epoch": max(self.step - 1, 0) // self.steps_per_epoch + 1,
            "loss": f"{self.loss:.3f}",
            "perplexity": f"{math.exp(min(self.loss, 50)):.2f}",
            "lr": f"{scalar(self.model.adam.learning_rate):.1e}",
            "grad": f"{scalar(self.model.adam.gradient_norm):.2f}",
            "tokens/s": f"{self.tokens_per_second:,.0f}",
        }
        if not self._bar.disable:
            shown = {SHORT.get(name, name): value for name, value in values.items()}
            before = f"{self.total}/{self.total}  {tqdm.format_interval(left)} left "
            with contextlib.suppress(OSError):  # a terminal that is gone
                room = os.get_terminal_size(sys.stderr.fileno()).columns - 1 - len(before)
                self._bar.set_description_str(fitted(shown, room), refresh=False)
        line = ", ".join(f"{name} {value}" for name, value in values.items())
        # A line that the bar shows goes to the log file only.
        level = logging.INFO if self._bar.disable else logging.DEBUG
        logger.log(level, "step %d of %d, %s, %s left", self.step, self.total, line, duration(left))

    def _resume_clock(self):
        self._started, self._started_at = time.perf_counter(), self.step


class UnhurriedCallbacks(keras.callbacks.CallbackList):
    """Callbacks that get the logs of a step as tensors, which a device may still be computing.

    Keras' own list converts the logs of each step to numbers, and so waits before the next batch. Here the host runs up
    to `STEPS_AHEAD` steps ahead of the device.
    """

    def __init__(self, callbacks: list[keras.callbacks.Callback], model: keras.Model):
        super().__init__(callbacks, add_history=True, model=model)
        self._under_way = collections.deque()

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        self._under_way.append(logs)
        if len(self._under_way) > STEPS_AHEAD:
            keras.tree.map_structure(keras.ops.convert_to_numpy, self._under_way.popleft())
        for callback in self.callbacks:
            callback.on_train_batch_end(batch, logs)


class StopOnSignal(keras.callbacks.Callback):
    """End `fit` after the batch in which SIGTERM, SIGHUP or SIGINT arrives; a second SIGINT interrupts at once.

    Use it as a context manager around training. `received` is the signal's number or None. Several processes stop after
    the same batch.
    """

    def __init__(self, devices: Devices):
        super().__init__()
        self.devices = devices
        self.received = self._signal = None

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        # Processes that agree wait for each other.
        if self.devices.processes == 1 or (batch + 1) % BATCHES_BETWEEN_PROCESSES == 0:
            self.agree()
        if self.received:
            self.model.stop_training = True

    def on_train_end(self, logs: dict | None = None) -> None:
        self.agree()

    def agree(self) -> None:
        """Set `received`, in each process, to the signal that any of them got."""
        self.received = self.received or max(self.devices.from_all_processes(self._signal or 0)) or None

    def is_requested(self) -> bool:
        """Return whether to interrupt work that other processes do not wait for."""
        return self._signal is not None and self.devices.processes == 1

    def _handle(self, number, frame):
        if self._signal == signal.SIGINT == number:
            raise KeyboardInterrupt
        self._signal = number

    def __enter__(self):
        # Signals can be handled only in the main thread; elsewhere the caller stops the training.
        self._previous = {}
        with contextlib.suppress(ValueError):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as `nohup` sets it
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exception):
        for number, handler in self._previous.items():
            signal.signal(number, handler)


def fitted(values: dict[str, str], room: int) -> str:
    """Return `{name: value}` as a line of at most `room` characters, if necessary without `DISPENSABLE` values."""
    values = dict(values)
    for name in (None, *DISPENSABLE):
        values.pop(name, None)
        line = " ".join(f"{key} {value}" for key, value in values.items())
        if len(line) <= room:
            break
    return line


def scalar(value: keras.KerasTensor) -> float:
    """Return the number of a Keras scalar."""
    return float(keras.ops.convert_to_numpy(value))


def duration(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
