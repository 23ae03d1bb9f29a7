import gzip
import hashlib
import re

import pytest

from data.corpora.corpus import open_corpus
from data.corpora.published import ARCHIVES, ArchivedCorpus, LineAlignedCorpus, PublishedFile
from data.corpora.registry import KNOWN_CORPORA, _archived
from data.errors import InputError
from data.text.parallel_text import ParallelText
from tests.data.corpora.packed import debian_bytes, tar_bytes, zip_bytes


@pytest.fixture
def published(tmp_path):
    folder = tmp_path / "published"
    folder.mkdir()
    return folder


def line_aligned(folder):
    """A corpus of two languages with the splits train and dev, published in `folder`."""
    files = []
    for split, published_name in (("train", "train"), ("dev", "val")):
        for language in ("de", "en"):
            content = gzip.compress(f"{split} {language}\n".encode())
            path = folder / f"{published_name}.{language}.gz"
            path.write_bytes(content)
            files.append(PublishedFile(split, language, path.as_uri(), hashlib.sha256(content).hexdigest()))
    return LineAlignedCorpus("some", ("de", "en"), "licence", "citation", tuple(files))


def test_published_files_are_fetched_under_our_names(published, tmp_path):
    line_aligned(published).fetch(tmp_path / "some", {"de", "en"})
    names = sorted(path.name for path in (tmp_path / "some").iterdir())
    assert names == ["dev.de.gz", "dev.en.gz", "train.de.gz", "train.en.gz"]
    assert ParallelText(tmp_path / "some/dev.de.gz", tmp_path / "some/dev.en.gz").check() == 1


def test_only_the_languages_asked_for_and_missing_files_are_fetched(published, tmp_path):
    corpus = line_aligned(published)
    corpus.fetch(tmp_path / "some", {"de"})
    assert sorted(path.name for path in (tmp_path / "some").iterdir()) == ["dev.de.gz", "train.de.gz"]
    for path in published.glob("*.de.gz"):
        path.unlink()
    corpus.fetch(tmp_path / "some", {"de", "en"})
    assert len(list((tmp_path / "some").iterdir())) == 4


def test_plain_files_of_the_user_are_used_as_they_are(published, tmp_path):
    (tmp_path / "some").mkdir()
    for split in ("train", "dev"):
        (tmp_path / "some" / f"{split}.de").write_text("own\n")
    line_aligned(published).fetch(tmp_path / "some", {"de", "en"})
    names = sorted(path.name for path in (tmp_path / "some").iterdir())
    assert names == ["dev.de", "dev.en.gz", "train.de", "train.en.gz"]


