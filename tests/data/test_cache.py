import gzip
import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from data.cache import build_once, cache_folder, kept_text
from data.errors import InputError
from data.text.parallel_text import read_lines


def write_a_file(folder):
    (folder / "file").write_text("content")


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("INTERACTING_HEAD_CACHE")
    assert cache_folder() == Path.home() / ".cache" / "interacting_head"


def test_a_user_without_a_home_must_name_the_cache(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("INTERACTING_HEAD_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(InputError, match="set INTERACTING_HEAD_CACHE to a writable folder"):
        cache_folder()


def test_a_folder_is_built_once(tmp_path):
    folder = tmp_path / "a" / "b"
    build_once(folder, write_a_file)
    assert build_once(folder, lambda _: pytest.fail("built again")) == folder
    assert (folder / "file").read_text() == "content"
    assert os.listdir(folder.parent) == ["b"]


def test_a_failure_leaves_nothing_behind(tmp_path):
    def fail(folder):
        write_a_file(folder)
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        build_once(tmp_path / "a" / "b", fail)
    assert list((tmp_path / "a").iterdir()) == []


def test_the_first_of_two_builders_wins(tmp_path):
    def build_while_another_does(folder):
        (folder / "file").write_text("second")
        build_once(tmp_path / "x", write_a_file)

    build_once(tmp_path / "x", build_while_another_does)
    assert (tmp_path / "x" / "file").read_text() == "content"
    assert os.listdir(tmp_path) == ["x"]


def test_a_built_folder_is_as_open_as_its_surroundings(tmp_path):
    tmp_path.chmod(0o755)
    folder = build_once(tmp_path / "x", write_a_file)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_place_that_cannot_be_written_to_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="set INTERACTING_HEAD_CACHE"):
        build_once(tmp_path / "file" / "x", write_a_file)


def flip_a_bit(path):
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])


DAMAGES = {
    "a flipped bit": (lambda folder: flip_a_bit(folder / "file"), "file is damaged"),
    "an empty file": (lambda folder: (folder / "file").write_bytes(b""), "file is damaged"),
    "a missing file": (lambda folder: (folder / "file").unlink(), "file is damaged"),
    "a file more": (lambda folder: (folder / "more").write_bytes(b"x"), "more is damaged"),
    "no checksums": (lambda folder: (folder / "SHA256SUMS").unlink(), "it has no SHA256SUMS"),
    "empty checksums": (lambda folder: (folder / "SHA256SUMS").write_bytes(b""), "file is damaged"),
    "damaged checksums": (lambda folder: flip_a_bit(folder / "SHA256SUMS"), "file is damaged"),
    "checksums that are no text": (lambda folder: (folder / "SHA256SUMS").write_bytes(b"\xff"), "cannot be read ("),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_built_again_with_one_line_of_warning(tmp_path, capsys, name):
    damage, message = DAMAGES[name]
    folder = build_once(tmp_path / "x", write_a_file)
    damage(folder)
    build_once(folder, write_a_file)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "SHA256SUMS"} == {
        "file": b"content"
    }
    warning = capsys.readouterr().err
    assert warning.startswith(f"warning: {folder}: {message}")
    assert warning.endswith("; rebuilding it\n")
    assert warning.count("\n") == 1
    build_once(folder, lambda _: pytest.fail("built again"))
    assert os.listdir(tmp_path) == ["x"]


def test_an_empty_folder_or_a_file_in_its_place_is_not_a_cache_entry(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "y").write_bytes(b"")
    for name in ("x", "y"):
        assert (build_once(tmp_path / name, write_a_file) / "file").read_text() == "content"


def test_a_damaged_folder_stays_where_it_cannot_be_built_again(tmp_path):
    def fail(folder):
        raise InputError("no")

    folder = build_once(tmp_path / "x", write_a_file)
    flip_a_bit(folder / "file")
    with pytest.raises(InputError, match="no"):
        build_once(folder, fail)
    assert (folder / "file").is_file()


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs the program sha256sum")
def test_checksums_equal_the_output_of_sha256sum(tmp_path):
    folder = build_once(tmp_path / "x", write_a_file)
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True)


def through_a_pipe(path, content):
    """Call `kept_text` with a pipe that has this content."""
    if not path.exists():
        os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[content])
    writer.start()
    try:
        return kept_text(path)
    finally:
        writer.join()


def test_the_content_of_a_pipe_is_kept_once(tmp_path, cache):
    first = through_a_pipe(tmp_path / "pipe", b"one\ntwo\n" * 300_000)
    assert first == through_a_pipe(tmp_path / "other", b"one\ntwo\n" * 300_000)
    assert first.is_absolute()
    assert first.read_bytes() == b"one\ntwo\n" * 300_000
    assert through_a_pipe(tmp_path / "pipe", b"one\n") != first
    assert [path.name for path in cache.iterdir()] == ["pipes"]
    assert len(list((cache / "pipes").iterdir())) == 2


def test_compressed_text_may_come_through_a_pipe(tmp_path):
    assert list(read_lines(through_a_pipe(tmp_path / "pipe", gzip.compress(b"one\ntwo\n")))) == ["one", "two"]


def test_a_damaged_copy_is_made_again(tmp_path):
    path = through_a_pipe(tmp_path / "pipe", b"one\n")
    path.write_bytes(b"")
    assert through_a_pipe(tmp_path / "pipe", b"one\n").read_bytes() == b"one\n"


def test_a_file_is_its_absolute_path_and_need_not_exist(tmp_path, monkeypatch, cache):
    monkeypatch.chdir(tmp_path)
    assert kept_text("../x/file") == tmp_path.parent / "x" / "file"
    assert not cache.exists()


def test_a_pipe_through_which_nothing_comes_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"the pipe .*pipe is empty; check the command"):
        through_a_pipe(tmp_path / "pipe", b"")
