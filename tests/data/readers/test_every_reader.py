"""Properties of every reader of text files."""

import gc
import tracemalloc

import pytest

from data.errors import InputError
from data.readers import read_plain, read_sgm, read_table, read_talks, read_xml
from tests.data.readers.samples import SGM_DE, SGM_EN, TALKS_DE, TALKS_EN, XML_DE, XML_EN

READERS = {
    "talks": (lambda a, b: read_talks(a, b), TALKS_DE, TALKS_EN),
    "xml": (lambda a, b: read_xml(a, b), XML_DE, XML_EN),
    "sgm": (lambda a, b: read_sgm(a, b), SGM_DE, SGM_EN),
    "plain": (lambda a, b: read_plain(a, b), "eins\nüber\n", "one\nabove\n"),
    "table": (lambda a, _: read_table(a, columns=(0, 1)), "eins\tone\nüber\tabove\n", ""),
}


@pytest.fixture(params=READERS.values(), ids=READERS.keys())
def reader(request):
    return request.param


def test_gzip_reads_like_plain_text(file, reader):
    read, left, right = reader
    assert list(read(file("a.gz", left), file("b.gz", right))) == list(read(file("a", left), file("b", right))) != []


def test_windows_line_ends_make_no_difference(file, reader):
    read, left, right = reader
    windows = [file("c", left.replace("\n", "\r\n")), file("d", right.replace("\n", "\r\n"))]
    assert list(read(*windows)) == list(read(file("a", left), file("b", right)))


def test_bad_utf8_names_file_and_line(file, reader):
    read, left, right = reader
    line = next(number for number, text in enumerate(left.splitlines(), start=1) if not text.isascii())
    with pytest.raises(InputError, match=rf"/a, line {line}: not UTF-8"):
        list(read(file("a", left.encode("latin-1")), file("b", right)))


def test_a_truncated_gzip_file_is_an_error(file, reader):
    read, left, right = reader
    path = file("a.gz", left)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match=r"a\.gz: the gzip file is truncated or damaged"):
        list(read(path, file("b", right)))


def test_a_missing_or_empty_file_is_an_error(file, reader, tmp_path):
    read, _, right = reader
    with pytest.raises(InputError, match=r"cannot read .*nowhere: No such file"):
        list(read(tmp_path / "nowhere", file("b", right)))
    with pytest.raises(InputError, match="is empty"):
        list(read(file("a", ""), file("b", right)))


MANY = {
    "talks": lambda count: "<talkid>1</talkid>\n" + "ein Satz, der etwas länger ist\n" * count,
    "sgm": lambda count: '<seg id="1">ein Satz, der etwas länger ist</seg>\n' * count,
    "xml": lambda count: "<a>" + '<seg id="1">ein Satz, länger</seg>\n' * count + "</a>\n",
    "plain": lambda count: "ein Satz, der etwas länger ist\n" * count,
    "table": lambda count: "ein Satz\tder etwas länger ist\n" * count,
}


@pytest.mark.parametrize("name", MANY)
def test_memory_does_not_grow_with_the_file(file, name):
    """Four times as many lines are read in the same memory."""
    read, peaks = READERS[name][0], []
    for count in (2_500, 10_000):  # both fill the buffers of their files
        paths = [file(f"{name}{side}", MANY[name](count)) for side in range(2)]
        peaks.append(min(peak(read, paths, count) for _ in range(2)))  # the first time fills caches
    assert peaks[1] < peaks[0] + 50_000, peaks  # all lines would be 800,000 bytes


def peak(read, paths, count):
    """The most bytes allocated while a reader yields this number of pairs."""
    gc.collect()  # or else it may come in the middle
    tracemalloc.start()
    assert sum(1 for _ in read(*paths)) == count
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found
