"""Small texts and models that the tests of `data` share."""

import random
import sys
from pathlib import Path

import pytest

from data.text.subwords import Subwords, train_subwords
from tests import skip_reasons

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"


def sentences(count, seed):
    """Lines of one to twelve words made of German syllables, so that there is something to merge."""
    draw = random.Random(seed)
    syllables = ["ge", "ver", "lau", "ben", "fen", "ung", "lich", "haus", "tür", "ß", "ein", "aus", "der"]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(200)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 12))).capitalize() + "." for _ in range(count)]


def python_steps(function):
    """The lines of Python that a call takes, NumPy's included: the cost of a loop, on any machine."""
    count, former = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(former)
    return count


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of each test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(folder))
    monkeypatch.delenv("CORPORA_DIR", raising=False)
    return folder


@pytest.fixture
def corpora(tmp_path):
    """A folder of corpora with one, `mine`: 400, 30 and 20 pairs."""
    folder = tmp_path / "corpora" / "mine"
    folder.mkdir(parents=True)
    for split, count in (("train", 400), ("dev", 30), ("test", 20)):
        for seed, code in enumerate(("de", "en")):
            (folder / f"{split}.{code}").write_text("\n".join(sentences(count, seed)) + "\n", encoding="utf-8")
    return folder.parent


@pytest.fixture(scope="session")
def subwords(tmp_path_factory):
    path = tmp_path_factory.mktemp("subwords") / "both.model"
    train_subwords(sentences(500, seed=1), 400, path)
    return Subwords(path)


@pytest.fixture(scope="session")
def multi30k():
    """The folder of Multi30k, where the machine has it."""
    if not (CORPORA / "multi30k").is_dir():
        pytest.skip(skip_reasons.CORPORA)
    return CORPORA / "multi30k"
