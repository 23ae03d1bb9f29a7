"""Reading and checking line-aligned hypotheses and references."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from data.errors import InputError
from data.text.parallel_text import decode_lines, display_name, open_text_file

SUBWORD_PIECE = re.compile("▁|@@( |$)")


def read_lines(path: str | Path) -> list[str]:
    """Read UTF-8 lines from a plain or gzipped file, or `-` (standard input); raise `InputError` for other content."""
    name = display_name(path)
    with open_text_file(path) as file:
        lines = list(decode_lines(file, name))
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise InputError(f"{name}, line {number}: NUL byte, as in binary data or UTF-16; give UTF-8 text")
    return lines


def read_aligned(
    hypothesis_paths: Sequence[str], reference_paths: Sequence[str], source_path: str | None = None
) -> tuple[list[tuple[str, list[str]]], list[list[str]], list[str] | None]:
    """Read systems (name, lines), references and perhaps the source; raise `InputError` unless they are aligned."""
    if [*hypothesis_paths, *reference_paths, source_path].count("-") > 1:
        raise InputError("standard input is used more than once (it is the default of -i); name files instead")
    references = [read_lines(path) for path in reference_paths]
    systems = [(display_name(path), read_lines(path)) for path in hypothesis_paths]
    reference_names = list(map(display_name, reference_paths))
    for name, lines in systems:
        check_lines(lines, references, name, reference_names)
    if not source_path:
        return systems, references, None
    sources = read_lines(source_path)
    if len(sources) != len(references[0]):
        raise InputError(
            f"{display_name(source_path)} has {_count(sources)}, but {reference_names[0]} has "
            f"{_count(references[0])}; give one source line for each reference"
        )
    return systems, references, sources


def check_lines(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    hypotheses_name: str = "the list of hypotheses",
    reference_names: Sequence[str] | None = None,
) -> None:
    """Raise an `InputError` unless every hypothesis has a non-empty line in every reference."""
    if not hypotheses:
        raise InputError(f"{hypotheses_name} is empty; give one translation per line")
    if not references:
        raise InputError("no reference to compare with; give at least one")
    reference_names = reference_names or [f"reference {number + 1}" for number in range(len(references))]
    for name, reference in zip(reference_names, references, strict=True):
        if len(reference) != len(hypotheses):
            raise InputError(
                f"{hypotheses_name} has {_count(hypotheses)}, but {name} has {_count(reference)}; "
                "give one reference line for each hypothesis"
            )
        for number, line in enumerate(reference, start=1):
            if not line.strip():
                raise InputError(f"{name}, line {number}: empty reference; fill it in or remove the line everywhere")


def input_warnings(hypotheses: Sequence[str], name: str, tokenization_expected: bool) -> Iterator[str]:
    """Yield warnings for signs that the hypotheses `name` are not ready to be scored."""
    pieces = [number for number, line in enumerate(hypotheses, start=1) if SUBWORD_PIECE.search(line)]
    if pieces:
        yield (
            f"{name}: sub-word pieces in {len(pieces)} of {_count(hypotheses)}, first in line {pieces[0]}; "
            "these scores are not comparable, so join the pieces into words first"
        )
    tokenized = sum(line.endswith(" .") for line in hypotheses)
    if tokenized >= 100 and not tokenization_expected:  # sacrebleu's own threshold for this warning
        yield (
            f"{name}: {tokenized} lines end in ' .'; sacrebleu wants detokenised text "
            "(or --tokenized, if hypotheses and references are tokenised alike)"
        )


def _count(lines):
    return f"{len(lines)} line" + "s" * (len(lines) != 1)
