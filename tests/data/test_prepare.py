"""`interacting-head prepare`, in this process and in one of its own."""

import contextlib
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

from data import prepare
from data.batches.encoding import load_encoded
from data.errors import InputError
from data.text import preprocessed_text
from data.text.profiles import PROFILES
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from tests import command_line
from tests.data.conftest import sentences


@pytest.fixture
def corpora(tmp_path):
    """A folder with the corpus `some` in de and en."""
    folder = tmp_path / "corpora" / "some"
    folder.mkdir(parents=True)
    for split, count in (("train", 300), ("dev", 9), ("test", 5)):
        for language, seed in (("de", 1), ("en", 2)):
            (folder / f"{split}.{language}").write_text(lines_of(count, seed), encoding="utf-8")
    return folder.parent


def lines_of(count, seed):
    return "".join(f"{line}\n" for line in sentences(count, seed))


def run(corpora, output, *options):
    """Call the command, and return the record it leaves."""
    arguments = ["some", "--source-language", "de", "--target-language", "en", "--vocabulary-size", "350"]
    prepare.main([*arguments, "--corpora-dir", str(corpora), "--output-dir", str(output), *options])
    return json.loads((output / "prepare.json").read_text(encoding="utf-8"))


class Terminal(io.StringIO):
    """The text that a terminal is shown."""

    def isatty(self):
        return True


def test_bars_on_a_terminal_have_a_total(corpora, tmp_path):
    text = corpora / "some" / "train.de"
    text.write_text(text.read_text(encoding="utf-8") + "noch ein satz .\n" * 2, encoding="utf-8")
    other = text.with_suffix(".en")
    other.write_text(other.read_text(encoding="utf-8") + "one more .\n" * 2, encoding="utf-8")
    with contextlib.redirect_stderr(Terminal()) as screen:
        run(corpora, tmp_path / "out", "--profile", "truecased", "--drop-duplicates")
    shown = [bar.split(" [")[0] for bar in screen.getvalue().split("\r")]
    for task, count in (
        ("tokenising", 302),
        ("truecasing", 301),
        ("learning sub-words", 602),
        ("encoding source", 301),
    ):
        assert any(bar.startswith(f"{task}: 100%|") and bar.endswith(f"| {count}/{count}") for bar in shown), task


@pytest.mark.parametrize("profile", PROFILES)
def test_the_output_is_text_models_and_arrays_that_fit_together(corpora, tmp_path, profile):
    output = tmp_path / "out"
    record = run(corpora, output, "--profile", profile)
    assert {path.name for path in output.iterdir()} == {
        *("prepare.json", "subwords", "encoded"),
        *(f"{split}.{language}" for split in ("train", "dev", "test") for language in ("de", "en")),
        *(["truecasing"] if profile == "truecased" else []),
    }
    for side, language in (("source", "de"), ("target", "en")):
        subwords = Subwords(output / "subwords" / f"{side}.model")
        for split, count in (("train", 300), ("dev", 9), ("test", 5)):
            lines = (output / f"{split}.{language}").read_text(encoding="utf-8").splitlines()
            encoded = getattr(load_encoded(output / "encoded" / split), side)
            assert len(lines) == len(encoded) == record["splits"][split]["encoded_pairs"] == count
            assert subwords.decode(encoded[i] for i in range(count)) == lines
            assert record["splits"][split][f"{side}_subwords"] == len(np.asarray(encoded.tokens))
    tokens = (output / "train.de").read_text(encoding="utf-8").split("\n")[0]
    assert tokens.endswith(" .") == (profile != "raw")
    if profile == "truecased":
        truecaser = Truecaser.load(output / "truecasing" / "source.truecase")
        assert truecaser.truecase(tokens) == tokens
    assert list(tmp_path.glob(".partial*")) == []


