import gzip
import tracemalloc

import pytest

from data.errors import InputError
from data.readers import read_help_pages, read_plain, read_sgm, read_table, read_talks, read_xml

TALKS_DE = """\
<url>http://example.org/talks/one</url>
<keywords>talks, water</keywords>
<speaker>Eva Beispiel</speaker>
<talkid>12</talkid>
<title>Eva Beispiel: Über das Wasser</title>
<description>Ein kurzer Vortrag.</description>
 Guten Morgen, alle miteinander.
Zwei < drei, und F&E kostet Geld.
<url>http://example.org/talks/two</url>
<talkid>13</talkid>
<title>Noch einer</title>
<description>Mehr nicht.</description>
<reviewer href="http://example.org/x">Max</reviewer>
<translator href="http://example.org/y">Lea</translator>
Danke.
"""
TALKS_EN = """\
<url>http://example.org/talks/one</url>
<keywords>talks, water</keywords>
<speaker>Eva Beispiel</speaker>
<talkid>12</talkid>
<title>Eva Beispiel: About water</title>
<description>A short talk.</description>
 Good morning, everybody.
Two < three, and R&D costs money.
<url>http://example.org/talks/two</url>
<talkid>13</talkid>
<title>One more</title>
<description>That is all.</description>
Thank you.
"""
XML_DE = """\
<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="some-set" srclang="german">
<doc docid="12" genre="lectures">
<url>http://example.org/talks/one</url>
<talkid>12</talkid>
<title>Über das Wasser</title>
<seg id="1"> Wasser &amp; Brot. </seg>
<seg id="2"> Es ist
 kalt &lt;hier&gt;. </seg>
</doc>
</srcset>
</mteval>
"""
XML_EN = XML_DE.replace("Wasser &amp; Brot", "Water &amp; bread").replace(
    "Es ist\n kalt &lt;hier", "It is\n cold &lt;here"
)
SGM_DE = """\
<srcset setid="newstest2099" srclang="any">
<doc sysid="ref" docid="paper-1" genre="news" origlang="de">
<hl>
<seg id="1">Regen & Wind in der Stadt</seg>
</hl>
<p>
<seg id="2">Er sagte: &quot;Nein.&quot;</seg> <seg id="3"> Ende
der Meldung. </seg>
</doc>
</srcset>
"""
SGM_EN = """\
<refset setid="newstest2099" srclang="any" trglang="en">
<doc sysid="ref" docid="paper-1" genre="news" origlang="de">
<hl>
<seg id="1">Rain & wind in the city</seg>
</hl>
<p>
<seg id="2">He said: "No."</seg>
<seg id="3">End of the message.</seg>
</p>
</doc>
</refset>
"""


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        content = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return tmp_path / name

    return write


# IWSLT: train.tags


def test_talks_are_the_lines_outside_of_tags(file):
    pairs = list(read_talks(file("train.tags.de-en.de", TALKS_DE), file("train.tags.de-en.en", TALKS_EN)))
    assert pairs == [
        ("Guten Morgen, alle miteinander.", "Good morning, everybody."),
        ("Zwei < drei, und F&E kostet Geld.", "Two < three, and R&D costs money."),
        ("Danke.", "Thank you."),
    ]


def test_titles_and_descriptions_are_pairs_on_request(file):
    pairs = list(read_talks(file("x.de.gz", TALKS_DE), file("x.en", TALKS_EN), titles=True))
    assert len(pairs) == 7
    assert pairs[:2] == [
        ("Eva Beispiel: Über das Wasser", "Eva Beispiel: About water"),
        ("Ein kurzer Vortrag.", "A short talk."),
    ]


def test_a_talk_that_lacks_a_line_is_found_where_the_next_talk_begins(file):
    short = TALKS_EN.replace("Two < three, and R&D costs money.\n", "")
    with pytest.raises(InputError, match=r"x\.de, line 8 \(talk 12\) does not fit .*x\.en, line 12 \(talk 13\)"):
        list(read_talks(file("x.de", TALKS_DE), file("x.en", short)))


