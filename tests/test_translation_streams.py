"""The streams of translate.py, through the real command line; the engine is `echo_engine`'s."""

import json
import os
import resource
import signal
import subprocess
import sys
from functools import partial

import pytest

from tests import skip_reasons
from tests.command_line import environment, run
from tests.terminal import Terminal, read_until

SCRIPT = "tests.echo_engine"
ECHO = ("-m", "nothing", "--engine", "echo")

AWKWARD = {
    "nothing": b"",
    "one empty line": b"\n",
    "an end without a line break": b"a\nb",
    "an empty last line": b"a\n\n",
    "blanks": b"   \n \na\n",
    "tabs and control characters": b"a\tb\n\x01\x0b\x0c\n",
    "NUL": b"a\x00b\n\x00\n",
    "line ends of Windows": b"a\r\nb\r\n\r\n",
    "line ends of old machines": b"a\rb\n",
    "separators that are no line ends": "a\u2028b\u2029c\x85d\n".encode(),
    "a byte order mark": b"\xef\xbb\xbfa\nb\n",
    "a line as long as in training": b"word " * 20 + b"\nb\n",
}


@pytest.mark.parametrize("name", AWKWARD)
def test_each_line_gives_one_line(tmp_path, name):
    data = AWKWARD[name]
    (tmp_path / "input.txt").write_bytes(data)
    expected = [line.removesuffix(b"\r").strip(b" ") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if expected[-1] == b"":
        expected.pop()
    expected = b"".join(line + b"\n" for line in expected).decode("utf-8")
    piped = run(tmp_path, SCRIPT, *ECHO, stdin=data)
    assert (piped.code, piped.output) == (0, expected)
    filed = run(tmp_path, SCRIPT, *ECHO, "-i", "input.txt", "-o", "output.txt", "--batch-size", "1")
    assert (filed.code, filed.output) == (0, "")
    assert (tmp_path / "output.txt").read_bytes().decode("utf-8") == expected
    for result in (piped, filed):
        assert result.errors.startswith(f"{expected.count(chr(10)):,} sentence")
        assert result.errors.count("\n") == 1


@pytest.mark.parametrize(
    "bad", [b"\xff", b"sch\xf6n", b"\xed\xa0\x80", b"\xc3"], ids=["byte", "latin", "surrogate", "cut"]
)
def test_lines_that_are_not_text_are_named_with_their_number(tmp_path, bad):
    (tmp_path / "input.txt").write_bytes(b"a\n" * 9 + bad)
    piped = run(tmp_path, SCRIPT, *ECHO, "--batch-size", "1", stdin=(tmp_path / "input.txt").read_bytes())
    filed = run(tmp_path, SCRIPT, *ECHO, "-i", "input.txt", "-o", "output.txt")
    for result, name in ((piped, "standard input"), (filed, "input.txt")):
        assert result.code == 2
        assert result.errors.startswith(f"error: {name}, line 10: not UTF-8 text (")
        assert result.errors.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"input.txt"}


def test_lines_before_one_that_is_not_text_have_been_written(tmp_path):
    result = run(tmp_path, SCRIPT, *ECHO, "--batch-size", "1", stdin=b"a\n" * 200 + b"\xff\n")
    assert result.code == 2
    assert "line 201" in result.errors
    assert result.output == "a\n" * 200


@pytest.mark.parametrize("flag", ["--prefix", "--score"])
@pytest.mark.parametrize("count", [0, 2, 4])
def test_files_of_unequal_length_are_an_error(tmp_path, flag, count):
    (tmp_path / "input.txt").write_text("a\nb\nc\n")
    (tmp_path / "other.txt").write_text("x\n" * count)
    filed = run(tmp_path, SCRIPT, *ECHO, "-i", "input.txt", flag, "other.txt", "-o", "output.txt")
    message = (
        f"error: input.txt has 3 lines but other.txt has {count}; "
        "line n of one must correspond to line n of the other\n"
    )
    assert (filed.code, filed.output, filed.errors) == (2, "", message)
    piped = run(tmp_path, SCRIPT, *ECHO, flag, "other.txt", "-o", "output.txt", stdin=b"a\nb\nc\n")
    assert (piped.code, piped.output) == (2, "")
    goes_on = ("standard input", "other.txt") if count > 3 else ("other.txt", "standard input")
    assert piped.errors.startswith(f"error: {goes_on[0]} has {min(count, 3)} lines, but {goes_on[1]} has more; ")
    assert {path.name for path in tmp_path.iterdir()} == {"input.txt", "other.txt"}


