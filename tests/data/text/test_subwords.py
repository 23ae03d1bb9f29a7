import os
import random

import pytest
import sentencepiece

from data.errors import InputError
from data.text.subwords import BEGIN, END, PAD, UNKNOWN, Subwords, train_subwords
from tests.data.conftest import sentences


def test_special_pieces_stand_where_documented(subwords):
    assert (PAD, UNKNOWN, BEGIN, END) == (0, 1, 2, 3)
    assert [subwords.piece(i) for i in range(4)] == ["<pad>", "<unk>", "<s>", "</s>"]
    assert subwords.vocabulary_size == 400


def test_text_survives_encoding_and_decoding(subwords):
    lines = [
        *sentences(50, seed=2),
        "Zoë ≠ 東京 \U0001f600",
        "tab\there",
        "no-break\xa0space\u2028and more",
        "\x00\x7f",
    ]
    assert subwords.decode(subwords.encode(lines)) == lines


def test_random_unicode_survives_encoding_and_decoding(subwords):
    draw = random.Random(0)
    characters = [chr(c) for c in range(0x21, 0x2FFF) if chr(c).isprintable() and chr(c) != "▁"]
    lines = ["".join(draw.choices(characters, k=20)) for _ in range(200)]
    ids = subwords.encode(lines)
    assert subwords.decode(ids) == lines
    assert not any(i in (PAD, UNKNOWN, BEGIN, END) for sentence in ids for i in sentence)


def test_runs_of_blanks_count_as_one(subwords):
    assert subwords.encode(["  ein  Haus "]) == subwords.encode(["ein Haus"])
    assert subwords.encode(["", "   "]) == [[], []]


@pytest.mark.parametrize("text", ["<s>", "</s>", "a <pad> b", "<unk>", "<0x0A>", "<s> ein </s>"])
def test_text_that_spells_a_special_piece_is_ordinary_text(subwords, text):
    (ids,) = subwords.encode([text])
    assert not {PAD, UNKNOWN, BEGIN, END} & set(ids)
    assert subwords.decode([ids]) == [text]


def test_pieces_match_ids(subwords):
    lines = sentences(20, seed=3)
    pieces = subwords.encode_as_pieces(lines)
    assert pieces == [[subwords.piece(i) for i in ids] for ids in subwords.encode(lines)]
    assert ["".join(line).replace("▁", " ").strip() for line in pieces] == lines


def test_decoding_drops_special_ids_and_takes_arrays(subwords):
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed: pip install -r requirements.txt")
    (ids,) = subwords.encode(["Ein Haus."])
    padded = numpy.array([[BEGIN, *ids, END, PAD, PAD], [END] + [PAD] * (len(ids) + 3)], numpy.int32)
    assert subwords.decode(padded) == ["Ein Haus.", ""]
    assert subwords.decode([]) == []


def test_decoded_text_is_always_one_line(subwords):
    piece_ids = {subwords.piece(i): i for i in range(subwords.vocabulary_size)}
    (ids,) = subwords.encode(["Haus"])
    for line_break in ("<0x0A>", "<0x0D>"):
        (text,) = subwords.decode([[*ids, piece_ids[line_break], *ids]])
        assert text.replace("  ", " ") == "Haus Haus"


def test_every_id_decodes_to_one_line(subwords):
    decoded = subwords.decode([[i] for i in range(subwords.vocabulary_size)])
    assert len(decoded) == 400
    assert not any("\n" in text or "\r" in text for text in decoded)


def test_training_is_deterministic_and_does_not_depend_on_the_place(tmp_path, subwords):
    again = tmp_path / "other name" / "x.model"
    train_subwords(iter(sentences(500, seed=1)), 400, again)
    assert again.read_bytes() == subwords.path.read_bytes()
    assert Subwords(again).digest == subwords.digest


def test_a_sample_of_a_large_text_is_deterministic(tmp_path):
    for name in ("a", "b"):
        train_subwords(sentences(2000, seed=1), 300, tmp_path / name, max_lines=200)
    train_subwords(sentences(2000, seed=1), 300, tmp_path / "whole")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "whole").read_bytes()