def test_talks_of_unequal_length_name_both_files_and_counts(file):
    with pytest.raises(InputError, match=r"x\.de has 3 lines, .*x\.en has 2 lines"):
        list(read_talks(file("x.de", TALKS_DE), file("x.en", TALKS_EN.replace("Thank you.\n", ""))))


@pytest.mark.parametrize("line", ["<title>Noch einer", "<title>Noch einer</titel>", "</title>", "<talkid>13"])
def test_a_tag_that_is_not_closed_is_an_error_with_its_line(file, line):
    broken = TALKS_DE.replace("<title>Noch einer</title>", line)
    with pytest.raises(InputError, match=r"x\.de, line 11: <(title|talkid)> without </(title|talkid)>"):
        list(read_talks(file("x.de", broken), file("x.en", TALKS_EN)))


# IWSLT: XML


def test_xml_segments_are_one_line_each_with_entities_resolved(file):
    pairs = list(read_xml(file("IWSLT99.TED.tst.de-en.de.xml", XML_DE), file("IWSLT99.TED.tst.de-en.en.xml", XML_EN)))
    assert pairs == [("Wasser & Brot.", "Water & bread."), ("Es ist kalt <hier>.", "It is cold <here>.")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</seg>\n<seg", "<seg", r"b\.xml, line 8: <seg> within <seg> of line 8"),
        ("&amp;", "&", r"b\.xml, line 8: not well-formed XML"),
        ("&amp;", "&nbsp;", r"b\.xml, line 8: not well-formed XML \(undefined entity\)"),
        ("</doc>\n", "", r"b\.xml, line 11: not well-formed XML \(mismatched tag\)"),
        ("</mteval>\n", "", r"b\.xml, line 13: not well-formed XML \(no element found\)"),
        ("<mteval>", '<!DOCTYPE m [<!ENTITY a "b">]><mteval>', r"b\.xml, line 2: declares the entity a"),
        ('id="2"', 'id="3"', r"a\.xml, line 9 \(segment 2\) does not fit .*b\.xml, line 9 \(segment 3\)"),
        ('<seg id="2"> Es ist\n kalt &lt;hier&gt;. </seg>\n', "", r"a\.xml has 2 segments, .*b\.xml has 1 segments"),
    ],
)
def test_broken_xml_is_an_error_with_file_and_line(file, old, new, message):
    assert old in XML_DE
    with pytest.raises(InputError, match=message):
        list(read_xml(file("a.xml", XML_DE), file("b.xml", XML_DE.replace(old, new, 1))))


# WMT: SGML


def test_sgm_segments_are_read_though_the_file_is_no_xml(file):
    pairs = list(read_sgm(file("newstest2099-deen-src.de.sgm", SGM_DE), file("newstest2099-deen-ref.en.sgm", SGM_EN)))
    assert pairs == [
        ("Regen & Wind in der Stadt", "Rain & wind in the city"),
        ('Er sagte: "Nein."', 'He said: "No."'),
        ("Ende der Meldung.", "End of the message."),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("city</seg>", "city", r"b\.sgm, line 7: <seg> before the <seg> of line 4 is closed"),
        ("message.</seg>", "message.", r"b\.sgm, line 10: </doc> before the <seg> of line 8 is closed"),
        ('<seg id="1">', "", r"b\.sgm, line 4: </seg> without <seg>"),
        ('<seg id="1">', "<seg>", r"b\.sgm, line 4: <seg> without an id"),
        ('id="2"', 'id="4"', r"a\.sgm, line 7 \(segment 2\) does not fit .*b\.sgm, line 7 \(segment 4\)"),
        ('<seg id="3">End of the message.</seg>\n', "", r"a\.sgm has 3 segments, .*b\.sgm has 2 segments"),
        ("message.</seg>\n</p>\n</doc>\n</refset>\n", "message.\n", r"b\.sgm, line 8: <seg> is not closed"),
    ],
)
def test_broken_sgm_is_an_error_with_file_and_line(file, old, new, message):
    assert old in SGM_EN
    with pytest.raises(InputError, match=message):
        list(read_sgm(file("a.sgm", SGM_DE), file("b.sgm", SGM_EN.replace(old, new, 1))))