def test_a_second_preparation_does_nothing(corpora, tmp_path, capsys, monkeypatch):
    run(corpora, tmp_path / "out", "--profile", "truecased")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    monkeypatch.setattr(prepare, "encode_corpus", None)
    run(corpora, tmp_path / "out", "--profile", "truecased")
    assert capsys.readouterr().out.splitlines()[-1] == f"{tmp_path / 'out'} is up to date: nothing to do"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before
    monkeypatch.undo()
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(preprocessed_text, "_build", lambda *_: pytest.fail("builds"))
    run(corpora, tmp_path / "other", "--profile", "truecased")  # from the cache


def test_a_change_is_noticed_and_named(corpora, tmp_path, capsys):
    output = tmp_path / "out"
    run(corpora, output)
    (corpora / "some" / "train.de").write_text(lines_of(300, 5), encoding="utf-8")
    run(corpora, output)
    assert f"rebuilding {output}: the text of train changed" in capsys.readouterr().out
    assert (output / "train.de").read_text(encoding="utf-8") == lines_of(300, 5)
    run(corpora, output, "--max-words", "8")
    assert f"rebuilding {output}: settings changed" in capsys.readouterr().out
    (output / "subwords" / "target.model").unlink()
    run(corpora, output, "--max-words", "8")
    assert f"rebuilding {output}: a file is missing" in capsys.readouterr().out
    assert (output / "subwords" / "target.model").is_file()
    for language in ("de", "en"):
        (corpora / "some" / f"test.{language}").unlink()
    run(corpora, output, "--max-words", "8")
    assert f"rebuilding {output}: the text of test changed" in capsys.readouterr().out


