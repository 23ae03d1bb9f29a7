import errno
import gc
import os
import subprocess
import sys

import pytest

from data import command_line
from data.command_line import ArgumentParser, folder_name, install_command, run
from tests.command_line import ROOT


@pytest.fixture
def unfrozen():
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("unfrozen")
def test_a_process_at_its_end_is_not_searched_for_garbage():
    # TensorFlow's graphs take up to a minute there.
    before = gc.get_freeze_count()
    with pytest.raises(SystemExit) as ended:
        run(lambda: None)
    assert ended.value.code == 0
    assert gc.get_freeze_count() > before


FULL, READ_ONLY, DENIED = errno.ENOSPC, errno.EROFS, errno.EACCES


@pytest.mark.usefixtures("unfrozen")
@pytest.mark.parametrize(
    ("number", "name", "code", "message"),
    [
        (
            FULL,
            "there",
            1,
            "cannot write {}: No space left on device; the previous file is unchanged; free up space and run",
        ),
        (FULL, "new", 1, "cannot write {}: No space left on device; no partial file is left; free up space and run"),
        (FULL, None, 1, "cannot write the standard output: No space left on device; free up space and run"),
        (READ_ONLY, "new", 2, "cannot write {}: Read-only file system; name a writable folder"),
        (DENIED, "new", 2, "cannot open {}: Permission denied; check its permissions, or name"),
        (errno.ENAMETOOLONG, "new", 2, "{}: File name too long; choose a shorter name"),
    ],
)
def test_a_disk_that_cannot_be_written_to_is_an_error_of_one_line(tmp_path, capsys, number, name, code, message):
    (tmp_path / "there").write_text("former")
    place = name and str(tmp_path / name)

    def fail():
        raise OSError(number, os.strerror(number), place)

    with pytest.raises(SystemExit) as ended:
        run(fail)
    errors = capsys.readouterr().err
    assert ended.value.code == code
    assert errors.startswith(f"error: {message.format(place)}")
    assert errors.count("\n") == 1


def test_a_wrong_argument_with_line_breaks_is_an_error_of_one_line(capsys):
    with pytest.raises(SystemExit):
        command_line.ArgumentParser(prog="program").parse_args(["one\ntwo"])
    assert capsys.readouterr().err == "error: unrecognized arguments: one\\ntwo (see program --help)\n"


@pytest.mark.usefixtures("unfrozen")
def test_an_empty_name_of_a_folder_is_an_error(capsys):
    parser = ArgumentParser(prog="command")
    parser.add_argument("--output-dir", type=folder_name)
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["--output-dir", ""])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: argument --output-dir: the name is empty; name a folder (see ")


def test_a_lack_of_memory_is_an_error_of_one_line(capsys):
    def fail():
        raise MemoryError("Unable to allocate 8.00 EiB for an array")

    with pytest.raises(SystemExit) as ended:
        run(fail)
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: not enough memory (Unable to allocate 8.00 EiB for an array)\n"


def test_an_extra_has_a_command_for_checkouts_and_one_for_packages(monkeypatch, tmp_path):
    assert install_command("export") == "pip install -r requirements-export.txt"
    monkeypatch.setattr(command_line, "__file__", str(tmp_path / "data" / "command_line.py"))
    assert install_command("export") == "pip install 'interacting-head[export]'"


def test_closed_standard_streams_are_the_null_device():
    code = (
        "import os; from data.command_line import run; print = os.write; run(lambda: os.open('data', os.O_RDONLY) - 3)"
    )
    closed = subprocess.run(["/bin/sh", "-c", '"$@" <&- 2>&-', "sh", sys.executable, "-c", code], cwd=ROOT)
    assert closed.returncode == 0  # the file opened first is number 3


def test_only_a_closed_standard_output_is_no_failure():
    code = "import sys; from data.command_line import run; run(lambda: print('x' * 100_000, file=sys.{}, flush=True))"
    for stream, expected in (("stdout", 0), ("stderr", 1)):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([sys.executable, "-c", code.format(stream)], cwd=ROOT, **{stream: writer})
        os.close(writer)
        assert done.returncode == expected
