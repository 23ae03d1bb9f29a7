"""train.py and translate.py through the real command line."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tiny_corpus
from tests.command_line import ROOT, environment, run, run_all, start, wait_until

SETTINGS = [
    *("train.max_steps=120", "train.validation_interval=40", "train.batch_tokens=256", "model.dropout=0"),
    "decode.beam_size=3",
]
OWN = ["--source", "train.de", "--target", "train.en", "--dev-source", "dev.de", "--dev-target", "dev.en"]
TINY = [*OWN, *(word for setting in [*tiny_corpus.SETTINGS, *SETTINGS] for word in ("--set", setting))]
TRAIN = ["tiny.yaml", *TINY, "--run-dir", "trained"]
PAPER = [*tiny_corpus.SETTINGS, "data.profile=paper", "train.max_steps=1"]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with a corpus, a configuration and a trained run, in which the commands are run."""
    folder = tmp_path_factory.mktemp("cli")
    files = tiny_corpus.write_corpus(folder)
    assert {path.name for path in files.values()} == {"train.de", "train.en", "dev.de", "dev.en"}
    (folder / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
    trained = run(folder, "train.py", *TRAIN)
    assert trained.code == 0, trained.errors
    (folder / "training.log").write_text(trained.errors)
    return folder


# train.py


def test_the_recipes_are_listed(tmp_path):
    result = run(tmp_path, "train.py", "--list")
    assert (result.code, result.errors) == (0, "")
    head, *rows = result.output.splitlines()
    assert head.split() == ["recipe", "paper", "table", "expected"]
    assert rows[0].startswith("quickstart ")
    assert list(tmp_path.iterdir()) == []


WRONG_ARGUMENTS = {
    "a typo in an option": (["--run-dirs", "x"], "unrecognized arguments: --run-dirs"),
    "a short form": (["--dry"], "unrecognized arguments: --dry"),
    "an unknown recipe": (["quickstat"], "unknown recipe 'quickstat'; did you mean quickstart?"),
    "an unknown key": (["--set", "model.num_head=4"], "model.num_head; did you mean model.attention.num_heads?"),
    "no value": (["--set", "model.dropout"], "--set takes KEY=VALUE, got 'model.dropout'"),
    "a wrong value": (["--set", "train.max_steps=many"], "train.max_steps must be a whole number, got 'many'"),
    "bad YAML": (["bad.yaml"], "bad.yaml is not YAML: "),
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
    "a missing corpus": (["multi30k_de_en", "--corpora-dir", "nowhere"], "the folder of corpora nowhere does not"),
    "an empty file": ([*TINY, "--source", "empty.de"], "empty.de is empty"),
    "unequal lengths": ([*TINY, "--source", "dev.de"], "dev.de has 6 lines but train.en has 36"),
    "a vocabulary too large": ([*TINY, "--set", "data.vocabulary_size=9000"], "set data.vocabulary_size to at most"),
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
    errors = [line for line in result.errors.splitlines() if not line[:2].isdigit()]  # but for the log
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


def test_a_dry_run_shows_the_plan_and_trains_nothing(workplace):
    before = set(workplace.rglob("*"))
    result = run(workplace, "train.py", "tiny.yaml", *TINY, "--dry-run")
    assert (result.code, result.errors) == (0, "")
    assert "  vocabulary_size: 300\n" in result.output
    assert "encoder_block_1" in result.output
    assert "\nparameters          30,688\n" in result.output
    assert "\nsteps               at most 120, " in result.output
    assert set(workplace.rglob("*")) == before


@pytest.fixture(scope="module")
def again(workplace):
    """The same command once more, another configuration, and nothing but a typo's correction."""
    run_dir = ["--run-dir", "trained"]
    cases = {
        "same": ("train.py", TRAIN, b""),
        "other": ("train.py", ["tiny.yaml", *TINY, *run_dir, "--set", "model.dropout=0.3"], b""),
    }
    return run_all(workplace, cases)


def test_a_finished_run_is_told_and_no_error(again):
    assert again["same"].code == 0
    assert again["same"].errors.splitlines()[-1].endswith("trained is finished: 120 steps, nothing to do")


def test_another_configuration_on_a_run_is_an_error_that_names_the_key(again):
    assert again["other"].code == 2
    assert again["other"].errors.startswith("error: trained holds a run with another configuration: model.dropout (")
    assert again["other"].errors.count("\n") == 1


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """A folder with a run of the profile `paper`, hardly trained, and what became of commands on it."""
    folder = tmp_path_factory.mktemp("paper")
    tiny_corpus.write_corpus(folder)
    train = ["--run-dir", "run", *TINY[: len(OWN)], *(word for x in PAPER for word in ("--set", x))]
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


def test_the_preprocessing_of_the_papers_is_part_of_training_and_translation(paper):
    folder, results = paper
    assert {path.name for path in (folder / "run" / "truecasing").iterdir()} == {"source.truecase", "target.truecase"}
    for name in ("text", "tokens"):
        assert results[name].code == 0, results[name].errors
        assert results[name].output.count("\n") == 2
        assert "▁" not in results[name].output
        assert "&apos;" not in results["text"].output


def test_text_that_changed_under_a_training_is_one_line_and_exit_code_2(paper):
    again = paper[1]["again"]
    assert (again.code, again.errors.count("\n")) == (2, 1)
    assert again.errors.startswith("error: the text of train has changed since run was begun; ")


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


# translate.py

SOURCES = b"der hund sieht.\r\n\n   \nein mann hat das haus. \xe2\x80\xa8 der hund\nkatze"


@pytest.fixture(scope="module")
def translated(workplace):
    """What translate.py does with many inputs and options."""
    shutil.copytree(workplace / "trained", workplace / "moved" / "elsewhere")
    shutil.copytree(workplace / "trained", workplace / "damaged")
    (workplace / "damaged" / "best.weights.h5").write_bytes(b"no weights")
    (workplace / "sources.gz").write_bytes(gzip.compress(SOURCES))
    (workplace / "latin.txt").write_bytes(b"der hund\nkatze\nsch\xf6n\n")
    (workplace / "kept.txt").write_text("as it was\n")
    cases = {
        "stdin": (["-m", "trained"], SOURCES),
        "empty": (["-m", "trained"], b""),
        "file": (["-m", "moved/elsewhere", "-i", "sources.gz", "-o", "output.txt", "--batch-size", "1"], b""),
        "average": (["-m", "trained", "--checkpoint", "average", "--beam-size", "1", "-o", "/dev/null"], SOURCES),
        "pieces": (["-m", "trained", "--keep-tokenized"], SOURCES),
        "moses": (["-m", "trained", "--n-best", "2", "--output-type", "moses"], SOURCES),
        "json": (["-m", "trained", "--n-best", "3", "--output-type", "json"], SOURCES),
        "no run": (["-m", "nowhere"], b""),
        "no checkpoint": (["-m", "trained", "--checkpoint", "step-7"], b""),
        "damaged": (["-m", "damaged"], b"der hund\n"),
        "n-best": (["-m", "trained", "--n-best", "4", "--output-type", "json"], b""),
        "latin": (["-m", "trained", "-i", "latin.txt", "-o", "kept.txt"], b""),
        "no input": (["-m", "trained", "-i", "none.txt", "-o", "new.txt"], b""),
        "no folder": (["-m", "trained", "-o", "nowhere/new.txt"], b""),
    }
    return run_all(workplace, {name: ("translate.py", *case) for name, case in cases.items()})


def test_each_line_gives_one_line_and_empty_lines_stay_empty(translated):
    result = translated["stdin"]
    assert result.code == 0
    first, second, third, fourth, fifth = result.output.removesuffix("\n").split("\n")
    assert (second, third) == ("", "")
    assert first
    assert fourth
    assert fifth
    assert "\r" not in result.output
    assert result.output.endswith("\n")


def test_the_standard_error_holds_the_summary_only(translated):
    for name in ("stdin", "empty", "file", "json"):
        assert translated[name].errors.count("\n") == 1, translated[name].errors
    assert translated["stdin"].errors.startswith("5 sentences in ")
    assert translated["empty"].errors.startswith("0 sentences in ")


def test_an_empty_input_gives_an_empty_output(translated):
    assert translated["empty"][:2] == (0, "")


def test_files_batches_and_places_do_not_change_the_translation(workplace, translated):
    assert translated["file"].output == ""
    assert (workplace / "output.txt").read_text(encoding="utf-8") == translated["stdin"].output


def test_other_checkpoints_can_be_named_and_a_device_written_to(translated):
    assert translated["average"][:2] == (0, "")
    assert translated["average"].errors.startswith("5 sentences in ")
    assert not Path("/dev/null").is_file()


def test_sub_words_are_kept_on_request(translated):
    for pieces, text in zip(
        translated["pieces"].output.split("\n"), translated["stdin"].output.split("\n"), strict=True
    ):
        # Bytes are pieces such as <0x0A>; this model may put them out.
        assert "<0x" in pieces or pieces.replace(" ", "").replace("▁", " ").strip() == text
    assert "▁" in translated["pieces"].output


def test_n_best_lists_come_in_the_form_of_moses(translated):
    lines = [line.split(" ||| ") for line in translated["moses"].output.splitlines()]
    assert [int(line[0]) for line in lines] == [0, 0, 1, 2, 3, 3, 4, 4]
    assert all(len(line) == 4 for line in lines)
    best = translated["stdin"].output.split("\n")
    assert [lines[0][1], lines[4][1], lines[6][1]] == [best[0], best[3], best[4]]
    assert float(lines[0][3]) >= float(lines[1][3])


def test_json_has_an_object_a_line(translated):
    records = [json.loads(line) for line in translated["json"].output.splitlines()]
    assert [record["translation"] for record in records] == translated["stdin"].output.removesuffix("\n").split("\n")
    assert records[1]["tokens"] == []
    for record in (records[0], records[3], records[4]):
        assert len(record["n_best"]) == 3
        assert record["n_best"][0] == {name: record[name] for name in ("translation", "score", "tokens")}
        assert record["score"] == max(hypothesis["score"] for hypothesis in record["n_best"])
        assert record["score"] < 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no run", "nowhere is not a run directory"),
        ("no checkpoint", "trained has no checkpoint 'step-7'; it has step-80, step-120, average, best"),
        ("damaged", "damaged/best.weights.h5 is damaged"),
        ("n-best", "--n-best 4 is above the beam size 3"),
        ("latin", "latin.txt, line 3: not UTF-8 text"),
        ("no input", "cannot read none.txt: No such file"),
        ("no folder", "nowhere/new.txt: No such file or directory; name a folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(translated, name, message):
    result = translated[name]
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: ")
    assert result.errors.count("\n") == 1
    assert message in result.errors


def test_a_failure_leaves_the_output_file_as_it_was(workplace, translated):
    assert translated["latin"].code == 2
    assert (workplace / "kept.txt").read_text() == "as it was\n"
    assert not (workplace / "new.txt").exists()
    assert not list(workplace.glob(".partial*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: -m/--model"),
        (["-m", "x", "--beam", "3"], "unrecognized arguments: --beam 3"),
        (["-m", "x", "--beam-size", "many"], "argument --beam-size: invalid int value: 'many'"),
        (["-m", "x", "--output-type", "xml"], "invalid choice: 'xml'"),
        (["-m", "x", "--beam-size", "0"], "--beam-size must be at least 1, got 0"),
        (["-m", "x", "--batch-size", "-1"], "--batch-size must be at least 1, got -1"),
        (["-m", "x", "--length-penalty", "-1"], "--length-penalty must be a number of at least 0, got -1.0"),
        (["-m", "x", "--n-best", "2"], "--n-best above 1 needs --output-type moses or json"),
    ],
)
def test_wrong_options_are_one_line_and_exit_code_2(tmp_path, arguments, message):
    result = run(tmp_path, "translate.py", *arguments)
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: ")
    assert result.errors.count("\n") == 1
    assert message in result.errors


def test_a_reader_that_goes_away_is_no_error(workplace):
    (workplace / "many.txt").write_text("der hund sieht.\n" * 5000)
    reader, writer = os.pipe()
    command = [sys.executable, str(ROOT / "translate.py"), "-m", "trained", "-i", "many.txt", "--beam-size", "1"]
    process = subprocess.Popen(
        command, cwd=workplace, env=environment(workplace), stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        first = pipe.readline()  # as `| head -1` does
    _, errors = process.communicate()
    assert first.endswith("\n")
    assert process.returncode == 0
    assert errors == ""


def test_an_interrupted_translation_exits_with_130(workplace):
    process = start(workplace, "translate.py", "-m", "trained", "-o", "never.txt", stdin=subprocess.PIPE)
    wait_until(lambda: list(workplace.glob(".partial-*")), process)  # then it waits for its input
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"interrupted\n")
    assert not list(workplace.glob(".partial-*"))
    assert not (workplace / "never.txt").exists()
