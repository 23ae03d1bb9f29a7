import gzip
import lzma
import os
import stat
import tarfile
import zipfile

import pytest

from data.corpora.archives import unpack
from data.errors import InputError
from tests.data.corpora.packed import debian_bytes, tar_bytes, zip_bytes

FILES = {"pair/a.de": b"eins\nzwei\n", "pair/a.en": b"one\ntwo\n", "README": b"read me"}


@pytest.fixture
def archive(tmp_path):
    return tmp_path / "archive"


@pytest.mark.parametrize(
    "pack",
    [tar_bytes, lambda files: tar_bytes(files, "w"), lambda files: tar_bytes(files, "w:xz"), zip_bytes, debian_bytes],
)
def test_wanted_files_are_unpacked_and_no_others(archive, tmp_path, pack):
    archive.write_bytes(pack(FILES))
    written = unpack(archive, tmp_path / "out", {"pair/a.de", "pair/a.en"})
    assert {name: path.read_bytes() for name, path in written.items()} == {name: FILES[name] for name in written}
    assert sorted(path.name for path in (tmp_path / "out").rglob("*") if path.is_file()) == ["a.de", "a.en"]


def test_a_pattern_matches_across_folders(archive, tmp_path):
    archive.write_bytes(tar_bytes(FILES))
    assert sorted(unpack(archive, tmp_path / "out", {"*/a.*"})) == ["pair/a.de", "pair/a.en"]
    with pytest.raises(InputError, match=r"does not contain \*/b\.\*"):
        unpack(archive, tmp_path / "out", {"*/b.*"})


def test_names_with_a_leading_dot_are_the_same_names(archive, tmp_path):
    archive.write_bytes(tar_bytes({"./pair/a.de": b"eins\n"}))
    assert unpack(archive, tmp_path / "out", {"pair/a.de"})["pair/a.de"].read_bytes() == b"eins\n"


def test_a_missing_file_is_named(archive, tmp_path):
    archive.write_bytes(tar_bytes(FILES))
    with pytest.raises(
        InputError, match=r"archive does not contain pair/a\.fr, pair/b\.de; check that it is the right file"
    ):
        unpack(archive, tmp_path / "out", {"pair/a.de", "pair/b.de", "pair/a.fr"})


@pytest.mark.parametrize(
    "name", ["../evil", "pair/../../evil", "/tmp/evil", "..\\evil", "C:\\evil", "pair\\..\\..\\evil"]
)
@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes])
def test_a_path_out_of_the_folder_is_refused(archive, tmp_path, name, pack):
    archive.write_bytes(pack({name: b"evil", **FILES}))
    with pytest.raises(InputError, match="points outside the folder: not unpacked"):
        unpack(archive, tmp_path / "in" / "out", {"pair/a.de"})
    assert [path.name for path in tmp_path.rglob("*")] == ["archive"]


@pytest.mark.parametrize(
    ("kind", "target"), [(tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "README"), (tarfile.FIFOTYPE, "")]
)
def test_a_link_or_a_device_in_the_place_of_a_wanted_file_is_refused(archive, tmp_path, kind, target):
    archive.write_bytes(tar_bytes({"README": b""}, links=[("pair/a.de", kind, target)]))
    with pytest.raises(InputError, match=r"pair/a\.de is a link or a device"):
        unpack(archive, tmp_path / "out", {"pair/a.de"})


def test_a_link_in_a_zip_archive_is_refused(archive, tmp_path):
    with zipfile.ZipFile(archive, "w") as file:
        member = zipfile.ZipInfo("a.txt")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(member, "/etc/passwd")
    with pytest.raises(InputError, match="is a link or a device"):
        unpack(archive, tmp_path / "out", {"a.txt"})


def test_a_file_beyond_the_limit_is_refused_whatever_its_header_says(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("data.corpora.archives.LARGEST_MEMBER", 1000)
    monkeypatch.setattr("data.corpora.archives.BLOCK", 100)
    for pack in (tar_bytes, zip_bytes):
        archive.write_bytes(pack({"big": bytes(2000)}))
        with pytest.raises(InputError, match=r"big in .*archive unpacks to more than 1,000 bytes"):
            unpack(archive, tmp_path / "out", {"big"})


def test_an_archive_of_too_many_files_is_refused(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("data.corpora.archives.MOST_MEMBERS", 5)
    archive.write_bytes(tar_bytes({f"{i}": b"" for i in range(10)}))
    with pytest.raises(InputError, match="more than 5 files"):
        unpack(archive, tmp_path / "out", {"9"})


NOISE = os.urandom(100_000)
DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "other bytes inside": lambda content: content[:5000] + bytes(50) + content[5050:],
    "not an archive": lambda content: b"<html>not found</html>",
    "empty": lambda content: b"",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes, debian_bytes])
def test_a_damaged_archive_is_an_error_of_one_line(archive, tmp_path, pack, damage):
    archive.write_bytes(damage(pack({"noise": NOISE, "last": NOISE[::-1]})))
    with pytest.raises(InputError) as caught:
        unpack(archive, tmp_path / "out", {"noise", "last"})
    assert "\n" not in str(caught.value)
    assert str(archive) in str(caught.value)


def test_an_encrypted_zip_archive_is_an_error(archive, tmp_path):
    content = bytearray(zip_bytes({"a.txt": b"secret"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(signature) + offset] |= 1
    archive.write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        unpack(archive, tmp_path / "out", {"a.txt"})


def test_a_debian_package_without_its_files_is_an_error(archive, tmp_path):
    archive.write_bytes(debian_bytes(FILES)[:140])
    with pytest.raises(InputError, match="truncated or not a Debian package"):
        unpack(archive, tmp_path / "out", {"README"})


def test_a_missing_archive_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere: No such file"):
        unpack(tmp_path / "nowhere", tmp_path / "out", {"a"})


def test_single_compressed_files_are_not_archives(archive, tmp_path):
    for content in (gzip.compress(b"text\n"), lzma.compress(b"text\n")):
        archive.write_bytes(content)
        with pytest.raises(InputError, match="is not an archive"):
            unpack(archive, tmp_path / "out", {"text"})


def test_a_file_below_a_file_is_an_error(archive, tmp_path):
    archive.write_bytes(tar_bytes({"a": b"1", "a/b/c": b"2"}))
    with pytest.raises(InputError, match=r"a/b/c in .* has a file as its parent folder"):
        unpack(archive, tmp_path / "out", {"a", "a/b/c"})
