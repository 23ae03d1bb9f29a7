import pytest

from data.errors import InputError
from data.readers import read_talks
from tests.data.readers.samples import TALKS_DE, TALKS_EN


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
