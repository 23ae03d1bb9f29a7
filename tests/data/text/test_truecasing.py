import os
import random
from collections import Counter

import pytest

from data.errors import InputError
from data.text.truecasing import Truecaser, count_forms, detruecase

TEXT = [
    "The US and the EU agree . But nobody asked us .",
    "&quot; Yes , &quot; said the man : Nothing is lost !",
    "Nobody knows the US &apos;s plan",
    "( The end )",
    "we like the man",
]


@pytest.fixture(scope="module")
def truecaser():
    return Truecaser(count_forms(TEXT))


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        # The first word of a sentence says nothing of its casing, wherever the sentence begins.
        ("The man", {"man": 1}),
        ("One two . Three four", {"two": 1, ".": 1, "four": 1}),
        ("One : Two ? Three ! Four", {":": 1, "?": 1, "!": 1}),
        # Opening signs at the start of the line come before its first word …
        ("&quot; ( &#91; Yes , he said", {",": 1, "he": 1, "said": 1}),
        # … but not those after the end of a sentence: there the sign is taken for the first word.
        ("No . &quot; Yes", {".": 1, "Yes": 1}),
        ("Mr. Smith", {"Smith": 1}),
        ("", {}),
        ("( &quot;", {}),
        ("a  b", {"b": 1}),
    ],
)
def test_forms_are_counted_only_where_their_casing_is_informative(line, counts):
    assert count_forms([line]) == Counter(counts)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("The man", "the man"),
        ("THE MAN", "the man"),  # a form never seen is brought to the usual one anywhere
        ("He saw Us", "He saw US"),
        ("he saw us", "he saw us"),  # a form that was seen is kept inside a sentence …
        ("us troops", "US troops"),  # … and not at its start
        ("Stop . The end", "Stop . the end"),
        ("&quot; The man", "&quot; the man"),
        ("( &quot; The man", "( &quot; the man"),
        ("go ! &quot; The man", "go ! &quot; the man"),
        ("a &quot; THE man", "a &quot; the man"),
        ("Zoltan and the Xerxes", "Zoltan and the Xerxes"),  # unknown words stay
        ("", ""),
    ],
)
def test_words_are_truecased(truecaser, line, expected):
    assert truecaser.truecase(line) == expected


def test_the_smaller_of_two_equally_frequent_forms_is_usual():
    assert Truecaser({"US": 2, "us": 2, "Us": 2}).truecase("US") == "us"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("the man . he left", "The man . He left"),
        ("&quot; ( the man )", "&quot; ( The man )"),
        ("yes : no", "Yes : No"),
        ("über alles", "Über alles"),
        ("42 . ok", "42 . Ok"),
        ("is this &apos;it &apos; ? yes", "Is this &apos;it &apos; ? Yes"),
        ("iPhone", "IPhone"),
        ("", ""),
    ],
)
def test_sentences_get_their_capitals_back(line, expected):
    assert detruecase(line) == expected


def test_recasing_undoes_truecasing_of_ordinary_sentences(truecaser):
    lines = ["The US and the EU agree . But nobody asked us .", "We like the man", "&quot; The end"]
    assert [detruecase(truecaser.truecase(line)) for line in lines] == lines


def test_a_model_survives_its_file(truecaser, tmp_path):
    truecaser.save(tmp_path / "model")
    lines = (tmp_path / "model").read_text(encoding="utf-8").splitlines()
    assert "the (4/4)" in lines
    assert "us (1/3) US (2)" not in lines
    assert "US (2/3) us (1)" in lines
    again = Truecaser.load(tmp_path / "model")
    assert again.digest == truecaser.digest
    draw = random.Random(1)
    words = [word for line in TEXT for word in line.split()]
    for _ in range(200):
        line = " ".join(draw.choice((str, str.upper, str.title))(draw.choice(words)) for _ in range(8))
        assert again.truecase(line) == truecaser.truecase(line)


def test_a_model_of_the_scripts_is_read(tmp_path):
    (tmp_path / "model").write_text("Haus (12/13) haus (1)\n&apos;s (7/7)\n(3/4) (1/1)\n", encoding="utf-8")
    assert Truecaser.load(tmp_path / "model").truecase("HAUS &APOS;S") == "Haus &apos;s"


@pytest.mark.parametrize("line", ["Haus", "Haus 3", "Haus (3/4) haus", "Haus (x)"])
def test_a_damaged_model_is_an_error_that_names_the_line(tmp_path, line):
    (tmp_path / "model").write_text(f"Maus (1/1)\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"model, line 2: not in a truecasing model's format"):
        Truecaser.load(tmp_path / "model")


def test_a_missing_or_binary_model_is_an_error(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        Truecaser.load(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        Truecaser.load(tmp_path / "binary")


def test_a_pipe_is_refused_as_a_model(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match="pipe is a pipe or a device, which cannot be read here; save its content to a file"
    ):
        Truecaser.load(tmp_path / "pipe")
