import pytest

from data.errors import InputError
from data.readers import read_plain, read_table


def test_plain_files_of_any_number_of_languages_are_read_in_parallel(file):
    rows = list(read_plain(file("x.de", "a\n\nb \n"), file("x.en.gz", "A\n\nB\n"), file("x.cs", "1\n\n2")))
    assert rows == [("a", "A", "1"), ("", "", ""), ("b ", "B", "2")]


def test_plain_files_of_unequal_length_name_files_and_counts(file):
    with pytest.raises(InputError, match=r"x\.de has 3 lines, .*x\.en has 1,200 lines"):
        list(read_plain(file("x.de", "a\n" * 3), file("x.en", "a\n" * 1200)))


def test_the_columns_of_hindencorp_are_read_and_its_segments_joined(file):
    rows = "tides\t1-1\tmanual\tGood morning.\tसुप्रभात।\nemille\t2-1\t0.7\tOne.<s>Two.\tएक दो।\nx\t1-1\t0.1\t\tखाली\n"
    pairs = list(read_table(file("h.plaintext.gz", rows), columns=(4, 3), width=5, separator="<s>"))
    assert pairs == [("सुप्रभात।", "Good morning."), ("एक दो।", "One. Two.")]


def test_a_row_without_all_columns_is_an_error_with_its_line(file):
    rows = "a\t1-1\t1\tx\ty\nb\t1-1\t1\tx\n"
    with pytest.raises(InputError, match=r"h\.tsv, line 2: 4 tab-separated columns, expected 5"):
        list(read_table(file("h.tsv", rows), columns=(4, 3), width=5))
    with pytest.raises(InputError, match=r"d\.txt, line 1: 1 tab-separated columns, expected 2 or more"):
        list(read_table(file("d.txt", "alone\n"), columns=(0, 1)))


def test_news_commentary_is_read_without_the_empty_rows_between_documents(file):
    rows = 'Guten "Tag"\tGood "day"\n\t\n\nEnde\tThe end\n'
    assert list(read_table(file("nc.de-en.tsv.gz", rows), columns=(0, 1))) == [
        ('Guten "Tag"', 'Good "day"'),
        ("Ende", "The end"),
    ]


def test_ted_columns_are_found_by_name_and_missing_lines_left_out(file):
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
