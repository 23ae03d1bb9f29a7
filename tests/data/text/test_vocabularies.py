import pytest

from data.errors import InputError
from data.text.parallel_text import ParallelText
from data.text.subwords import Subwords
from data.text.vocabularies import learn_vocabularies
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


def test_an_impossible_size_is_an_error_and_leaves_nothing(text, cache):
    with pytest.raises(InputError, match=r"set data\.vocabulary_size \(--vocabulary-size\) to at most"):
        learn_vocabularies(text, 50_000, shared=True)
    assert list((cache / "subwords").iterdir()) == []


def test_sizes_of_separate_vocabularies_may_differ(text):
    found = learn_vocabularies(text, (340, 360), shared=False)
    assert [Subwords(path).vocabulary_size for path in found] == [340, 360]


@pytest.fixture
def two_languages(tmp_path):
    """Text whose sides share some words, and each has characters and words of its own."""
    sides = {
        "de": ["der größte hund in berlin", "ein hund in köln und ein haus", "die größe der häuser in köln"],
        "en": ["the largest dog in berlin", "a dog in cologne, and a house", "the size of the houses – in york"],
    }
    for language, lines in sides.items():
        (tmp_path / f"two.{language}").write_text("".join(f"{line}\n" for line in 10 * lines), encoding="utf-8")
    return ParallelText(tmp_path / "two.de", tmp_path / "two.en")


def test_each_side_keeps_the_joint_merges_that_it_needs(two_languages):
    [joint, _] = map(Subwords, learn_vocabularies(two_languages, 340))
    sides = [Subwords(path) for path in learn_vocabularies(two_languages, 340, shared=False, joint_merges=True)]
    pieces = [{side.piece(number) for number in range(side.vocabulary_size)} for side in sides]
    for subwords, side, own in zip(sides, zip(*two_languages.pairs(), strict=True), pieces, strict=True):
        assert subwords.encode_as_pieces(side) == joint.encode_as_pieces(side)
        needed = {piece for line in joint.encode_as_pieces(side) for piece in line}
        assert needed <= own
        assert all(len(piece) == 1 for piece in own - needed if not piece.startswith("<"))
        assert max(max(ids) for ids in subwords.encode(side)) < subwords.vocabulary_size < joint.vocabulary_size
        assert [subwords.piece(number) for number in range(260)] == [joint.piece(number) for number in range(260)]
    assert "ö" in pieces[0] - pieces[1]
    assert "–" in pieces[1] - pieces[0]
    assert pieces[0] & pieces[1] > {"▁in"}


def test_bytes_of_one_side_do_not_keep_characters_of_the_other(tmp_path):
    (tmp_path / "de").write_text("ein < hund > und x\n" * 500, encoding="utf-8")
    (tmp_path / "en").write_text("a dog\n" * 499 + "a dog \u2603\n", encoding="utf-8")  # too rare to be a piece
    text = ParallelText(tmp_path / "de", tmp_path / "en")
    sides = [Subwords(path) for path in learn_vocabularies(text, 290, shared=False, joint_merges=True)]
    pieces = [{side.piece(number) for number in range(side.vocabulary_size)} for side in sides]
    assert "<0xE2>" in sides[1].encode_as_pieces(["\u2603"])[0]
    assert {"<", ">", "x"} <= pieces[0]
    assert not {"<", ">", "x"} & pieces[1]


def test_text_of_the_other_language_is_encoded_without_unknown_pieces(two_languages):
    paths = learn_vocabularies(two_languages, 340, shared=False, joint_merges=True)
    for subwords, side in zip(map(Subwords, paths), list(zip(*two_languages.pairs(), strict=True))[::-1], strict=True):
        ids = subwords.encode(side)
        assert max(map(max, ids)) < subwords.vocabulary_size
        assert not any(1 in line for line in ids)  # nothing is unknown
        assert subwords.decode(ids) == list(side)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((350, True, True), r"set data\.shared_vocabulary=false"),
        (((350, 350), True, False), "one sub-word model is learnt on both sides"),
        (((350, 350), False, True), "one sub-word model is learnt on both sides"),
        (((350,), False, False), "one number, or two"),
    ],
)
def test_settings_that_contradict_each_other_are_errors(text, settings, message):
    with pytest.raises(InputError, match=message):
        learn_vocabularies(text, *settings)
