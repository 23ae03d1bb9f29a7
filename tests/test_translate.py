"""translate.py through the real command line."""

import base64
import gzip
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import environment, run, start, wait_until

AWKWARD = (
    b"\tder\t hund\nder\x00hund\n\x00\n\x01\x7f\x1b[0m\n"
    + b"der hund sieht " * 700
    + b"\n\xf0\x9f\x90\x95 \xe2\x80\xa8\r\nx"
)
SOURCES = b"der hund sieht.\r\n\n   \nein mann hat das haus. \xe2\x80\xa8 der hund\nkatze"


@pytest.fixture(scope="module")
def translated(workplace):
    """The results of translate.py with many inputs and options, each run where it is asked for first."""
    shutil.copytree(workplace / "trained", workplace / "moved" / "elsewhere")
    shutil.copytree(workplace / "trained", workplace / "damaged")
    (workplace / "damaged" / "best.weights.h5").write_bytes(b"no weights")
    (workplace / "sources.gz").write_bytes(gzip.compress(SOURCES))
    (workplace / "latin.txt").write_bytes(b"der hund\nkatze\nsch\xf6n\n")
    (workplace / "kept.txt").write_text("as it was\n")
    (workplace / "prefixes.txt").write_text("the old dog\n" * AWKWARD.count(b"\n") + "\n")
    cases = {
        "stdin": (["-m", "trained"], SOURCES),
        "empty": (["-m", "trained"], b""),
        "file": (["-m", "moved/elsewhere", "-i", "sources.gz", "-o", "output.txt", "--batch-size", "1"], b""),
        "average": (["-m", "trained", "--checkpoint", "average", "--beam-size", "1", "-o", "/dev/null"], SOURCES),
        "pieces": (["-m", "trained", "--keep-tokenized"], SOURCES),
        "moses": (["-m", "trained", "--n-best", "2", "--output-type", "moses"], SOURCES),
        "json": (["-m", "trained", "--n-best", "3", "--output-type", "json", "--with", "attention"], SOURCES),
        "ensemble": (["-m", "trained", "moved/elsewhere", "--batch-tokens", "40"], SOURCES),
        "awkward": (["-m", "trained", "--prefix", "prefixes.txt", "--max-length", "30"], AWKWARD),
        "scored": (["-m", "trained", "-i", "dev.de", "--score", "dev.en", "--output-type", "json"], b""),
        "aligned": (["-m", "trained", "--alignment", "links.gz", "--max-source-length", "9"], SOURCES),
        "no run": (["-m", "nowhere"], b""),
        "no checkpoint": (["-m", "trained", "--checkpoint", "step-7"], b""),
        "damaged": (["-m", "damaged"], b"der hund\n"),
        "n-best": (["-m", "trained", "--n-best", "4", "--output-type", "json"], b""),
        "latin": (["-m", "trained", "-i", "latin.txt", "-o", "kept.txt"], b""),
        "no input": (["-m", "trained", "-i", "none.txt", "-o", "new.txt"], b""),
        "no folder": (["-m", "trained", "-o", "nowhere/new.txt"], b""),
    }

    class Results(dict):
        def __missing__(self, name):
            arguments, stdin = cases[name]
            self[name] = run(workplace, "translate.py", *arguments, stdin=stdin)
            return self[name]

    run(workplace, "translate.py", "--help")  # starts the server of processes, which takes a while
    return Results()


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


@pytest.mark.parametrize(("name", "sentences"), [("stdin", 5), ("empty", 0), ("file", 5), ("json", 5)])
def test_the_standard_error_holds_the_summary_only(translated, name, sentences):
    assert translated[name].errors.startswith(f"{sentences} sentences in ")
    assert translated[name].errors.count("\n") == 1


def test_an_empty_input_gives_an_empty_output(translated):
    assert translated["empty"][:2] == (0, "")


def test_files_batches_and_places_do_not_change_the_translation(workplace, translated):
    assert translated["file"].output == ""
    assert (workplace / "output.txt").read_text(encoding="utf-8") == translated["stdin"].output


