"""The quickstart corpus: its size, its splits, its determinism and the shape of its sentences."""

import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from data import quickstart_corpus
from data.errors import InputError
from data.quickstart.draw import Draw
from data.quickstart.lexicon import NOUNS
from data.quickstart.patterns import PATTERN_FUNCTIONS
from data.quickstart_corpus import LEXICON_SIZE, PATTERNS, SPLITS, generate, write

# Any change of a word or of the order of the default corpus changes this digest.
DEFAULT_DIGEST = "d578a5737ff0763906674ff5921b2b52c97ec9e70b186431f3c01ce96aa88d8a"
GOLDEN = [
    line.split("\t") for line in (Path(__file__).parent / "quickstart_golden.tsv").read_text("utf-8").splitlines()
]


def digest_of(corpus) -> str:
    lines = [f"{split}\t{pair.german}\t{pair.english}\n" for split in SPLITS for pair in corpus[split]]
    return sha256("".join(lines).encode()).hexdigest()


@pytest.fixture(scope="module")
def corpus():
    return generate()


@pytest.fixture(scope="module")
def every_pair(corpus):
    return [pair for split in SPLITS for pair in corpus[split]]


# The corpus and its splits


def test_the_lexicon_has_at_least_400_entries():
    assert LEXICON_SIZE >= 400
    assert len({noun.lemma for noun in NOUNS}) == len(NOUNS)


def test_there_are_at_least_15_patterns_and_training_has_them_all(corpus):
    assert len(PATTERNS) >= 15
    assert {pair.pattern for pair in corpus["train"]} == set(PATTERNS)


def test_the_default_sizes_are_kept(corpus):
    assert {split: len(corpus[split]) for split in SPLITS} == {"train": 24000, "dev": 500, "test": 1000}


def test_training_has_at_least_20000_distinct_pairs_and_german_sides(corpus):
    assert len({(pair.german, pair.english) for pair in corpus["train"]}) >= 20000
    assert len({pair.german for pair in corpus["train"]}) >= 20000


def test_no_sentence_of_dev_or_test_occurs_in_training(corpus):
    for side in ("german", "english"):
        train, dev, test = ({getattr(pair, side) for pair in corpus[split]} for split in SPLITS)
        assert train.isdisjoint(dev)
        assert train.isdisjoint(test)
        assert dev.isdisjoint(test)


def test_a_german_sentence_has_one_translation(every_pair):
    assert len({pair.german for pair in every_pair}) == len(every_pair)


def test_a_third_of_the_test_set_is_held_out_and_nothing_else(corpus):
    assert sum(pair.held_out for pair in corpus["test"]) == 333
    assert not any(pair.held_out for split in ("train", "dev") for pair in corpus[split])


def test_held_out_pairs_combine_a_pattern_with_a_word_that_training_has_only_in_others(corpus):
    trained = {(pair.pattern, word) for pair in corpus["train"] for word in pair.words}
    words = {word for _, word in trained}
    for pair in corpus["test"]:
        new = [word for word in pair.words if (pair.pattern, word) not in trained]
        if pair.held_out:
            assert new
            assert words.issuperset(new)


def test_held_out_combinations_are_spread_over_patterns_and_words(corpus):
    held_out = [pair for pair in corpus["test"] if pair.held_out]
    assert len({pair.pattern for pair in held_out}) >= 40


def test_every_word_of_the_test_set_is_in_training(corpus):
    words = {word for pair in corpus["train"] for word in pair.words}
    assert words.issuperset(word for pair in corpus["test"] for word in pair.words)


# Determinism


def test_the_default_corpus_is_the_one_recorded_here(corpus):
    assert digest_of(corpus) == DEFAULT_DIGEST


def test_the_same_seed_gives_the_same_text_and_another_seed_another():
    sizes = {"train_pairs": 600, "dev_pairs": 30, "test_pairs": 60}
    assert digest_of(generate(seed=1, **sizes)) == digest_of(generate(seed=1, **sizes))
    assert digest_of(generate(seed=1, **sizes)) != digest_of(generate(seed=2, **sizes))


