"""Tables as text: aligned columns for the terminal, Markdown for documents."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence


def aligned(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Return the rows as lines; the columns whose numbers are in `left` are left-aligned, the others right-aligned."""
    columns = []
    for number, cells in enumerate(zip(*rows, strict=True)):
        # Combining characters have no width.
        widths = [sum(not unicodedata.combining(character) for character in cell) for cell in cells]
        blanks = [" " * (max(widths) - width) for width in widths]
        pairs = zip(cells, blanks, strict=True)
        columns.append([cell + blank if number in left else blank + cell for cell, blank in pairs])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def markdown(rows: Iterable[Sequence[str]], left: Collection[int] | None = None) -> str:
    """Return rows, the header first, as a Markdown table.

    The columns whose numbers are in `left` are left-aligned, the others right-aligned; None leaves that to the reader.
    """
    header, *rows = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    if left is None:
        rule = "|---" * len(header) + "|"
    else:
        rule = f"| {' | '.join(':--' if number in left else '--:' for number in range(len(header)))} |"
    first = "".join(f"| {cell} " if cell else "| " for cell in header) + "|"
    return "\n".join([first, rule, *(f"| {' | '.join(row)} |" for row in rows)])
