import pytest

from data.errors import InputError
from data.parallel_text import ParallelText
from data.subwords import Subwords
from data.vocabularies import learn_vocabularies
from tests.data.conftest import sentences


@pytest.fixture
def text(tmp_path):
    for language, seed in (("de", 1), ("en", 2)):
        (tmp_path / f"x.{language}").write_text("\n".join(sentences(200, seed)), encoding="utf-8")
    return ParallelText(tmp_path / "x.de", tmp_path / "x.en")


def test_a_shared_vocabulary_is_one_model_and_separate_ones_are_two(text):
    source, target = learn_vocabularies(text, 350, shared=True)
    assert source == target
    source, target = learn_vocabularies(text, 350, shared=False)
    assert source.read_bytes() != target.read_bytes()
    assert Subwords(source).vocabulary_size == Subwords(target).vocabulary_size == 350


def test_models_are_learnt_once_for_the_same_text(text, cache):
    first = learn_vocabularies(text, 350, shared=True)
    times = {path: path.stat().st_mtime_ns for path in first}
    assert learn_vocabularies(text, 350, shared=True) == first
    assert {path: path.stat().st_mtime_ns for path in first} == times
    learn_vocabularies(text, 351, shared=True)
    assert len(list((cache / "subwords").iterdir())) == 2
    text.source.write_text("\n".join(sentences(200, 3)), encoding="utf-8")
    assert learn_vocabularies(text, 350, shared=True) != first


def test_a_size_that_cannot_be_is_an_error_and_leaves_nothing(text, cache):
    with pytest.raises(InputError, match=r"set data\.vocabulary_size to at most"):
        learn_vocabularies(text, 50_000, shared=True)
    assert list((cache / "subwords").iterdir()) == []