@pytest.mark.slow
def test_an_ensemble_of_equal_models_is_the_model(translated):
    assert translated["ensemble"].output == translated["stdin"].output


def test_translations_begin_with_their_prefixes_however_odd_the_line(translated):
    *lines, end = translated["awkward"].output.split("\n")
    assert (len(lines), end) == (AWKWARD.count(b"\n") + 1, "")
    assert all(line.startswith("the old dog") for line in lines[:-1])


@pytest.mark.slow
def test_given_translations_are_scored(workplace, translated):
    records = [json.loads(line) for line in translated["scored"].output.splitlines()]
    assert [record["translation"] for record in records] == (workplace / "dev.en").read_text().splitlines()
    for record in records:
        assert "".join(record["tokens"]).replace("▁", " ").strip() == record["translation"] + "</s>"
        assert max(record["token_scores"]) <= 0


def test_attention_is_there_on_request(translated):
    record = json.loads(translated["json"].output.splitlines()[0])
    assert "".join(record["source_tokens"]).replace("▁", " ") == " der hund sieht.</s>"
    for hypothesis in record["n_best"]:
        [layer] = hypothesis["attention"]
        weights = np.frombuffer(base64.b64decode(layer["float16"]), "<f2").reshape(layer["shape"])
        assert weights.shape == (2, len(hypothesis["tokens"]), len(record["source_tokens"]))
        np.testing.assert_allclose(weights.sum(-1, dtype="float32"), 1, atol=0.01)
    assert layer["layer"] == 1


@pytest.mark.slow
def test_words_are_aligned_on_request(workplace, translated):
    found = translated["aligned"]
    assert found.code == 0, found.errors
    assert "words are aligned by decoder layer 1, mean of its heads, the default; choose the best" in found.errors
    links = gzip.decompress((workplace / "links.gz").read_bytes()).decode().split("\n")
    sources, translations = SOURCES.decode().replace("\r", "").split("\n"), found.output.split("\n")
    assert len(links) == len(sources) + 1 == len(translations)
    for line, source, translation in zip(links, sources, translations, strict=False):
        pairs = [tuple(map(int, link.split("-"))) for link in line.split()]
        assert all(i < len(source.split(" ")) for i, _ in pairs)
        assert {j for _, j in pairs} == set(range(len([word for word in translation.split(" ") if word])))


def test_other_checkpoints_and_the_null_device_can_be_named(translated):
    assert translated["average"][:2] == (0, "")
    assert translated["average"].errors.startswith("5 sentences in ")
    assert not Path("/dev/null").is_file()


