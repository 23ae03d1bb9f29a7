import gzip
import sys
import types

import pytest

import data
from data.corpora.corpus import open_corpus, own_text
from data.corpora.registry import KNOWN_CORPORA
from data.errors import InputError


@pytest.fixture
def corpora(tmp_path):
    return tmp_path / "corpora"


def write(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        content = f"{name}\n".encode()
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


def first_pair(corpus, split):
    return next(corpus.split(split).pairs())


def test_a_corpus_is_found_by_its_folder(corpora):
    write(corpora / "mine", "train.de.gz", "train.en.gz", "dev.de", "dev.en", "test.de", "README.md")
    corpus = open_corpus("mine", "de", "en", corpora)
    assert (corpus.name, corpus.source_language, corpus.target_language) == ("mine", "de", "en")
    assert sorted(corpus.splits) == ["dev", "train"]
    assert first_pair(corpus, "train") == ("train.de.gz", "train.en.gz")
    assert first_pair(open_corpus("mine", "en", "de", corpora), "dev") == ("dev.en", "dev.de")


def test_names_with_the_pair_inside_are_found_in_both_directions(corpora):
    names = [f"newstest2014.{pair}.{code}.gz" for pair in ("en-de", "en-cs") for code in pair.split("-")]
    write(corpora / "news", *names, "newstest2013.de", "newstest2013.en", "newstest2013.cs")
    for source, target, pair in (("de", "en", "en-de"), ("en", "de", "en-de"), ("cs", "en", "en-cs")):
        corpus = open_corpus("news", source, target, corpora)
        assert sorted(corpus.splits) == ["newstest2013", "newstest2014"]
        expected = (f"newstest2014.{pair}.{source}.gz", f"newstest2014.{pair}.{target}.gz")
        assert first_pair(corpus, "newstest2014") == expected
    assert sorted(open_corpus("news", "de", "cs", corpora).splits) == ["newstest2013"]


def test_a_plain_file_goes_before_a_gzip_file(corpora):
    write(corpora / "mine", "train.de", "train.de.gz", "train.en.gz", "train.en")
    assert first_pair(open_corpus("mine", "de", "en", corpora), "train") == ("train.de", "train.en")


def test_a_missing_split_is_an_error_that_names_the_existing_ones(corpora):
    write(corpora / "mine", "train.de", "train.en", "dev.de", "dev.en")
    corpus = open_corpus("mine", "de", "en", corpora)
    with pytest.raises(InputError, match=r"mine \(de-en\) has no split 'test'; it has dev, train"):
        corpus.split("test")


def test_folders_of_corpora_have_an_order(tmp_path, monkeypatch, cache):
    folders = [tmp_path / "argument", tmp_path / "environment", cache / "corpora"]
    for folder in folders:
        write(folder / "mine", "train.de", "train.en")

    def found(corpora_dir=None):
        return open_corpus("mine", "de", "en", corpora_dir).split("train").source.parents[1]

    assert found() == folders[2]
    monkeypatch.setenv("CORPORA_DIR", str(folders[1]))
    assert found() == folders[1]
    assert found(folders[0]) == folders[0]
    (folders[0] / "mine" / "train.de").unlink()
    assert found(folders[0]) == folders[2]


def test_a_folder_of_corpora_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(InputError, match="does not exist; check --corpora-dir"):
        open_corpus("multi30k", "de", "en", tmp_path / "nowhere")


def test_an_unknown_corpus_is_an_error_with_the_nearest_names(corpora):
    write(corpora / "minutes", "train.de", "train.en")
    with pytest.raises(InputError, match=r"unknown corpus 'multi3k'; did you mean multi30k\? .*minutes, multi30k"):
        open_corpus("multi3k", "de", "en", corpora)
    with pytest.raises(InputError, match="did you mean minutes"):
        open_corpus("minute", "de", "en", corpora)


@pytest.mark.parametrize("name", ["../corpora", "a/b", "", ".", ".."])
def test_a_path_is_not_a_name(corpora, name):
    write(corpora / "a" / "b", "train.de", "train.en")
    write(corpora, "train.de", "train.en")
    with pytest.raises(InputError, match="unknown corpus"):
        open_corpus(name, "de", "en", corpora)


def test_unknown_languages_are_an_error_that_names_the_existing_ones(corpora):
    write(corpora / "mine", "train.de", "train.en", "README.md")
    with pytest.raises(InputError, match="no split in both 'de' and 'fr'; languages found: de, en "):
        open_corpus("mine", "de", "fr", corpora)
    with pytest.raises(InputError, match="languages found: cs, de, en, fr "):
        open_corpus("multi30k", "de", "vi", corpora)


def test_a_known_corpus_is_fetched_into_the_cache_once(monkeypatch, cache, corpora):
    fetched = []

    class Fake:
        languages = ("de", "en")

        def fetch(self, folder, languages, archive_folders):
            fetched.append(languages)
            write(folder, "train.de", "train.en")

    monkeypatch.setitem(KNOWN_CORPORA, "multi30k", Fake())
    assert open_corpus("multi30k", "en", "de").split("train").source == cache / "corpora/multi30k/train.en"
    assert fetched == [{"de", "en"}]
    write(corpora / "multi30k", "dev.de", "dev.en")
    assert sorted(open_corpus("multi30k", "en", "de", corpora).splits) == ["dev"]
    assert len(fetched) == 1


def test_a_known_corpus_without_internet_is_an_error_of_one_line(monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: (_ for _ in ()).throw(OSError("no route")))
    for name in ("multi30k", "tatoeba_en-de"):
        with pytest.raises(InputError, match=r"^could not download https://.*: no route; .* put .* into .*$"):
            open_corpus(name, "de", "en")


@pytest.fixture
def generator(monkeypatch):
    """A stand-in for the generator of the quickstart corpus, which counts its calls."""
    module = types.ModuleType("data.quickstart_corpus")
    module.calls = 0

    def generate(directory):
        module.calls += 1
        write(directory, "train.de", "train.en", "dev.de", "dev.en", "test.de", "test.en")

    module.write = generate
    monkeypatch.setitem(sys.modules, "data.quickstart_corpus", module)
    monkeypatch.setattr(data, "quickstart_corpus", module, raising=False)
    return module


def test_the_quickstart_corpus_is_generated_once(generator):
    for source, target in (("de", "en"), ("en", "de")):
        corpus = open_corpus("quickstart", source, target)
        assert sorted(corpus.splits) == ["dev", "test", "train"]
        assert first_pair(corpus, "train") == (f"train.{source}", f"train.{target}")
    assert generator.calls == 1


def test_a_damaged_quickstart_corpus_is_generated_again(generator):
    path = open_corpus("quickstart", "de", "en").split("train").source
    path.write_text("")
    assert first_pair(open_corpus("quickstart", "de", "en"), "train") == ("train.de", "train.en")
    assert generator.calls == 2


def test_another_generator_or_table_gives_a_new_quickstart_corpus(generator, monkeypatch, tmp_path):
    sources = [open_corpus("quickstart", "de", "en").split("train").source]
    (tmp_path / "quickstart").mkdir()
    monkeypatch.setattr("data.corpora.corpus.__file__", str(tmp_path / "corpora" / "corpus.py"))
    for changed in ("quickstart_corpus.py", "quickstart/nouns.tsv"):
        (tmp_path / changed).write_text("another grammar")
        sources.append(open_corpus("quickstart", "de", "en").split("train").source)
    assert len(set(sources)) == generator.calls == 3


def test_the_quickstart_corpus_has_two_languages(generator):
    with pytest.raises(InputError, match="quickstart has no split in both 'de' and 'fr'; languages found: de, en"):
        open_corpus("quickstart", "de", "fr")


def test_own_text_takes_its_languages_from_the_names(tmp_path):
    write(tmp_path, "a.de.gz", "a.en", "b.de", "b.en.gz", "c.pt_BR", "d.txt", "e")
    files = [tmp_path / name for name in ("a.de.gz", "a.en", "b.de", "b.en.gz")]
    corpus = own_text(*files)
    assert (corpus.source_language, corpus.target_language) == ("de", "en")
    assert first_pair(corpus, "train") == ("a.de.gz", "a.en")
    assert first_pair(corpus, "dev") == ("b.de", "b.en.gz")
    assert own_text(tmp_path / "c.pt_BR", *files[1:]).source_language == "pt_BR"
    for name in ("d.txt", "e"):
        with pytest.raises(InputError, match=r"--set data\.target_language=CODE"):
            own_text(files[0], tmp_path / name, *files[2:])
        assert own_text(files[0], tmp_path / name, *files[2:], target_language="be").target_language == "be"


def test_own_text_may_have_one_language_on_both_sides(tmp_path):
    write(tmp_path, "old.de", "new.de")
    corpus = own_text(*[tmp_path / "old.de", tmp_path / "new.de"] * 2)
    assert corpus.source_language == corpus.target_language == "de"


def test_own_text_names_what_is_missing(tmp_path):
    write(tmp_path, "a.de", "a.en")
    files = tmp_path / "a.de", tmp_path / "a.en"
    with pytest.raises(InputError, match="add --dev-source, --dev-target"):
        own_text(*files, None, None)
    with pytest.raises(InputError, match=r"--dev-target .*nowhere: no such file"):
        own_text(*files, files[0], tmp_path / "nowhere")


def test_the_corpora_for_development_open(multi30k):
    corpus = open_corpus("multi30k", "de", "en", multi30k.parent)
    assert corpus.split("dev").check() == 1014
    assert corpus.split("test_2016_flickr").check() == 1000
    assert open_corpus("newstest", "en", "de", multi30k.parent).split("newstest2014").check() == 3003
