"""Shared parts of commands (most are in `data.command_line`), and their import of Keras."""

import contextlib
import faulthandler
import gc
import hashlib
import importlib.abc
import inspect
import os
import re
import resource
import sys
import tempfile
from collections.abc import Iterator

from data.cache import cache_folder
from data.command_line import PROGRAM, ArgumentParser, RunError, folder_name, renamed, run
from data.errors import InputError
from data.files import atomic_write
from interacting_head.console import allocator
from interacting_head.console.machine import processor_instructions

__all__ = [
    "PROGRAM",
    "ArgumentParser",
    "RunError",
    "atomic_write",
    "folder_name",
    "importing_keras",
    "renamed",
    "run",
]

# Messages of TensorFlow's logging before it is set up, and of tensorflow-text about sub-words.
IMPORT_NOISE = re.compile(
    rb"WARNING: All log messages before absl::InitializeLog|[IWE]\d{4} \d\d:\d\d:[\d.]+ |"
    rb"normalizer\.cc\(\d+\) LOG\(INFO\)"
)
ERRORS_ONLY = "3"
BACKENDS = "tensorflow", "jax", "torch"
THREADS = "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"
MOST_THREADS = 4096  # TensorFlow ends the process if it cannot start its threads
ADDRESS_SPACE = 3 * 2**30
"""Bytes of address space that TensorFlow needs for a small model; with less it crashes or hangs."""
IMPORT_SYSTEM = (__name__, "importlib._bootstrap", "importlib._bootstrap_external")
UNNEEDED = {"jax": ("tensorflow.", "keras.src.callbacks."), "matplotlib": ("keras.",)}
"""Package → prefixes of modules that import it, if it is installed, for functions that no command calls."""


@contextlib.contextmanager
def importing_keras() -> Iterator[None]:
    """Set up allocator and compilation cache for the import of Keras in the block, and suppress start-up messages.

    The import leaves out `UNNEEDED` packages, which saves time and memory. Other lines on standard error appear at the
    end of the block; all do if it fails, or with TF_CPP_MIN_LOG_LEVEL below 3. Raises `InputError` if the backend is
    not supported or the environment would crash TensorFlow.
    """
    _check_environment()
    allocator.keep_freed_memory()
    _keep_compiled_functions()
    shows_all = os.environ.get("TF_CPP_MIN_LOG_LEVEL", ERRORS_ONLY) != ERRORS_ONLY
    holding_back = contextlib.nullcontext() if shows_all or not _has_temporary_folder() else _noise_held_back()
    with holding_back, _quick_imports():
        try:
            yield
        except ValueError as error:
            unknown = re.fullmatch("Unable to import backend : (.*)", str(error))  # of keras.json
            if unknown is None:
                raise
            _check_backend(unknown[1])
        if keras := sys.modules.get("keras"):
            _check_backend(keras.config.backend())


def _check_environment():
    """Raise `InputError` for environment variables and limits with which Keras cannot be imported."""
    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    _check_backend(backend)
    if backend != "tensorflow":
        return
    for name in THREADS:
        value = os.environ.get(name) or "0"
        if not (value.isdecimal() and int(value) <= MOST_THREADS):
            raise InputError(f"{name} must be a whole number from 0 (all cores) to {MOST_THREADS}, got {value!r}")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < ADDRESS_SPACE:
        raise InputError(
            f"the address space of a process is limited to {limit / 2**30:.1f} GiB, but TensorFlow needs at least "
            f"{ADDRESS_SPACE / 2**30:.0f} GiB; raise the limit: ulimit -v unlimited"
        )


def _check_backend(name):
    if name not in BACKENDS:
        raise InputError(
            f"the Keras backend {name!r} is not supported; set KERAS_BACKEND, or backend in keras.json, to "
            f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}"
        )


def _keep_compiled_functions():
    """Make JAX cache compiled functions for later processes; call it before JAX is imported."""
    # JAX reuses functions compiled for one processor on another with fewer instructions, hence a folder for each.
    instructions = " ".join(sorted(processor_instructions()))
    folder = hashlib.sha256(instructions.encode()).hexdigest()[:16]
    with contextlib.suppress(InputError):  # a user without a home
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache_folder() / "jax" / folder))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")  # small functions too: there are hundreds


@contextlib.contextmanager
def _quick_imports():
    """Import without `UNNEEDED` packages and garbage collection; what is imported is never looked through again."""
    finder, collects = _WithoutUnneeded(), gc.isenabled()
    sys.meta_path.insert(0, finder)
    gc.disable()
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        gc.freeze()
        if collects:
            gc.enable()


class _WithoutUnneeded(importlib.abc.MetaPathFinder):
    """A finder that hides `UNNEEDED` packages from their importers, and from nobody else."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname in UNNEEDED:
            frame = inspect.currentframe()
            while frame and frame.f_globals.get("__name__") in IMPORT_SYSTEM:
                frame = frame.f_back
            importer = frame.f_globals.get("__name__", "") if frame else ""
            if importer.startswith(UNNEEDED[fullname]):
                raise ModuleNotFoundError(f"{fullname} is hidden from {importer}", name=fullname)
        return None


def _has_temporary_folder():
    with contextlib.suppress(OSError):  # a read-only machine
        return bool(tempfile.gettempdir())
    return False


@contextlib.contextmanager
def _noise_held_back():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = ERRORS_ONLY  # errors that matter come as Python exceptions too
    sys.stderr.flush()
    standard_error = os.dup(2)
    faulthandler.enable(standard_error)  # so that a crash still prints its traceback
    noise = IMPORT_NOISE
    try:
        with tempfile.TemporaryFile() as held_back:
            os.dup2(held_back.fileno(), 2)
            try:
                yield
            except Exception as error:
                if not isinstance(error, InputError):  # whose one line says it all
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
