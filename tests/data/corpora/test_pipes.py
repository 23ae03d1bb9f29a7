import gzip
import os
import threading

import pytest

from data.cache import kept_text
from data.errors import InputError
from data.text.parallel_text import read_lines


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


def test_a_copy_that_is_damaged_is_made_again(tmp_path):
    path = through_a_pipe(tmp_path / "pipe", b"one\n")
    path.write_bytes(b"")
    assert through_a_pipe(tmp_path / "pipe", b"one\n").read_bytes() == b"one\n"


def test_a_file_is_its_absolute_path_and_need_not_exist(tmp_path, monkeypatch, cache):
    monkeypatch.chdir(tmp_path)
    assert kept_text("../x/file") == tmp_path.parent / "x" / "file"
    assert not cache.exists()


def test_a_pipe_through_which_nothing_comes_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"nothing came through the pipe .*pipe; check the command"):
        through_a_pipe(tmp_path / "pipe", b"")