@pytest.mark.slow
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
    empty = {"tokens": [], "token_ids": [], "token_scores": [], "source_tokens": [], "attention": []}
    nothing = {"translation": "", "score": 0.0, **empty}
    assert records[1] == {**nothing, "n_best": [nothing]}
    for record in (records[0], records[3], records[4]):
        assert len(record["n_best"]) == 3
        assert record["n_best"][0] == {name: record[name] for name in record if name != "n_best"}
        assert record["score"] == max(hypothesis["score"] for hypothesis in record["n_best"])
        for hypothesis in record["n_best"]:
            assert hypothesis["tokens"][-1] == "</s>"
            assert len(hypothesis["tokens"]) == len(hypothesis["token_ids"]) == len(hypothesis["token_scores"])
            penalty = ((5 + len(hypothesis["tokens"])) / 6) ** 0.6
            assert hypothesis["score"] == pytest.approx(sum(hypothesis["token_scores"]) / penalty, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no run", "nowhere is not a run directory"),
        ("no checkpoint", "trained has no checkpoint 'step-7'; it has step-80, step-120, average, best"),
        ("damaged", "damaged/best.weights.h5 is damaged"),
        ("n-best", "--n-best 4 is above --beam-size 3; raise --beam-size too"),
        ("latin", "latin.txt, line 3: not UTF-8 text"),
        ("no input", "cannot read none.txt: No such file"),
        ("no folder", "nowhere/new.txt: No such file or directory; name a writable folder"),
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
        (["-m", "x", "--beam-size", "0"], "--beam-size must be a whole number of at least 1, got 0"),
        (["-m", "x", "--beam-size", "101"], "--beam-size must be at most 100, got 101"),
        (["-m", "x", "--sample", "--n-best", "101", "--output-type", "json"], "--n-best must be at most 100, got 101"),
        (["-m", "x", "--batch-size", "-1"], "--batch-size must be at least 1, got -1"),
        (
            ["-m", "x", "--batch-size", "1", "--batch-tokens", "1"],
            "--batch-tokens: not allowed with argument --batch-size",
        ),
        (["-m", "x", "--length-penalty", "-1"], "--length-penalty must be a number from 0 to 7, got -1.0"),
        (["-m", "x", "--min-length", "9", "--max-length", "8"], "--min-length 9 is above --max-length 8"),
        (["-m", "x", "--n-best", "2"], "--n-best above 1 needs --output-type moses or json"),
        (["-m", "x", "--sample", "--top-p", "0"], "--top-p must be above 0 and at most 1, got 0.0"),
        (["-m", "x", "--seed", "3"], "--seed is for sampling; give --sample too"),
        (["-m", "x", "--sample", "--beam-size", "3"], "--beam-size cannot be used with --sample"),
        (["-m", "x", "--with", "attention"], "--with attention needs --output-type json"),
        (["-m", "x", "y", "--with", "attention", "--output-type", "json"], "needs a single model, got 2"),
        (["-m", "x", "y", "--alignment", "z"], "--alignment needs a single model, got 2; name one run directory"),
        (["-m", "x", "--alignment", "y", "--engine", "savedmodel"], "savedmodel does not support word alignments"),
        (["-m", "x", "--score", "y", "--prefix", "z"], "--prefix cannot be used with --score"),
        (["-m", "x", "--score", "y", "--n-best", "2", "--output-type", "json"], "--n-best cannot be used with --score"),
        (["-m", "x", "--prefix", "-"], "--input and --prefix are both standard input"),
        (["-m", "x", "--engine", "fast"], "invalid choice: 'fast'"),
    ],
)
def test_wrong_options_are_one_line_and_exit_code_2(tmp_path, arguments, message):
    result = run(tmp_path, "translate.py", *arguments)
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: ")
    assert result.errors.count("\n") == 1
    assert message in result.errors


@pytest.mark.parametrize("script", [("translate.py", "-m", "trained"), ("train.py", "--dry-run")])
def test_an_unknown_backend_is_one_line_and_exit_code_2(workplace, monkeypatch, script):
    monkeypatch.setattr(
        "tests.command_line.environment", lambda folder: {**environment(folder), "KERAS_BACKEND": "foo"}
    )
    result = run(workplace, *script, fresh=True)
    assert (result.code, result.output) == (2, "")
    assert result.errors.startswith("error: the Keras backend 'foo' is not supported; set KERAS_BACKEND")
    assert result.errors.count("\n") == 1


def test_help_comes_at_once(tmp_path):
    code = "import sys, interacting_head.commands.translate; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"numpy", "keras", "tensorflow", "sentencepiece"} & set(done.stdout.split())
    result = run(tmp_path, "translate.py", "--help")
    assert (result.code, result.errors) == (0, "")
    assert "--beam-size" in result.output


@pytest.mark.slow
def test_an_interrupted_translation_exits_with_130(workplace):
    process = start(workplace, "translate.py", "-m", "trained", "-o", "never.txt", stdin=subprocess.PIPE)
    process.stdin.write(b"der hund sieht.\n")
    process.stdin.flush()
    # It writes what there is, and waits for more.
    wait_until(lambda: any(path.stat().st_size for path in workplace.glob(".partial-*/*")), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"interrupted\n")
    assert not list(workplace.glob(".partial-*"))
    assert not (workplace / "never.txt").exists()
