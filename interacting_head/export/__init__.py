"""Export of trained models to other programs: `python -m interacting_head.export`, and `docs/export.md`.

Start at `convert`, which calls the module of a format. `folding.py` turns attention schemes into standard attention.
This file imports no Keras, because the engines read names and sizes from it.
"""

import contextlib
import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from data.errors import InputError
from data.files import new_folder

if TYPE_CHECKING:
    from interacting_head.export.trained_model import TrainedModel

TEXT = "text"
"""Folder of a converted model with sub-words, text forms and configuration."""

EXTRA = "assets.extra"
"""Folder of a SavedModel for files that TensorFlow does not read."""

POSITIONS = 4096
"""Length of CTranslate2's table of positions: the most sub-words of a sentence."""

LONGEST = 4096
"""Most sub-words of a SavedModel's source, and its largest `max_length`: a request must not exhaust a server's RAM."""

FORMATS = {
    "ctranslate2": "interacting_head.export.ctranslate2",
    "huggingface": "interacting_head.export.huggingface",
    "keras": "interacting_head.export.keras_file",
    "marian": "interacting_head.export.huggingface:write_marian",
    "pegasus": "interacting_head.export.huggingface:write_pegasus",
    "savedmodel": "interacting_head.export.savedmodel",
}
"""Format → its module, with `QUANTIZATIONS` and `write(trained, folder, quantization)`, or `module:function`.

More arguments of `write` are named in `OPTIONS`. An optional context manager `place(path, **options)` yields the path
to write to.
"""


def convert(
    source: "str | Path | TrainedModel",
    file_format: str,
    output_dir: str | Path,
    quantization: str | None = None,
    checkpoint: str | None = None,
    **options: object,
) -> Path:
    """Write a trained model in another format, and return the folder.

    Args:
        source: a run directory, or a `TrainedModel`.
        file_format: one of `FORMATS`.
        output_dir: a new or empty folder; for `savedmodel` a folder of versions, to which one is added.
        quantization: type of the stored weights, if the format offers a choice; default: float32.
        checkpoint: see `RunDirectory.weights`.
        **options: options of the format; None counts as not given.

    Raises:
        InputError: if the format cannot hold the model (the message names layer and reason), the folder is not empty,
            the format lacks the quantization or option, or a package is not installed.
    """
    module_name, _, function = FORMATS[file_format].partition(":")
    module = importlib.import_module(module_name)
    from interacting_head.export.trained_model import TrainedModel  # imports Keras

    if quantization is not None and quantization not in module.QUANTIZATIONS:
        allowed = f"one of {', '.join(module.QUANTIZATIONS)}" if module.QUANTIZATIONS else "none"
        raise InputError(f"--quantization {quantization}: the format {file_format} supports {allowed}")
    options = {name: value for name, value in options.items() if value is not None}
    for name in options.keys() - set(getattr(module, "OPTIONS", ())):
        raise InputError(f"--{name.replace('_', '-')}: the format {file_format} has no such option; leave it out")
    path = Path(output_dir)
    with contextlib.ExitStack() as stack:
        if hasattr(module, "place"):
            path = stack.enter_context(module.place(path, **options))
        folder = stack.enter_context(new_folder(path))
        trained = TrainedModel.of(source, checkpoint)
        trained.check_room(folder)
        getattr(module, function or "write")(trained, folder, quantization, **options)
    return path


def optional_package(name: str) -> ModuleType:
    """Import a module of a package in requirements-export.txt; raise `InputError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package, _, _ = name.partition(".")
        if error.name != package:
            raise
        raise InputError(f"package {package} is missing: pip install -r requirements-export.txt") from error


def versions(folder: str | Path) -> list[int]:
    """Return the numbers of the versions in a folder of SavedModels."""
    return [int(path.name) for path in Path(folder).glob("*") if path.name.isdecimal()]
