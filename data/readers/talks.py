"""The training files of IWSLT, `train.tags.<pair>.<language>`: lines of talks, and lines about the talks."""

import re
from collections.abc import Iterator
from pathlib import Path

from data.errors import InputError
from data.readers.alignment import Segment, aligned, one_line
from data.text.parallel_text import read_lines

ABOUT = ("url", "keywords", "talkid", "speaker", "reviewer", "translator", "doc", "transcript", "date", "dtime")
TITLES = ("title", "description")
TAG = re.compile(rf"<(/?)({'|'.join((*ABOUT, *TITLES))})\b[^<>]*>")


def read_talks(source: str | Path, target: str | Path, titles: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the aligned lines of two IWSLT training files, plain or gzip.

    The files are text, with lines in tags (`<url>`, `<talkid>`, `<title>`, …) before each talk; their number may
    differ between languages. Characters such as `&` and `<` stand for themselves. With `titles`, the title and
    description of each talk are pairs too.

    Raises:
        InputError: for a title without its end tag, for lines of different talks, for different numbers of lines, and
            as `data.text.parallel_text.read_lines` does.
    """
    return aligned((source, target), [_lines(path, titles) for path in (source, target)], "lines")


def _lines(path, titles):
    talk = "before the first talk"
    for number, line in enumerate(read_lines(path), start=1):
        text = line.strip()
        tag = TAG.match(text)
        if tag is None:
            yield Segment(number, talk, one_line(text))
            continue
        name = tag[2]
        if name in TITLES or name == "talkid":
            content = text[tag.end() :].removesuffix(f"</{name}>")
            if tag[1] or content == text[tag.end() :]:
                raise InputError(f"{path}, line {number}: <{name}> without </{name}> on the same line")
            if name == "talkid":
                talk = f"talk {content.strip()}"
            elif titles:
                yield Segment(number, talk, one_line(content))
