import os
import shutil
import stat

import pytest

from data.errors import InputError
from data.files import new_folder
from interacting_head import export
from interacting_head.config import OWN_FILES, DecodeConfig
from interacting_head.export.trained_model import TrainedModel
from interacting_head.runs.run_directory import RunDirectory
from tests import skip_reasons
from tests.interacting_head.export import exports


def test_a_folder_appears_when_it_is_complete(tmp_path):
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "new" / "folder", tmp_path / "empty"):
        with new_folder(path) as folder:
            (folder / "file").write_text("text")
            assert not (path / "file").exists()
        assert (path / "file").read_text() == "text"
        assert [inner.name for inner in path.parent.glob(".partial*")] == []
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o777 & ~umask


def test_a_failure_leaves_no_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "folder") as folder:
        (folder / "file").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_kept(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("kept")
    for path in (tmp_path / "full", tmp_path / "full" / "file", tmp_path / "full" / "file" / "below"):
        with pytest.raises(InputError), new_folder(path):
            pytest.fail("it is not entered")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["full", "full/file"]


def test_the_first_of_two_exports_into_a_folder_stays(tmp_path):
    path, taken = tmp_path / "folder", "folder exists and is not an empty folder"
    with pytest.raises(InputError, match=taken), new_folder(path), new_folder(path) as first:
        (first / "file").write_text("first")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["folder", "folder/file"]


@pytest.mark.parametrize(
    ("file_format", "free", "limited"),
    [
        (
            "ctranslate2",
            "beam_size=7, patience=2, max_input_length=0, max_decoding_length=2 * len(pieces) + 11",
            "=20\n",
        ),
        ("huggingface", 'generate(**batch, max_new_tokens=2 * batch["input_ids"].shape[1] + 10)', "generate(**batch)"),
    ],
)
def test_a_readme_searches_as_long_as_the_run(tmp_path, file_format, free, limited):
    pytest.importorskip({"huggingface": "safetensors"}.get(file_format, file_format))
    both = exports.subwords(tmp_path)
    for name, expected, longest in (("free", free, None), ("limited", limited, 20)):
        trained = exports.trained(both, DecodeConfig(beam_size=7, max_length=longest))
        export.convert(trained, file_format, tmp_path / name)
        assert expected in (tmp_path / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file_format", "quantization", "message"),
    [
        ("keras", "int8", "--quantization int8: the format keras supports none"),
        ("ctranslate2", "int7", "int7: the format ctranslate2 supports one of float32, float16, int8, int8_float32"),
    ],
)
def test_a_quantization_that_a_format_does_not_have_is_refused(tmp_path, file_format, quantization, message):
    if file_format == "ctranslate2":
        pytest.importorskip("ctranslate2", reason=skip_reasons.EXPORT)
    with pytest.raises(InputError, match=message):
        export.convert("nowhere", file_format, tmp_path / "out", quantization)
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_not_installed_is_named():
    with pytest.raises(InputError, match="package not_there is missing: pip install"):
        export.optional_package("not_there.part")


def test_a_run_that_does_not_exist_leaves_nothing(tmp_path):
    with pytest.raises(InputError, match="nowhere is not a run directory"):
        export.convert(tmp_path / "nowhere", "keras", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_loaded_with_its_checkpoint(workplace):
    run = RunDirectory.open(workplace / "trained")
    best, average = (TrainedModel.of(run, name) for name in (None, "average"))
    assert best.config == run.config
    assert (best.model.get_weights()[0] != average.model.get_weights()[0]).any()
    with pytest.raises(InputError, match="has no checkpoint 'step-7'"):
        TrainedModel.of(run, "step-7")


def test_the_text_files_name_no_file_of_the_machine(workplace, tmp_path):
    trained = TrainedModel.of(RunDirectory.open(workplace / "trained"))
    assert trained.config.data.source
    trained.write_text_files(tmp_path / "text")
    data = RunDirectory.open(tmp_path / "text").config.data
    assert [getattr(data, name) for name in OWN_FILES] == [None] * len(OWN_FILES)
    assert str(workplace) not in (tmp_path / "text" / "config.yaml").read_text()


@pytest.mark.parametrize("profile", ["raw", "tokenized", "lowercased"])
def test_the_text_files_are_enough_for_every_profile(workplace, tmp_path, profile):
    path = tmp_path / "run"
    shutil.copytree(workplace / "trained", path)
    config = (path / "config.yaml").read_text(encoding="utf-8")
    (path / "config.yaml").write_text(config.replace("profile: raw", f"profile: {profile}"), encoding="utf-8")
    run = RunDirectory.open(path)
    assert run.config.data.profile == profile
    TrainedModel(None, *run.subwords(), run.config, run).write_text_files(tmp_path / "text")
    copy = RunDirectory.open(tmp_path / "text")
    assert copy.languages(copy.config.data) == ("de", "en")
    ours, theirs = (one.text_forms()[0] for one in (run, copy))
    assert ours.preprocess("Ein Hund, groß.") == theirs.preprocess("Ein Hund, groß.")


def test_separate_sub_words_stay_separate(tmp_path):
    trained = exports.trained(exports.subwords(tmp_path, shared=False))
    trained.write_text_files(tmp_path / "text")
    source, target = RunDirectory.open(tmp_path / "text").subwords()
    assert (source.digest, target.digest) == (trained.source_subwords.digest, trained.target_subwords.digest)
    assert [len(one.pieces()) for one in (trained.source_subwords, trained.target_subwords)] == [281, 280]