def test_errors_without_internet_say_which_files_to_put_where(published, tmp_path):
    corpus = line_aligned(published)
    (published / "val.de.gz").unlink()
    folder = tmp_path / "some"
    with pytest.raises(InputError) as caught:
        corpus.fetch(folder, {"de", "en"})
    assert f"put val.de.gz as dev.de.gz, val.en.gz as dev.en.gz into {folder}, or" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_written_to_is_not_a_failed_download(published, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(InputError, match=r"some: .*; set INTERACTING_HEAD_CACHE to a writable folder$"):
        line_aligned(published).fetch(tmp_path / "some", {"de", "en"})


def test_a_damaged_file_is_fetched_again(published, tmp_path, capsys):
    corpus = line_aligned(published)
    corpus.fetch(tmp_path / "some", {"de", "en"})
    whole = (tmp_path / "some" / "train.de.gz").read_bytes()
    for damaged in (b"", gzip.compress(b"another\n")):
        (tmp_path / "some" / "train.de.gz").write_bytes(damaged)
        corpus.fetch(tmp_path / "some", {"de", "en"})
        assert (tmp_path / "some" / "train.de.gz").read_bytes() == whole
        path = tmp_path / "some" / "train.de.gz"
        assert capsys.readouterr().err == f"warning: {path}: wrong checksum; rebuilding it\n"


def test_a_changed_published_file_is_refused(published, tmp_path):
    corpus = line_aligned(published)
    (published / "val.en.gz").write_bytes(b"other")
    with pytest.raises(InputError, match="SHA-256"):
        corpus.fetch(tmp_path / "some", {"de", "en"})
    assert not (tmp_path / "some" / "dev.en.gz").exists()


# The corpora that are known

ARCHIVED = {name: corpus for name, corpus in KNOWN_CORPORA.items() if isinstance(corpus, ArchivedCorpus)}


def test_the_corpora_of_the_papers_are_known():
    papers = {"iwslt14_de-en", "iwslt14_es-en", "iwslt15_en-vi", "iwslt16_de-en", "iwslt17_de-en"}
    papers |= {"wmt14_en-de", "wmt17_en-de", "wmt17_en-cs", "hindencorp", "ted_be-en"}
    assert KNOWN_CORPORA.keys() >= papers | {"multi30k", "tatoeba_en-de", "libreoffice_help_en-de", "newstest"}
    for name in papers:
        pair = name.rpartition("_")[2].split("-")
        assert len(pair) == 1 or list(KNOWN_CORPORA[name].languages) == pair


def test_every_corpus_has_licence_and_citation():
    for name, corpus in KNOWN_CORPORA.items():
        assert corpus.name == name
        assert corpus.licence
        assert corpus.citation


def test_other_files_or_another_cut_are_another_definition():
    splits = {"train": "tatoeba deu-eng.zip/deu.txt"}
    about = {"licence": "some", "citation": "some"}
    corpora = [
        _archived("x", ("en", "de"), splits, held_out=2000, **about),
        _archived("x", ("de", "en"), splits, held_out=2000, **about),
        _archived("x", ("en", "de"), splits, held_out=1000, **about),
        _archived("x", ("en", "de"), splits, dev_interval=23, **about),
        _archived("x", ("en", "de"), {"train": "tatoeba spa-eng.zip/spa.txt"}, held_out=2000, **about),
    ]
    assert len({corpus.definition for corpus in corpora}) == len(corpora)
    same = _archived("x", ("en", "de"), splits, held_out=2000, note="more", **about)
    assert same.definition == corpora[0].definition


def test_the_files_of_multi30k_are_complete():
    multi30k = KNOWN_CORPORA["multi30k"]
    assert len(multi30k.files) == 22
    for file in multi30k.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.language in multi30k.languages
        assert file.published_name == f"{file.split.replace('dev', 'val')}.{file.language}.gz"
    for language in ("de", "en"):
        splits = {file.split for file in multi30k.files if file.language == language}
        assert splits >= {"train", "dev", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco"}


def test_archives_are_well_described_and_have_unique_names():
    archives = {archive for corpus in ARCHIVED.values() for archive in corpus.archives()}
    parts = [(archive.file_name, archive.part_name) for archive in archives]
    assert len(set(parts)) == len(parts)
    by_name = {}
    for archive in archives:
        assert re.fullmatch(r"https?://[\w.-]+/\S+", archive.address)
        assert archive.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", archive.sha256)
        assert archive.md5 is None or re.fullmatch(r"[0-9a-f]{32}", archive.md5)
        assert archive.size is None or archive.size > 1_000_000
        # One file may hold several corpora, but one name is one file.
        same = by_name.setdefault(archive.file_name, archive)
        assert (same.address, same.sha256, same.md5) == (archive.address, archive.sha256, archive.md5)


# A small copy of every archive, in the true layout and formats


def lines(code, count=40):
    return [f"Line {number} in {code}." for number in range(count)]


def content_of(name, code):
    """The contents of the file of this name, with 40 lines (80 in tables) of the language `code`."""
    if name.endswith(".xml"):
        segments = "".join(f'<seg id="{number}"> {line} </seg>\n' for number, line in enumerate(lines(code), start=1))
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<doc docid="1">\n{segments}</doc>\n</mteval>\n'
    if name.endswith(".sgm"):
        segments = "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(lines(code), start=1))
        return f'<refset setid="x">\n<doc docid="1">\n<p>\n{segments}</doc>\n</refset>\n'
    if "train.tags" in name:
        return "<talkid>1</talkid>\n<title>A title</title>\n" + "".join(f"{line}\n" for line in lines(code))
    return "".join(f"{line}\n" for line in lines(code))


def table_of(name):
    rows = [[f"Line {number} in {code}." for code in ("en", "xx")] for number in range(80)]
    if "hindencorp" in name:
        return "".join(f"x\t1-1\t1.0\t{en}\t{other}\n" for en, other in rows)
    if "all_talks" in name:
        return "talk_name\ten\tbe\n" + "".join(f"x\t{en}\t{other}\n" for en, other in rows)
    return "".join(f"{en}\t{other}\tCC-BY\n" for en, other in rows)


def packed(archive, names):
    """A small archive of these files; names whose language is not clear are tables."""
    if names == {None}:
        return gzip.compress(table_of(archive.file_name).encode())
    if archive.file_name.endswith(".deb"):
        code = archive.file_name.split("_")[0].removeprefix("libreoffice-help-")
        html = "".join(f'<p id="par_id{number}">{line}</p>' for number, line in enumerate(lines(code)))
        return debian_bytes({f"./usr/share/libreoffice/help/{code}/text/a/b.html": html.encode()})
    files = {}
    for name in names:
        match = re.search(r"\.([a-z]{2})(\.xml|\.sgm)?$", name)
        content = content_of(name, match[1]) if match else table_of(name)
        files[name] = content.encode()
    if archive.file_name.endswith(".zip"):
        return zip_bytes(files)
    content = tar_bytes({"other/README": b"read me", **files})
    return tar_bytes({archive.inner: content}) if archive.inner else content


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Open a known corpus, built from small copies of its archives, in two languages."""
    monkeypatch.setattr("data.corpora.published.download", lambda *_: pytest.fail("downloads"))
    # The small copies have checksums of their own.
    monkeypatch.setattr("data.corpora.published.Archive.check", lambda self, path: "checked elsewhere")

    def build(name, source, target):
        corpus = ARCHIVED[name]
        folder = tmp_path / "corpora" / ARCHIVES
        folder.mkdir(parents=True)
        for archive in corpus.archives():
            names = {name for owner, name in corpus.files() if owner == archive}
            (folder / archive.file_name).write_bytes(packed(archive, names))
        return open_corpus(name, source, target, tmp_path / "corpora")

    return build


@pytest.mark.parametrize("name", ARCHIVED)
def test_a_corpus_is_built_from_archives_in_the_folder_of_corpora(name, build):
    corpus = ARCHIVED[name]
    opened = build(name, *corpus.languages[:2])
    for split, parallel_text in opened.splits.items():
        assert parallel_text.check() >= (1 if corpus.cut else 40), split
    expected = {split.partition(".")[0] for split in corpus.splits if "." not in split}
    expected |= {"dev"} if corpus.cut else set()
    assert opened.splits.keys() >= expected
    if corpus.cut is None:
        for pair in opened.split(next(iter(corpus.splits))).pairs():
            assert len({line.partition(" in ")[0] for line in pair}) == 1
            assert pair[0] != pair[1]


def test_news_tests_since_2014_exist_for_pairs_of_languages(build):
    opened = build("newstest", "de", "en")
    assert opened.splits.keys() == {f"newstest{year}" for year in range(2008, 2018)}
    for year in (2008, 2014, 2017):
        for german, english in opened.split(f"newstest{year}").pairs():
            assert (german, english) == (german, german.replace(" de.", " en."))


@pytest.mark.parametrize("name", ARCHIVED)
def test_each_corpus_says_what_it_needs_without_internet(name, tmp_path, monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: (_ for _ in ()).throw(OSError("no route")))
    corpus = ARCHIVED[name]
    (tmp_path / "corpora").mkdir()
    with pytest.raises(InputError) as caught:
        open_corpus(name, *corpus.languages[:2], tmp_path / "corpora")
    message = str(caught.value)
    assert "\n" not in message
    for archive in corpus.archives():
        assert f"{archive.file_name} ({archive.address}" in message
    assert f"into {tmp_path / 'corpora' / ARCHIVES} or " in message
