import os
import stat
from pathlib import Path

import pytest

from data.cache import build_once, cache_folder
from data.errors import InputError


def write_a_file(folder):
    (folder / "file").write_text("content")


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("INTERACTING_HEAD_CACHE")
    assert cache_folder() == Path.home() / ".cache" / "interacting_head"


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


def test_of_two_builders_the_first_wins(tmp_path):
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
