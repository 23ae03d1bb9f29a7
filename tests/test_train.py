"""train.py through the real command line."""

import signal
import subprocess
import sys

import pytest

from tests import tiny_corpus
from tests.command_line import OWN, ROOT, TINY, TRAIN, environment, run, run_all, start, wait_until

PAPER = [*tiny_corpus.SETTINGS, "data.profile=truecased", "train.max_steps=1"]


def test_the_recipes_are_listed(tmp_path):
    result = run(tmp_path, "train.py", "--list")
    assert (result.code, result.errors) == (0, "")
    head, *rows = result.output.splitlines()
    assert head.split() == ["recipe", "paper", "table", "expected"]
    assert rows[0].startswith("quickstart ")
    row = next(row for row in rows if row.startswith("mhop_iwslt17_de_en_layer_4 "))
    assert " ".join(row.split()) == "mhop_iwslt17_de_en_layer_4 Iida et al. 2019 1–4 BLEU 34.31, 55,492 K parameters"
    assert row.index("BLEU") == head.index("expected")
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_names_or_a_pattern_lists_what_fits(tmp_path):
    pattern = "*iwslt17_de_en_layer_?_small"
    parts = {"one": ["ih_wmt17_en_cs_talking_heads_h8"], "part": ["hindencorp"], "pattern": [pattern]}
    results = run_all(tmp_path, {name: ("train.py", ["--list", *words], b"") for name, words in parts.items()})
    names = {name: [line.split()[0] for line in results[name].output.splitlines()[1:] if line] for name in parts}
    assert names["one"][0] == "ih_wmt17_en_cs_talking_heads_h8"
    assert results["one"].output.endswith("interacting-head train ih_wmt17_en_cs_talking_heads_h8 --corpora-dir DIR\n")
    assert "\nmeasured as: case-sensitive BLEU of multi-bleu.perl on tokenised, " in results["one"].output
    models = "t_base", "t_optimal", "dhicm", "dhicm_wide"
    assert names["part"] == [f"dhicm_hindencorp_hi_en_{model}{small}" for model in models for small in ("", "_small")]
    assert names["pattern"] == [f"mhop_iwslt17_de_en_layer_{number}_small" for number in range(1, 7)]


