"""Plain English: words that make a text read as translated stay out of code and documentation."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TICS = ("those of", "that of", "beside", "anew", "so many", "told", "but for", "whoever", "is had", "be it")
TICS += ("Of", "of which", "all that", "that there are", "afresh", '"""What')
"""Words as they are written: `Of` begins an inverted sentence, the last one a docstring that is a mere heading."""
FOLDERS = ("data", "interacting_head", "layers", "benchmarks", "docs", "tests")
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md") and path.name not in ("REPRODUCTION.md", "test_wording.py")
) + sorted(path for pattern in ("*.md", "*.py", "*.txt", "*.toml", "*.yml", "Makefile") for path in ROOT.glob(pattern))


@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_texts_are_free_of_phrases_that_read_as_translated(folder):
    files = [path for path in FILES if path.relative_to(ROOT).parts[:-1][:1] == ((folder,) if folder else ())]
    assert files
    found = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            tics = [tic for tic in TICS if re.search(rf"(?<!\w){tic}\b", line)]
            found += [f"{path.relative_to(ROOT)}:{number}: {tic}" for tic in tics]
    assert not found, "\n".join(found)
