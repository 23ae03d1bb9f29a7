import gzip
import hashlib
import json
import random
import re
import zipfile

import pytest

from data.corpus_registry import KNOWN_CORPORA, LineAlignedCorpus, PublishedFile, TabSeparatedCorpus, split_pairs
from data.errors import InputError
from data.parallel_text import ParallelText

PAIRS = [(f"word {i}", f"Wort {i}") for i in range(300)]


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


def tab_separated(folder, content, member="deu.txt"):
    with zipfile.ZipFile(folder / "deu-eng.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr("_about.txt", "about")
    return TabSeparatedCorpus(
        "tatoeba", ("en", "de"), "licence", "citation", (folder / "deu-eng.zip").as_uri(), "deu.txt"
    )


def read(folder, split):
    return list(ParallelText(folder / f"{split}.en.gz", folder / f"{split}.de.gz").pairs())


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


def test_without_internet_the_error_says_which_files_to_put_where(published, tmp_path):
    corpus = line_aligned(published)
    (published / "val.de.gz").unlink()
    folder = tmp_path / "some"
    with pytest.raises(InputError) as caught:
        corpus.fetch(folder, {"de", "en"})
    assert f"put val.de.gz as dev.de.gz, val.en.gz as dev.en.gz into {folder} or" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_changed_published_file_is_refused(published, tmp_path):
    corpus = line_aligned(published)
    (published / "val.en.gz").write_bytes(b"other")
    with pytest.raises(InputError, match="SHA-256"):
        corpus.fetch(tmp_path / "some", {"de", "en"})
    assert not (tmp_path / "some" / "dev.en.gz").exists()


def test_an_archive_becomes_three_splits_without_loss(published, tmp_path):
    content = "".join(f"{en}\t{de}\tCC-BY 2.0 (France) Attribution\n" for en, de in PAIRS)
    tab_separated(published, content).fetch(tmp_path / "tatoeba", {"en", "de"})
    splits = {split: read(tmp_path / "tatoeba", split) for split in ("train", "dev", "test")}
    assert {split: len(pairs) for split, pairs in splits.items()} == {"train": 240, "dev": 30, "test": 30}
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(PAIRS)
    # No time of writing in the gzip header: the same archive always gives the same files.
    assert (tmp_path / "tatoeba" / "dev.en.gz").read_bytes()[4:8] == bytes(4)


def test_the_checksum_of_the_archive_is_kept(published, tmp_path):
    tab_separated(published, "".join(f"{en}\t{de}\n" for en, de in PAIRS)).fetch(tmp_path / "t", {"en"})
    source = json.loads((tmp_path / "t" / "SOURCE.json").read_text())
    assert source["sha256"] == hashlib.sha256((published / "deu-eng.zip").read_bytes()).hexdigest()
    assert source["licence"] == "licence"


def test_an_archive_put_beside_is_used_without_internet(published, tmp_path):
    corpus = tab_separated(published, "".join(f"{en}\t{de}\n" for en, de in PAIRS))
    (published / "deu-eng.zip").rename(tmp_path / "mine.zip")
    with pytest.raises(InputError, match=re.escape(f"put deu-eng.zip into {tmp_path / 'corpora'} or")):
        corpus.fetch(tmp_path / "corpora" / "tatoeba", {"en", "de"})
    (tmp_path / "mine.zip").rename(tmp_path / "corpora" / "deu-eng.zip")
    corpus.fetch(tmp_path / "corpora" / "tatoeba", {"en", "de"})
    assert len(read(tmp_path / "corpora" / "tatoeba", "train")) == 240


def test_white_space_within_a_pair_becomes_one_blank_and_incomplete_lines_are_left_out(published, tmp_path):
    content = "".join(f"{en}\t{de}\n" for en, de in PAIRS) + "a\u2028 b\tc\xa0\u202fd\r\n\nalone\n\tempty\nx\t \n"
    tab_separated(published, content).fetch(tmp_path / "t", {"en", "de"})
    pairs = [pair for split in ("train", "dev", "test") for pair in read(tmp_path / "t", split)]
    assert set(pairs) - set(PAIRS) == {("a b", "c d")}


@pytest.mark.parametrize("damage", ["not zip", "other member", "not utf-8", "too large", "cut short"])
def test_a_bad_archive_is_an_error_and_leaves_no_corpus(published, tmp_path, monkeypatch, damage):
    corpus = tab_separated(published, "a\tb\n" * 5000, "other.txt" if damage == "other member" else "deu.txt")
    archive = published / "deu-eng.zip"
    if damage == "not zip":
        archive.write_text("<html>")
    if damage == "not utf-8":
        tab_separated(published, "ä\tö\n".encode("latin-1"))
    if damage == "too large":
        monkeypatch.setattr("data.corpus_registry.LARGEST_MEMBER", 100)
    if damage == "cut short":
        archive.write_bytes(archive.read_bytes()[:-30])
    message = "unpacks to more than 100 bytes" if damage == "too large" else "not a zip archive with the text deu.txt"
    with pytest.raises(InputError, match=message):
        corpus.fetch(tmp_path / "corpora" / "tatoeba", {"en", "de"})
    assert [path.name for path in (tmp_path / "corpora").iterdir()] == ["deu-eng.zip"]


def test_splits_hold_distinct_sizes_and_every_pair_once():
    splits = split_pairs([*PAIRS, *PAIRS], held_out=20)
    assert {split: len(pairs) for split, pairs in splits.items()} == {"train": 260, "dev": 20, "test": 20}
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(PAIRS)


def test_no_held_out_sentence_occurs_in_training():
    shared = [*PAIRS, *((f"word {i}", f"andere {i}") for i in range(0, 300, 2)), ("another 1", "Wort 1")]
    splits = split_pairs(shared, held_out=20)
    for held in (splits["dev"], splits["test"]):
        assert not {source for source, _ in held} & {source for source, _ in splits["train"]}
        assert not {target for _, target in held} & {target for _, target in splits["train"]}


def test_splits_depend_on_the_content_alone():
    shuffled = random.Random(0).sample(PAIRS, len(PAIRS))
    first, second = split_pairs(PAIRS, held_out=20), split_pairs(shuffled, held_out=20)
    assert first["dev"] == second["dev"]
    assert first["test"] == second["test"]
    assert first["dev"] != PAIRS[:20]


def test_too_few_pairs_to_hold_out_are_an_error():
    with pytest.raises(InputError, match="9 pairs are too few"):
        split_pairs(PAIRS[:9])


def test_known_corpora_are_complete():
    assert sorted(KNOWN_CORPORA) == ["multi30k", *(f"tatoeba_en-{x}" for x in ("be", "cs", "de", "es", "hi", "vi"))]
    multi30k = KNOWN_CORPORA["multi30k"]
    assert len(multi30k.files) == 22
    for file in multi30k.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.language in multi30k.languages
        assert file.published_name == f"{file.split.replace('dev', 'val')}.{file.language}.gz"
    for language in ("de", "en"):
        splits = {file.split for file in multi30k.files if file.language == language}
        assert splits >= {"train", "dev", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco"}
    for name, corpus in KNOWN_CORPORA.items():
        if name != "multi30k":
            three_letters = corpus.member.removesuffix(".txt")
            assert corpus.address == f"https://www.manythings.org/anki/{three_letters}-eng.zip"
