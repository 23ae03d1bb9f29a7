"""A run that another one takes the place of, killed at every moment, and folders that are no run."""

import os
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.config import ExperimentConfig
from interacting_head.runs import run_folder
from interacting_head.runs.run_directory import VERSION, RunDirectory

RUN = [
    *("config.yaml", "VERSION", "text.json", "train.log", "log.jsonl", "best.weights.h5", "average.weights.h5"),
    *("subwords/source.model", "subwords/target.model", "tensorboard/events.out.tfevents.1.host"),
    *("checkpoints/step-5.weights.h5", "checkpoints/step-5.state.npz"),
]
NEW = ["VERSION", "config.yaml", "train.log", "subwords/source.model", "checkpoints/step-9.weights.h5"]
OTHERS = [
    "notes.txt",
    "checkpoints/model.pt",
    "checkpoints/step-five.weights.h5",
    "subwords/mine.txt",
    "analysis/a.json",
    "exports/ctranslate2/text/config.yaml",
]


class Killed(BaseException):
    pass


def write(folder, names, content):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def contents(folder):
    """{path: content} of the files below a folder, through links."""
    found = (Path(parent) / name for parent, _, names in os.walk(folder, followlinks=True) for name in names)
    return {str(path.relative_to(folder)): path.read_text() for path in found}


@pytest.fixture(params=["folder", "link", "relative link"])
def folder(request, tmp_path):
    """A folder with a run and files of its owner; `checkpoints` may be a link to another place."""
    folder = tmp_path / "runs" / "run"
    folder.mkdir(parents=True)
    if request.param != "folder":
        (tmp_path / "large").mkdir()
        to = tmp_path / "large" if request.param == "link" else Path("../../large")
        (folder / "checkpoints").symlink_to(to)
    write(folder, RUN, "former")
    write(folder, OTHERS, "mine")
    return folder


def killed_at_every_moment(monkeypatch, work):
    """Call `work`, which prepares a folder and returns a function; it is killed at its first, second, … change."""
    for moment in range(200):
        function, left = work(), moment

        def one(change):
            def changed(*arguments):
                nonlocal left
                if not left:
                    raise Killed
                left -= 1
                return change(*arguments)

            return changed

        with monkeypatch.context() as patch:
            for name in ("rename", "unlink", "rmdir", "symlink_to"):
                patch.setattr(Path, name, one(getattr(Path, name)))
            try:
                function()
                return
            except Killed:
                pass
        yield
    pytest.fail("there is no end to it")


def check_after_every_kill(folder, monkeypatch, work, expected, stands):
    """Check the contents of a folder that is settled after a kill at each moment of `work`."""
    for _ in killed_at_every_moment(monkeypatch, work):
        run_folder.settle(folder, has_checkpoint=stands)
        assert contents(folder) == expected


def is_link(folder):
    return (folder / "checkpoints").is_symlink()


def test_a_run_that_was_set_aside_is_a_run_directory_and_comes_back(folder):
    before, link = contents(folder), is_link(folder)
    run_folder.set_aside(folder)
    aside = folder / ".former-run"
    assert contents(aside) == dict.fromkeys(RUN, "former")
    assert RunDirectory(aside).steps() == [5]
    assert {name: text for name, text in contents(folder).items() if run_folder.FORMER not in name} == dict.fromkeys(
        OTHERS, "mine"
    )
    write(folder, NEW, "new")
    run_folder.settle(folder, has_checkpoint=False)
    assert contents(folder) == before
    assert is_link(folder) == link


def test_a_run_set_aside_is_removed_once_the_new_one_is_complete(folder):
    link = is_link(folder)
    run_folder.set_aside(folder)
    write(folder, NEW, "new")
    run_folder.settle(folder, has_checkpoint=True)
    assert contents(folder) == {**dict.fromkeys(OTHERS, "mine"), **dict.fromkeys(NEW, "new")}
    assert not list(folder.rglob(".former-run*"))
    assert is_link(folder) == link