def test_too_large_a_vocabulary_names_the_largest_possible(tmp_path):
    lines = ["das ist gut", "wir gehen heute"]
    with pytest.raises(InputError, match=r"too large .* at most (\d+)") as caught:
        train_subwords(lines, 5000, tmp_path / "x.model")
    assert list(tmp_path.glob("*model*")) == []
    largest = int(str(caught.value).split()[-1])
    train_subwords(lines, largest, tmp_path / "x.model")
    assert Subwords(tmp_path / "x.model").vocabulary_size == largest
    with pytest.raises(InputError, match="too large"):
        train_subwords(lines, largest + 1, tmp_path / "x.model")


def test_a_vocabulary_beyond_32_bits_is_an_error(tmp_path):
    with pytest.raises(InputError, match="must be below 2147483648"):
        train_subwords(["a"], 3_000_000_000, tmp_path / "model")


def test_too_small_a_vocabulary_names_the_smallest_possible(tmp_path):
    lines = sentences(50, seed=1)
    with pytest.raises(InputError, match=r"too small .* at least \d+") as caught:
        train_subwords(lines, 50, tmp_path / "x.model")
    smallest = int(str(caught.value).split()[-1])
    train_subwords(lines, smallest, tmp_path / "x.model")
    with pytest.raises(InputError, match="too small"):
        train_subwords(lines, smallest - 1, tmp_path / "x.model")
    for fewer_than_special_pieces in (1, 3):
        with pytest.raises(InputError, match=f"a vocabulary of {fewer_than_special_pieces} is too small"):
            train_subwords(lines, fewer_than_special_pieces, tmp_path / "x.model")


@pytest.mark.parametrize("lines", [[], ["", ""], [" ", "  "]])
def test_no_text_is_an_error(tmp_path, lines):
    with pytest.raises(InputError, match="no text"):
        train_subwords(lines, 300, tmp_path / "x.model")


def test_long_lines_are_learnt_from_as_short_ones_are(tmp_path):
    sentences = [f"sentence {number} is about Ω{number} and more" for number in range(400)]
    models = []
    for joined in (1, 200):  # 200 have some 7,000 bytes
        lines = [" ".join(sentences[start : start + joined]) for start in range(0, len(sentences), joined)]
        train_subwords(lines, 320, tmp_path / "model")
        models.append(Subwords(tmp_path / "model"))
    assert [models[1].encode([line]) for line in sentences] == [models[0].encode([line]) for line in sentences]
    train_subwords(["abc" * 2000, "ab"], 266, tmp_path / "model")  # without a blank
    assert len(Subwords(tmp_path / "model").encode(["abcabc"])[0]) < 6


def test_training_is_quiet(tmp_path, capfd):
    train_subwords(sentences(100, seed=1), 300, tmp_path / "x.model")
    assert capfd.readouterr() == ("", "")


def test_an_error_of_the_lines_is_passed_on_and_nothing_is_written(tmp_path):
    def lines():
        yield "Haus"
        raise InputError("line 2 is not UTF-8")

    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        train_subwords(lines(), 300, tmp_path / "x.model")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_or_damaged_model_is_an_error(tmp_path, subwords):
    with pytest.raises(InputError, match="cannot read"):
        Subwords(tmp_path / "missing.model")
    content = subwords.path.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 100):
        (tmp_path / "bad.model").write_bytes(content[:size])
        with pytest.raises(InputError, match=r"bad\.model"):
            Subwords(tmp_path / "bad.model")
    (tmp_path / "bad.model").write_bytes(os.urandom(2000))
    with pytest.raises(InputError, match="not a sub-word model"):
        Subwords(tmp_path / "bad.model")


def test_a_model_with_other_special_ids_is_an_error(tmp_path):
    with open(tmp_path / "other.model", "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(100, seed=1)), model_writer=file, vocab_size=60, minloglevel=2
        )
    with pytest.raises(InputError, match=r"expected .* use a model that this project trained"):
        Subwords(tmp_path / "other.model")


def test_a_pipe_is_refused_as_a_model(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match="pipe is a pipe or a device, which cannot be read here; save its content to a file"
    ):
        Subwords(tmp_path / "pipe")
