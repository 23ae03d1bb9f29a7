import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.text.profiles import RAW_TEXT, Preprocessor
from data.text.subwords import END
from interacting_head.translation.engines.engine import Sentence
from interacting_head.translation.pieces import CHARACTERS, blocks, boundary, completed, encoded_pieces
from interacting_head.translation.translator import Translation
from tests.echo_engine import Letters


class Bytes(Letters):
    """Sub-words that are bytes."""

    @staticmethod
    def encode(lines):
        return [list(line.strip(" ").encode()) for line in lines]


def pieces(line, limit, longest=None, subwords=Letters):
    [found] = encoded_pieces(subwords, RAW_TEXT, [line], limit, longest or limit)
    return found


def texts(line, limit, longest=None):
    return Letters.decode(pieces(line, limit, longest))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("It rains. We stay, and read.", ["It rains.", "We stay, and read."]),
        ("We stay here, and we read!” Why?", ["We stay here, and we read!”", "Why?"]),
        ("Dr. J. Doe came to us, and she", ["Dr.", "J. Doe came to us, and she"]),
        ("Though it rained, we all went out", ["Though it rained,", "we all went out"]),
        ("Oh, nobody came to see what we did", ["Oh, nobody came", "to see what we did"]),
        ("今天下雨。我们在家看书,很开心,你呢", ["今天下雨。", "我们在家看书,很开心,你呢"]),
        ("Donaudampfschifffahrtsgesellschaft", ["Donaudampfschifff", "ahrtsgesellschaft"]),
    ],
)
def test_lines_are_cut_at_sentences_else_clauses_else_words_else_anywhere(line, expected):
    assert texts(line, len(line) - 1) == expected


def test_a_line_beyond_the_limit_is_cut_into_pieces_of_trained_length():
    line = "We read. " * 11 + "We read."  # 107 characters
    assert texts(line, 107, longest=20) == [line]
    found = texts(line, 106, longest=20)
    assert {len(piece) for piece in found} <= {8, 17}
    assert " ".join(found) == line


def test_blanks_do_not_count_as_sub_words_of_a_line():
    assert texts("a" + " " * 10_000 + "b", 10_002) == ["a" + " " * 10_000 + "b"]  # as it is, for its form to read
    assert pieces(" " * 10_000, 2) == pieces("", 2) == []
    [[few]] = encoded_pieces(Shrinking, RAW_TEXT, ["a" + " " * 10_000 + "b"], 3, 3)
    assert few == [0, 0]


class Shrinking(Letters):
    """Sub-words without blanks."""

    @staticmethod
    def encode(lines):
        return [[0] * len(line.replace(" ", "")) for line in lines]


def test_a_character_of_more_sub_words_than_a_piece_has_is_cut_too():
    found = pieces("\U0001f600a", 2, subwords=Bytes)
    assert b"".join(map(bytes, found)).decode() == "\U0001f600a"
    assert max(map(len, found)) == 2


@given(st.text(alphabet="ab. ,。\t"), st.integers(1, 9), st.integers(1, 9))
def test_no_piece_is_too_long_and_nothing_but_blanks_is_lost(line, limit, longest):
    longest = min(limit, longest)
    found = texts(line, limit, longest)
    assert all(0 < len(piece) <= (longest if len(found) > 1 else limit) for piece in found)
    assert re.sub(r"\s", "", "".join(found)) == re.sub(r"\s", "", line)


@given(st.text(alphabet="ab. ", min_size=2), st.integers(1, 40))
def test_no_part_of_a_cut_is_empty(text, wanted):
    start, end = boundary(text, min(wanted, len(text)))
    assert 0 < start <= end
    assert end < len(text) or start == end == len(text)


@pytest.mark.parametrize("unit", ["word. ", ".", "\t", "\U0001f600"])
def test_a_line_of_a_million_characters_is_cut_in_blocks(unit):  # which takes an hour where time grows with its square
    line = (unit * 1_000_000)[:1_000_000]
    found = list(blocks(line, CHARACTERS * 100))
    assert all(CHARACTERS * 50 < len(block) <= CHARACTERS * 100 for block in found[:-1])
    assert "".join(found).replace(" ", "") == line.replace(" ", "")


def test_each_piece_is_preprocessed_as_a_separate_line():
    form = Preprocessor("tokenized", "en")
    [found] = encoded_pieces(Letters, form, ["Nobody saw J. Smith. He didn't come."], 30, 30)
    assert Letters.decode(found) == ["Nobody saw J. Smith .", "He didn &apos;t come ."]


def translation(text, score, token_scores=None):
    return Translation(text, score, list(map(ord, text)), token_scores)


def piece(line, number, count):
    return Sentence([], 1, None, line, number, count)


def test_translations_of_pieces_are_joined_rank_by_rank():
    incomplete, found = {}, []
    first = [translation("ab", -1.0, [-1.0] * 3), translation("a", -2.0, [-2.0] * 2)]
    second = [translation("", -3.0, [-3.0])]
    whole = [translation("c", -4.0, [-4.0] * 2)]
    for batch in ([(piece(0, 1, 2), second), (piece(1, 0, 1), whole)], [(piece(0, 0, 2), first)]):
        found.append(list(completed(*zip(*batch, strict=True), incomplete, lambda length: length)))
    assert found[0] == [(1, whole)]
    [(line, joined)] = found[1]
    assert (line, incomplete) == (0, {})
    assert [one.text for one in joined] == ["ab", "a"]
    assert joined[0] == Translation("ab", (-3 - 3) / 4, [97, 98, END], [-1.0, -1.0, -1.0, -3.0], 2)
    assert joined[1].score == (-4 - 3) / 3


def test_draws_of_pieces_are_joined_at_random():
    parts = [[translation(str(rank), -float(rank)) for rank in range(50)] for _ in range(2)]
    [(_, found)] = completed([piece(7, 0, 2), piece(7, 1, 2)], parts, {}, lambda length: length**0, seed=1)
    pairs = [one.text.split() for one in found]
    assert sorted(first for first, _ in pairs) == sorted(second for _, second in pairs) == sorted(map(str, range(50)))
    assert sum(first == second for first, second in pairs) < 10
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_draws_of_a_whole_line_stay_best_first():
    draws = [translation(str(rank), -float(rank)) for rank in range(50)]
    [(_, found)] = completed([piece(7, 0, 1)], [[*draws]], {}, lambda length: length, seed=1)
    assert found == draws


def test_joined_translations_are_sorted_and_may_lack_token_scores():
    parts = [[translation("aaa", -1.0), translation("b", -1.1)], [translation("c", -1.0), translation("d", -1.0)]]
    batch = [piece(0, 0, 2), piece(0, 1, 2)]
    [(_, joined)] = completed(batch, parts, {}, lambda length: length)
    assert [(one.text, one.token_scores) for one in joined] == [("aaa c", None), ("b d", None)]
    assert [one.score for one in joined] == [-1.0, pytest.approx(-1.05)]