def test_prefixes_and_scored_translations_belong_to_their_lines(tmp_path):
    (tmp_path / "other.txt").write_text("x\n\nyy\n")
    prefixed = run(tmp_path, SCRIPT, *ECHO, "--prefix", "other.txt", "--batch-size", "1", stdin=b"a\nb\nc")
    assert prefixed.output == "xa\nb\nyyc\n"
    scored = run(tmp_path, SCRIPT, *ECHO, "--score", "other.txt", stdin=b"a\nb\nc")
    assert scored.output == "1.000000\n0.000000\n2.000000\n"
    (tmp_path / "sources.txt").write_text("a\nb\nc\n")
    swapped = run(tmp_path, SCRIPT, *ECHO, "-i", "sources.txt", "--score", "-", stdin=b"x\n\nyy\n")
    assert swapped.output == scored.output


def test_json_lists_tokens_with_the_end_symbol_and_their_scores(tmp_path):
    result = run(tmp_path, SCRIPT, *ECHO, "--output-type", "json", "--n-best", "2", stdin="ä\n\n".encode())
    first, second = map(json.loads, result.output.splitlines())
    best = {
        **{
            "translation": "ä",
            "score": -1.0,
            "tokens": ["ä", "\x03"],
            "token_ids": [228, 3],
            "token_scores": [-1.0, 0],
        },
    }
    assert first == {**best, "n_best": [best, {**best, "score": -2.0}]}
    nothing = {"translation": "", "score": 0.0, "tokens": [], "token_ids": [], "token_scores": []}
    assert second == {**nothing, "n_best": [nothing]}


def start(folder, *arguments, limits=(), **streams):
    """Start the script as a shell does."""

    def prepare():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for limit in limits:
            resource.setrlimit(*limit)

    command = [sys.executable, "-m", SCRIPT, *ECHO, *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment(folder), preexec_fn=prepare, **streams)


def test_a_program_that_waits_for_an_answer_gets_one(tmp_path):
    with start(tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for question in (b"a\n", b"b\nc\n", b"d\n"):
            process.stdin.write(question)
            process.stdin.flush()
            assert read_until(process.stdout.fileno(), question) == question
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_memory_does_not_grow_with_the_stream(tmp_path):
    # What Python allocates once all is imported: no allocator and no size of pages changes that.
    code = "import tracemalloc; from tests.echo_engine import Echo, main; opened = Echo.open; "
    code += "Echo.open = lambda *paths: tracemalloc.start() or opened(*paths); "
    code += "main(); print(tracemalloc.get_traced_memory()[1])"
    command, peaks = [sys.executable, "-c", code, *ECHO, "-i", "many.txt", "-o", "out.txt"], []
    for count in (20_000, 60_000):  # a window has at most 4,096 lines, and two are held
        (tmp_path / "many.txt").write_text("a short line\n" * count)
        done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, check=True)
        assert (tmp_path / "out.txt").read_text() == "a short line\n" * count
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 200_000  # the lines alone would be 2,400,000 bytes more


