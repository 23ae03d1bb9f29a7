"""Commands that meet a full disk, or one that is only read, at every place that they write to."""

import contextlib
import os
import shutil
import subprocess
import sys

import pytest

from tests import skip_reasons, tiny_corpus
from tests.command_line import ROOT, TRAIN, environment, run, started, wait_until
from tests.kills import appears
from tests.tiny_commands import PREPARE, REPRODUCE, TUNE, write_some, write_tiny

SIZE = 4 << 20  # bytes
FILLER = "filler"


@pytest.fixture(scope="module")
def mounted(tmp_path_factory):
    """A disk of `SIZE`, where this process may mount one."""
    path = tmp_path_factory.mktemp("disk")
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(path)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted: run the tests on Linux as root, in a container with --cap-add SYS_ADMIN")
    yield path
    subprocess.run(["umount", "--lazy", str(path)], check=True)


@pytest.fixture
def disk(mounted):
    yield mounted
    read_only(mounted, False)
    for path in mounted.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def fill(disk, left=0):
    """Leave a number of bytes free on a disk."""
    with contextlib.suppress(OSError), open(disk / FILLER, "wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    os.truncate(disk / FILLER, (disk / FILLER).stat().st_size - left)


def read_only(disk, on=True):
    subprocess.run(["mount", "-o", f"remount,{'ro' if on else 'rw'}", str(disk)], check=True)


@pytest.fixture(scope="module")
def place(workplace):
    """The folder of a trained run, with what the commands need."""
    (workplace / "space.yaml").write_text("size: {model.attention.num_heads: [1, 2]}\n")
    write_some(workplace, 200)
    for split in ("dev", "test"):
        for language in ("de", "en"):
            shutil.copy(workplace / f"dev.{language}", workplace / "corpora" / "some" / f"{split}.{language}")
    return workplace


def on_disk(words, option, path):
    """A command whose option names a path on the disk."""
    return [*words[: words.index(option) + 1], path, *words[words.index(option) + 2 :]]


EXPORT = ["interacting_head.export", "-m", "trained", "-o", "{disk}/out", "--format"]
STATS = ["data.stats", "some", "--source-language", "de", "--target-language", "en", "--corpora-dir", "corpora"]
TEXT = ["-i", "dev.de", "-r", "dev.en"]
PRUNING = ["interacting_head.analyze", "pruning", "-m", "trained", *TEXT, "--beam-size", "1"]
PRUNING += ["--order", "random", "--steps", "1"]
COMMANDS = {
    "training": ["train.py", *on_disk(TRAIN, "--run-dir", "{disk}/out")],
    "translation": ["translate.py", "-m", "trained", "-i", "dev.de", "-o", "{disk}/out"],
    "ctranslate2": [*EXPORT, "ctranslate2"],
    "keras": [*EXPORT, "keras"],
    "marian": [*EXPORT, "marian"],
    "savedmodel": [*EXPORT, "savedmodel", "--ids-only"],
    "preparation": on_disk(PREPARE, "--output-dir", "{disk}/out"),
    "plot": [*STATS, "--vocabulary-size", "300", "--plot", "{disk}/out.png"],
    "analysis": ["interacting_head.analyze", "rank", "-m", "trained", *TEXT, "-o", "{disk}/out"],
    "pruning": [*PRUNING, "-o", "{disk}/out"],
    "pruned run": [*PRUNING, "-o", "analysis", "--remove", "1", "--output-run", "{disk}/out"],
    "search": on_disk(TUNE, "--search-dir", "{disk}/out"),
    "report": ["interacting_head.reproduce", "--report", "-o", "{disk}/out"],
    "corpus": ["data.quickstart_corpus", "{disk}/out"],
}
CHECKED_BEFORE = "training", "search"  # their checkpoints do not fit


def in_words(words, disk):
    return [word.format(disk=disk) if "{disk}" in word else word for word in words]


def last_line(result):
    assert "Traceback" not in result.errors
    return result.errors.splitlines()[-1]


def ended(place, disk, name):
    """The exit code and the last line on the standard error of a command of `COMMANDS`."""
    result = run(place, *in_words(COMMANDS[name], disk))
    return result.code, last_line(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_gives_one_line_and_no_half_written_files(place, disk, name):
    fill(disk)
    code, line = ended(place, disk, name)
    if name in CHECKED_BEFORE:
        assert code in (1, 2), line
    else:
        assert code == 1, line
        assert line.startswith(f"error: cannot write {disk}/out"), line
        assert "No space left on device; " in line
        assert line.endswith("free up space and run the same command again")
    files = [path for path in disk.rglob("*") if path.is_file() and path.name != FILLER and path.stat().st_size]
    assert not files
    (disk / FILLER).unlink()
    shutil.rmtree(disk / "out", ignore_errors=True)
    assert run(place, *in_words(COMMANDS[name], disk)).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_that_is_only_read_is_one_line(place, disk, name):
    read_only(disk)
    code, line = ended(place, disk, name)
    assert code == 2, line
    assert line.startswith(f"error: cannot write {disk}/out"), line
    assert "Read-only file system; " in line


@pytest.mark.slow
def test_a_full_cache_is_one_line(place, disk, tmp_path):
    (tmp_path / "cache").symlink_to(disk)
    tiny_corpus.write_corpus(tmp_path)
    (tmp_path / "tiny.yaml").write_text("{}\n")
    fill(disk)
    result = run(tmp_path, "train.py", *TRAIN)
    assert result.code == 1
    assert last_line(result).startswith(f"error: cannot write {disk}/")
    assert "No space left on device; " in last_line(result)
    (disk / FILLER).unlink()
    read_only(disk)
    result = run(tmp_path, "train.py", *TRAIN)
    assert result.code == 2
    assert "Read-only file system; set INTERACTING_HEAD_CACHE to a writable folder" in last_line(result)


@pytest.mark.slow
def test_a_disk_that_fills_up_during_a_training_keeps_its_last_checkpoint(place, disk):
    command = ["train.py", *on_disk(TRAIN, "--run-dir", f"{disk}/out"), "--set", "train.validation_interval=5"]
    with started(place, *command) as (process, _, errors):
        saved = appears(disk, "out/checkpoints/step-*.state.npz")
        wait_until(saved, _Running(process))
        fill(disk)
        process.join()
        message = errors.read().decode()
        assert process.exitcode == 1
    step = max(int(path.name.split(".")[0][5:]) for path in (disk / "out" / "checkpoints").glob("*.npz"))
    line = message.splitlines()[-1]
    assert "Traceback" not in message
    assert line.startswith(f"error: cannot write {disk}/out/")
    assert f"No space left on device; {disk}/out keeps its checkpoint of step {step}; free up space and " in line
    (disk / FILLER).unlink()
    result = run(place, *command)
    assert result.code == 0
    assert f"resuming {disk}/out at step {step}" in result.errors


class _Running:
    """A process of `multiprocessing` as `wait_until` asks for it."""

    def __init__(self, process):
        self.process, self.args = process, process.name

    def poll(self):
        return self.process.exitcode

    def kill(self):
        self.process.kill()

    def communicate(self):
        return self.process.exitcode


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason=skip_reasons.FULL_DEVICE)
@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["eval_metrics.py", "-i", "dev.en", "-r", "dev.en", "--json"],
        ["eval_metrics.py", "-i", "dev.en", "-r", "dev.en"],
        ["train.py", "--list"],
        ["interacting_head.reproduce", "--list"],
        [*STATS, "--vocabulary-size", "300", "--json"],
    ],
)
def test_a_standard_output_without_room_is_one_line(place, command):
    script, *arguments = command
    what = [str(ROOT / script)] if script.endswith(".py") else ["-m", script]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, *what, *arguments], cwd=place, env=environment(place), stdout=full, stderr=subprocess.PIPE
        )
    message = "cannot write the standard output: No space left on device; free up space and run the same command again"
    assert (done.returncode, done.stderr.decode()) == (1, f"error: {message}\n")


@pytest.mark.slow
def test_runs_that_fail_on_a_full_disk_are_made_when_there_is_room(tmp_path, disk):
    write_tiny(tmp_path)
    command = ["tests.tiny_reproduction", *on_disk(REPRODUCE, "--runs-dir", str(disk / "out"))]
    fill(disk)
    result = run(tmp_path, *command, fresh=True)
    assert result.code == 1
    failed = [line for line in result.errors.splitlines() if ": failed: " in line]
    assert len(failed) == 2
    assert all(f"cannot write {disk}/out: No space left on device; " in line for line in failed), failed
    assert last_line(result).startswith("error: 2 runs failed: ")
    (disk / FILLER).unlink()
    assert run(tmp_path, *command, fresh=True).code == 0
