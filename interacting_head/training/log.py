"""The log of a training: on standard error, in train.log and in TensorBoard."""

import contextlib
import logging
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import keras
import numpy as np
from tqdm import tqdm

from data.files import check_room, full_disk_named, make_folder

logger = logging.getLogger("interacting_head")

ROOM = 1 << 16  # bytes: more than the events of a validation


class _File(logging.FileHandler):
    """A log file; failure to write it ends the training, as for checkpoints."""

    def handleError(self, record):  # noqa: N802
        with full_disk_named(self.baseFilename):
            raise  # the error that is being handled by the caller


class _PastProgressBar(logging.Handler):
    """Write to standard error without breaking a progress bar there."""

    def emit(self, record):
        with contextlib.suppress(OSError):  # a pipe closed by `| head`, a terminal that is gone: the file has the line
            tqdm.write(self.format(record), file=sys.stderr)


@contextlib.contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """Send this project's log to standard error, from level INFO on, and to a file."""
    # File names need not be UTF-8.
    handlers = [_File(path, encoding="utf-8", errors="backslashreplace"), _PastProgressBar(logging.INFO)]
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


def write_tensorboard(folder: Path, record: dict) -> None:
    """Add the numbers of a validation to the event files of a run; raise `OSError` if the disk has no room."""
    make_folder(folder)
    check_room(folder, ROOM)  # TensorBoard writes in a thread of its own, where an error would be lost
    if keras.backend.backend() != "tensorflow":
        # This makes TensorBoard work without TensorFlow, even if it is installed.
        sys.modules.setdefault("tensorboard.compat.notf", types.ModuleType("notf"))
    from tensorboard.summary import Writer

    writer = Writer(str(folder))
    for name, value in record.items():
        if name not in ("step", "epoch") and np.isfinite(value):
            writer.add_scalar(name, value, record["step"])
    writer.close()
