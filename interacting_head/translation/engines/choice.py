"""The engine that translates if nobody names one; decided without Keras or an engine being imported."""

import importlib.util

from data.command_line import install_command
from data.errors import InputError
from interacting_head.export import TEXT
from interacting_head.runs.alignment_choice import ALIGNMENT
from interacting_head.runs.exports import export_folder, why_unfit
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines import (
    DEFAULT_ENGINE,
    FASTER_ENGINE,
    check_capabilities,
    check_source_length,
    check_target_lengths,
    why_not_alike,
)


def choose_engine(
    paths: list,
    checkpoint: str | None = None,
    wanted: set[str] | tuple = (),
    max_source_length: int | None = None,
    search: dict | None = None,
) -> tuple[str, str | None]:
    """Return the name of the engine for run directories, and a line about the choice, or None where there was none.

    Args:
        paths: run directories; several are an ensemble.
        checkpoint: see `RunDirectory.find_weights`.
        wanted: the `CAPABILITIES` that are needed, except for an ensemble's.
        max_source_length: the most sub-words of a line that is translated as a whole, if that is given.
        search: `{field of SearchOptions: value}` beyond the settings of the run.
    """
    folders = [export_folder(RunDirectory(path), FASTER_ENGINE) for path in paths]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        return DEFAULT_ENGINE, None
    try:
        check_capabilities(FASTER_ENGINE, {*wanted, *(["ensemble"] if len(paths) > 1 else [])})
        if max_source_length is not None:
            check_source_length("--max-source-length", max_source_length, FASTER_ENGINE)
        options = SearchOptions.of(RunDirectory(paths[0]).config.decode, search or {})
        check_target_lengths({name: getattr(options, name) for name in ("min_length", "max_length")}, FASTER_ENGINE)
        reason = why_not_alike(options, "prefix" in wanted)
    except InputError as error:
        reason = str(error)
    if reason is None and importlib.util.find_spec(FASTER_ENGINE) is None:
        reason = f"{folder} needs the package {FASTER_ENGINE}; {install_command('export')}"
    run = RunDirectory(paths[0])
    reason = reason or why_unfit(folder, run.find_weights(checkpoint))
    if reason is None and "alignment" in wanted:
        text = RunDirectory(folder / TEXT)
        if text.read_json(ALIGNMENT) is None or text.alignment_choice() != run.alignment_choice():
            reason = f"{folder} does not have the attention that aligns words of {run.path}"
    if reason is not None:
        return DEFAULT_ENGINE, f"engine {DEFAULT_ENGINE}: {reason}"
    return FASTER_ENGINE, f"engine {FASTER_ENGINE}: {folder} (--engine {DEFAULT_ENGINE} uses Keras)"
