"""Export of trained models to other programs: `interacting-head export`, and `docs/export.md`.

Start at `convert`, which calls the module of a format. `folding.py` turns attention schemes into standard attention.
This file imports no Keras, because the engines read names and sizes from it.
"""

import contextlib
import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from data.command_line import install_command
from data.errors import InputError
from data.files import new_folder
from interacting_head import __version__

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

The function returns how to use the model, for README.md. More arguments of it are named in `OPTIONS`. An optional
context manager `place(path, **options)` yields the path to write to.
"""


def convert(
    source: "str | Path | TrainedModel",
    file_format: str,
    output_dir: str | Path | None = None,
    quantization: str | None = None,
    checkpoint: str | None = None,
    **options: object,
) -> Path:
    """Write a trained model in another format, and return the folder.

    Args:
        source: a run directory, or a `TrainedModel`.
        file_format: one of `FORMATS`.
        output_dir: a new or empty folder; for `savedmodel` a folder of versions, to which one is added. Default:
            `exports/FORMAT` in the run directory.
        quantization: type of the stored weights, if the format offers a choice; default: float32.
        checkpoint: see `RunDirectory.find_weights`.
        **options: options of the format; None counts as not given.

    Raises `InputError` if the format cannot hold the model (the message names layer and reason), the folder is not
    empty, the format lacks the quantization or option, or a package is not installed.
    """
    module_name, _, function = FORMATS[file_format].partition(":")
    module = importlib.import_module(module_name)
    from interacting_head.export.model_card import model_card  # imports Keras
    from interacting_head.export.trained_model import TrainedModel
    from interacting_head.runs.exports import UNQUANTIZED, ExportRecord, check_not_exported
    from interacting_head.runs.run_directory import RunDirectory

    if quantization is not None and quantization not in module.QUANTIZATIONS:
        allowed = f"one of {', '.join(module.QUANTIZATIONS)}" if module.QUANTIZATIONS else "none"
        raise InputError(f"--quantization {quantization}: the format {file_format} supports {allowed}")
    options = {name: value for name, value in options.items() if value is not None}
    for name in options.keys() - set(getattr(module, "OPTIONS", ())):
        raise InputError(f"--{name.replace('_', '-')}: the format {file_format} has no such option; leave it out")
    if isinstance(source, TrainedModel) and output_dir is None:
        raise InputError("a model without a run directory needs a folder for its export; give output_dir")
    if not isinstance(source, TrainedModel | RunDirectory):
        source = RunDirectory.open(source)
    with contextlib.ExitStack() as stack:
        path = Path(output_dir) if output_dir is not None else stack.enter_context(_place_in(source, file_format))
        if hasattr(module, "place"):
            path = stack.enter_context(module.place(path, **options))
        if isinstance(source, RunDirectory):
            check_not_exported(path, source.find_weights(checkpoint), quantization)
        folder = stack.enter_context(new_folder(path))
        trained = source if isinstance(source, TrainedModel) else TrainedModel.of(source, checkpoint)
        trained.check_room(folder)
        usage = getattr(module, function or "write")(trained, folder, quantization, **options)
        stored = quantization or UNQUANTIZED
        record = ExportRecord(file_format, trained.checkpoint, trained.weights_sha256, stored, __version__)
        record.write(folder)
        (folder / "README.md").write_text(model_card(trained, record, usage, options), encoding="utf-8")
    return path


@contextlib.contextmanager
def _place_in(run, file_format):
    """Yield the folder for an export in a `RunDirectory`; if the block fails, nothing new is left there."""
    from interacting_head.runs.exports import export_folder

    path = export_folder(run, file_format)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):  # it holds exports
            path.parent.rmdir()


def optional_package(name: str) -> ModuleType:
    """Import a module of a package of the extra `export`; raise `InputError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package, _, _ = name.partition(".")
        if error.name != package:
            raise
        raise InputError(f"package {package} is missing: {install_command('export')}") from error


def versions(folder: str | Path) -> list[int]:
    """Return the numbers of the versions in a folder of SavedModels."""
    return [int(path.name) for path in Path(folder).glob("*") if path.name.isdecimal()]
