"""The folder of a run: which files in it belong to the run, and how a new run replaces a previous one.

The previous run stays in `.former-run` until the new one has a checkpoint. Every step is a rename, so `settle` can tell
from the folder's name what a killed process has left. Exports stay in their place: each records its weights.
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from data.errors import InputError
from data.files import PARTIAL, make_folder
from interacting_head.runs.alignment_choice import ALIGNMENT

logger = logging.getLogger("interacting_head")

WEIGHTS = ".weights.h5"
PRUNING = "pruning.json"
"""The file of `analyze pruning --remove` that lists the removed heads."""
EXPORTS = "exports"
"""Folder of a run directory with a folder for each format of `export`. `--no-resume` leaves it alone."""
TRANSLATIONS = "translations"
"""Folder of a run directory with translations of test sets, by `reproduce`."""

FOLDERS = {
    "checkpoints": (f"step-[0-9]*{WEIGHTS}", "step-[0-9]*.state.npz"),
    "subwords": ("source.model", "target.model"),
    "truecasing": ("source.truecase", "target.truecase"),
    "tensorboard": ("events.out.tfevents.*",),
    TRANSLATIONS: ("*.gz", "*.json"),
}
"""Folder of a run → patterns of the names of its files there."""
FILES = (
    *(f"{name}{WEIGHTS}" for name in ("best", "average", "ema")),
    *("log.jsonl", "metrics.json", PRUNING, ALIGNMENT, "train.log", "reproduce.log"),
    *("text.json", "config.yaml", "VERSION"),
)
"""Other files of a run. The configuration is moved or removed late, so that a killed process leaves a run."""

FORMER = ".former-run"
MOVING = f"{FORMER}-moving"  # some of its files are here, the others still in the run directory
REMOVED = f"{FORMER}-removed"  # some of its files are deleted


def run_files(folder: Path) -> Iterator[Path]:
    """Yield the paths of the files in a folder that belong to a run."""
    for name, patterns in FOLDERS.items():
        for pattern in patterns:
            yield from sorted((folder / name).glob(pattern))
    yield from (path for name in FILES if os.path.lexists(path := folder / name))


def clear(folder: Path) -> None:
    """Remove the files of a run, and its folders if they are then empty."""
    for path in run_files(folder):
        path.unlink()
    for name in FOLDERS:
        with contextlib.suppress(OSError):  # not empty, missing, or a link
            (folder / name).rmdir()


def check_unused(folder: Path, version_is_known: bool) -> None:
    """Raise `InputError` if the folder of a new run contains something else.

    Allowed are remains of a killed process, a link for checkpoints, and anything if a run was set aside there.
    """
    if (folder / FORMER).is_dir():
        return
    others = [path.name for path in sorted(folder.glob("*")) if not path.name.startswith(PARTIAL)]
    begun = [name for name in FOLDERS if (folder / name).is_symlink() or not any((folder / name).glob("*"))]
    others = [name for name in others if name not in begun and not (name == "VERSION" and version_is_known)]
    others += [str(path.relative_to(folder)) for path in run_files(folder) if path.parent != folder]
    if others:
        raise InputError(
            f"{folder} is not empty and not a run directory: it has {others[0]} but no config.yaml; choose another "
            "--run-dir, or empty the folder"
        )


def check_checkpoints(folder: Path) -> None:
    """Raise `InputError` if `checkpoints` is a broken link."""
    link = folder / "checkpoints"
    if link.is_symlink() and not link.is_dir():
        raise InputError(
            f"{link} is a link to {os.readlink(link)}, which does not exist; create that folder, mount its disk, or "
            "remove the link"
        )


def set_aside(folder: Path) -> None:
    """Move the files of a run into its folder `.former-run`, which becomes a run directory, until `settle`."""
    moving = folder / MOVING
    make_folder(moving)
    for path in run_files(folder):
        moved = moving / path.relative_to(folder)
        if path.parent != folder:
            _make_place(path.parent, moved.parent)
        path.rename(moved)
    moving.rename(folder / FORMER)


def settle(folder: Path, has_checkpoint: bool) -> None:
    """Remove the run that was set aside if the new one `has_checkpoint`, else restore it."""
    if (folder / FORMER).is_dir():
        if not has_checkpoint:
            clear(folder)
        (folder / FORMER).rename(folder / (REMOVED if has_checkpoint else MOVING))
    if (folder / MOVING).is_dir():
        for path in list(run_files(folder / MOVING)):
            place = folder / path.relative_to(folder / MOVING)
            make_folder(place.parent)
            path.rename(place)
        _remove(folder / MOVING)
        logger.warning("%s: the previous run was restored, because the new one saved no checkpoint", folder)
    if (folder / REMOVED).is_dir():
        _remove(folder / REMOVED)


def former_hint(folder: Path) -> str:
    """Return a hint for messages on where the run that was set aside is, or an empty string."""
    former = next((folder / name for name in (FORMER, MOVING) if (folder / name).is_dir()), None)
    return f"; the previous run is in {former}, and the next interacting-head train restores it" if former else ""


def _make_place(folder, place):
    """Create `place` for the files of a folder; if that is a link, create a link to the same disk."""
    if not folder.is_symlink():
        make_folder(place)
    elif not place.is_symlink():
        store = Path(os.path.realpath(folder)) / FORMER
        make_folder(store)
        place.symlink_to(store)


def _remove(former):
    """Remove a run that was set aside; other files stay, and the folder with them."""
    clear(former)
    for name in FOLDERS:
        link = former / name
        if link.is_symlink():
            with contextlib.suppress(OSError):  # already removed, or not empty
                Path(os.path.realpath(link)).rmdir()
            link.unlink()
    with contextlib.suppress(OSError):
        former.rmdir()
