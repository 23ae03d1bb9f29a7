"""Text tables with aligned columns."""


def aligned(rows: list[list[str]], left: int) -> list[str]:
    """Return the rows as lines; the first `left` columns are left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = list(map(str.ljust, row[:left], widths)) + list(map(str.rjust, row[left:], widths[left:]))
        lines.append("  ".join(cells).rstrip())
    return lines
