"""The text of a run: its profile from raw text to raw text, and that it does not change under a training."""

import dataclasses
import json
import shutil
import types
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head import config as configuration
from interacting_head.config import override
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import validation
from interacting_head.training.devices import Devices
from interacting_head.training.run_text import open_text, prepare_run_text, store_paths, with_paths_of
from interacting_head.training.setup import check
from interacting_head.training.trainer import Trainer, train
from interacting_head.translation.translator import Translator
from tests import tiny_corpus

SENTENCES = {
    "Der Hund sieht's!": "The dog sees it!",
    "Heute kauft der Mann, was er sieht.": "Today the man buys what he sees.",
    "Das Haus ist (fast) neu.": "The house is (almost) new.",
    "Kate O'Neill sagt: „Ja“.": 'Kate O\'Neill says: "Yes."',
    "Der Mann sagt: „Nein“.": 'The man says: "No."',
    "Er hat Bonn gesehen.": "He has seen Bonn.",
}


pytestmark = pytest.mark.usefixtures("cache")


def write(folder, sentences=SENTENCES):
    files = {}
    for split in ("train", "dev"):
        for side, language, lines in (("source", "de", sentences), ("target", "en", sentences.values())):
            path = folder / f"{split}.{language}"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            files[side if split == "train" else f"dev_{side}"] = path
    return files


