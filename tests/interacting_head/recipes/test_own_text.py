"""Own text on the command line: its place in the configuration, and the recipe that suits its size."""

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import load_config, override, to_yaml
from interacting_head.recipes import own_text
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.setup import check
from tests.command_line import environment
from tests.tiny_corpus import write_corpus

OLD_RUNS = Path(__file__).parents[1] / "runs" / "old_runs"
SMALL = {"quickstart": 20, "multi30k_de_en": 40, "mlmha_wmt14_en_de_b0": None}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Own files in the working directory, which has no other; {argument name: name}."""
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return {name: path.name for name, path in write_corpus(tmp_path).items()}


@pytest.fixture
def small_sizes(monkeypatch):
    monkeypatch.setattr(own_text, "SIZES", SMALL)


def test_own_files_replace_the_corpus_of_a_recipe_from_any_folder(files, tmp_path, monkeypatch):
    config, name = recipes.resolve("multi30k_de_en", ["data.target_language=no"], files)
    assert name == "multi30k_de_en-own-text"
    assert config.data.corpus is None
    assert (config.data.source, config.data.dev_target) == (str(tmp_path / "train.de"), str(tmp_path / "dev.en"))
    assert (config.data.source_language, config.data.target_language) == (None, "no")
    assert config.model == recipes.get("multi30k_de_en").model
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert recipes.resolve("multi30k_de_en", ["data.target_language=no"], {k: f"../{v}" for k, v in files.items()}) == (
        config,
        name,
    )


def test_the_names_of_own_files_may_have_any_characters(tmp_path):
    for folder in ("\U0001f600", "a: b, [c]", "no", "\udcff"):
        (tmp_path / folder).mkdir()
        files = {name: str(path) for name, path in write_corpus(tmp_path / folder).items()}
        config, _ = recipes.resolve("quickstart", [], files)
        assert {name: getattr(config.data, name) for name in files} == files


def test_own_files_in_a_configuration_or_assignments_become_absolute(files, tmp_path):
    own = [f"data.{name}={path}" for name, path in files.items()]
    config = override(recipes.get("quickstart"), ["data.corpus=null", *own])
    (tmp_path / "own.yaml").write_text(to_yaml(config))
    for given in (("own.yaml", []), ("quickstart", ["data.corpus=null", *own])):
        resolved, _ = recipes.resolve(*given, {})
        assert resolved.data.dev_source == str(tmp_path / "dev.de")


@pytest.mark.parametrize(
    ("pairs", "recipe", "count"),
    [
        (19, "quickstart", "19 pairs"),
        (20, "multi30k_de_en", "20 pairs"),
        (39, "multi30k_de_en", "39 pairs"),
        (40, "mlmha_wmt14_en_de_b0", "40 pairs or more"),
        (99, "mlmha_wmt14_en_de_b0", "40 pairs or more"),
    ],
)
def test_the_number_of_pairs_chooses_the_recipe_and_one_line_says_so(files, small_sizes, capsys, pairs, recipe, count):
    Path("train.de.gz").write_bytes(gzip.compress(b"ein hund\n" * pairs))
    config, name = recipes.resolve(None, ["model.dropout=0.4"], {**files, "source": "train.de.gz"})
    assert name == recipes.OWN_TEXT
    assert config.model == override(recipes.get(recipe), ["model.dropout=0.4"]).model
    assert config.train == recipes.get(recipe).train
    line = capsys.readouterr().err
    assert f"your own text has {count}: using recipe {recipe}; " in line
    assert line.count("\n") == 1


def test_a_recipe_that_is_named_is_taken_silently(files, small_sizes, capsys):
    config, _ = recipes.resolve("quickstart", [], files)
    assert config.model == recipes.get("quickstart").model
    assert capsys.readouterr().err == ""


def test_no_recipe_is_announced_for_a_text_that_lacks_files(files, small_sizes, capsys):
    recipes.resolve(None, [], {"source": files["source"]})
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("recipe", SMALL)
def test_a_run_keeps_the_recipe_that_it_was_begun_with(files, small_sizes, tmp_path, capsys, recipe):
    begun, _ = recipes.resolve(recipe, ["train.seed=3", "train.precision=float32"], files)
    RunDirectory(tmp_path / "run").create_or_check(begun)
    config, _ = recipes.resolve(None, ["train.seed=3", "train.precision=float32"], files, tmp_path / "run")
    assert config == begun
    other, _ = recipes.resolve(None, ["train.seed=4"], files, tmp_path / "run")  # refused as another configuration
    assert other.model == begun.model
    assert capsys.readouterr().err == ""
    assert recipes.resolve(None, [], files, tmp_path / "none")[0].model == recipes.get("multi30k_de_en").model


def test_recipes_for_own_text_train_on_raw_text_of_any_language(files):
    limits = list(own_text.SIZES.values())
    assert limits[:-1] == sorted(limits[:-1])
    assert limits[-1] is None
    for name in own_text.SIZES:
        config, _ = recipes.resolve(name, [], files)
        check(config)
        assert config.data.profile == "raw"
        assert config.data.train_pairs is None


def test_a_training_text_that_cannot_be_read_is_an_error(files):
    Path("bad.gz").write_bytes(b"\x1f\x8bno gzip")
    for name, message in (("none.de", "cannot read .*none.de: No such file"), ("bad.gz", "the gzip file is truncated")):
        with pytest.raises(InputError, match=message):
            recipes.resolve(None, [], {**files, "source": name})


def test_recipes_for_own_text_are_resolved_without_keras(files, tmp_path):
    code = f"import sys; from interacting_head import recipes; recipes.resolve(None, [], {files}); "
    code += "assert not {'keras', 'tensorflow'} & {*sys.modules}"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(tmp_path), capture_output=True)
    assert done.returncode == 0, done.stderr


def test_text_from_a_pipe_is_kept_and_gives_the_same_configuration(files, tmp_path):
    os.mkfifo("pipe")
    found = []
    for content in (b"ein hund\n", b"ein hund\n", b"ein haus\n"):
        writer = threading.Thread(target=Path("pipe").write_bytes, args=[content])
        writer.start()
        found.append(recipes.resolve(None, [], {**files, "source": "pipe"})[0])
        writer.join()
        assert Path(found[-1].data.source).read_bytes() == content
    assert found[0] == found[1] != found[2]
    (tmp_path / "own.yaml").write_text(to_yaml(found[0]))
    assert load_config("own.yaml") == found[0]


def test_a_replaced_side_of_the_text_has_its_own_language(files, tmp_path):
    own = [f"data.{name}={path}" for name, path in files.items()]
    languages = ["data.corpus=null", "data.source_language=de", "data.target_language=en"]
    (tmp_path / "own.yaml").write_text(to_yaml(override(recipes.get("quickstart"), [*languages, *own])))

    def found(*replaced):
        data = recipes.resolve("own.yaml", [], {name: files[name] for name in replaced})[0].data
        return data.source_language, data.target_language

    assert found("dev_source", "dev_target") == ("de", "en")
    assert found("source") == (None, "en")
    assert found("source", "target", "dev_source", "dev_target") == (None, None)


@pytest.mark.parametrize("version", ["version_1", "version_2", "version_3"])
def test_the_configuration_of_a_run_of_any_version_is_read(version):
    path = OLD_RUNS / version / "config.yaml"
    config, _ = recipes.resolve(str(path), [], {})
    assert config.model == RunDirectory.open(path.parent).config.model
