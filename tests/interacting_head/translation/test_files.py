import gzip
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from data.errors import InputError
from interacting_head.translation.files import check_output
from tests.command_line import environment, run

OWN = "config.yaml", "best.weights.h5", "subwords/source.model", "exports/ctranslate2/text/config.yaml"
ECHO = "tests.echo_engine", "-m", "nothing", "--engine", "echo"


def test_a_long_translation_ends_with_a_hint_at_a_faster_engine(tmp_path):
    code = "from interacting_head.commands import translate; from tests.echo_engine import Echo; "
    code += "translate.SLOW = -1.0; Echo.faster_engine = lambda *_: 'another'; translate.main()"
    command = [sys.executable, "-c", code, "-m", "nothing", "--engine", "echo"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), input=b"a\n", capture_output=True)
    assert done.stdout == b"a\n"
    summary, hint = done.stderr.decode().splitlines()
    assert summary.startswith("1 sentence in ")
    assert hint == "--engine another gives almost the same translations in less time (docs/translation.md)"


@pytest.fixture
def texts(tmp_path):
    for name in ("input", "prefix", "score"):
        (tmp_path / name).write_text(f"{name}\n")
    os.symlink("input", tmp_path / "symbolic")
    os.link(tmp_path / "input", tmp_path / "hard")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "output", "name"),
    [
        ((), "input", "input"),
        ((), "symbolic", "input"),
        ((), "hard", "input"),
        (("--prefix", "prefix"), "prefix", "prefix"),
        (("--score", "score"), "score", "score"),
    ],
)
def test_an_output_that_is_also_an_input_is_refused_and_kept(texts, options, output, name):
    result = run(texts, *ECHO, "-i", "input", *options, "-o", output)
    assert (result.code, result.output) == (2, "")
    assert result.errors == f"error: --output {output} is the same file as --{name}; name another output file\n"
    assert (texts / name).read_text() == f"{name}\n"


@pytest.mark.parametrize(
    ("options", "alignment", "message"),
    [
        ((), "symbolic", "is the same file as --input"),
        (("-o", "new"), "./new", "is the same file as --output"),
        (("-o", "score"), "score", "is the same file as --output"),
        (("--summary", "new"), "new", "is the same file as --summary"),
        ((), "-", "needs a file name"),
        ((), "new", "--keep-tokenized prints sub-words"),
    ],
)
def test_an_alignment_that_is_another_file_is_refused(texts, options, alignment, message):
    result = run(texts, *ECHO, "-i", "input", *options, "--keep-tokenized", "--alignment", alignment)
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: --alignment ")
    assert message in result.errors
    assert (texts / "input").read_text() == "input\n"
    assert not (texts / "new").exists()


@pytest.mark.parametrize(
    ("options", "summary", "message"),
    [
        ((), "symbolic", "--summary symbolic is the same file as --input; name another output file"),
        (("-o", "new"), "./new", "--summary ./new is the same file as --output; name another output file"),
        ((), "missing/new", "cannot write missing/new: No such file or directory"),
    ],
)
def test_a_summary_that_cannot_be_written_is_refused_at_once(texts, options, summary, message):
    result = run(texts, *ECHO, "-i", "input", *options, "--summary", summary)
    assert (result.code, result.output) == (2, "")
    assert result.errors.replace(f"{texts}/", "").startswith(f"error: {message}")
    assert (texts / "input").read_text() == "input\n"
    assert not (texts / "new").exists()


def test_a_summary_counts_sentences_and_sub_words(texts):
    (texts / "input").write_text("abc\n\nde\n")
    result = run(texts, *ECHO, "-i", "input", "--summary", "new")
    assert result.code == 0, result.errors
    found = json.loads((texts / "new").read_text())
    assert found.keys() == {"sentences", "tokens", "seconds"}
    assert (found["sentences"], found["tokens"]) == (3, 5)
    assert found["seconds"] > 0


def test_an_output_that_is_the_standard_input_is_refused(texts):
    command = [sys.executable, "-m", *ECHO, "-o", "input"]
    with open(texts / "input") as stdin:
        done = subprocess.run(command, cwd=texts, env=environment(texts), stdin=stdin, capture_output=True, text=True)
    assert (done.returncode, (texts / "input").read_text()) == (2, "input\n")
    assert done.stderr == "error: --output input is the same file as --input; name another output file\n"


@pytest.mark.parametrize("option", ["--alignment", "--summary"])
def test_a_file_that_is_also_the_standard_output_is_refused(texts, option):
    command = [sys.executable, "-m", *ECHO, "-i", "input", "--keep-tokenized", option, "new"]
    with open(texts / "new", "w") as stdout:
        done = subprocess.run(command, cwd=texts, env=environment(texts), stdout=stdout, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"new is the same file as --" in done.stderr


@pytest.mark.parametrize("option", ["--output", "--summary"])
def test_an_empty_file_name_is_refused_before_translation(texts, option):
    result = run(texts, *ECHO, "-i", "input", option, "")
    assert (result.code, result.output) == (2, "")
    assert result.errors == "error: cannot write to an empty file name; name a file\n"


@pytest.mark.parametrize("name", [*OWN, "linked"])
def test_an_output_that_is_a_file_of_the_model_is_refused(tmp_path, name):
    run_folder = tmp_path / "run"
    for file in (*OWN, "dev.hyp"):
        (run_folder / file).parent.mkdir(parents=True, exist_ok=True)
        (run_folder / file).write_text("content")
    os.link(run_folder / "best.weights.h5", run_folder / "linked")

    def arguments(output, model=run_folder):
        return SimpleNamespace(
            input="-", prefix=None, score=None, model=[str(model)], output=str(output), alignment=None, summary=None
        )

    with pytest.raises(InputError, match=r"--output .* is a file of the model .*run; name another output file"):
        check_output(arguments(run_folder / name))
    check_output(arguments(run_folder / "dev.hyp"))
    (run_folder / "config.yaml").rename(run_folder / "model.bin")  # an export, all of whose files are the model's
    with pytest.raises(InputError, match="is a file of the model"):
        check_output(arguments(run_folder / "dev.hyp"))


def test_the_null_device_may_be_input_and_output(tmp_path):
    assert run(tmp_path, *ECHO, "-i", "/dev/null", "-o", "/dev/null").code == 0


def test_an_output_whose_name_ends_in_gz_is_a_gzip_file(texts):
    for _ in range(2):
        result = run(texts, *ECHO, "-i", "input", "-o", "output.gz")
        assert (result.code, result.output) == (0, "")
        content = (texts / "output.gz").read_bytes()
        assert gzip.decompress(content) == b"input\n"
        assert content[3:8] == bytes(5)  # neither name nor time
    (texts / "bad").write_bytes(b"\xff")
    assert run(texts, *ECHO, "-i", "input", "--prefix", "bad", "-o", "output.gz").code == 2
    assert (texts / "output.gz").read_bytes() == content


def test_a_missing_output_folder_is_an_error_before_translation(texts):
    result = run(texts, *ECHO, "-i", "input", "-o", "nowhere/output")
    assert (result.code, result.output) == (2, "")
    message = "cannot write nowhere/output: No such file or directory; name a writable folder"
    assert result.errors.replace(str(texts) + "/", "") == f"error: {message}\n"
