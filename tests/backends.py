"""Python processes with a backend of their own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skip_reasons

ROOT = Path(__file__).parents[1]
needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason=skip_reasons.JAX)


def start(backend, arguments, folder, variables=None):
    """Start Python with a backend, and more environment variables."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("CORPORA_DIR", "TF_CPP_MIN_LOG_LEVEL")},
        "KERAS_BACKEND": backend,
        "XLA_FLAGS": "--xla_backend_optimization_level=0",  # compiles faster
        "PYTHONPATH": str(ROOT),
        "INTERACTING_HEAD_CACHE": str(folder / "cache"),
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