def test_a_reader_that_closes_its_pipe_is_not_an_error(tmp_path):
    reader, writer = os.pipe()
    (tmp_path / "many.txt").write_text("line\n" * 100_000)
    process = start(tmp_path, "-i", "many.txt", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    with open(reader, "rb") as pipe:
        assert pipe.readline() == b"line\n"  # as `| head -1` does
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


def test_a_full_disk_is_one_line(tmp_path):
    (tmp_path / "many.txt").write_text("line\n" * 100_000)
    limit = (resource.RLIMIT_FSIZE, (20_000, 20_000))
    process = start(tmp_path, "-i", "many.txt", "-o", "out.txt", limits=[limit], stderr=subprocess.PIPE)
    errors = process.communicate(timeout=60)[1].decode()
    assert (process.returncode, errors) == (
        1,
        "error: cannot write out.txt: File too large; no partial file is left; "
        "free up space and run the same command again\n",
    )
    assert {path.name for path in tmp_path.iterdir()} == {"many.txt"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason=skip_reasons.FULL_DEVICE)
@pytest.mark.parametrize("arguments", [(), ("-o", "/dev/full")])
def test_a_device_without_room_is_one_line(tmp_path, arguments):
    with open("/dev/full", "wb") as full:
        process = start(tmp_path, *arguments, stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE)
        errors = process.communicate(b"a\n", timeout=60)[1].decode()
    name = "/dev/full" if arguments else "the standard output"
    assert (
        errors == f"error: cannot write {name}: No space left on device; free up space and run the same command again\n"
    )
    assert process.returncode == 1


@pytest.mark.parametrize(("number", "name"), [(0, "input"), (1, "output")])
def test_a_closed_stream_is_one_line(tmp_path, number, name):
    command = [sys.executable, "-m", SCRIPT, *ECHO]
    closed = ["sh", "-c", f'exec "$@" {number}>&-', "sh", *command]
    done = subprocess.run(closed, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: the standard {name} is closed; name a file")
    assert done.stderr.count("\n") == 1


def test_a_closed_standard_error_changes_nothing(tmp_path):
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-m", SCRIPT, *ECHO]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), input=b"a\n", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"a\n")


def test_an_interrupted_translation_leaves_nothing(tmp_path):
    process = start(tmp_path, "-o", "never.txt", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"slow\n")
    process.stdin.flush()
    # Not before: where an import is interrupted, Python may end by the signal itself.
    assert read_until(process.stderr.fileno(), b"at work on it\n") == b"at work on it\n"
    assert list(tmp_path.glob(".partial-*/*"))
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == b"interrupted\n"
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())


def test_someone_who_types_is_answered_line_by_line_until_ctrl_d(tmp_path):
    terminal = Terminal(partial(start, tmp_path))
    terminal.sees("nothing: type one sentence per line, Ctrl-D to end")
    terminal.sees("> ")
    terminal.types("ein hund\n")
    terminal.sees("ein hund\r\n")  # what is typed
    terminal.sees("ein hund\r\n")
    terminal.sees("> ")
    terminal.types("\n")
    terminal.sees("> ")
    terminal.types("\x04")
    terminal.sees("2 sentences in ")
    assert terminal.ends() == 0


def test_the_prompt_stays_out_of_the_output(tmp_path):
    terminal = Terminal(partial(start, tmp_path), stdout=subprocess.PIPE)
    terminal.sees("> ")
    terminal.types("hxnd\x02\x02\x7fu\n")  # back by two, delete, type: the line is edited
    terminal.sees("> ")
    terminal.types("\x04")
    terminal.sees("1 sentence in ")
    assert terminal.process.stdout.read() == b"hund\n"
    assert terminal.ends() == 0


def test_ctrl_c_discards_the_line_and_twice_ends(tmp_path):
    terminal = Terminal(partial(start, tmp_path), stdout=subprocess.PIPE)
    terminal.sees("> ")
    terminal.types("nonsense")
    terminal.sees("nonsense")
    terminal.interrupts()
    terminal.sees("> ")
    terminal.types("hund\n")
    terminal.sees("> ")
    terminal.interrupts()
    terminal.sees("> ")
    terminal.interrupts()
    terminal.sees("interrupted\r\n")
    assert terminal.process.stdout.read() == b"hund\n"
    assert terminal.ends() == 130
