"""Trained models in the formats of other programs: `python -m interacting_head.export`, and `docs/export.md`.

A run directory, or a `TrainedModel`, comes in, and a folder in the format of another program goes out. Start at
`convert`: it calls the module of the format. `folding.py` turns attention schemes into standard attention.
"""

import importlib

from data.errors import InputError

FORMATS = {
    "ctranslate2": "interacting_head.export.ctranslate2",
    "keras": "interacting_head.export.keras_file",
    "marian": "interacting_head.export.marian",
    "savedmodel": "interacting_head.export.savedmodel",
}
"""Format → its module, with `convert(source, output_dir, quantization=None, checkpoint=None)` and `QUANTIZATIONS`.

`convert` may have further arguments, which `OPTIONS` then names, and may return another folder than `output_dir`.
"""


def convert(source, file_format, output_dir, quantization=None, checkpoint=None, **options):
    """Writes a trained model in another format.

    Args:
        source: a run directory, or a `TrainedModel`.
        file_format: one of `FORMATS`.
        output_dir: a folder that does not exist yet or is empty. It is written beside its place and renamed.
        quantization: how weights are stored, for formats that have a choice; default: as they are, in float32.
        checkpoint: of the run directory, see `RunDirectory.weights`.
        **options: those that the format's module lists in `OPTIONS`; one that is None counts as not given.

    Returns:
        The folder that was written.

    Raises:
        InputError: for a model that the format cannot hold (it says which layer, and why), a folder that holds
            something, a quantization or option that the format does not have, a package that is not installed.
    """
    module = importlib.import_module(FORMATS[file_format])
    if quantization is not None and quantization not in module.QUANTIZATIONS:
        allowed = f"one of {', '.join(module.QUANTIZATIONS)}" if module.QUANTIZATIONS else "none"
        raise InputError(f"--quantization {quantization}: the format {file_format} takes {allowed}")
    options = {name: value for name, value in options.items() if value is not None}
    for name in options.keys() - set(getattr(module, "OPTIONS", ())):
        raise InputError(f"--{name.replace('_', '-')}: the format {file_format} has no such choice; leave it out")
    return module.convert(source, output_dir, quantization=quantization, checkpoint=checkpoint, **options) or output_dir


def optional_package(name):
    """A module of a package of requirements-export.txt.

    Raises:
        InputError: where it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package, _, _ = name.partition(".")
        if error.name != package:
            raise
        raise InputError(f"this needs the package {package}; pip install -r requirements-export.txt") from error
