import errno
import gzip
import json
import resource

import numpy as np
import pytest

from data.batches.encoding import encode_parallel
from data.errors import InputError
from data.text.parallel_text import ParallelText
from data.text.subwords import Subwords, train_subwords
from tests.data.conftest import sentences


def parallel_text(folder, sources, targets, suffix=""):
    text = ParallelText(folder / f"x.de{suffix}", folder / f"x.en{suffix}")
    for path, lines in ((text.source, sources), (text.target, targets)):
        content = "".join(f"{line}\n" for line in lines).encode()
        path.write_bytes(gzip.compress(content) if suffix else content)
    return text


def decoded(side, subwords):
    return subwords.decode(side[i] for i in range(len(side)))


def entries(cache):
    return sorted((cache / "encoded").iterdir())


@pytest.fixture
def text(tmp_path):
    return parallel_text(tmp_path, sentences(100, seed=5), sentences(100, seed=6))


def test_encoded_pairs_decode_to_the_lines_in_order(text, subwords):
    pairs = encode_parallel(text, subwords, subwords, max_length=1000)
    assert list(zip(decoded(pairs.source, subwords), decoded(pairs.target, subwords), strict=True)) == list(
        text.pairs()
    )
    assert len(pairs) == 100
    assert (pairs.dropped_empty, pairs.dropped_long) == (0, 0)


def test_ids_and_lengths_equal_the_output_of_the_subword_model(text, subwords):
    pairs = encode_parallel(text, subwords, subwords, max_length=1000)
    expected = subwords.encode([source for source, _ in text.pairs()])
    assert [pairs.source[i].tolist() for i in range(100)] == expected
    assert pairs.source.lengths.tolist() == [len(ids) for ids in expected]


def test_ids_are_memory_mapped_and_small(text, subwords):
    pairs = encode_parallel(text, subwords, subwords, max_length=1000)
    assert isinstance(pairs.source.tokens, np.memmap)
    assert pairs.source.tokens.dtype == np.uint16


def test_each_side_has_its_own_model(text, subwords, tmp_path):
    train_subwords(sentences(200, seed=9), 350, tmp_path / "other.model")
    other = Subwords(tmp_path / "other.model")
    pairs = encode_parallel(text, subwords, other, max_length=1000)
    assert decoded(pairs.source, subwords) == [source for source, _ in text.pairs()]
    assert decoded(pairs.target, other) == [target for _, target in text.pairs()]


def test_pairs_with_an_empty_side_and_long_pairs_are_dropped_and_counted(tmp_path, subwords):
    long = "haus " * 30
    sources = ["Haus", "", "Haus", "  ", long, "Haus", "", "der"]
    targets = ["Tür", "Tür", "", "", "Tür", long, long, "ein"]
    text = parallel_text(tmp_path, sources, targets)
    pairs = encode_parallel(text, subwords, subwords, max_length=20)
    assert decoded(pairs.source, subwords) == ["Haus", "der"]
    assert decoded(pairs.target, subwords) == ["Tür", "ein"]
    assert (pairs.dropped_empty, pairs.dropped_long) == (4, 2)


def test_max_length_itself_is_allowed_and_does_not_count_the_end_symbol(tmp_path, subwords):
    text = parallel_text(tmp_path, ["haus haus haus"], ["haus"])
    (ids,) = subwords.encode(["haus haus haus"])
    assert len(encode_parallel(text, subwords, subwords, max_length=len(ids))) == 1
    with pytest.raises(InputError, match=rf"no pair is left: .* 1 have more than {len(ids) - 1} sub-words"):
        encode_parallel(text, subwords, subwords, max_length=len(ids) - 1)


def test_a_text_of_empty_lines_leaves_no_pair(tmp_path, subwords, cache):
    text = parallel_text(tmp_path, ["", ""], ["a", ""])
    with pytest.raises(InputError, match=r"no pair is left: of 2 pairs .* 2 have an empty side"):
        encode_parallel(text, subwords, subwords, max_length=20)
    assert entries(cache) == []


def test_more_lines_than_a_chunk_stay_aligned(tmp_path, subwords, monkeypatch):
    monkeypatch.setattr("data.batches.encoding.CHUNK", 7)
    text = parallel_text(tmp_path, [f"haus {i}" for i in range(50)], [f"tür {i}" for i in range(50)])
    pairs = encode_parallel(text, subwords, subwords, max_length=100)
    assert decoded(pairs.target, subwords) == [f"tür {i}" for i in range(50)]


def test_text_is_not_encoded_a_second_time(text, subwords, cache, monkeypatch):
    first = encode_parallel(text, subwords, subwords, max_length=100)
    monkeypatch.setattr(Subwords, "encode", lambda *_: pytest.fail("encoded again"))
    again = encode_parallel(text, subwords, subwords, max_length=100)
    assert np.array_equal(first.source.tokens, again.source.tokens)
    assert np.array_equal(first.target.lengths, again.target.lengths)
    assert len(entries(cache)) == 1


