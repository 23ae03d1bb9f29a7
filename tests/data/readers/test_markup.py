import pytest

from data.errors import InputError
from data.readers import read_sgm, read_talks, read_xml
from tests.data.readers.samples import SGM_DE, SGM_EN, TALKS_DE, TALKS_EN, XML_DE, XML_EN


@pytest.mark.parametrize(
    ("read", "german", "english", "pairs"),
    [
        (
            read_talks,
            TALKS_DE,
            TALKS_EN,
            [
                "Guten Morgen, alle miteinander.|Good morning, everybody.",
                "Zwei < drei, und F&E kostet Geld.|Two < three, and R&D costs money.",
                "Danke.|Thank you.",
            ],
        ),
        (read_xml, XML_DE, XML_EN, ["Wasser & Brot.|Water & bread.", "Es ist kalt <hier>.|It is cold <here>."]),
        (
            read_sgm,
            SGM_DE,
            SGM_EN,
            [
                "Regen & Wind über der Stadt|Rain & wind over the city",
                'Er sagte: "Nein."|He said: "No."',
                "Ende der Meldung.|End of the message.",
            ],
        ),
    ],
)
def test_segments_are_paired_with_entities_resolved(file, read, german, english, pairs):
    assert ["|".join(pair) for pair in read(file("text.de", german), file("text.en", english))] == pairs


def test_titles_and_descriptions_are_pairs_on_request(file):
    pairs = list(read_talks(file("x.de.gz", TALKS_DE), file("x.en", TALKS_EN), titles=True))
    assert len(pairs) == 7
    assert pairs[:2] == [
        ("Eva Beispiel: Über das Wasser", "Eva Beispiel: About water"),
        ("Ein kurzer Vortrag.", "A short talk."),
    ]


def test_a_talk_that_lacks_a_line_is_found_where_the_next_talk_begins(file):
    short = TALKS_EN.replace("Two < three, and R&D costs money.\n", "")
    with pytest.raises(InputError, match=r"x\.de, line 8 \(talk 12\) does not match .*x\.en, line 12 \(talk 13\)"):
        list(read_talks(file("x.de", TALKS_DE), file("x.en", short)))


def test_talks_of_unequal_length_name_both_files_and_counts(file):
    with pytest.raises(InputError, match=r"x\.de has 3 lines, .*x\.en has 2 lines"):
        list(read_talks(file("x.de", TALKS_DE), file("x.en", TALKS_EN.replace("Thank you.\n", ""))))


@pytest.mark.parametrize("line", ["<title>Noch einer", "<title>Noch einer</titel>", "</title>", "<talkid>13"])
def test_a_tag_that_is_not_closed_is_an_error_with_its_line(file, line):
    broken = TALKS_DE.replace("<title>Noch einer</title>", line)
    with pytest.raises(InputError, match=r"x\.de, line 11: <(title|talkid)> without </(title|talkid)>"):
        list(read_talks(file("x.de", broken), file("x.en", TALKS_EN)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</seg>\n<seg", "<seg", r"b\.xml, line 8: <seg> within <seg> of line 8"),
        ("&amp;", "&", r"b\.xml, line 8: not well-formed XML"),
        ("&amp;", "&nbsp;", r"b\.xml, line 8: not well-formed XML \(undefined entity\)"),
        ("</doc>\n", "", r"b\.xml, line 11: not well-formed XML \(mismatched tag\)"),
        ("</mteval>\n", "", r"b\.xml, line 13: not well-formed XML \(no element found\)"),
        ("<mteval>", '<!DOCTYPE m [<!ENTITY a "b">]><mteval>', r"b\.xml, line 2: declares the entity a"),
        ('id="2"', 'id="3"', r"a\.xml, line 9 \(segment 2\) does not match .*b\.xml, line 9 \(segment 3\)"),
        ('<seg id="2"> Es ist\n kalt &lt;hier&gt;. </seg>\n', "", r"a\.xml has 2 segments, .*b\.xml has 1 segments"),
    ],
)
def test_broken_xml_is_an_error_with_file_and_line(file, old, new, message):
    assert old in XML_DE
    with pytest.raises(InputError, match=message):
        list(read_xml(file("a.xml", XML_DE), file("b.xml", XML_DE.replace(old, new, 1))))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("city</seg>", "city", r"b\.sgm, line 7: <seg> before the <seg> of line 4 is closed"),
        ("message.</seg>", "message.", r"b\.sgm, line 10: </doc> before the <seg> of line 8 is closed"),
        ('<seg id="1">', "", r"b\.sgm, line 4: </seg> without <seg>"),
        ('<seg id="1">', "<seg>", r"b\.sgm, line 4: <seg> without an id"),
        ('id="2"', 'id="4"', r"a\.sgm, line 7 \(segment 2\) does not match .*b\.sgm, line 7 \(segment 4\)"),
        ('<seg id="3">End of the message.</seg>\n', "", r"a\.sgm has 3 segments, .*b\.sgm has 2 segments"),
        (
            "message.</seg>\n</p>\n</doc>\n</refset>\n",
            "message.\n",
            r"b\.sgm, line 8: the <seg> that begins here",
        ),
    ],
)
def test_broken_sgm_is_an_error_with_file_and_line(file, old, new, message):
    assert old in SGM_EN
    with pytest.raises(InputError, match=message):
        list(read_sgm(file("a.sgm", SGM_DE), file("b.sgm", SGM_EN.replace(old, new, 1))))
