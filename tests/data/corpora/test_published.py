import contextlib
import dataclasses
import errno
import gzip
import hashlib
import json
import os
import random
import re
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from data.corpora.published import ARCHIVES, Archive, ArchivedCorpus, Text, cut_at_random, cut_regularly, download
from data.errors import InputError
from data.readers import read_plain, read_table
from data.text.parallel_text import ParallelText
from tests.data.corpora.packed import tar_bytes, zip_bytes

CONTENT = os.urandom(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        if "Python" in self.headers["User-Agent"]:
            self.send_error(406)
            return
        self.send_response(200)
        if self.path != "/without-length":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 1000 if self.path == "/cut-short" else None])

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("path", ["/file", "/without-length"])
def test_a_file_is_fetched_and_its_checksum_returned(tmp_path, server, path):
    target = tmp_path / "new folder" / "file.gz"
    assert download(server + path, target, SHA256) == SHA256
    assert target.read_bytes() == CONTENT
    assert os.listdir(target.parent) == ["file.gz"]


def test_a_file_address_works(tmp_path):
    (tmp_path / "published").write_bytes(CONTENT)
    assert download((tmp_path / "published").as_uri(), tmp_path / "copy") == SHA256
    assert (tmp_path / "copy").read_bytes() == CONTENT


def test_a_wrong_checksum_is_an_error_and_leaves_nothing_behind(tmp_path, server):
    with pytest.raises(InputError, match=f"SHA-256 {SHA256}, expected {'0' * 64}"):
        download(f"{server}/file", tmp_path / "file.gz", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_checksum_keeps_an_older_file(tmp_path, server):
    (tmp_path / "file.gz").write_bytes(b"older")
    with pytest.raises(InputError):
        download(f"{server}/file", tmp_path / "file.gz", "0" * 64)
    assert (tmp_path / "file.gz").read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["file.gz"]


def test_a_transfer_cut_short_is_an_error_even_without_a_checksum(tmp_path, server):
    with pytest.raises(InputError, match=r"1,000 of 3,000,000 bytes|could not download"):
        download(f"{server}/cut-short", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_not_a_failed_download(tmp_path, server, monkeypatch):
    @contextlib.contextmanager
    def full(path, *_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))
        yield

    monkeypatch.setattr("data.corpora.published.atomic_write", full)
    with pytest.raises(OSError, match="No space left on device"):
        download(f"{server}/file", tmp_path / "file.gz")


def test_a_missing_file_is_an_error(tmp_path, server):
    with pytest.raises(InputError, match=r"could not download .*/missing: Not Found"):
        download(f"{server}/missing", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_answer_is_an_error(tmp_path):
    with pytest.raises(InputError, match="could not download"):
        download("http://127.0.0.1:9/file", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []


PAIRS = [(f"word {i}", f"Wort {i}") for i in range(300)]


def cut(pairs, held_out=2_000):
    splits = {"train": [], "dev": [], "test": []}
    for split, pair in cut_at_random(lambda: iter(pairs), held_out):
        splits[split].append(pair)
    return splits


def test_splits_hold_distinct_sizes_and_every_pair_once():
    splits = cut([*PAIRS, *PAIRS], held_out=20)
    assert {split: len(pairs) for split, pairs in splits.items()} == {"train": 260, "dev": 20, "test": 20}
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(PAIRS)


def test_at_most_a_tenth_is_held_out_for_each_split():
    assert {split: len(pairs) for split, pairs in cut(PAIRS).items()} == {"train": 240, "dev": 30, "test": 30}


def test_training_text_stays_in_order():
    train = cut(PAIRS)["train"]
    assert train == sorted(train, key=PAIRS.index)


def test_no_held_out_sentence_occurs_in_training():
    shared = [*PAIRS, *((f"word {i}", f"andere {i}") for i in range(0, 300, 2)), ("another 1", "Wort 1")]
    splits = cut(shared, held_out=20)
    for held in (splits["dev"], splits["test"]):
        assert not {source for source, _ in held} & {source for source, _ in splits["train"]}
        assert not {target for _, target in held} & {target for _, target in splits["train"]}


def test_splits_depend_on_the_content_alone():
    first, second = cut(PAIRS, 20), cut(random.Random(0).sample(PAIRS, len(PAIRS)), 20)
    assert first["dev"] == second["dev"]
    assert first["test"] == second["test"]
    assert first["dev"] != PAIRS[:20]


def test_too_few_pairs_to_hold_out_are_an_error():
    with pytest.raises(InputError, match="it has 9 different pairs"):
        cut(PAIRS[:9])
    with pytest.raises(InputError, match="it has 0 different pairs"):
        cut([])


def test_pairs_at_regular_distances_are_development_text():
    splits = [split for split, _ in cut_regularly(lambda: iter(PAIRS), 23)]
    assert [number for number, split in enumerate(splits, start=1) if split == "dev"] == list(range(23, 301, 23))
    assert [pair for _, pair in cut_regularly(lambda: iter(PAIRS), 23)] == PAIRS


ROWS = [(f"word {i}", f"Wort {i}") for i in range(300)]


@pytest.fixture
def archives(tmp_path):
    """The folder of archives next to the folder of the corpus, `tmp_path / "corpora" / "some"`."""
    folder = tmp_path / "corpora" / ARCHIVES
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def corpus_folder(tmp_path):
    return tmp_path / "corpora" / "some"


def text(archive, read, *names):
    """A text whose files are all in one archive; without names, the archive itself is the file."""
    return Text(tuple((archive, name) for name in names or (None,)), read)


def corpus(splits, **options):
    return ArchivedCorpus("some", ("en", "de"), "licence", "citation", splits=splits, **options)


def plain_corpus(**options):
    archive = Archive("a.tgz", "https://example.org/a.tgz", **options)
    names = ("x/train.en", "x/train.de")
    return corpus({"train": (text(archive, read_plain, *names), text(archive, read_plain, "x/more.en", "x/more.de"))})


FILES = {"x/train.en": b"one\n\n", "x/train.de": b"eins\n\n", "x/more.en": b"two\n", "x/more.de": b"zwei\n"}


def read(folder, split):
    return list(ParallelText(folder / f"{split}.en.gz", folder / f"{split}.de.gz").pairs())


def test_the_texts_of_a_split_are_written_one_after_another(archives, corpus_folder):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert read(corpus_folder, "train") == [("one", "eins"), ("", ""), ("two", "zwei")]
    names = sorted(path.name for path in corpus_folder.iterdir())
    assert names == ["SHA256SUMS", "SOURCE.json", "train.de.gz", "train.en.gz"]
    # No time of writing in the gzip header: the same archive always gives the same files.
    assert (corpus_folder / "train.en.gz").read_bytes()[4:8] == bytes(4)


def test_source_and_checksum_of_what_was_used_are_kept(archives, corpus_folder):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en"})
    source = json.loads((corpus_folder / "SOURCE.json").read_text())
    sha256 = hashlib.sha256((archives / "a.tgz").read_bytes()).hexdigest()
    assert source["archives"] == [{"file": "a.tgz", "address": "https://example.org/a.tgz", "sha256": sha256}]
    assert source["licence"] == "licence"


def test_archives_are_looked_for_in_all_folders_given(tmp_path, corpus_folder):
    for name in ("mine", "cache"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine" / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en", "de"}, [tmp_path / "mine", tmp_path / "cache"])
    assert len(read(corpus_folder, "train")) == 3


def test_an_archive_is_fetched_into_the_last_folder(tmp_path, corpus_folder):
    (tmp_path / "published.tgz").write_bytes(tar_bytes(FILES))
    archive = Archive("a.tgz", (tmp_path / "published.tgz").as_uri())
    corpus({"train": (text(archive, read_plain, "x/train.en", "x/train.de"),)}).fetch(
        corpus_folder, {"en", "de"}, [tmp_path / "mine", tmp_path / "cache"]
    )
    assert (tmp_path / "cache" / "a.tgz").is_file()
    assert len(read(corpus_folder, "train")) == 2


def test_an_archive_of_archives_is_opened_and_its_part_is_enough(archives, corpus_folder):
    inner = tar_bytes(FILES)
    corpus = plain_corpus(inner="release/texts/en-de.tgz")
    (archives / "a-en-de.tgz").write_bytes(inner)
    corpus.fetch(corpus_folder, {"en", "de"})
    expected = read(corpus_folder, "train")
    (archives / "a-en-de.tgz").unlink()
    (archives / "a.tgz").write_bytes(tar_bytes({"release/texts/fr-de.tgz": b"", "release/texts/en-de.tgz": inner}))
    other = corpus_folder.with_name("other")
    corpus.fetch(other, {"en", "de"})
    assert read(other, "train") == expected


def test_separate_files_and_files_of_several_archives_are_read(archives, corpus_folder):
    (archives / "table.gz").write_bytes(gzip.compress(b"eins\tone\n"))
    (archives / "en.zip").write_bytes(zip_bytes({"a.txt": b"two\n"}))
    (archives / "de.zip").write_bytes(zip_bytes({"a.txt": b"zwei\n"}))
    parts = Archive("en.zip", "https://example.org/"), Archive("de.zip", "https://example.org/")
    splits = {
        "train": (text(Archive("table.gz", "https://example.org/"), partial(read_table, columns=(1, 0))),),
        "test": (Text(tuple((archive, "a.txt") for archive in parts), read_plain),),
    }
    corpus(splits).fetch(corpus_folder, {"en", "de"})
    assert read(corpus_folder, "train") == [("one", "eins")]
    assert read(corpus_folder, "test") == [("two", "zwei")]


def test_a_split_in_some_of_the_languages_says_which(archives, corpus_folder):
    archive = Archive("a.tgz", "https://example.org/")
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    corpus({"test.en-cs": (text(archive, read_plain, "x/train.en", "x/train.de"),)}).fetch(corpus_folder, {"en"})
    names = sorted(path.name for path in corpus_folder.glob("*.gz"))
    assert names == ["test.en-cs.cs.gz", "test.en-cs.en.gz"]


def tab_separated(**options):
    archive = Archive("deu-eng.zip", "https://example.org/deu-eng.zip")
    read_pairs = partial(read_table, columns=(0, 1))
    return corpus(
        {"train": (text(archive, read_pairs, "deu.txt"),)}, cut=partial(cut_at_random, held_out=2_000), **options
    )


def test_training_text_is_cut_into_three_splits_without_loss(archives, corpus_folder):
    content = "".join(f"{en}\t{de}\tCC-BY 2.0 (France) Attribution\n" for en, de in ROWS)
    (archives / "deu-eng.zip").write_bytes(zip_bytes({"deu.txt": content, "_about.txt": "about"}))
    tab_separated().fetch(corpus_folder, {"en", "de"})
    splits = {split: read(corpus_folder, split) for split in ("train", "dev", "test")}
    assert {split: len(pairs) for split, pairs in splits.items()} == {"train": 240, "dev": 30, "test": 30}
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(ROWS)


def test_errors_without_internet_say_which_files_to_put_where(tmp_path, archives, corpus_folder):
    missing = Archive("b.tgz", (tmp_path / "nowhere.tgz").as_uri(), size=1234, inner="c/d.tgz")
    present = Archive("a.tgz", "https://example.org/a.tgz")
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    splits = {"train": tuple(text(archive, read_plain, "x/train.en", "x/train.de") for archive in (present, missing))}
    with pytest.raises(InputError) as caught:
        corpus(splits).fetch(corpus_folder, {"en", "de"})
    message = str(caught.value)
    assert f"put b.tgz ({missing.address}, 1,234 bytes) or its c/d.tgz as b-d.tgz into {archives}, or" in message
    assert "a.tgz (" not in message
    assert "\n" not in message
    assert [path.name for path in corpus_folder.parent.iterdir()] == [ARCHIVES]


def test_archives_that_only_a_browser_can_fetch_are_asked_for_first(tmp_path, corpus_folder, monkeypatch):
    monkeypatch.setattr("data.corpora.published.download", lambda *_: pytest.fail("downloads"))
    first = Archive("a.tgz", "https://example.org/a.tgz")
    by_hand = Archive("b.tgz", "https://example.org/view", by_hand=True)
    splits = {"train": tuple(text(archive, read_plain, "x.en", "x.de") for archive in (first, by_hand))}
    with pytest.raises(
        InputError, match=r"b\.tgz can only be downloaded with a browser: put .*https://example.org/view"
    ):
        corpus(splits).fetch(corpus_folder, {"en", "de"})


def without_internet(address, path, sha256=None):
    raise InputError(f"could not download {address}")


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_a_damaged_archive_among_the_downloads_is_fetched_again(tmp_path, archives, corpus_folder, algorithm, capsys):
    content = tar_bytes(FILES)
    (tmp_path / "published.tgz").write_bytes(content)
    checksum = hashlib.new(algorithm, content).hexdigest()
    archive = Archive("a.tgz", (tmp_path / "published.tgz").as_uri(), **{algorithm: checksum})
    (archives / "a.tgz").write_bytes(b"")
    corpus({"train": (text(archive, read_plain, "x/train.en", "x/train.de"),)}).fetch(corpus_folder, {"en", "de"})
    assert (archives / "a.tgz").read_bytes() == content
    assert read(corpus_folder, "train") == [("one", "eins"), ("", "")]
    assert capsys.readouterr().err == f"warning: {archives / 'a.tgz'}: wrong checksum; rebuilding it\n"


def test_a_damaged_corpus_is_built_again_only_if_it_has_checksums(archives, corpus_folder, capsys):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    damaged = corpus_folder / "train.en.gz"
    damaged.write_bytes(gzip.compress(b"one\n\nten\n"))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert read(corpus_folder, "train")[2] == ("two", "zwei")
    assert capsys.readouterr().err == f"warning: {corpus_folder}: train.en.gz is damaged; rebuilding it\n"
    (corpus_folder / "SHA256SUMS").unlink()
    damaged.write_bytes(gzip.compress(b"one\n\nten\n"))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert read(corpus_folder, "train")[2] == ("ten", "zwei")


def test_a_corpus_is_built_again_when_its_definition_changes(archives, corpus_folder, capsys, monkeypatch):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    former, new = plain_corpus(), dataclasses.replace(plain_corpus(), definition="new")
    former.fetch(corpus_folder, {"en", "de"})
    (corpus_folder / "mine.en").write_text("mine\n")
    new.fetch(corpus_folder, {"en", "de"})
    warning = f"warning: {corpus_folder}: its definition has changed; rebuilding it\n"
    assert capsys.readouterr().err == warning
    assert (corpus_folder / "mine.en").read_text() == "mine\n"
    new.fetch(corpus_folder, {"en", "de"})
    dataclasses.replace(new, note="another", licence="another").fetch(corpus_folder, {"en", "de"})
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("data.corpora.published.FORMAT", 0)
    new.fetch(corpus_folder, {"en", "de"})
    assert capsys.readouterr().err == warning
    (corpus_folder / "SHA256SUMS").unlink()
    former.fetch(corpus_folder, {"en", "de"})
    assert capsys.readouterr().err == ""


def test_a_corpus_of_an_earlier_version_of_this_project_stays(archives, corpus_folder, capsys):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    source = json.loads((corpus_folder / "SOURCE.json").read_text())
    del source["definition"]
    (corpus_folder / "SOURCE.json").write_text(json.dumps(source))
    sums = (corpus_folder / "SHA256SUMS").read_text().splitlines()
    found = hashlib.sha256((corpus_folder / "SOURCE.json").read_bytes()).hexdigest()
    sums = [f"{found}  SOURCE.json" if line.endswith("SOURCE.json") else line for line in sums]
    (corpus_folder / "SHA256SUMS").write_text("".join(f"{line}\n" for line in sums))
    dataclasses.replace(plain_corpus(), definition="new").fetch(corpus_folder, {"en", "de"})
    assert capsys.readouterr().err == ""


def test_a_corpus_of_the_user_with_checksums_stays(corpus_folder, capsys):
    corpus_folder.mkdir(parents=True)
    (corpus_folder / "train.en").write_text("mine\n")
    found = hashlib.sha256(b"mine\n").hexdigest()
    (corpus_folder / "SHA256SUMS").write_text(f"{found}  train.en\n")
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("damaged", ["train.en.gz", "SHA256SUMS"])
def test_files_of_the_user_stay_when_a_corpus_is_built_again(archives, corpus_folder, damaged):
    (archives / "a.tgz").write_bytes(tar_bytes(FILES))
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    (corpus_folder / "mine.en").write_text("mine\n")
    (corpus_folder / "link.en").symlink_to("mine.en")
    (corpus_folder / "notes").mkdir()
    (corpus_folder / "notes" / "a.txt").write_text("a note")
    (corpus_folder / damaged).write_bytes(b"")
    plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert len(read(corpus_folder, "train")) == 3
    assert (corpus_folder / "link.en").read_text() == "mine\n"
    assert (corpus_folder / "link.en").is_symlink()
    assert (corpus_folder / "notes" / "a.txt").read_text() == "a note"
    listed = (corpus_folder / "SHA256SUMS").read_text()
    assert "train.en.gz" in listed
    assert "mine.en" not in listed


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_an_archive_with_a_wrong_checksum_is_refused(archives, corpus_folder, algorithm, monkeypatch):
    monkeypatch.setattr("data.corpora.published.download", without_internet)
    content = tar_bytes(FILES)
    checksum = hashlib.new(algorithm, content).hexdigest()
    (archives / "a.tgz").write_bytes(content)
    plain_corpus(**{algorithm: checksum}).fetch(corpus_folder, {"en", "de"})
    (archives / "a.tgz").write_bytes(content[:-1])
    with pytest.raises(InputError, match=rf"a\.tgz has the checksum \w+, but {checksum} is published"):
        plain_corpus(**{algorithm: checksum}).fetch(corpus_folder.with_name("other"), {"en", "de"})
    assert not corpus_folder.with_name("other").exists()


DAMAGES = {
    "not an archive": (b"<html>", "is not an archive"),
    "a file is missing": (tar_bytes({"x/train.en": b"one\n"}), r"does not contain x/more\.de, x/more\.en, x/train\.de"),
    "unequal lines": (tar_bytes({**FILES, "x/more.de": b"zwei\ndrei\n"}), "has 1 lines, .* has 2 lines"),
    "not utf-8": (tar_bytes({**FILES, "x/more.de": b"\xff\n"}), r"more\.de, line 1: not UTF-8"),
    "a path escape": (tar_bytes({"../x": b"", **FILES}), "points outside the folder"),
}


@pytest.mark.parametrize(("content", "message"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_bad_archive_is_an_error_and_leaves_no_corpus(archives, corpus_folder, content, message):
    (archives / "a.tgz").write_bytes(content)
    with pytest.raises(InputError, match=message):
        plain_corpus().fetch(corpus_folder, {"en", "de"})
    assert [path.name for path in corpus_folder.parent.iterdir()] == [ARCHIVES]
    assert [path.name for path in archives.iterdir()] == ["a.tgz"]


def test_an_archive_put_into_the_folder_is_used_without_internet(archives, corpus_folder):
    with pytest.raises(InputError, match=re.escape(f"into {archives}, or")):
        tab_separated().fetch(corpus_folder, {"en", "de"})
    content = "".join(f"{en}\t{de}\n" for en, de in ROWS)
    (archives / "deu-eng.zip").write_bytes(zip_bytes({"deu.txt": content}))
    tab_separated().fetch(corpus_folder, {"en", "de"})
    assert len(read(corpus_folder, "train")) == 240