def test_a_process_killed_while_setting_a_run_aside_loses_nothing(folder, monkeypatch):
    before = contents(folder)

    def work():
        return lambda: run_folder.set_aside(folder)

    for _ in killed_at_every_moment(monkeypatch, work):
        run_folder.settle(folder, has_checkpoint=bool(RunDirectory(folder).steps()))
        assert contents(folder) == before


def test_a_process_killed_while_restoring_a_run_loses_nothing(folder, monkeypatch):
    before = contents(folder)

    def work():
        run_folder.set_aside(folder)
        write(folder, NEW, "new")
        return lambda: run_folder.settle(folder, has_checkpoint=False)

    check_after_every_kill(folder, monkeypatch, work, before, stands=False)
    assert contents(folder) == before


def test_a_folder_that_is_not_a_run_is_refused_unread(tmp_path):
    (tmp_path / "deep").mkdir()
    os.mkfifo(tmp_path / "deep" / "pipe")  # a run with a pipe in it is refused for the pipe
    with pytest.raises(InputError, match="is not a run directory"):
        RunDirectory.open(tmp_path)


def test_a_process_killed_while_removing_a_run_leaves_the_new_one(folder, monkeypatch):
    expected = {**dict.fromkeys(OTHERS, "mine"), **dict.fromkeys(NEW, "new")}

    def work():
        run_folder.clear(folder)
        write(folder, RUN, "former")
        run_folder.set_aside(folder)
        write(folder, NEW, "new")
        return lambda: run_folder.settle(folder, has_checkpoint=True)

    check_after_every_kill(folder, monkeypatch, work, expected, stands=True)


def test_only_files_of_a_run_are_removed(folder):
    run_folder.clear(folder)
    assert contents(folder) == dict.fromkeys(OTHERS, "mine")
    assert not (folder / "tensorboard").exists()


@pytest.mark.parametrize("names", [["notes.txt"], ["checkpoints/model.pt"], ["best.weights.h5"], ["VERSION"]])
def test_no_run_begins_in_a_folder_that_holds_something_else(tmp_path, names):
    write(tmp_path, names, "mine")
    with pytest.raises(
        InputError, match=f"is not empty and not a run directory: it has {names[0].split('/')[0]} but no"
    ):
        RunDirectory(tmp_path).create_or_check(ExperimentConfig())
    assert contents(tmp_path) == dict.fromkeys(names, "mine")


def test_no_run_begins_with_a_link_to_the_checkpoints_of_another_one(tmp_path):
    write(tmp_path, ["disk/step-5.state.npz"], "another's")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checkpoints").symlink_to("../disk")
    with pytest.raises(InputError, match=r"it has checkpoints/step-5\.state\.npz but no config\.yaml; choose another"):
        RunDirectory(tmp_path / "run").create_or_check(ExperimentConfig())


def test_a_run_begins_where_a_killed_one_began_or_checkpoints_are_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "other.bin").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "VERSION").write_text(f"{VERSION}\n")
    for name in (".partial-abc", "subwords"):
        (tmp_path / "run" / name).mkdir()
    (tmp_path / "run" / "checkpoints").symlink_to(tmp_path / "disk")
    assert RunDirectory(tmp_path / "run").create_or_check(ExperimentConfig())
    assert (tmp_path / "disk" / "other.bin").read_text() == "mine"


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    (tmp_path / "checkpoints").symlink_to("nowhere")
    with pytest.raises(
        InputError, match="checkpoints is a link to nowhere, which does not exist; create that folder, mount"
    ):
        run_folder.check_checkpoints(tmp_path)


def test_a_folder_whose_run_was_set_aside_says_where_it_is(folder):
    run_folder.set_aside(folder)
    with pytest.raises(
        InputError, match=r"it has no config.yaml.*; the previous run is in .*run/\.former-run, and the"
    ):
        RunDirectory.open(folder)
    assert RunDirectory(folder / ".former-run").find_weights().read_text() == "former"