def test_a_changed_file_is_encoded_again(tmp_path, text, subwords, cache):
    encode_parallel(text, subwords, subwords, max_length=100)
    text = parallel_text(tmp_path, ["Haus"] * 100, sentences(100, seed=6))
    assert decoded(encode_parallel(text, subwords, subwords, max_length=100).source, subwords) == ["Haus"] * 100
    text = parallel_text(tmp_path, ["Haus"] * 100, ["Tür"] * 100)
    assert decoded(encode_parallel(text, subwords, subwords, max_length=100).target, subwords) == ["Tür"] * 100
    assert len(entries(cache)) == 3


def test_another_model_or_length_is_another_entry(text, subwords, cache, tmp_path):
    train_subwords(sentences(200, seed=9), 350, tmp_path / "other.model")
    other = Subwords(tmp_path / "other.model")
    for source_model, target_model, max_length in (
        (subwords, subwords, 100),
        (other, subwords, 100),
        (subwords, other, 100),
        (subwords, subwords, 99),
    ):
        encode_parallel(text, source_model, target_model, max_length=max_length)
    assert len(entries(cache)) == 4


def test_a_damaged_entry_is_made_again(text, subwords, cache):
    first = encode_parallel(text, subwords, subwords, max_length=100)
    expected = first.source.tokens.tolist()
    (entry,) = entries(cache)
    (entry / "source.tokens").write_bytes(b"\0\0")
    assert encode_parallel(text, subwords, subwords, max_length=100).source.tokens.tolist() == expected
    (entry / "description.json").write_text("{")
    assert encode_parallel(text, subwords, subwords, max_length=100).source.tokens.tolist() == expected


def test_gzip_and_plain_files_give_the_same_ids(tmp_path, text, subwords):
    packed = parallel_text(tmp_path, *zip(*text.pairs(), strict=True), suffix=".gz")
    plain, other = (encode_parallel(x, subwords, subwords, max_length=100) for x in (text, packed))
    assert np.array_equal(plain.source.tokens, other.source.tokens)
    assert np.array_equal(plain.target.tokens, other.target.tokens)


def test_an_error_in_the_text_leaves_nothing_in_the_cache(tmp_path, subwords, cache):
    text = parallel_text(tmp_path, ["a"] * 20, ["a"] * 19)
    with pytest.raises(InputError, match="20 lines"):
        encode_parallel(text, subwords, subwords, max_length=100)
    assert entries(cache) == []


def test_a_full_disk_is_named_with_any_file(tmp_path, subwords, cache):
    [word] = [piece[1:] for piece in subwords.pieces() if piece.startswith("▁") and len(piece) > 1][:1]
    text = parallel_text(tmp_path, [word] * 3000, [word] * 3000)  # an id has 2 bytes, a length 4
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            encode_parallel(text, subwords, subwords, max_length=100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert str(cache) in caught.value.filename
    assert entries(cache) == []


def test_a_missing_file_is_an_error(tmp_path, subwords):
    with pytest.raises(InputError, match="cannot read"):
        encode_parallel(ParallelText(tmp_path / "a.de", tmp_path / "a.en"), subwords, subwords, max_length=9)


def test_a_limit_gives_a_seeded_subset_in_the_order_of_the_lines(text, subwords):
    whole = encode_parallel(text, subwords, subwords, max_length=100)
    lines = list(zip(decoded(whole.source, subwords), decoded(whole.target, subwords), strict=True))

    def subset(size, seed=0):
        pairs = whole.sample(size, seed)
        return list(zip(decoded(pairs.source, subwords), decoded(pairs.target, subwords), strict=True))

    some = subset(30)
    assert len(some) == 30
    assert some == [pair for pair in lines if pair in set(some)]
    assert some == subset(30, seed=0)
    assert some != subset(30, seed=1)
    assert some != lines[:30]
    assert set(some) < set(subset(60))
    assert subset(100) == lines


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_limit_that_cannot_be_met_is_an_error(text, subwords, limit):
    pairs = encode_parallel(text, subwords, subwords, max_length=100)
    with pytest.raises(InputError, match="must be from 1 to 100, the number of training pairs"):
        pairs.sample(limit, seed=0)


def test_counts_survive_in_the_cache(tmp_path, subwords, cache):
    text = parallel_text(tmp_path, ["", "a"], ["a", "a"])
    encode_parallel(text, subwords, subwords, max_length=100)
    assert encode_parallel(text, subwords, subwords, max_length=100).dropped_empty == 1
    (entry,) = entries(cache)
    assert json.loads((entry / "description.json").read_text())["dropped_empty"] == 1
