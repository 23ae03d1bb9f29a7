"""Paragraphs of LibreOffice's help: HTML pages of the same name in each language, paragraphs with the same id."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from data.errors import InputError
from data.readers.plain import without_line_breaks
from data.text.parallel_text import read_lines

PARAGRAPH_ID = re.compile(r"(par|hd)_\w+")
FEWEST_WORDS = 3
WIDEST_RATIO = 3.5  # of the lengths in characters; beyond it, one side translates only a part of the other
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def read_help_pages(source: str | Path, target: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs and headings that both languages have, page after page.

    Each argument is a folder with pages `*/help/<language>/text/**/*.html`, as in the Debian packages
    libreoffice-help-<language>. Paragraphs are dropped if their sides are equal, have fewer than three words or differ
    too much in length. Raises `InputError` if a folder has no such page.
    """
    pages = [_pages(Path(folder)) for folder in (source, target)]
    for name in sorted(pages[0].keys() & pages[1].keys()):
        left, right = (_paragraphs(side[name]) for side in pages)
        for identity, text in left.items():
            if identity in right and _fits(text, right[identity]):
                yield text, right[identity]


def _pages(folder):
    found = {f"/{path.relative_to(folder)}".partition("/text/")[2]: path for path in folder.rglob("*.html")}
    pages = {name: path for name, path in found.items() if name}
    if not pages:
        raise InputError(f"{folder} contains no help pages (text/*.html)")
    return pages


def _fits(source, target):
    if source == target or min(len(source.split()), len(target.split())) < FEWEST_WORDS:
        return False
    return 1 / WIDEST_RATIO <= len(source) / len(target) <= WIDEST_RATIO


def _paragraphs(path):
    """Return {id: text} of a page, the first text if an id occurs twice."""
    page = _Page()
    # All at once: while a comment is open, the parser rescans it for each line.
    page.feed("".join(f"{line}\n" for line in read_lines(path)))
    page.close()
    return page.paragraphs


class _Page(HTMLParser):
    """Collector of the text of elements with a paragraph id, without text for macOS only."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.paragraphs: dict[str, str] = {}
        self._identity, self._parts, self._depth = None, [], 0
        self._hidden_at = None  # the depth of an element with text for macOS only

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if self._identity is None:
            if PARAGRAPH_ID.fullmatch(identity := attributes.get("id") or ""):
                self._identity, self._parts, self._depth, self._hidden_at = identity, [], 1, None
        elif tag not in VOID:
            self._depth += 1
            if attributes.get("class") == "MAC" and self._hidden_at is None:
                self._hidden_at = self._depth

    def handle_endtag(self, tag):
        if self._identity is None or tag in VOID:
            return
        if self._depth == self._hidden_at:
            self._hidden_at = None
        self._depth -= 1
        if self._depth == 0:
            self.paragraphs.setdefault(self._identity, without_line_breaks("".join(self._parts)))
            self._identity = None

    def handle_data(self, data):
        if self._identity is not None and self._hidden_at is None:
            self._parts.append(data)
