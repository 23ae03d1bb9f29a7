"""Python processes with a backend of their own."""

import importlib.util
import subprocess
import sys

import pytest

from tests import command_line, skip_reasons

needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason=skip_reasons.JAX)


def start(backend, arguments, folder, variables=None):
    """Start Python with a backend, and more environment variables."""
    environment = {
        **command_line.environment(folder),
        "KERAS_BACKEND": backend,
        "XLA_FLAGS": "--xla_backend_optimization_level=0",  # compiles faster
        **(variables or {}),
    }
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """Wait for a process, check that it succeeds, and return its standard output and error."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output, errors
