import difflib

import pytest

from data.errors import counted, nearest_names

NAMES = ["multi30k", "newstest", "quickstart", "tatoeba_en-cs", "tatoeba_en-de", "tatoeba_en-vi"]


@pytest.mark.parametrize("name", ["tatoeba", "tatoeba_en-d", "multi30", "newtest", "nothing", "", "x" * 10_000, *NAMES])
@pytest.mark.parametrize(("most", "cutoff"), [(1, 0.6), (3, 0.6), (1, 0), (6, 0)])
def test_names_and_their_order_equal_difflib(name, most, cutoff):
    assert nearest_names(name, NAMES, most, cutoff) == difflib.get_close_matches(name, NAMES, most, cutoff)


def test_the_last_part_of_a_name_is_compared_before_the_whole():
    keys = ["data.seed", "train.seed", "train.max_steps", "data.max_length"]

    def nearest(key):
        return nearest_names(key, keys, part=lambda name: name.rpartition(".")[2])

    assert nearest("train.sed") == ["train.seed"]
    assert nearest("dat.sed") == ["data.seed"]
    assert nearest("train.max_len") == ["data.max_length"]
    assert nearest("train.x") == []


@pytest.mark.parametrize(("count", "words"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (1200, "1,200 lines")])
def test_a_noun_after_a_count_is_plural_unless_it_is_one(count, words):
    assert counted(count, "line") == words
