import gzip
import tracemalloc

import pytest

from data.errors import InputError
from data.text.parallel_text import ParallelText, read_lines


def write(path, content):
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def lines_of(tmp_path, content, name="text.de"):
    return list(read_lines(write(tmp_path / name, content)))


def test_lines_end_at_line_feeds_only(tmp_path):
    line = "a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg\rh"
    assert lines_of(tmp_path, f"{line}\nsecond\n".encode()) == [line, "second"]


def test_a_line_feed_at_the_end_of_the_file_makes_no_further_line(tmp_path):
    assert lines_of(tmp_path, b"a\nb\n") == lines_of(tmp_path, b"a\nb") == ["a", "b"]


def test_empty_lines_are_lines(tmp_path):
    assert lines_of(tmp_path, b"\n\na\n\n") == ["", "", "a", ""]


def test_windows_line_ends_lose_one_carriage_return(tmp_path):
    assert lines_of(tmp_path, b"a\r\nb\r\r\nc\r") == ["a", "b\r", "c"]


def test_blanks_and_tabs_are_kept(tmp_path):
    assert lines_of(tmp_path, b"  a \t b  \n") == ["  a \t b  "]


def test_a_byte_order_mark_is_dropped_at_the_start_of_the_file_only(tmp_path):
    assert lines_of(tmp_path, "\ufeffa\n\ufeffb\n".encode()) == ["a", "\ufeffb"]


def test_gzip_reads_like_plain_text(tmp_path):
    content = "Über\r\n\nStraße\u2028\n".encode()
    assert lines_of(tmp_path, content, "x.de.gz") == lines_of(tmp_path, content, "x.de")


def test_bad_utf8_names_file_and_line(tmp_path):
    with pytest.raises(InputError, match=r"text\.de, line 3: not UTF-8"):
        lines_of(tmp_path, "a\nß\n".encode() + "Straße\n".encode("latin-1"))


def test_utf16_is_an_error(tmp_path):
    with pytest.raises(InputError, match="line 1: not UTF-8"):
        lines_of(tmp_path, "abc\n".encode("utf-16"))


@pytest.mark.parametrize("name", ["text.de", "text.de.gz"])
def test_an_empty_file_is_an_error(tmp_path, name):
    with pytest.raises(InputError, match="is empty"):
        lines_of(tmp_path, b"", name)


def test_a_missing_file_or_a_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*missing\.de: No such file"):
        list(read_lines(tmp_path / "missing.de"))
    with pytest.raises(InputError, match="cannot read"):
        list(read_lines(tmp_path))


DAMAGES = {
    "half": lambda content: content[: len(content) // 2],
    "without the checksum at the end": lambda content: content[:-4],
    "not gzip": lambda content: b"no" + content,
    "other bytes inside": lambda content: content[:40] + bytes(8) + content[48:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_truncated_or_damaged_gzip_is_an_error(tmp_path, damage):
    content = gzip.compress("\n".join(str(i * i) for i in range(1000)).encode())
    (tmp_path / "text.de.gz").write_bytes(damage(content))
    with pytest.raises(InputError, match="truncated or damaged"):
        list(read_lines(tmp_path / "text.de.gz"))


def test_pairs_are_aligned_by_line(tmp_path):
    text = ParallelText(write(tmp_path / "x.de", b"a\nb\n"), write(tmp_path / "x.en.gz", b"A\r\nB\r\n"))
    assert list(text.pairs()) == [("a", "A"), ("b", "B")]
    assert text.check() == 2


@pytest.mark.parametrize(("source", "target", "counts"), [(1200, 3, "1,200 .* 3"), (3, 1200, "3 .* 1,200")])
def test_unequal_numbers_of_lines_name_both_files_and_counts(tmp_path, source, target, counts):
    text = ParallelText(write(tmp_path / "x.de", b"a\n" * source), write(tmp_path / "x.en", b"A\n" * target))
    expected = counts.replace(" .* ", r" lines but .*x\.en has ")
    with pytest.raises(InputError, match=rf"x\.de has {expected}"):
        text.check()


def test_only_aligned_pairs_come_before_the_error(tmp_path):
    text = ParallelText(write(tmp_path / "x.de", b"a\nb\nc\n"), write(tmp_path / "x.en", b"A\n"))
    pairs = text.pairs()
    assert next(pairs) == ("a", "A")
    with pytest.raises(InputError, match="3 lines"):
        next(pairs)


def test_reading_takes_constant_memory(tmp_path):
    line = b"ein Satz mit einigen Woertern darin\n"
    text = ParallelText(write(tmp_path / "x.de", line * 100_000), write(tmp_path / "x.en.gz", line * 100_000))
    tracemalloc.start()
    assert text.check() == 100_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000  # of 3.6 million bytes a file
