"""The code and the commands in README.md, and the commands that `make demo` prints."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from interacting_head.__main__ import VERBS
from tests.command_line import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ACTIVATED = ". .venv/bin/activate"


def test_the_code_in_the_readme_runs():
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        names = {}
        exec(code, names)
        for name, shape in zip(("output", "scores"), re.findall(r"\([\d, ]+\)", code.rpartition("#")[2]), strict=True):
            assert str(tuple(names[name].shape)) == shape


@pytest.fixture
def demo(workplace, tmp_path):
    """A folder with what `make demo` leaves: a run and its corpus."""
    shutil.copytree(workplace / "trained", tmp_path / "runs" / "quickstart")
    corpus = tmp_path / "runs" / "quickstart-corpus"
    corpus.mkdir()
    for language in ("de", "en"):
        shutil.copy(workplace / f"dev.{language}", corpus / f"test.{language}")
    return tmp_path


@pytest.mark.slow
def test_the_commands_after_the_demo_run(demo):
    [block] = re.findall(r"```\n(\$ make demo\n.*?)```", README, re.DOTALL)
    made, activated, *commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    assert (made, activated) == ("make demo\n", f"{ACTIVATED}\n")
    for command in commands:
        line, *shown = command.splitlines()
        program, verb, *arguments = shlex.split(line)
        if verb == "serve":
            continue  # it would go on
        typed = "".join(f"{text.removeprefix('> ')}\n" for text in shown if text.startswith("> "))
        result = run(demo, "interacting_head", verb, *arguments, stdin=typed.encode())
        assert (program, result.code) == ("interacting-head", 0), result.errors
        if verb == "evaluate":
            assert without_numbers(result.output) == without_numbers("\n".join(shown))


def without_numbers(text):
    """Return the words of a text, with one sign for each number: the model of the test is another."""
    return re.sub(r"\b\d+\.\d+\b", "#", text).split()


def test_commands_printed_after_the_demo_use_the_activated_environment():
    printed = re.findall(r'^\t@echo "  (.*)"$', (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert printed[0] == ACTIVATED
    assert ACTIVATED in README.split("## In a terminal")[0]
    for command in printed[1:]:
        [verb] = re.findall(r"interacting-head (\S+)", command)
        assert verb in VERBS, command
