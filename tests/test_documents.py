"""README.md and docs/: commands and code run, output is what is printed, links lead somewhere, lines are short."""

import gzip
import re
import shlex
import shutil
import sys
import types

import pytest

from data.corpora.mixes import parse_mix
from interacting_head.config import load_config
from interacting_head.tune.search import load_space
from layers import ATTENTION_SCHEMES
from tests import skip_reasons, tiny_corpus
from tests.command_line import run
from tests.pages import ROOT, blocks, shown

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

NOT_RUN = {
    "make ": "installs packages; tests/test_readme.py runs what `make demo` runs then",
    ". .venv/bin/activate": "the tests run in this environment",
    "pip ": "installs packages",
    "hf ": "needs an account",
    "split ": "for the next one",
    "parallel ": "needs GNU parallel",
    "cat part": "needs the output of the one before",
    "docker ": "needs Docker; tests/interacting_head/export tests the SavedModel",
    "curl ": "needs a running server; see tests/test_serve.py",
    "tensorboard ": "does not end",
    "interacting-head serve ": "does not end; see tests/test_serve.py",
    "KERAS_BACKEND=jax ": "see tests/test_devices.py",
    "cd notebooks ": "see tests/test_notebooks.py",
    "from interacting_head import recipes, train\n": "takes a minute; see tests/interacting_head/training",
    "import json\nimport sys\n": "needs a server; see tests/interacting_head/export/test_savedmodel_text.py",
}
"""Beginnings of commands, and of blocks of Python, that are not run here, with the reason."""
SHOWN = {
    "interacting-head ": "an overview of options, compared with --help below",
    "tatoeba_en-de+": "parsed below",
    "architecture:": "read below",
    "engine ctranslate2: ": "compared below",
    "Gestern Abend ": "see tests/test_readme.py",
    "distance of a head ": "formulas",
    "#!/bin/bash\n#SBATCH ": "needs Slurm",
}
"""Beginnings of blocks of text, and where they are tested or why not."""
SHORT = [
    word
    for setting in (*tiny_corpus.SETTINGS, "data.vocabulary_size=400", "train.max_steps=2")
    for word in ("--set", setting)
]
"""Settings that make a training short."""


def steps(page):
    """Return pairs of the language and the text of each command and each block of Python, in the order of the page."""
    found = []
    for language, text in blocks(page):
        if language == "bash":
            lines = text.replace("\\\n", " ").splitlines()
            found += [(language, line) for line in lines if line and not line.startswith("#")]
        elif language == "python":
            found.append((language, text))
    return found


