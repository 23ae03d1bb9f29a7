"""What the command-line scripts share (most of it is in `data.command_line`), and quiet imports."""

import contextlib
import faulthandler
import os
import re
import sys
import tempfile

from data.command_line import ArgumentParser, RunError, atomic_write, run

__all__ = ["ArgumentParser", "RunError", "atomic_write", "run", "without_import_noise"]

# What TensorFlow's logging writes before it is set up.
IMPORT_NOISE = re.compile(rb"WARNING: All log messages before absl::InitializeLog|[IWE]\d{4} \d\d:\d\d:[\d.]+ ")


@contextlib.contextmanager
def without_import_noise():
    """Keeps TensorFlow's messages about the machine, which heed no log level, from the standard error.

    What else is written in the block appears at its end, and everything where the block fails. With
    TF_CPP_MIN_LOG_LEVEL set nothing is held back.
    """
    if "TF_CPP_MIN_LOG_LEVEL" in os.environ:
        yield
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # errors that matter come as Python exceptions too
    sys.stderr.flush()
    standard_error = os.dup(2)
    faulthandler.enable(standard_error)  # even a crash of the process says where it was
    noise = IMPORT_NOISE
    try:
        with tempfile.TemporaryFile() as held_back:
            os.dup2(held_back.fileno(), 2)
            try:
                yield
            except BaseException:
                noise = re.compile(rb"(?!)")  # matches nothing
                raise
            finally:
                sys.stderr.flush()
                os.dup2(standard_error, 2)
                held_back.seek(0)
                os.write(2, b"".join(line for line in held_back if not noise.match(line)))
    finally:
        faulthandler.disable()
        os.close(standard_error)