def test_another_process_with_other_hashes_gives_the_same_text():
    code = (
        "from tests.data.test_quickstart_corpus import digest_of, generate;"
        "print(digest_of(generate(train_pairs=600, dev_pairs=30, test_pairs=60)))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(quickstart_corpus.__file__).parent.parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_the_order_of_imports_does_not_decide_the_order_of_patterns():
    assert list(PATTERNS) == sorted(PATTERN_FUNCTIONS)


@pytest.mark.parametrize("sizes", [(50, 5, 9), (0, 0, 0), (10, 0, 3), (300, 20, 30)])
def test_small_corpora_have_the_sizes_asked_for(sizes):
    corpus = generate(train_pairs=sizes[0], dev_pairs=sizes[1], test_pairs=sizes[2])
    assert tuple(len(corpus[split]) for split in SPLITS) == sizes


def test_a_negative_size_is_refused():
    with pytest.raises(InputError, match="dev_pairs is -1"):
        generate(dev_pairs=-1)


# The sentences


def test_every_sentence_begins_with_a_capital_and_ends_with_a_mark(every_pair):
    shape = re.compile(r"[A-ZÄÖÜ0-9].*[.?!]")
    for pair in every_pair:
        assert shape.fullmatch(pair.german), pair
        assert shape.fullmatch(pair.english), pair
        assert pair.german[-1] == pair.english[-1], pair


def test_no_sentence_has_double_blanks_or_blanks_before_marks(every_pair):
    for pair in every_pair:
        assert not re.search(r"  | [.,?!]|,,|^ | $|None", f"{pair.german}\n{pair.english}"), pair


def test_sentences_have_4_to_20_words(every_pair):
    for pair in every_pair:
        assert 4 <= len(pair.german.split()) <= 20, pair
        assert 4 <= len(pair.english.split()) <= 20, pair


def test_a_and_an_go_with_the_sound_that_follows(every_pair):
    for pair in every_pair:
        for article, word in re.findall(r"\b([Aa]n?) ([\w'-]+)", pair.english):
            sounds_like_a_vowel = word in ("hour", "honest") or (word[0] in "aeiouAEIOU" and word != "university")
            assert (article.lower() == "an") == sounds_like_a_vowel, pair


def test_german_prepositions_contract_with_the_article(every_pair):
    # A relative pronoun after a comma looks like an article but does not contract: ", in dem …".
    uncontracted = re.compile(r"(?<!,) (in dem|in das|an dem|zu dem|zu der|von dem|bei dem) ")
    for pair in every_pair:
        assert not uncontracted.search(pair.german), pair


def test_german_has_its_own_letters_and_no_substitutes(every_pair):
    text = " ".join(pair.german for pair in every_pair)
    assert all(letter in text for letter in "äöüßÄÖÜ")
    assert not re.search(r"[Ff]uer|Tuer|ae[hr]|oe[nfr]|strasse|heiss|weiss ", text)


# Golden pairs, proof-read one by one


def test_every_pattern_has_a_golden_pair():
    assert [pattern for pattern, _, _ in GOLDEN] == list(PATTERNS)


@pytest.mark.parametrize(("pattern", "german", "english"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_a_pattern_still_says_its_golden_pair(pattern, german, english):
    assert PATTERN_FUNCTIONS[pattern](Draw(Random(f"golden {pattern}"))) == (german, english)


# Files


def test_write_makes_aligned_files(tmp_path):
    corpus = write(tmp_path / "quickstart", train_pairs=300, dev_pairs=20, test_pairs=30)
    written = sorted(path.name for path in (tmp_path / "quickstart").iterdir())
    assert written == ["dev.de", "dev.en", "test.de", "test.en", "train.de", "train.en"]
    for split in SPLITS:
        german, english = (
            (tmp_path / "quickstart" / f"{split}.{side}").read_bytes().decode("utf-8") for side in ("de", "en")
        )
        assert german.endswith("\n")
        assert "\r" not in german + english
        pairs = zip(german.splitlines(), english.splitlines(), strict=True)
        assert list(pairs) == [(pair.german, pair.english) for pair in corpus[split]]


def test_an_interrupted_write_leaves_the_old_files_and_nothing_else(tmp_path, monkeypatch):
    write(tmp_path, train_pairs=30, dev_pairs=3, test_pairs=3)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(source, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk is full"):
        write(tmp_path, seed=7, train_pairs=30, dev_pairs=3, test_pairs=3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
