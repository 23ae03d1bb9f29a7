"""Names and sizes in exported folders, for those that write and those that read them. It imports no Keras."""

from pathlib import Path

TEXT = "text"
"""Folder of a converted model for all that translation of text needs beside it."""

EXTRA = "assets.extra"
"""Folder of a SavedModel for files that TensorFlow does not read."""

POSITIONS = 4096
"""Length of CTranslate2's table of positions, which is the largest length of a sentence in sub-words."""

LONGEST = 4096
"""Sub-words of a source of a SavedModel, and its largest `max_length`: no request is to use up the RAM of a server."""


def versions(folder):
    """Return the numbers of the versions in a folder of SavedModels."""
    return [int(path.name) for path in Path(folder).glob("*") if path.name.isdecimal()]
