"""Lines that are too long for a model, through the real command line; the engine is `echo_engine`'s."""

import json

import pytest

from tests.command_line import run

SCRIPT = "tests.echo_engine"
ECHO = ("-m", "nothing", "--engine", "echo")
SENTENCE = "It rains. "  # of training's 100 sub-words (letters), ten make a piece


def translated(folder, text, *arguments):
    result = run(folder, SCRIPT, *ECHO, *arguments, stdin=text.encode())
    assert result.code == 0, result.errors
    *warnings, summary = result.errors.splitlines()
    assert " sentence" in summary
    return result.output, warnings


def test_a_long_line_is_translated_in_pieces_and_named_in_one_warning(tmp_path):
    long = (SENTENCE * 200).strip()
    text = f"a\n{long}\nb\n{long}\n"
    output, warnings = translated(tmp_path, text)
    assert output == text
    assert warnings == [
        "warning: 2 lines have more than 1,024 sub-words and were translated in pieces: 2, 4 (--max-source-length)"
    ]


def test_lines_longer_than_in_the_training_are_named_in_one_warning(tmp_path):
    longer, as_long = "x" * 101, "x" * 100
    output, warnings = translated(tmp_path, f"{longer}\n{as_long}\n")
    assert output == f"{longer}\n{as_long}\n"
    assert warnings == ["warning: 1 line is longer than the training limit of 100 sub-words: 1"]
    text = f"{longer}\n" * 1022
    assert translated(tmp_path, text) == (
        text,
        [f"warning: 1,022 lines are longer than the training limit of 100 sub-words: {numbers(20)} and 1,002 more"],
    )


def numbers(count):
    return ", ".join(map(str, range(1, count + 1)))


def test_the_limit_can_be_set(tmp_path):
    text = "one two. three four\n"
    output, warnings = translated(tmp_path, text, "--max-source-length", "18", "--output-type", "json")
    record = json.loads(output)
    assert (record["translation"], record["pieces"]) == ("one two. three four", 2)
    tokens = ["\x03" if token == "|" else token for token in "one two.|three four|"]
    assert record["tokens"] == tokens
    assert record["score"] == sum(record["token_scores"]) == -18
    assert warnings[0].startswith("warning: 1 line has more than 18 sub-words and was translated in pieces: 1 (")
    whole, warnings = translated(tmp_path, text, "--max-source-length", "19", "--output-type", "json")
    assert "pieces" not in json.loads(whole)
    assert warnings == []


def test_n_best_translations_of_pieces_are_joined(tmp_path):
    long = (SENTENCE * 200).strip()
    output, _ = translated(tmp_path, f"{long}\n", "--n-best", "2", "--output-type", "moses")
    first, second = (line.split(" ||| ") for line in output.splitlines())
    assert first[1] == second[1] == long
    assert float(first[3]) > float(second[3])


def test_the_first_piece_of_a_long_line_gets_its_prefix(tmp_path):
    (tmp_path / "prefixes").write_text("Ha\n\n")
    long = (SENTENCE * 200).strip()
    output, _ = translated(tmp_path, f"{long}\nb\n", "--prefix", "prefixes")
    assert output == f"Ha{long}\nb\n"


def test_tokens_of_a_long_line_are_kept_without_symbols_between_pieces(tmp_path):
    output, _ = translated(tmp_path, "one two. three\n", "--max-source-length", "9", "--keep-tokenized")
    assert output == " ".join("one two.three") + "\n"


@pytest.mark.slow
def test_lines_of_megabytes_are_translated(tmp_path):
    (tmp_path / "input.txt").write_text(f"a\n{SENTENCE * 200_000}\n{'x' * 1_000_000}\nb\n")
    result = run(tmp_path, SCRIPT, *ECHO, "-i", "input.txt", "-o", "output.txt", "--batch-size", "1")
    assert result.code == 0, result.errors
    first, second, third, fourth = (tmp_path / "output.txt").read_text().splitlines()
    assert (first, second, fourth) == ("a", (SENTENCE * 200_000).strip(), "b")
    assert third.replace(" ", "") == "x" * 1_000_000
    assert "2 lines have more than 1,024 sub-words and were translated in pieces: 2, 3 " in result.errors


@pytest.mark.parametrize(
    ("flag", "first", "second", "message"),
    [
        ("--score", "x" * 1025, "y", "line 2 has more than 1,024 sub-words, which cannot be scored in pieces; "),
        (
            "--score",
            "x",
            "y" * 20_000,
            "line 2 of the translations has more than 1,024 sub-words, which cannot be scored ",
        ),
        ("--prefix", "x", "y" * 2060, "the prefix of line 2 has more than 2,059 sub-words; "),
    ],
)
def test_a_line_that_cannot_be_cut_is_refused_with_its_number(tmp_path, flag, first, second, message):
    (tmp_path / "other").write_text(f"b\n{second}\n")
    result = run(tmp_path, SCRIPT, *ECHO, flag, "other", "--batch-size", "1", stdin=f"a\n{first}\n".encode())
    assert result.code == 2
    assert result.errors.startswith(f"error: {message}")
    assert result.errors.endswith("shorten it, or raise --max-source-length\n")
    assert result.errors.count("\n") == 1


@pytest.mark.parametrize(
    ("engine", "value", "message"),
    [
        ("echo", "0", "must be a whole number of at least 1, got 0"),
        ("ctranslate2", "4096", "must be at most 4,095 with --engine ctranslate2, got 4,096"),
        ("savedmodel", "4096", "must be at most 4,095 with --engine savedmodel, got 4,096"),
    ],
)
def test_a_limit_that_an_engine_does_not_have_is_refused(tmp_path, engine, value, message):
    result = run(tmp_path, SCRIPT, "-m", "x", "--engine", engine, "--max-source-length", value)
    assert (result.code, result.errors) == (2, f"error: --max-source-length {message}\n")
