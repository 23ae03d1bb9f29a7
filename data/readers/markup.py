"""Lines and segments in markup: IWSLT's training files and XML sets, and WMT's SGML-like files."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from data.errors import InputError
from data.readers.plain import Segment, aligned_segments, without_line_breaks
from data.text.parallel_text import read_lines

ABOUT = ("url", "keywords", "talkid", "speaker", "reviewer", "translator", "doc", "transcript", "date", "dtime")
TITLES = ("title", "description")
TALK_TAG = re.compile(rf"<(/?)({'|'.join((*ABOUT, *TITLES))})\b[^<>]*>")


def read_talks(source: str | Path, target: str | Path, titles: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the aligned lines of two IWSLT training files, plain or gzip.

    They are text, with tagged lines (`<url>`, `<talkid>`, `<title>`, …) before each talk, whose number may differ
    between languages; `&` and `<` are not escaped. `titles` adds the title and description of each talk. Raises
    `InputError` for a title without its end tag and for lines of different talks.
    """
    return aligned_segments((source, target), [_lines(path, titles) for path in (source, target)], "lines")


def _lines(path, titles):
    talk = "before the first talk"
    for number, line in enumerate(read_lines(path), start=1):
        text = line.strip()
        tag = TALK_TAG.match(text)
        if tag is None:
            yield Segment(number, talk, without_line_breaks(text))
            continue
        name = tag[2]
        if name in TITLES or name == "talkid":
            content = text[tag.end() :].removesuffix(f"</{name}>")
            if tag[1] or content == text[tag.end() :]:
                raise InputError(f"{path}, line {number}: <{name}> without </{name}> on the same line")
            if name == "talkid":
                talk = f"talk {content.strip()}"
            elif titles:
                yield Segment(number, talk, without_line_breaks(content))


LONGEST_SEGMENT = 1 << 20  # characters
TAG = re.compile(r"<(/?)(seg|doc)\b([^<>]*)>", re.IGNORECASE)  # no "<" inside: many unclosed tags would take forever
IDENTITY = re.compile(r"""\bid\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)


def read_xml(source: str | Path, target: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the `<seg>` texts of two XML files (`IWSLT*.xml`) with the same ids.

    Raises `InputError`, with the line, for XML that is not well-formed or declares entities.
    """
    return aligned_segments((source, target), [_xml_segments(path) for path in (source, target)], "segments")


def read_sgm(source: str | Path, target: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the `<seg>` texts of two `.sgm` files with the same ids; resolve the five entities of XML.

    Such files look like XML but have bare `&` and unclosed tags, so only `<seg id=…>` and `</seg>` are read. Raises
    `InputError`, with the line, for a segment that is not closed or has no id.
    """
    return aligned_segments((source, target), [_sgm_segments(path) for path in (source, target)], "segments")


def _xml_segments(path):
    """Yield the segments as soon as the lines read complete them."""
    complete: list[Segment] = []
    parts: list[str] | None = None  # of the segment that is open
    start, identity = 0, ""
    parser = expat.ParserCreate()

    def start_element(name, attributes):
        nonlocal parts, start, identity
        if name == "seg":
            if parts is not None:
                raise InputError(f"{path}, line {parser.CurrentLineNumber}: <seg> within <seg> of line {start}")
            parts, start = [], parser.CurrentLineNumber
            identity = f"segment {attributes.get('id', '')}"

    def end_element(name):
        nonlocal parts
        if name == "seg":
            complete.append(Segment(start, identity, without_line_breaks("".join(parts))))
            parts = None

    def text(content):
        if parts is not None:
            parts.append(content)

    def entity(name, *_):
        raise InputError(f"{path}, line {parser.CurrentLineNumber}: declares the entity {name}, which is not allowed")

    parser.StartElementHandler, parser.EndElementHandler = start_element, end_element
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    try:
        for line in read_lines(path):
            parser.Parse(f"{line}\n")
            yield from complete
            complete.clear()
        parser.Parse("", True)
    except expat.ExpatError as error:
        raise InputError(
            f"{path}, line {error.lineno}: not well-formed XML ({expat.errors.messages[error.code]})"
        ) from error


def _sgm_segments(path):
    start, identity, text = 0, "", None
    for number, line in enumerate(read_lines(path), start=1):
        position = 0
        for tag in TAG.finditer(line):
            closing, name, attributes = tag[1], tag[2].lower(), tag[3]
            if name == "seg" and not closing:
                if text is not None:
                    raise InputError(f"{path}, line {number}: <seg> before the <seg> of line {start} is closed")
                found = IDENTITY.search(attributes)
                if found is None:
                    raise InputError(f"{path}, line {number}: <seg> without an id")
                start, identity, text = number, f"segment {found[1]}", ""
            elif name == "seg":
                if text is None:
                    raise InputError(f"{path}, line {number}: </seg> without <seg>")
                yield Segment(start, identity, without_line_breaks(_resolve(text + line[position : tag.start()])))
                text = None
            elif text is not None:
                raise InputError(f"{path}, line {number}: <{closing}{name}> before the <seg> of line {start} is closed")
            position = tag.end()
        if text is not None:
            text += f"{line[position:]}\n"
            if len(text) > LONGEST_SEGMENT:
                break
    if text is not None:
        raise InputError(f"{path}, line {start}: the <seg> that begins here is not closed")


def _resolve(text):
    return re.sub(r"&(quot|apos|lt|gt|amp);", lambda match: html.unescape(match[0]), text)