def test_training_pairs_alone_are_left_out_and_counted(corpora, tmp_path, capsys):
    for language in ("de", "en"):
        for split in ("train", "test"):
            path = corpora / "some" / f"{split}.{language}"
            text = path.read_text(encoding="utf-8")
            path.write_text(text + text.split("\n")[0] + "\n" + ("\n" if language == "de" else "x\n"), encoding="utf-8")
    options = ["--max-words", "6", "--max-ratio", "2", "--drop-duplicates", "--separate-vocabularies"]
    record = run(corpora, tmp_path / "out", *options)
    train, test = record["splits"]["train"], record["splits"]["test"]
    assert set(train["left_out"]) == {"duplicate", "empty", "long", "ratio"}
    assert train["left_out"]["duplicate"] == train["left_out"]["empty"] == 1
    assert train["pairs"] == 302 == train["encoded_pairs"] + sum(train["left_out"].values())
    assert (test["pairs"], test["left_out"]) == (7, {"empty": 1})
    assert len((tmp_path / "out" / "test.de").read_text(encoding="utf-8").splitlines()) == 7
    models = [(tmp_path / "out" / "subwords" / f"{side}.model").read_bytes() for side in ("source", "target")]
    assert models[0] != models[1]
    output = capsys.readouterr().out
    assert "train: 302 pairs, dropped: 1 duplicate, " in output
    assert "\n316 pairs in " not in output
    assert "\n318 pairs in " in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-length", "-1"], "--max-length must be at least 1, got -1"),
        (["--max-words", "0"], "max_words must be at least 1, got 0"),
        (["--max-ratio", "0.5"], "max_ratio must be at least 1, got 0.5"),
        (["--target-language", "de"], "are both de"),
        (["--target-language", "fr"], "has no split in both 'de' and 'fr'"),
        (["--vocabulary-size", "100000"], r"set data\.vocabulary_size \(--vocabulary-size\) to at most"),
        (["--corpora-dir", "nowhere"], "the corpora folder nowhere does not exist"),
        (["--output-dir", "/dev/null/out"], "cannot write into /dev/null: /dev/null is a file; name a writable folder"),
    ],
)
def test_bad_options_are_errors_and_leave_nothing(corpora, tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        run(corpora, tmp_path / "out", *options)
    assert not (tmp_path / "out").exists()


def test_a_mount_point_is_refused_before_the_work(corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == "out")
    monkeypatch.setattr(prepare, "encode_corpus", lambda *_: pytest.fail("works first"))
    with pytest.raises(InputError, match="out is a mount point, which cannot be replaced; name a folder in it"):
        run(corpora, tmp_path / "out")


def test_a_folder_of_another_format_is_prepared_again(corpora, tmp_path, capsys, monkeypatch):
    run(corpora, tmp_path / "out")
    monkeypatch.setattr(prepare, "FORMATS", [0, 0, 0])
    run(corpora, tmp_path / "out")
    assert f"rebuilding {tmp_path / 'out'}: versions changed" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--separate-vocabularies", "--vocabulary-size", "350,360"], ["--joint-merges"]])
def test_vocabularies_of_two_sizes_are_prepared_once(corpora, tmp_path, options, capsys):
    run(corpora, tmp_path / "out", *options)
    sizes = [Subwords(tmp_path / "out" / "subwords" / f"{side}.model").vocabulary_size for side in ("source", "target")]
    assert sizes == [350, 360] if "350,360" in options else max(sizes) < 350
    run(corpora, tmp_path / "out", *options)
    assert "is up to date: nothing to do" in capsys.readouterr().out


def test_a_folder_of_something_else_is_not_touched(corpora, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="mine exists and was not created by this command"):
        run(corpora, tmp_path / "mine")
    for content in ("{", "{}", "[]", "3", '{"inputs": {}, "files": []}', '{"inputs": {"text": {}}, "files": [1]}'):
        (tmp_path / "mine" / "prepare.json").write_text(content)
        with pytest.raises(InputError, match=r"prepare\.json is damaged; remove"):
            run(corpora, tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


def test_a_file_of_the_user_in_the_output_is_not_removed(corpora, tmp_path):
    output = tmp_path / "out"
    run(corpora, output)
    (output / "subwords" / "notes.txt").write_text("mine")
    run(corpora, output)  # nothing to do
    with pytest.raises(InputError, match=r"out will be replaced, but this command did not write .*notes\.txt; move it"):
        run(corpora, output, "--max-words", "8")
    assert (output / "subwords" / "notes.txt").read_text() == "mine"


def test_an_error_leaves_the_former_output(corpora, tmp_path):
    output = tmp_path / "out"
    run(corpora, output)
    (corpora / "some" / "train.de").write_text("zu kurz\n", encoding="utf-8")
    with pytest.raises(InputError, match="has 1 line but"):
        run(corpora, output)
    assert (output / "train.de").read_text(encoding="utf-8") == lines_of(300, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "corpora", "out"]


def test_the_command_line_tells_errors_in_one_line(corpora, tmp_path):
    languages = ["--source-language", "de", "--target-language", "en", "--corpora-dir", str(corpora)]
    for arguments, message in (
        (["some"], "error: the following arguments are required: --source-language, --target-language"),
        (["sone", *languages], "error: unknown corpus 'sone'; did you mean some?"),
        (["some", *languages, "--profile", "moses"], "error: argument --profile: invalid choice: 'moses'"),
        (["some", *languages, "--shared-vocabulary", "--separate-vocabularies"], "error: argument --separate-vocab"),
        (["some", *languages, "--vocabulary-size", "0"], "error: argument --vocabulary-size: must be at least 1"),
        (["some", *languages, "--vocabulary-size", "9,9,9"], "error: argument --vocabulary-size: must be at least 1"),
        (
            ["some", *languages, "--vocabulary-size", "350,360"],
            "error: data.vocabulary_size (--vocabulary-size) is (350,",
        ),
    ):
        result = command_line.run(tmp_path, "data.prepare", *arguments)
        assert (result.code, result.output, result.errors.count("\n")) == (2, "", 1)
        assert result.errors.startswith(message)


def test_the_output_folder_is_named_after_corpus_languages_and_profile(corpora, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["some:train,dev*2+some", "--source-language", "de", "--target-language", "en"]
    prepare.main([*arguments, "--vocabulary-size", "350", "--corpora-dir", str(corpora)])
    assert [path.name for path in (tmp_path / "prepared").iterdir()] == ["some_train_dev_2+some-de-en-raw"]
    prepare.main(["+".join(["some"] * 60), *arguments[1:], "--vocabulary-size", "350", "--corpora-dir", str(corpora)])
    [longer] = (path.name for path in (tmp_path / "prepared").iterdir() if path.name.startswith("some+"))
    assert len(longer) < 200