def test_recipes_are_listed_where_python_has_no_docstrings(tmp_path):
    command = [sys.executable, "-OO", ROOT / "train.py", "--list", "quickstart"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    description = "No description: it is a docstring, which Python removes with -OO."
    assert ended.stdout.endswith(f"\n{description}\n\ninteracting-head train quickstart\n")


WRONG_ARGUMENTS = {
    "a typo in an option": (["--run-dirs", "x"], "unrecognized arguments: --run-dirs"),
    "a short form": (["--dry"], "unrecognized arguments: --dry"),
    "no recipe to list": (["quickstat", "--list"], "no recipe matches 'quickstat'; did you mean quickstart?"),
    "an unknown recipe": (["quickstat"], "unknown recipe 'quickstat'; did you mean quickstart?"),
    "an unknown key": (["--set", "model.num_head=4"], "model.num_head; did you mean model.attention.num_heads?"),
    "no value": (["--set", "model.dropout"], "--set takes KEY=VALUE, such as model.dropout=0.2, got 'model.dropout'"),
    "a wrong value": (["--set", "train.max_steps=many"], "train.max_steps must be a whole number, got 'many'"),
    "bad YAML": (["bad.yaml"], "bad.yaml is not valid YAML: "),
    "a missing file": (["none.yaml"], "cannot read the configuration none.yaml: No such file"),
}


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_wrong_arguments_are_one_line_and_exit_code_2(tmp_path, name):
    (tmp_path / "bad.yaml").write_text("model: {dropout: 0.1\ndata: ]\n")
    arguments, message = WRONG_ARGUMENTS[name]
    result = run(tmp_path, "train.py", *arguments)
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: ")
    assert result.errors.count("\n") == 1
    assert message in result.errors
    assert {path.name for path in tmp_path.iterdir()} == {"bad.yaml"}


# More of them are in test_training.py, without a process for each.
BAD_TEXT = {
    "a missing corpus": (["multi30k_de_en", "--corpora-dir", "nowhere"], "the corpora folder nowhere does not"),
    "an empty file": ([*TINY, "--source", "empty.de"], "empty.de is empty"),
    "unequal lengths": ([*TINY, "--source", "dev.de"], "dev.de has 6 lines but "),
    "a vocabulary too large": (
        [*TINY, "--set", "data.vocabulary_size=9000"],
        "set data.vocabulary_size (--vocabulary-size) to at most",
    ),
}


@pytest.fixture(scope="module")
def bad_text(workplace):
    (workplace / "empty.de").write_bytes(b"")
    cases = {name: ("train.py", ["--run-dir", "new", *arguments], b"") for name, (arguments, _) in BAD_TEXT.items()}
    before = set(workplace.iterdir())
    results = run_all(workplace, cases)
    assert set(workplace.iterdir()) == before  # nothing half-written
    return results


@pytest.mark.parametrize("name", BAD_TEXT)
def test_text_that_cannot_be_trained_on_is_one_line_and_exit_code_2(bad_text, name):
    result = bad_text[name]
    errors = [line for line in result.errors.splitlines() if not line[:2].isdigit()]  # without the log
    assert (result.code, len(errors)) == (2, 1)
    assert errors[0].startswith("error: ")
    assert BAD_TEXT[name][1] in errors[0]


def test_training_shows_its_own_lines_and_no_others(workplace):
    lines = (workplace / "training.log").read_text().splitlines()
    for line in lines:
        assert line[:8].replace(":", "").isdigit() or line.startswith(("  reference  ", "  hypothesis ")), line
    assert any("step 5 of 120, epoch 2, loss " in line for line in lines)
    assert lines[-1].endswith("results in trained")
    assert sum("validation at step 120" in line for line in lines) == 1


@pytest.fixture
def dry_run(workplace):
    """The output of a dry run, and the files that it left."""
    before = set(workplace.rglob("*"))
    result = run(workplace, "train.py", "tiny.yaml", *TINY, "--dry-run")
    return result, set(workplace.rglob("*")) - before


@pytest.mark.slow
def test_a_dry_run_shows_the_plan_and_trains_nothing(dry_run):
    result, left = dry_run
    assert (result.code, result.errors.count("\n")) == (0, 1)
    assert result.errors.startswith("measuring memory use on parts of the largest batch")
    assert "  vocabulary_size: 300\n" in result.output
    assert "encoder_block_1" in result.output
    assert "\nparameters          30,688\n" in result.output
    assert "\nsteps               at most 120, " in result.output
    assert " on this machine\n" in result.output.partition("\npeak memory         about ")[2]
    assert not left


@pytest.fixture(scope="module")
def again(workplace):
    """The same command once more, and another configuration."""
    other = ["tiny.yaml", *TINY, "--run-dir", "trained", "--set", "model.dropout=0.3"]
    # One after the other: a run directory has one training at a time.
    return {"same": run(workplace, "train.py", *TRAIN), "other": run(workplace, "train.py", *other)}


def test_a_finished_run_says_so_without_an_error(again):
    assert again["same"].code == 0
    assert again["same"].errors.splitlines()[-1].endswith("trained is finished after 120 steps: nothing to do")


def test_another_configuration_on_a_run_is_an_error_that_names_the_key(again):
    assert again["other"].code == 2
    assert again["other"].errors.startswith(
        "error: trained contains a run with a different configuration: model.dropout ("
    )
    assert again["other"].errors.count("\n") == 1


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """A folder with a run of the profile `truecased`, hardly trained, and what became of commands on it."""
    folder = tmp_path_factory.mktemp("paper")
    tiny_corpus.write_corpus(folder)
    train = ["--run-dir", "run", *OWN, *(word for x in PAPER for word in ("--set", x))]
    trained = run(folder, "train.py", *train)
    assert trained.code == 0, trained.errors
    lines = (folder / "train.de").read_text()
    (folder / "train.de").write_text(lines.replace("hund", "wolf"))
    cases = {
        "again": ("train.py", train, b""),
        "text": ("translate.py", ["-m", "run"], b"Der Hund sieht's!\n\n"),
        "tokens": ("translate.py", ["-m", "run", "--keep-tokenized"], b"Der Hund sieht's!\n\n"),
    }
    return folder, run_all(folder, cases)


@pytest.mark.slow
def test_preprocessing_of_papers_is_part_of_training_and_translation(paper):
    folder, results = paper
    assert {path.name for path in (folder / "run" / "truecasing").iterdir()} == {"source.truecase", "target.truecase"}
    for name in ("text", "tokens"):
        assert results[name].code == 0, results[name].errors
        assert results[name].output.count("\n") == 2
        assert "▁" not in results[name].output
        assert "&apos;" not in results["text"].output


@pytest.mark.slow
def test_text_that_changed_under_a_training_is_one_line_and_exit_code_2(paper):
    again = paper[1]["again"]
    assert (again.code, again.errors.count("\n")) == (2, 1)
    assert again.errors.startswith("error: the text of train has changed since run was started; ")


@pytest.mark.slow
def test_an_interrupted_training_is_saved_and_exits_with_130(workplace):
    process = start(workplace, "train.py", *TRAIN[:-1], "stopped", "--set", "train.max_steps=100000")
    log = workplace / "stopped" / "train.log"
    wait_until(lambda: log.is_file() and "step 10 of" in log.read_text(), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"stopped by SIGINT at step " in errors
    assert b"Traceback" not in errors
    assert list((workplace / "stopped" / "checkpoints").glob("*.npz"))


@pytest.mark.slow
def test_text_may_come_through_pipes_and_the_same_command_continues(tmp_path):
    tiny_corpus.write_corpus(tmp_path)
    pipes = "--source <(cat train.de) --target <(cat train.en) --dev-source <(cat dev.de) --dev-target <(cat dev.en)"
    settings = [*tiny_corpus.SETTINGS, "train.max_steps=1", "data.source_language=de", "data.target_language=en"]
    command = f"exec {sys.executable} {ROOT / 'train.py'} quickstart {pipes} --run-dir run --set {' '.join(settings)}"

    def train():
        shell = ["bash", "-c", command]
        return subprocess.run(shell, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True)

    first, again = train(), train()
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert again.stderr.splitlines()[-1].endswith("run is finished after 1 steps: nothing to do")
    (tmp_path / "train.de").write_text((tmp_path / "train.de").read_text().replace("hund", "wolf"))
    other = train()
    assert other.returncode == 2
    assert "run contains a run with a different configuration: data.source (" in other.stderr