# Line-aligned files


def test_plain_files_of_any_number_of_languages_are_read_in_parallel(file):
    rows = list(read_plain(file("x.de", "a\n\nb \n"), file("x.en.gz", "A\n\nB\n"), file("x.cs", "1\n\n2")))
    assert rows == [("a", "A", "1"), ("", "", ""), ("b ", "B", "2")]


def test_plain_files_of_unequal_length_name_files_and_counts(file):
    with pytest.raises(InputError, match=r"x\.de has 3 lines, .*x\.en has 1,200 lines"):
        list(read_plain(file("x.de", "a\n" * 3), file("x.en", "a\n" * 1200)))


# Tables


def test_the_columns_of_hindencorp_are_read_and_its_segments_joined(file):
    rows = "tides\t1-1\tmanual\tGood morning.\tसुप्रभात।\nemille\t2-1\t0.7\tOne.<s>Two.\tएक दो।\nx\t1-1\t0.1\t\tखाली\n"
    pairs = list(read_table(file("h.plaintext.gz", rows), columns=(4, 3), width=5, separator="<s>"))
    assert pairs == [("सुप्रभात।", "Good morning."), ("एक दो।", "One. Two.")]


def test_a_row_without_all_columns_is_an_error_with_its_line(file):
    rows = "a\t1-1\t1\tx\ty\nb\t1-1\t1\tx\n"
    with pytest.raises(InputError, match=r"h\.tsv, line 2: 4 tab-separated columns where 5 are expected"):
        list(read_table(file("h.tsv", rows), columns=(4, 3), width=5))
    with pytest.raises(InputError, match=r"d\.txt, line 1: 1 tab-separated columns where 2 or more are expected"):
        list(read_table(file("d.txt", "alone\n"), columns=(0, 1)))


def test_news_commentary_is_read_without_the_empty_rows_between_documents(file):
    rows = 'Guten "Tag"\tGood "day"\n\t\n\nEnde\tThe end\n'
    assert list(read_table(file("nc.de-en.tsv.gz", rows), columns=(0, 1))) == [
        ('Guten "Tag"', 'Good "day"'),
        ("Ende", "The end"),
    ]


def test_columns_of_ted_are_found_by_name_and_missing_translations_left_out(file):
    rows = (
        "talk_name\ten\tbe\tpt-br\n"
        "one\tThis is n&apos;t much .\tГэта няшмат .\t__NULL__\n"
        "one\tThank you .\t__NULL__\tObrigado .\n"
        "two\tYes &#91; laughs &#93;\t_ _ NULL _ _\tSim\n"
        "two\tNo\tНе\t\n"
    )
    path = file("all_talks_train.tsv", rows)
    options = {"null": ("NULL",), "escaped": True}
    assert list(read_table(path, columns=("be", "en"), **options)) == [
        ("Гэта няшмат .", "This is n't much ."),
        ("Не", "No"),
    ]
    assert list(read_table(path, columns=("en", "pt-br"), **options))[1] == ("Yes [ laughs ]", "Sim")
    with pytest.raises(InputError, match=r"line 1: no column fr; the columns are talk_name, en, be, pt-br"):
        list(read_table(path, columns=("fr", "en")))


def test_white_space_within_a_cell_becomes_one_blank(file):
    rows = "a\u2028 b\xa0\u202fc\tx  y\tCC-BY\r\n"
    assert list(read_table(file("deu.txt", rows), columns=(0, 1))) == [("a b c", "x y")]


# Help pages


def page(*paragraphs):
    return "<!DOCTYPE html><html><body><p>menu of the page</p>" + "".join(paragraphs) + "</body></html>"


