"""The installed package: its requirements, and a wheel that works in another folder."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import interacting_head
from interacting_head.__main__ import VERBS
from tests import tiny_corpus
from tests.command_line import run

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FILES = {"requirements": PROJECT["dependencies"]} | {
    f"requirements-{extra}": names for extra, names in PROJECT["optional-dependencies"].items()
}


@pytest.mark.parametrize("name", FILES)
def test_pinned_versions_are_within_the_requirements_of_the_package(name):
    lines = (ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pinned = {Requirement(line).name: Requirement(line) for line in lines if line and not line.startswith("#")}
    wanted = {Requirement(line).name: Requirement(line) for line in FILES[name]}
    for package, requirement in wanted.items():
        [pin] = pinned[package].specifier
        assert pin.operator == "=="
        assert pin.version in requirement.specifier, package
    assert pinned.keys() - wanted.keys() <= {"setuptools"}


def test_verbs_are_listed_and_a_misspelt_one_gets_one_line(tmp_path):
    listed = run(tmp_path, "interacting_head", "--help").output
    for verb, (meaning, _) in VERBS.items():
        assert re.search(rf"^ +{verb} +{re.escape(meaning)}$", listed, re.MULTILINE)
    refused = run(tmp_path, "interacting_head", "trian")
    assert (refused.code, refused.errors) == (2, "error: unknown verb 'trian'; did you mean train?\n")
    version = run(tmp_path, "interacting_head", "--version").output
    assert version == f"interacting-head {interacting_head.__version__}\n"


@pytest.mark.parametrize("verb", [*VERBS, "analyze attention"])
def test_the_help_of_a_verb_names_it(tmp_path, verb):
    output = run(tmp_path, "interacting_head", *verb.split(), "--help").output
    assert output.startswith(f"usage: interacting-head {verb} ")


@pytest.mark.parametrize(
    ("line", "completion"),
    [
        ("interacting-head ev", "evaluate "),
        ("interacting-head stats --pro", "--profile "),
        ("interacting-head stats --profile tr", "truecased "),
    ],
)
def test_a_shell_completes_verbs_and_options(tmp_path, line, completion):
    variables = {
        **{"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))},
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "completions"),
    }
    assert run(tmp_path, "interacting_head", variables=variables).code == 0
    assert (tmp_path / "completions").read_text() == completion


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder, and the programs of an environment in which the wheel is installed.

    The environment takes what the package depends on from the one of the tests.
    """
    folder = tmp_path_factory.mktemp("package")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(source)]
    subprocess.run(build, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "environment")], check=True)
    python = folder / "environment" / "bin" / "python"
    [packages] = (folder / "environment").glob("lib/python*/site-packages")
    ours = next(path for path in map(Path, sys.path) if (path / "keras").is_dir())
    (packages / "dependencies.pth").write_text(f"{ours}\n")
    [wheel] = (folder / "dist").glob("*.whl")
    subprocess.run([python, "-m", "pip", "install", "--no-deps", "--quiet", str(wheel)], check=True)
    return folder, python.parent


@pytest.mark.slow
def test_wheel_and_sdist_have_every_file_of_the_packages(installed):
    folder, _ = installed
    [wheel] = (folder / "dist").glob("*.whl")
    [sdist] = (folder / "dist").glob("*.tar.gz")
    assert interacting_head.__version__ in wheel.name
    assert interacting_head.__version__ in sdist.name
    tracked = subprocess.run(
        ["git", "ls-files", "interacting_head", "layers", "data"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(tracked) <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_the_installed_commands_work_in_another_folder(installed, tmp_path):
    _, programs = installed
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["INTERACTING_HEAD_CACHE"] = str(tmp_path / "cache")

    options = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True}

    def call(*words, stdin=""):
        result = subprocess.run([programs / "interacting-head", *map(str, words)], input=stdin, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    imported = "import interacting_head, layers, data; print(layers.__file__)"
    where = subprocess.run([programs / "python", "-c", imported], **options)
    assert where.stdout.startswith(str(programs.parent)), where.stderr
    small = [*tiny_corpus.SETTINGS, "train.max_steps=2", "data.vocabulary_size=400"]
    call("train", "quickstart", "--set", *small)
    assert call("translate", "-m", "runs/quickstart", stdin="Ein Hund.\n").count("\n") == 1
    call("quickstart-corpus", "corpus")
    call("translate", "-m", "runs/quickstart", "-i", "corpus/dev.de", "-o", "dev.hyp")
    assert "sacrebleu" in call("evaluate", "-i", "dev.hyp", "-r", "corpus/dev.en", "-m", "sacrebleu")
    call("analyze", "attention", "-m", "runs/quickstart", "--sentences", "4", "-o", "analysis")
    call("export", "-m", "runs/quickstart", "--format", "keras", "-o", "exported")
    assert "li_luo/3" in call("reproduce", "--list")
