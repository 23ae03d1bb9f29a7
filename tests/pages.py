"""The pages of the documentation, and the blocks of code in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def blocks(page):
    """Return pairs of the language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def shown(page, begin):
    """Return the block of text, of a page of docs/, that begins in this way."""
    [found] = [text for kind, text in blocks(ROOT / "docs" / page) if kind == "text" and text.startswith(begin)]
    return found