@pytest.fixture
def help_folders(tmp_path):
    def write(pages, language):
        for name, content in pages.items():
            path = tmp_path / language / "usr/help" / language / "text" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        return tmp_path / language

    english = {
        "writer/a.html": page(
            '<h1 id="hd_id1"><a name="x"></a>Insert a table</h1>',
            '<p id="par_id2" class="paragraph">Press <span class="switchinline"><span class="MAC"><b>Command</b></span><span>Ctrl</span></span> &amp; wait<br> a moment.</p>',
            '<p id="par_id3">Not translated at all.</p><p id="par_id4">Two words</p>',
            '<p id="par_id5">Only in English, alas.</p><p id="other">Not a paragraph here.</p>',
            '<p id="par_id6">One two three</p>',
        ),
        "writer/b.html": page('<p id="par_id1">This page is alone.</p>'),
    }
    german = {
        "writer/a.html": page(
            '<p id="par_id2">Drücken Sie <b>Strg</b> &amp; warten Sie\neinen Augenblick.</p>',
            '<h1 id="hd_id1">Eine Tabelle einfügen</h1>',
            '<p id="par_id3">Not translated at all.</p><p id="par_id4">Zwei Wörter</p>',
            '<p id="par_id6">Ein Satz, der sehr viel länger ist als sein Gegenstück im Englischen.</p>',
        )
    }
    return write(english, "en"), write(german, "de")


def test_paragraphs_with_the_same_id_are_pairs(help_folders):
    assert list(read_help_pages(*help_folders)) == [
        ("Insert a table", "Eine Tabelle einfügen"),
        ("Press Ctrl & wait a moment.", "Drücken Sie Strg & warten Sie einen Augenblick."),
    ]


def test_a_folder_without_help_pages_is_an_error(help_folders, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty holds no help pages"):
        list(read_help_pages(help_folders[0], tmp_path / "empty"))


def test_a_help_page_that_is_not_utf8_is_an_error_with_its_line(help_folders):
    path = next(help_folders[1].rglob("a.html"))
    path.write_bytes(b"<html>\n" + path.read_bytes().decode().encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.html, line 2: not UTF-8"):
        list(read_help_pages(*help_folders))


# All readers

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
    line = (
        next(number for number, text in enumerate(left.splitlines(), start=1) if not text.isascii())
        if not (left.isascii())
        else 1
    )
    broken = left.encode("latin-1") if not left.isascii() else b"\xff" + left.encode()
    with pytest.raises(InputError, match=rf"/a, line {line}: not UTF-8"):
        list(read(file("a", broken), file("b", right)))


def test_a_truncated_gzip_file_is_an_error(file, reader):
    read, left, right = reader
    path = file("a.gz", left)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match=r"a\.gz: the gzip file is cut short or damaged"):
        list(read(path, file("b", right)))


def test_a_missing_or_empty_file_is_an_error(file, reader, tmp_path):
    read, _, right = reader
    with pytest.raises(InputError, match=r"cannot read .*nowhere: No such file"):
        list(read(tmp_path / "nowhere", file("b", right)))
    with pytest.raises(InputError, match="is empty"):
        list(read(file("a", ""), file("b", right)))


def test_memory_does_not_grow_with_the_file(file):
    """Ten times as many lines are read in the same memory."""
    readers = {
        "talks": lambda count: (read_talks, ["<talkid>1</talkid>\n" + "ein Satz, der etwas länger ist\n" * count] * 2),
        "sgm": lambda count: (read_sgm, ['<seg id="1">ein Satz, der etwas länger ist</seg>\n' * count] * 2),
        "xml": lambda count: (read_xml, ["<a>" + '<seg id="1">ein Satz, länger</seg>\n' * count + "</a>\n"] * 2),
        "plain": lambda count: (read_plain, ["ein Satz, der etwas länger ist\n" * count] * 2),
        "table": lambda count: (
            lambda a, _: read_table(a, columns=(0, 1)),
            ["ein Satz\tder etwas länger ist\n" * count] * 2,
        ),
    }
    for name, make in readers.items():
        peaks = []
        for count in (500, 5_000):
            read, contents = make(count)
            paths = [file(f"{name}{side}", content) for side, content in enumerate(contents)]
            tracemalloc.start()
            assert sum(1 for _ in read(*paths)) == count
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < peaks[0] + 50_000, (name, peaks)