def configured(files, *settings):
    lasting = ["train.max_steps=250", "train.validation_interval=250", "train.batch_tokens=512", "model.dropout=0"]
    lasting.append("model.attention.options={query_combination: mean}")
    return tiny_corpus.configuration(files, *lasting, "train.label_smoothing=0", "data.vocabulary_size=320", *settings)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of the profile `truecased` that knows its sentences by heart; not to be changed."""
    folder = tmp_path_factory.mktemp("paper")
    train(configured(write(folder), "data.profile=truecased"), folder / "run")
    return RunDirectory(folder / "run")


def test_the_run_directory_holds_what_brings_text_into_its_form(run):
    assert {path.name for path in (run.path / "truecasing").iterdir()} == {"source.truecase", "target.truecase"}
    record = json.loads((run.path / "text.json").read_text())
    assert record["languages"] == ["de", "en"]
    assert set(record["digests"]) == {"train", "dev"}
    assert [form.language for form in run.text_forms()] == ["de", "en"]
    # Pieces come from tokenised, truecased text.
    pieces = run.subwords()[0].encode_as_pieces([run.text_forms()[0].preprocess("Der Hund sieht's!")])[0]
    assert "".join(pieces).replace("▁", " ").strip() == "der Hund sieht &apos; s !"


def test_validation_compares_detokenised_text_with_raw_references(run):
    assert run.read_log()[-1]["bleu"] > 99
    log = (run.path / "train.log").read_text(encoding="utf-8")
    assert "  source     Kate O'Neill sagt: „Ja“.\n" in log or "  source     Der Hund sieht's!\n" in log
    assert "&apos;" not in log
    assert "&quot;" not in log


def test_validations_are_tokenised_for_the_language_of_the_file(tmp_path, monkeypatch):
    given = []

    def evaluated(*_, language):
        given.append(language)
        return {"sacrebleu": types.SimpleNamespace(score=1.0)}

    monkeypatch.setattr(validation, "evaluate", evaluated)
    files = write(tmp_path)
    files |= {name: path.rename(path.with_suffix(".zh")) for name, path in files.items() if "target" in name}
    config, run = configured(files), RunDirectory(tmp_path / "run")
    run.create_or_check(config)
    Trainer(config, run, open_text(config.data, None), Devices.find()).validation()
    assert given == ["zh"]


def test_raw_text_goes_in_and_detokenised_text_comes_out(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "moved")
    translator = Translator.from_run(tmp_path / "moved")
    found = [best for best, *_ in translator.translate(["", *SENTENCES])]
    assert [translation.text for translation in found] == ["", *SENTENCES.values()]
    assert [translator.tokenized(translation).text for translation in found[:2]] == ["", "the dog sees it !"]
    assert translator.tokenized(found[5]).text == "the man says : &quot; No . &quot;"


def test_a_run_without_its_truecasers_says_so(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "broken")
    (tmp_path / "broken" / "truecasing" / "target.truecase").unlink()
    with pytest.raises(InputError, match=r"broken lacks text\.json or a file in truecasing/"):
        Translator.from_run(tmp_path / "broken")


@pytest.mark.slow
def test_a_run_in_small_letters_is_validated_in_small_letters(tmp_path):
    settings = ["data.profile=lowercased", "data.shared_vocabulary=false", "data.joint_merges=true"]
    train(configured(write(tmp_path), *settings, "model.tied_output=false"), tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    assert run.read_log()[-1]["bleu"] > 99
    source, target = run.subwords()
    assert source.vocabulary_size < 320 > target.vocabulary_size != source.vocabulary_size
    translator = Translator.from_run(run.path)
    found = [best for best, *_ in translator.translate(SENTENCES)]
    assert [translation.text for translation in found] == [line.lower() for line in SENTENCES.values()]
    assert translator.tokenized(found[0]).text == "the dog sees it !"
    assert not (run.path / "truecasing").exists()


@pytest.mark.slow
def test_tokenised_output_of_raw_text_is_sub_words(tmp_path):
    config = configured(write(tmp_path), "train.max_steps=1")
    train(config, tmp_path / "run")
    translator = Translator.from_run(tmp_path / "run")
    [[best, *_]] = translator.translate(["Er hat Bonn gesehen."])
    pieces = [translator.target_subwords.piece(i) for i in best.tokens]
    assert translator.tokenized(best).text == " ".join(pieces)
    assert not (tmp_path / "run" / "truecasing").exists()


@pytest.mark.parametrize("profile", ["raw", "truecased"])
@pytest.mark.parametrize(("split", "file"), [("train", "train.en"), ("dev", "dev.de")])
def test_text_that_changed_under_the_same_name_is_noticed(tmp_path, profile, split, file):
    config = configured(write(tmp_path), f"data.profile={profile}")
    run = RunDirectory(tmp_path)
    corpus = open_text(config.data, None)
    prepare_run_text(config.data, run, corpus)
    prepare_run_text(config.data, run, corpus)  # nothing has changed yet
    path = tmp_path / file
    path.write_text(path.read_text(encoding="utf-8").replace("!", "."), encoding="utf-8")
    with pytest.raises(InputError, match=f"the text of {split} has changed since .* --no-resume"):
        prepare_run_text(config.data, run, open_text(config.data, None))


def moved(folder, config):
    """The configuration with its text moved to another folder."""
    folder.mkdir()
    paths = {name: Path(getattr(config.data, name)) for name in configuration.OWN_FILES}
    for path in set(paths.values()):
        path.rename(folder / path.name)
    data = {name: str(folder / path.name) for name, path in paths.items()}
    return dataclasses.replace(config, data=dataclasses.replace(config.data, **data))


def begun(folder, config):
    """A run on the text of a configuration, not yet trained."""
    run = RunDirectory(folder)
    run.create_or_check(config)
    prepare_run_text(config.data, run, open_text(config.data, None))
    return run


def test_the_same_text_in_another_place_is_the_same_run(tmp_path, monkeypatch):
    config = configured(write(tmp_path))
    run = begun(tmp_path / "run", config)
    elsewhere = moved(tmp_path / "elsewhere", config)
    assert with_paths_of(run, elsewhere, open_text(elsewhere.data, None)) == config
    monkeypatch.chdir(tmp_path)
    data = {name: f"elsewhere/{Path(getattr(config.data, name)).name}" for name in configuration.OWN_FILES}
    relative = dataclasses.replace(
        config, data=dataclasses.replace(config.data, **data)
    )  # as earlier versions stored it
    run = begun(tmp_path / "relative", relative)
    (run.path / "text.json").unlink()
    assert with_paths_of(run, elsewhere, open_text(elsewhere.data, None)) == relative
    store_paths(run, elsewhere.data)
    assert run.config == elsewhere


@pytest.mark.parametrize("change", ["text", "language", "no record"])
def test_other_text_in_another_place_is_another_configuration(tmp_path, change):
    config = configured(write(tmp_path))
    run = begun(tmp_path / "run", config)
    elsewhere = moved(tmp_path / "elsewhere", config)
    if change == "text":
        (tmp_path / "elsewhere" / "dev.en").write_text("No.\n" * len(SENTENCES), encoding="utf-8")
    elif change == "no record":
        (run.path / "text.json").unlink()
    else:
        elsewhere = override(elsewhere, ["data.source_language=fr"])
    found = with_paths_of(run, elsewhere, open_text(elsewhere.data, None))
    with pytest.raises(InputError, match=r"contains a run with a different configuration: data\.dev_source"):
        run.create_or_check(found)


@pytest.mark.slow
def test_a_training_goes_on_with_the_same_text_in_another_place(tmp_path):
    config = configured(write(tmp_path), "train.max_steps=1")
    assert train(config, tmp_path / "run") is None
    elsewhere = moved(tmp_path / "elsewhere", config)
    assert train(elsewhere, tmp_path / "run") is None
    run = RunDirectory(tmp_path / "run")
    assert run.config == elsewhere
    assert "is finished" in (run.path / "train.log").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_training_continues_with_other_text_only_from_the_start(tmp_path):
    config = configured(write(tmp_path), "train.max_steps=1")
    assert train(config, tmp_path / "run") is None
    before = {path: path.read_bytes() for path in (tmp_path / "run").glob("*.json*")}
    write(tmp_path, {**SENTENCES, "Er hat Bonn gesehen.": "He has seen Berlin."})
    with pytest.raises(InputError, match="the text of train and dev has changed since"):
        train(config, tmp_path / "run")
    assert {path: path.read_bytes() for path in (tmp_path / "run").glob("*.json*")} == before
    assert train(config, tmp_path / "run", resume=False) is None


def test_truecasers_of_a_run_are_used_rather_than_new_ones(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "run")
    copy = RunDirectory(tmp_path / "run")
    source, _ = copy.truecasing_paths
    source.write_text("HUND (1/1)\n", encoding="utf-8")
    text = prepare_run_text(copy.config.data, copy, open_text(copy.config.data, None))
    assert text.subwords[0].decode([text.pairs.source[0]]) == ["Der HUND sieht &apos; s !"]
    assert text.forms[0].preprocess("der Hund") == "der HUND"


def test_training_pairs_are_left_out_by_the_rules_and_no_others(tmp_path):
    config = configured(write(tmp_path), "data.profile=truecased", "data.max_words=7", "data.max_ratio=1.3")
    text = prepare_run_text(config.data, RunDirectory(tmp_path), open_text(config.data, None))
    sides = zip(text.subwords, (text.pairs.source, text.pairs.target), strict=True)
    kept = [subwords.decode(side[i] for i in range(len(text.pairs))) for subwords, side in sides]
    assert 1 <= len(kept[0]) < len(SENTENCES)
    assert all(len(line.split()) <= 7 for lines in kept for line in lines)
    assert len(list(text.preprocessed_dev.pairs())) == len(SENTENCES)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("data.profile=moses", "data.profile must be one of raw, truecased, lowercased, tokenized, got 'moses'"),
        ("data.joint_merges=true", "data.joint_merges is for separate vocabularies"),
        ("data.vocabulary_size=[300,310]", "one sub-word model is learnt on both sides"),
        ("data.vocabulary_size=[300,a]", "data.vocabulary_size must be a whole number, got 'a'"),
        ("train.validation_bleu=false", "train.best_metric is bleu, but train.validation_bleu is false"),
        ("data.max_words=0", "data.max_words must be at least 1, got 0"),
        ("data.max_words=1.5", "data.max_words must be a whole number"),
        ("data.max_ratio=0.5", "max_ratio must be at least 1, got 0.5"),
        ("data.drop_duplicates=1", "data.drop_duplicates must be true or false"),
    ],
)
def test_bad_settings_are_errors(tmp_path, setting, message):
    with pytest.raises(InputError, match=message):
        check(configured(write(tmp_path), setting))


def test_text_is_raw_by_default():
    assert configuration.ExperimentConfig().data.profile == "raw"