def is_run(text):
    return not any((text + "\t").startswith(begin) for begin in NOT_RUN)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder with everything that the pages name: runs, corpora, texts and translations."""
    folder = tmp_path_factory.mktemp("demo")
    for line in (
        "interacting-head train quickstart",
        "interacting-head train quickstart --set model.normalization=post model.attention.scheme=multi_head "
        "model.attention.options={} --run-dir runs/post-norm",
        "interacting-head quickstart-corpus runs/quickstart-corpus",
    ):
        result = run_line(folder, line)
        assert result.code == 0, f"{line}\n{result.errors}"
    shutil.copytree(folder / "runs" / "quickstart", folder / "runs" / "other")
    shutil.copy(folder / "runs" / "quickstart" / "config.yaml", folder / "CONFIG.yaml")
    (folder / "space.yaml").write_text("architecture: {model.attention.num_heads: [2, 4]}\n")
    shutil.copytree(ROOT / "tests" / "quickstart_links", folder / "tests" / "quickstart_links")
    corpus = folder / "runs" / "quickstart-corpus"
    for side in ("de", "en"):
        first = {
            split: (corpus / f"{split}.{side}").read_bytes().splitlines(True) for split in ("train", "dev", "test")
        }
        few = {"train": first["train"][:500], "dev": first["dev"][:20], "test": first["test"][:20]}
        few["test_2016_flickr"] = few["test"]
        for name in (".", "runs/quickstart-corpus", "corpora/multi30k", "corpora/tatoeba_en-de", "multi30k"):
            place = folder / name
            place.mkdir(parents=True, exist_ok=True)
            for split, lines in few.items():
                (place / f"{split}.{side}").write_bytes(b"".join(lines))
    german, english = ((folder / f"test.{side}").read_bytes() for side in ("de", "en"))
    for name in ("test.hyp", "baseline.hyp", "other.hyp", "third.hyp", "ref1.en", "ref2.en", "translation.txt"):
        (folder / name).write_bytes(english)
    (folder / "source.txt").write_bytes(german)
    (folder / "source.txt.gz").write_bytes(gzip.compress(german))
    return folder


def run_line(folder, line):
    """Run `interacting-head VERB ...` or `python SCRIPT ...`, with its redirections, and return the result."""
    words = shlex.split(line, comments=True)
    streams = {}
    for sign in "<>":
        if sign in words:
            position = words.index(sign)
            streams[sign] = folder / words[position + 1]
            del words[position : position + 2]
    program, verb, *words = words
    if program == "python":
        return run(folder, verb, *words)
    assert program == "interacting-head"
    if verb in ("train", "tune") and not {"--list", "--help"} & set(words):
        words += SHORT
    if verb in ("prepare", "stats"):
        words += ["--vocabulary-size", "400"]
    if verb == "tune":
        words += ["--trials", "1"]  # of each stage, instead of all; see tests/interacting_head/tune
    if verb == "reproduce" and "--report" not in words:
        words.append("--list")  # instead of hours; tests/test_reproduce.py makes a table
    typed = streams["<"].read_bytes() if "<" in streams else b""
    variables = {"CORPORA_DIR": str(folder / "corpora")}
    result = run(folder, "interacting_head", verb, *words, stdin=typed, variables=variables)
    if ">" in streams:
        streams[">"].write_text(result.output, encoding="utf-8")
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(is_run(text) for _, text in steps(page))], ids=lambda page: page.stem
)
def test_the_commands_and_the_code_of_a_page_run(page, demo, tmp_path, monkeypatch):
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "bertviz", types.SimpleNamespace(head_view=head_view))
    names = {}
    for language, text in steps(page):
        if not is_run(text):
            continue
        if language == "bash":
            result = run_line(tmp_path, text)
            assert result.code == 0, f"{text}\n{result.errors}"
        else:
            if "from transformers" in text:
                pytest.importorskip("transformers", reason=skip_reasons.TRANSFORMERS)
            run_code(text, names)


def head_view(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens):
    """Stand in for BertViz, which draws in a notebook; tests/interacting_head/export/test_huggingface.py calls it."""
    lengths = len(encoder_tokens), len(decoder_tokens)
    for layers, (rows, columns) in (
        (encoder_attention, (0, 0)),
        (decoder_attention, (1, 1)),
        (cross_attention, (1, 0)),
    ):
        assert {layer.shape[-2:] for layer in layers} == {(lengths[rows], lengths[columns])}


def run_code(code, names):
    """Run Python code, and compare shapes in its last comment with the variables `output` and `scores`."""
    exec(code, names)
    for name, shape in zip(("output", "scores"), re.findall(r"\([\d, ]+\)", code.rpartition("#")[2]), strict=False):
        assert str(tuple(names[name].shape)) == shape


@pytest.mark.parametrize("page", ["README.md", "docs/layers.md"])
def test_the_code_of_a_page_that_needs_no_run_runs(page):
    codes = [text for language, text in steps(ROOT / page) if language == "python"]
    assert codes
    for code in codes:
        run_code(code, {})


def test_the_configurations_of_the_pages_are_read(tmp_path):
    texts = [text for page in PAGES for language, text in blocks(page) if language == "yaml"]
    assert texts
    for text in texts:
        (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
        load_config(tmp_path / "config.yaml")


@pytest.mark.parametrize("page", ["analysis.md", "export.md"])
def test_an_overview_of_options_has_the_words_of_the_help(page, tmp_path):
    for line in shown(page, "interacting-head ").splitlines():
        command, _, options = line.partition("#")[0].partition(" -")
        _, *verbs = command.replace("VERB", "attention").split()
        printed = run(tmp_path, "interacting_head", *verbs, "--help").output
        for word in re.findall(r"[\w-]*[a-z][\w-]*", f"-{options}"):
            assert word in printed, word


def test_the_mix_of_corpora_is_one():
    parts = parse_mix(shown("corpora.md", "tatoeba_en-de+").strip())
    assert [part.corpus for part in parts] == ["tatoeba_en-de", "multi30k", "newstest", "newstest"]


def test_the_search_space_is_one(tmp_path):
    (tmp_path / "space.yaml").write_text(shown("training.md", "architecture:"), encoding="utf-8")
    assert list(load_space(tmp_path / "space.yaml")) == ["architecture", "regularization"]


@pytest.mark.slow
def test_the_engine_is_named_as_shown(workplace, tmp_path):
    shutil.copytree(workplace / "trained", tmp_path / "runs" / "quickstart")
    shutil.copy(workplace / "dev.de", tmp_path / "source.txt")
    run_line(tmp_path, "interacting-head export -m runs/quickstart --format ctranslate2")
    translate = "interacting-head translate -m runs/quickstart < source.txt"
    printed = [run_line(tmp_path, translate).errors.splitlines()[0]]
    run = tmp_path / "runs" / "quickstart"
    shutil.copy(run / "average.weights.h5", run / "best.weights.h5")
    printed.append(run_line(tmp_path, translate).errors.splitlines()[0])
    assert printed == shown("translation.md", "engine ").splitlines()


def test_every_block_is_tested_or_left_out_with_a_reason():
    for page in PAGES:
        for language, text in blocks(page):
            if language == "console":
                assert page.name == "README.md", "tests/test_readme.py reads README.md alone"
            elif language not in ("bash", "python", "yaml", "bibtex"):
                assert any(text.startswith(begin) for begin in SHOWN), f"{page.name}:\n{text}"


@pytest.mark.parametrize("page", ["README.md", "docs/analysis.md", "docs/export.md"])
def test_the_pages_that_compare_schemes_have_all(page):
    """`folded` is no scheme of a paper, so that README.md leaves it out."""
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = {scheme for scheme in ATTENTION_SCHEMES if f"`{scheme}`" not in text}
    assert missing <= ({"folded"} if page == "README.md" else set())


def test_every_reason_is_needed():
    texts = [text + "\t" for page in PAGES for _, text in steps(page)]
    assert [begin for begin in NOT_RUN if not any(text.startswith(begin) for text in texts)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_lines_of_a_page_have_at_most_100_columns(page):
    """Tables and code may be wider, and a line that is one link."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    wide = [line for line in text.splitlines() if len(line) > 100 and not line.startswith("|")]
    assert [line for line in wide if " " in line.strip(" -")] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_the_readme_has_the_verdicts_of_the_report():
    readme, report = (ROOT / name for name in ("README.md", "benchmarks/REPRODUCTION.md"))
    _, decided = report.read_text(encoding="utf-8").split("\n## Decided claims\n\n")
    table, counts, _ = decided.split("\n\n", 2)
    assert table in readme.read_text(encoding="utf-8")
    assert counts.splitlines()[0] in " ".join(readme.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "benchmarks").glob("*.md"))], ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page):
    for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, heading
