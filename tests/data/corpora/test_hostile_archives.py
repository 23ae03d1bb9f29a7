"""Archives as strangers may pack them: names that lead elsewhere, damage, and little that unpacks to much."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.corpora.archives import unpack
from tests.data.corpora.packed import debian_bytes, tar_bytes, zip_bytes
from tests.hostile import attempts, changed, changes, few_and_many, refusal
from tests.parameters import mostly_slow

FILES = {"pair/a.de": b"eins\nzwei\n", "pair/a.en": b"one\ntwo\n"}
WANTED = {"pair/a.de", "*.en"}
KINDS = [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, b"S"]
NAMES = [
    "pair/a.de",
    "pair/a.en",
    "pair",
    "..",
    "../evil.en",
    "/evil.en",
    "a/../../evil.en",
    "pair/a.de/x.en",
    "C:\\x.en",
]
GIGABYTES = 10

names = st.sampled_from(NAMES) | st.text(max_size=20).map("{}.en".format) | st.just("n" * 300 + ".en")
members = st.lists(st.tuples(names, st.sampled_from(KINDS), names, st.binary(max_size=50)), max_size=6)


def tar_of(listed, mode, form):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as tar:
        for name, kind, target, content in listed:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, target, len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def zip_of(listed):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, kind, _, content in listed:
            member = zipfile.ZipInfo(name or "x")
            member.external_attr = ((0o120777 if kind == tarfile.SYMTYPE else 0o100644) << 16) & 0xFFFFFFFF
            archive.writestr(member, content)
    return buffer.getvalue()


modes = st.sampled_from(["w", "w:gz", "w:bz2", "w:xz"])
forms = st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])


@few_and_many
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_no_archive_writes_outside_its_folder(tmp_path, examples):
    archive, place = tmp_path / "archive", tmp_path / "in"
    place.mkdir()

    @attempts(examples)
    @given(members, modes | st.just("zip"), forms)
    def attempt(listed, mode, form):
        try:
            archive.write_bytes(zip_of(listed) if mode == "zip" else tar_of(listed, mode, form))
        except (ValueError, UnicodeError):  # a name that cannot be packed
            return
        refusal(unpack, archive, place / "out", WANTED)
        assert {path.name for path in (*tmp_path.iterdir(), *place.iterdir())} <= {"archive", "in", "out"}
        for path in (place / "out").rglob("*"):
            assert not path.is_symlink()
            assert path.is_file() or path.is_dir()

    attempt()


PACKED = [zip_bytes(FILES), tar_bytes(FILES), debian_bytes(FILES)] + [
    tar_of([(name, tarfile.REGTYPE, "", content) for name, content in FILES.items()], mode, form)
    for mode in ("w", "w:bz2", "w:xz")
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)
]


@few_and_many
def test_a_damaged_archive_is_unpacked_or_refused(tmp_path, examples):
    archive = tmp_path / "archive"

    @attempts(examples)
    @given(st.sampled_from(PACKED), changes)
    def attempt(content, damage):
        archive.write_bytes(changed(content, damage))
        refusal(unpack, archive, tmp_path / "out", WANTED)

    attempt()


@few_and_many
def test_damaged_headers_within_sound_compression_are_unpacked_or_refused(tmp_path, examples):
    archive = tmp_path / "archive"
    long_name = tar_of([("x" * 200 + ".en", tarfile.REGTYPE, "", b"x")], "w", tarfile.PAX_FORMAT)
    plain = [long_name, tar_of([("pair/a.en", b"S", "", b"x")], "w", tarfile.GNU_FORMAT), *PACKED[3:5]]

    @attempts(examples)
    @given(st.sampled_from(plain), changes, st.integers(0, 511), st.binary(min_size=1, max_size=12))
    def attempt(content, damage, place, field):
        content = bytearray(changed(content, damage))
        content[place : place + len(field)] = field
        total = sum(content[:512]) - sum(content[148:156]) + 8 * 32
        content[148:156] = b"%06o\0 " % total  # a checksum that fits: the fields are believed
        archive.write_bytes(gzip.compress(content, 1))
        refusal(unpack, archive, tmp_path / "out", WANTED)

    attempt()


def header(kind, size):
    """The header of a member, whose size may be any."""
    member = tarfile.TarInfo("pair/a.en")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


TEN_MEGABYTES = bytes(10 << 20)


@pytest.mark.parametrize("compress", mostly_slow([gzip.compress, bz2.compress, lzma.compress], bz2.compress))
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
@pytest.mark.parametrize("declared", [GIGABYTES << 30, 0])
def test_ten_gigabytes_are_not_unpacked_out_of_ten_megabytes(tmp_path, compress, kind, declared):
    archive = tmp_path / "archive"
    block = compress(TEN_MEGABYTES)  # compressed files may stand one after another
    archive.write_bytes(compress(header(kind, declared)) + block * (GIGABYTES * 1024 // 10))
    assert archive.stat().st_size < 12 << 20
    line = refusal(unpack, archive, tmp_path / "out", {"*.en"})
    assert line
    assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*")) < 2 << 30


def test_a_zip_archive_of_zeros_is_not_unpacked(tmp_path):
    archive = tmp_path / "archive"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.en", bytes(200 << 20))
    assert "unpacks to more than 67,108,864 bytes" in refusal(unpack, archive, tmp_path / "out", {"*.en"})


def test_a_sparse_file_is_not_expanded_on_disk(tmp_path):
    archive = tmp_path / "archive"
    member = tarfile.TarInfo("a.en")
    member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(GIGABYTES << 30)}
    member.pax_headers |= {"GNU.sparse.name": "a.en", "GNU.sparse.numblocks": "1"}
    with tarfile.open(archive, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(member)
    assert "unpacks to more than" in refusal(unpack, archive, tmp_path / "out", {"*.en"})


def test_a_header_with_a_negative_size_causes_no_endless_loop(tmp_path):
    archive = tmp_path / "archive"
    content = bytearray(header(tarfile.REGTYPE, 0))
    content[124:136] = (2**96 - 1024).to_bytes(12, "big")  # base 256, negative
    content[148:156] = b"%06o\0 " % (sum(content) - sum(content[148:156]) + 8 * 32)
    archive.write_bytes(gzip.compress(bytes(content) * 3))
    assert refusal(unpack, archive, tmp_path / "out", {"*.en"})
