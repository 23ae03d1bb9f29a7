import numpy as np
import pytest

from data.errors import InputError
from interacting_head.analysis.alignment import (
    Gold,
    check_words,
    error_rates,
    head_scores,
    link_counts,
    read_gold,
    sentence_sums,
)
from interacting_head.analysis.base import add_up
from interacting_head.translation.word_alignment import Words


def test_the_error_rate_follows_och_and_ney():
    counts = {}
    add_up(counts, link_counts({(0, 0), (1, 1), (2, 1)}, Gold({(0, 0), (3, 3)}, {(0, 0), (3, 3), (1, 1)})))
    add_up(counts, link_counts({(5, 5)}, Gold({(5, 5)}, {(5, 5)})))
    assert error_rates(**counts) == {"aer": pytest.approx(1 - (2 + 3) / (4 + 3)), "precision": 3 / 4, "recall": 2 / 3}


def test_a_perfect_alignment_has_no_errors_and_nothing_gives_none():
    nothing = link_counts(set(), Gold(set(), set()))
    assert error_rates(**nothing) == {"aer": None, "precision": None, "recall": None}
    counts = link_counts({(0, 0), (1, 2)}, Gold({(0, 0)}, {(0, 0), (1, 2)}))
    assert error_rates(**counts) == {"aer": 0, "precision": 1, "recall": 1}


def test_gold_alignments_are_read_sure_and_possible(tmp_path):
    path = tmp_path / "gold"
    path.write_text("0-0 1?2 3p4\n\n1-0\n")
    assert read_gold(path) == [
        Gold({(0, 0)}, {(0, 0), (1, 2), (3, 4)}),
        Gold(set(), set()),
        Gold({(1, 0)}, {(1, 0)}),
    ]


def test_a_file_without_any_gold_link_is_refused(tmp_path):
    path = tmp_path / "gold"
    path.write_text("\n\n")
    with pytest.raises(InputError, match=r"gold has no alignment link; give a file with links, such as 0-0"):
        read_gold(path)


def test_gold_links_must_count_the_words_that_the_run_sees():
    both = tuple(Words([*line.split(), "</s>"], np.array([])) for line in ("the dog , sleeps", "der hund schläft"))
    gold = Gold({(3, 2)}, {(3, 2)})
    check_words(gold, ("the dog , sleeps", "der hund schläft"), both, "text, line 1")
    message = "text, line 1: the run sees 4 source words, but the gold alignment counts the 3 between blanks; give text"
    with pytest.raises(InputError, match=message):
        check_words(gold, ("the dog, sleeps", "der hund schläft"), both, "text, line 1")


@pytest.mark.parametrize("link", ["1", "1--2", "a-b", "-1-2", "1-2-3"])
def test_wrong_links_are_an_error_that_names_the_line(tmp_path, link):
    path = tmp_path / "gold"
    path.write_text(f"0-0\n0-0 {link}\n")
    with pytest.raises(InputError, match=r"line 2: .* is not an alignment link"):
        read_gold(path)


def test_symmetry_is_the_share_of_links_that_rows_and_columns_have():
    # Links of rows: 1-0 0-1; of columns: 0-1 1-0 2-1.
    weights = np.array([[0.1, 0.5, 0.3, 0.1], [0.5, 0.0, 0.4, 0.1], [0.0, 0.0, 0.0, 1.0]])
    scores = head_scores(**sentence_sums(weights, None))
    assert scores == {"largest": pytest.approx(0.5), "symmetry": pytest.approx(2 * 2 / (2 + 3))}
    assert head_scores(**sentence_sums(np.ones((1, 4)), None)) == {"largest": None, "symmetry": None}
