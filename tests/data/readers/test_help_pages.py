import pytest

from data.errors import InputError
from data.readers import read_help_pages


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
            '<p id="par_id2" class="paragraph">Press '
            '<span class="switchinline"><span class="MAC"><b>Command</b></span><span>Ctrl</span></span> '
            "&amp; wait<br> a moment.</p>",
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
    with pytest.raises(InputError, match=r"empty contains no help pages"):
        list(read_help_pages(help_folders[0], tmp_path / "empty"))


def test_a_help_page_that_is_not_utf8_is_an_error_with_its_line(help_folders):
    path = next(help_folders[1].rglob("a.html"))
    path.write_bytes(b"<html>\n" + path.read_bytes().decode().encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.html, line 2: not UTF-8"):
        list(read_help_pages(*help_folders))
