"""The output of the trained quickstart model in README.md and docs/translation.md, and commands of `make demo`."""

import re
import shlex
import signal
from functools import partial

import numpy as np
import pytest

from interacting_head.__main__ import VERBS
from tests.command_line import run, start
from tests.pages import ROOT, blocks, shown
from tests.terminal import Terminal

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ACTIVATED = ". .venv/bin/activate"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder with what `make demo` leaves: a run, trained for minutes, and its corpus."""
    folder = tmp_path_factory.mktemp("demo")
    lines = re.findall(r"^\t\.venv/bin/interacting-head (.*)$", MAKEFILE, re.MULTILINE)
    assert "train quickstart" in lines
    for line in lines:
        result = run(folder, "interacting_head", *shlex.split(line))
        assert result.code == 0, f"{line}\n{result.errors}"
    return folder


@pytest.mark.slow
def test_the_terminal_of_the_readme_shows_what_is_printed(demo):
    [block] = [text for language, text in blocks(ROOT / "README.md") if language == "console"]
    for command in block.removeprefix("$ ").split("\n$ "):
        line, _, printed = command.partition("\n")
        _, *arguments = shlex.split(line)
        if "> " in printed:
            type_at_prompt(partial(start, demo, "interacting_head", *arguments), printed)
        elif arguments[0] == "serve":
            process = start(demo, "interacting_head", *arguments, "--port", "0")
            assert without_numbers(process.stdout.readline().decode()) == without_numbers(printed)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        else:
            result = run(demo, "interacting_head", *arguments)
            assert (result.code, without_numbers(result.output)) == (0, without_numbers(printed)), result.errors
            scores = [re.findall(r"\b\d\d\.\d\d\b", text) for text in (result.output, printed)]
            assert np.array(scores[0], float) == pytest.approx(np.array(scores[1], float), abs=2)


def type_at_prompt(started, dialogue):
    """Type what follows `> ` in a dialogue, and wait for its other lines."""
    terminal = Terminal(started)
    for line in dialogue.splitlines():
        prompt, typed = re.match("(> )?(.*)", line).groups()
        terminal.sees(prompt or f"{typed}\r\n")
        if prompt:
            terminal.types(f"{typed}\n")
            terminal.sees(f"{typed}\r\n")
    terminal.sees("> ")
    terminal.types("\x04")
    assert terminal.ends() == 0


def without_numbers(text):
    """Return the words of a text, with one sign for each number: scores depend on the processor."""
    return re.sub(r"\d+(\.\d+)*", "#", text).split()


@pytest.mark.slow
def test_words_are_aligned_in_the_form_that_is_shown(demo):
    source, translation, links = shown("translation.md", "Gestern Abend ").splitlines()
    arguments = ("-m", "runs/quickstart", "--alignment", "links.txt")
    result = run(demo, "interacting_head", "translate", *arguments, stdin=f"{source}\n".encode())
    assert result.output == f"{translation}\n", result.errors
    found = (demo / "links.txt").read_text(encoding="utf-8")
    assert re.sub(r"\d+", "#", found) == re.sub(r"\d+", "#", f"{links}\n")


def test_commands_printed_after_the_demo_use_the_activated_environment():
    printed = re.findall(r'^\t@echo "  (.*)"$', MAKEFILE, re.MULTILINE)
    assert printed[0] == ACTIVATED
    assert ACTIVATED in README.split("## In a terminal")[0]
    for command in printed[1:]:
        [verb] = re.findall(r"interacting-head (\S+)", command)
        assert verb in VERBS, command
