"""Trained models in the formats of other programs: `python -m interacting_head.export`, and `docs/export.md`.

A run directory, or a `TrainedModel`, comes in, and a folder in the format of another program goes out. Start at
`convert`: it calls the module of the format. `folding.py` turns attention schemes into standard attention. Engines
read the names and sizes here, which import no Keras.
"""

import contextlib
import importlib
from pathlib import Path
from types import ModuleType

from data.errors import InputError
from data.files import new_folder
from interacting_head import __version__

TEXT = "text"
"""Folder of a converted model for all else that translation of text needs."""

EXTRA = "assets.extra"
"""Folder of a SavedModel for files that TensorFlow does not read."""

POSITIONS = 4096
"""Length of CTranslate2's table of positions, which is the largest length of a sentence in sub-words."""

LONGEST = 4096
"""Sub-words of a source of a SavedModel, and its largest `max_length`: no request is to use up the RAM of a server."""

FORMATS = {
    "ctranslate2": "interacting_head.export.ctranslate2",
    "huggingface": "interacting_head.export.huggingface",
    "keras": "interacting_head.export.keras_file",
    "marian": "interacting_head.export.huggingface:write_marian",
    "pegasus": "interacting_head.export.huggingface:write_pegasus",
    "savedmodel": "interacting_head.export.savedmodel",
}
"""Format → its module, with `QUANTIZATIONS` and `write(trained, folder, quantization)`, or `module:function`.

The function returns how to use the model, for README.md. It may have further arguments, which `OPTIONS` then names.
`place(path, **options)`, if there is one, is a context manager that says where the folder goes.
"""


def convert(
    source, file_format: str, output_dir=None, quantization: str | None = None, checkpoint=None, **options
) -> Path:
    """Write a trained model in another format, and return the folder.

    Args:
        source: a run directory, or a `TrainedModel`.
        file_format: one of `FORMATS`.
        output_dir: a new or empty folder; `savedmodel`: of versions, to which one is added. Default: `exports/FORMAT`
            in the run directory.
        quantization: how weights are stored, for formats that have a choice; default: as they are, in float32.
        checkpoint: of the run directory, see `RunDirectory.weights`.
        **options: options of the format; None counts as not given.

    Raises:
        InputError: for a model that the format cannot hold (it says which layer, and why), a folder that holds
            something, a quantization or option that the format does not have, a package that is not installed.
    """
    module_name, _, function = FORMATS[file_format].partition(":")
    module = importlib.import_module(module_name)
    from interacting_head.export.model_card import model_card  # these import Keras
    from interacting_head.export.trained_model import TrainedModel
    from interacting_head.runs.exports import UNQUANTIZED, ExportRecord, check_replaced
    from interacting_head.runs.run_directory import RunDirectory

    if quantization is not None and quantization not in module.QUANTIZATIONS:
        allowed = f"one of {', '.join(module.QUANTIZATIONS)}" if module.QUANTIZATIONS else "none"
        raise InputError(f"--quantization {quantization}: the format {file_format} takes {allowed}")
    options = {name: value for name, value in options.items() if value is not None}
    for name in options.keys() - set(getattr(module, "OPTIONS", ())):
        raise InputError(f"--{name.replace('_', '-')}: the format {file_format} has no such choice; leave it out")
    if isinstance(source, TrainedModel) and output_dir is None:
        raise InputError("a model without a run directory needs a folder for its export; give output_dir")
    if not isinstance(source, TrainedModel | RunDirectory):
        source = RunDirectory.open(source)
    with contextlib.ExitStack() as stack:
        path = Path(output_dir) if output_dir is not None else stack.enter_context(_place_in(source, file_format))
        if hasattr(module, "place"):
            path = stack.enter_context(module.place(path, **options))
        if isinstance(source, RunDirectory):
            check_replaced(path, source.weights(checkpoint), quantization)
        folder = stack.enter_context(new_folder(path))
        trained = TrainedModel.of(source, checkpoint)
        trained.check_room(folder)
        usage = getattr(module, function or "write")(trained, folder, quantization, **options)
        how = quantization or UNQUANTIZED
        record = ExportRecord(file_format, trained.checkpoint, trained.weights_sha256, how, __version__)
        record.write(folder)
        (folder / "README.md").write_text(model_card(trained, record, usage, options), encoding="utf-8")
    return path


@contextlib.contextmanager
def _place_in(run, file_format):
    """Yield the folder for an export in a `RunDirectory`; nothing new is left there if the block fails."""
    from interacting_head.runs.exports import export_folder

    path = export_folder(run, file_format)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):  # the export, or another one, is in it
            path.parent.rmdir()


def optional_package(name: str) -> ModuleType:
    """Return a module of a package of requirements-export.txt, or raise `InputError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package, _, _ = name.partition(".")
        if error.name != package:
            raise
        raise InputError(f"this needs the package {package}; pip install -r requirements-export.txt") from error


def versions(folder: str | Path) -> list[int]:
    """Return the numbers of the versions in a folder of SavedModels."""
    return [int(path.name) for path in Path(folder).glob("*") if path.name.isdecimal()]
