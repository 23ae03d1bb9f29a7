import random

import pytest

from data.corpora.published import cut_at_random, cut_regularly
from data.errors import InputError

PAIRS = [(f"word {i}", f"Wort {i}") for i in range(300)]


def cut(pairs, held_out=2_000):
    splits = {"train": [], "dev": [], "test": []}
    for split, pair in cut_at_random(lambda: iter(pairs), held_out):
        splits[split].append(pair)
    return splits


def test_splits_hold_distinct_sizes_and_every_pair_once():
    splits = cut([*PAIRS, *PAIRS], held_out=20)
    assert {split: len(pairs) for split, pairs in splits.items()} == {"train": 260, "dev": 20, "test": 20}
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(PAIRS)


def test_at_most_a_tenth_is_held_out_for_each():
    assert {split: len(pairs) for split, pairs in cut(PAIRS).items()} == {"train": 240, "dev": 30, "test": 30}


def test_training_text_stays_in_order():
    train = cut(PAIRS)["train"]
    assert train == sorted(train, key=PAIRS.index)


def test_no_held_out_sentence_occurs_in_training():
    shared = [*PAIRS, *((f"word {i}", f"andere {i}") for i in range(0, 300, 2)), ("another 1", "Wort 1")]
    splits = cut(shared, held_out=20)
    for held in (splits["dev"], splits["test"]):
        assert not {source for source, _ in held} & {source for source, _ in splits["train"]}
        assert not {target for _, target in held} & {target for _, target in splits["train"]}


def test_splits_depend_on_the_content_alone():
    first, second = cut(PAIRS, 20), cut(random.Random(0).sample(PAIRS, len(PAIRS)), 20)
    assert first["dev"] == second["dev"]
    assert first["test"] == second["test"]
    assert first["dev"] != PAIRS[:20]


def test_too_few_pairs_to_hold_out_are_an_error():
    with pytest.raises(InputError, match="9 pairs are too few"):
        cut(PAIRS[:9])
    with pytest.raises(InputError, match="0 pairs are too few"):
        cut([])


def test_every_so_manieth_pair_is_development_text():
    splits = [split for split, _ in cut_regularly(lambda: iter(PAIRS), 23)]
    assert [number for number, split in enumerate(splits, start=1) if split == "dev"] == list(range(23, 301, 23))
    assert [pair for _, pair in cut_regularly(lambda: iter(PAIRS), 23)] == PAIRS
