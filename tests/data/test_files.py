import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import InputError
from data.files import (
    atomic_write,
    check_folder,
    check_new_folder,
    check_plain,
    make_folder,
    sole_use,
    write_json,
    written_atomically,
)

ROOT = Path(__file__).parents[2]


def test_a_file_appears_whole_and_takes_the_place_of_a_former_one(tmp_path):
    path = tmp_path / "file"
    path.write_text("former")
    with atomic_write(path) as file:
        file.write("neu – new")
        file.flush()
        assert path.read_text() == "former"
    assert path.read_text(encoding="utf-8") == "neu – new"
    assert os.listdir(tmp_path) == ["file"]


def write_half(path, error):
    with atomic_write(path) as file:
        file.write("half")
        raise error


def test_an_error_leaves_the_former_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("former")
    for error in (OSError, KeyboardInterrupt):
        with pytest.raises(error):
            write_half(path, error)
    assert path.read_text() == "former"
    assert os.listdir(tmp_path) == ["file"]


def test_concurrent_writers_each_write_a_whole_file(tmp_path):
    path = tmp_path / "file"
    with atomic_write(path) as first, atomic_write(path) as second:
        first.write("first")
        second.write("second")
    assert path.read_text() == "first"  # renamed last
    assert os.listdir(tmp_path) == ["file"]


def test_files_and_folders_have_the_usual_permissions(tmp_path):
    former = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "file") as file:
            file.write("x")
        with written_atomically(tmp_path / "folder") as partial:
            partial.mkdir()
    finally:
        os.umask(former)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("file", "folder")]
    assert modes == [0o640, 0o750]


def test_writing_to_a_link_keeps_the_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    with atomic_write(tmp_path / "link") as file:
        file.write("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "x"


def test_a_device_is_written_to_and_not_replaced():
    with atomic_write(os.devnull) as file:
        file.write("x")
    assert not os.path.isfile(os.devnull)


def test_a_folder_that_holds_something_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("mine")
    with pytest.raises(OSError, match="not empty"), written_atomically(tmp_path / "folder") as partial:
        partial.mkdir()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "mine"]


def test_a_folder_has_one_user_at_a_time_until_that_ends(tmp_path):
    with sole_use(tmp_path):
        with pytest.raises(InputError, match="is in use by another command; wait until it ends"), sole_use(tmp_path):
            pass
        with sole_use(tmp_path.parent):
            pass
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from data.files import sole_use\n"
    program += f"with sole_use({str(tmp_path)!r}): print('taken', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"taken\n"
        with pytest.raises(InputError, match="is in use"), sole_use(tmp_path):
            pass
        process.kill()
        process.wait()
    with sole_use(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_to_is_an_error_with_advice(tmp_path):
    with (
        pytest.raises(InputError, match=r"cannot write .*none/file: No such file.*; name a writable folder"),
        atomic_write(tmp_path / "none" / "file"),
    ):
        pass
    with pytest.raises(InputError, match="it is a folder; name a file"), atomic_write(tmp_path):
        pass
    with atomic_write(tmp_path / "none" / "file", parents=True) as file:
        file.write("x")
    assert (tmp_path / "none" / "file").read_text() == "x"


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from data.files import atomic_write, written_atomically
with atomic_write("file") as file, written_atomically("folder") as partial:
    partial.mkdir()
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_the_next_writer_removes_only_what_a_killed_process_left(tmp_path):
    command = [sys.executable, "-c", KILLED, str(ROOT)]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        with atomic_write(tmp_path / "other") as file:
            file.write("x")
        assert len(list(tmp_path.glob(".partial-*"))) == 2
        process.kill()
        process.wait()
    assert len(list(tmp_path.glob(".partial-*"))) == 2
    (tmp_path / ".partial-link").symlink_to(tmp_path)
    with atomic_write(tmp_path / "other") as file:
        file.write("y")
    assert sorted(os.listdir(tmp_path)) == [".partial-link", "other"]
    assert (tmp_path / "other").read_text() == "y"


def test_a_full_disk_is_not_reported_as_bad_input_and_names_the_file(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    written = {"pathlib.Path.mkdir": make_folder, "tempfile.mkdtemp": lambda path: enter(atomic_write(path))}
    for target, call in written.items():
        with monkeypatch.context() as patch:
            patch.setattr(target, full)
            with pytest.raises(OSError, match="No space left") as raised:
                call(tmp_path / "x")
        assert raised.value.filename == str(tmp_path / "x")


def enter(context):
    with context:
        pass


def test_a_pipe_among_plain_files_is_an_error_that_names_it(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "file").write_bytes(b"")
    (tmp_path / "a" / "nowhere").symlink_to("none")
    for place in (tmp_path, tmp_path / "a" / "file", tmp_path / "none"):
        check_plain(place)
    os.mkfifo(tmp_path / "a" / "b" / "pipe")
    (tmp_path / "link").symlink_to("a/b/pipe")
    for place in (tmp_path, tmp_path / "a" / "b" / "pipe", tmp_path / "link"):
        with pytest.raises(
            InputError, match="is a pipe or a device, which cannot be read here; save its content to a file"
        ):
            check_plain(place)


def test_a_folder_that_is_not_writable_is_an_error_before_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=f"cannot write {tmp_path / 'new'}: Permission denied; name a writable folder"):
        check_folder(tmp_path / "new")


def test_a_file_in_the_place_of_a_folder_is_an_error_that_names_it(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    check_folder(tmp_path / "new" / "folder")
    check_folder(tmp_path)
    for place in ("file", "file/folder"):
        with pytest.raises(InputError, match=f"cannot write into .*{place}: .*file is a file; name a writable folder"):
            check_folder(tmp_path / place)


def test_a_mount_point_is_no_new_folder_even_through_a_link(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == "mounted")
    with pytest.raises(InputError, match="mounted is a mount point, which cannot be replaced; name a folder in it"):
        check_new_folder(tmp_path / "mounted")
    (tmp_path / "link").symlink_to("mounted")
    with pytest.raises(InputError, match="link is a mount point"):
        check_new_folder(tmp_path / "link")


def test_a_mounted_file_is_written_to_where_it_is(tmp_path, monkeypatch):
    def busy(*_):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    (tmp_path / "mounted").write_text("former")
    number = (tmp_path / "mounted").stat().st_ino
    monkeypatch.setattr(os, "replace", busy)
    with atomic_write(tmp_path / "mounted") as file:
        file.write("new")
    assert ((tmp_path / "mounted").read_text(), (tmp_path / "mounted").stat().st_ino) == ("new", number)
    assert os.listdir(tmp_path) == ["mounted"]


def test_json_has_letters_as_they_are_and_ends_its_last_line(tmp_path):
    write_json(tmp_path / "new" / "lines.json", {"ü": [1, 2]}, indent=1, parents=True)
    assert (tmp_path / "new" / "lines.json").read_bytes() == '{\n "ü": [\n  1,\n  2\n ]\n}\n'.encode()
    write_json(tmp_path / "line.json", {"ü": [1, 2]}, indent=None)
    assert (tmp_path / "line.json").read_bytes() == '{"ü": [1, 2]}\n'.encode()
    write_json(tmp_path / "name.json", "a file\udcff", indent=None)  # whose name is not UTF-8
    assert json.loads((tmp_path / "name.json").read_bytes()) == "a file\udcff"
