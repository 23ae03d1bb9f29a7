"""METEOR's program: that it ends, and what is said where it is missing or fails."""

import importlib.util
import json
import os
import signal
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head.metrics import MetricUnavailable, Options, evaluate, meteor
from interacting_head.metrics.meteor import Meteor, find_archive, find_java
from tests.command_line import run, start, wait_until
from tests.interacting_head.metrics.examples import result, with_meteor

with_processes = pytest.mark.skipif(
    not Path("/proc/self/task").exists(),
    reason="this system has no folder /proc with processes, which Linux has; run the test on Linux",
)


def children(process):
    """Process ids of the children of a process."""
    try:
        return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    except OSError:
        return []


def has_ended(number):
    """Return whether a process has ended; nobody may have asked yet how."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def text_files(folder, sentences=1):
    for name in ("hyp", "ref"):
        (folder / name).write_text("a cat sat on the mat\n" * sentences)
    return ["-i", "hyp", "-r", "ref"]


@with_meteor
@with_processes
def test_interrupting_ends_the_program_too(tmp_path):
    arguments = text_files(tmp_path, sentences=100_000)
    process = start(tmp_path, "eval_metrics.py", *arguments, "-m", "meteor", start_new_session=True)
    wait_until(lambda: children(process), process)
    (java,) = children(process)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (130, b"interrupted\n")
    assert has_ended(java)


@with_meteor
@with_processes
@pytest.mark.slow
def test_the_meteor_program_ends_with_python(tmp_path):
    process = start(tmp_path, "eval_metrics.py", *text_files(tmp_path), "-m", "meteor", "--json")
    wait_until(lambda: children(process), process)
    (java,) = children(process)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, b"")
    assert json.loads(output)["meteor"]["score"] == pytest.approx(100)
    assert has_ended(java)


# Without what it needs


def pretended_java(folder, script):
    (folder / "java").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "java").chmod(0o755)
    return str(folder)


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A package with an archive of METEOR, which nobody reads."""
    folder = tmp_path / "site" / "pycocoevalcap"
    (folder / "meteor").mkdir(parents=True)
    (folder / "meteor" / "meteor-1.5.jar").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder / "meteor" / "meteor-1.5.jar"


@pytest.fixture
def no_program():
    """No program that an earlier test started."""
    meteor._start.cache_clear()
    yield
    meteor._start.cache_clear()


def test_meteor_is_unavailable_without_java(monkeypatch, archive, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MetricUnavailable, match=r"METEOR needs Java.*install a Java runtime or set JAVA_HOME"):
        result(["a"], ["a"])


def test_java_is_found_in_java_home_too(monkeypatch, archive, tmp_path):
    (tmp_path / "bin").mkdir()
    pretended_java(tmp_path / "bin", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java() == str(tmp_path / "bin" / "java")


def test_meteor_is_unavailable_without_its_archive(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MetricUnavailable, match=r"archive is not installed; pip install.*requirements-metrics.txt"):
        find_archive()


def test_an_unknown_language_is_an_error_that_names_the_known_ones():
    with pytest.raises(InputError, match=r"METEOR does not support the language 'tlh'; choose one of en, cs") as caught:
        Meteor(Options(meteor_language="tlh"))
    assert not isinstance(caught.value, MetricUnavailable)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "echo 'Could not reserve enough space' >&2; echo for the heap >&2; exit 1",
            "reserve enough space for the heap",
        ),
        ("exit 1", "no message"),
        ("read line; echo 'Error: no such thing'", "Error: no such thing"),
    ],
)
def test_a_failing_program_is_an_error_of_one_line(monkeypatch, archive, no_program, tmp_path, script, message):
    monkeypatch.setenv("PATH", pretended_java(tmp_path, script) + os.pathsep + os.environ["PATH"])
    with pytest.raises(MetricUnavailable, match=f"METEOR's program ended: .*{message}") as caught:
        result(["a"], ["a"])
    assert "\n" not in str(caught.value)


def test_other_metrics_are_printed_without_meteor(monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    arguments = text_files(tmp_path)
    both = run(tmp_path, "eval_metrics.py", *arguments, "-m", "meteor", "bleu", "yisi1", "--json")
    assert both.code == 0
    assert json.loads(both.output)["bleu"]["score"] == pytest.approx(100)
    assert [line.split(":")[:2] for line in both.errors.splitlines()] == [
        ["warning", " meteor is unavailable"],
        ["warning", " yisi1 is unavailable"],
    ]
    alone = run(tmp_path, "eval_metrics.py", *arguments, "-m", "meteor")
    assert alone.code == 2
    assert alone.output == ""
    assert alone.errors.startswith("error: meteor is unavailable: METEOR")
    assert len(alone.errors.splitlines()) == 1


def test_nltk_s_meteor_needs_wordnet(monkeypatch, tmp_path):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(MetricUnavailable, match="meteor_nltk needs WordNet"):
        evaluate(["a"], ["a"], ["meteor_nltk"])
