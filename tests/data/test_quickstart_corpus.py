"""The quickstart corpus: its size, its splits, its determinism, its sentences and its files."""

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
from data.quickstart.lexicon import ADJECTIVES, ADVERBIALS, NOUNS, VERBS
from data.quickstart_corpus import PATTERNS, SPLITS, generate, write
from interacting_head.analysis.alignment import read_gold

# Any change of a word or of the order of the default corpus changes this digest.
DEFAULT_DIGEST = "ab8710ffac3cf96cebd83411f9f7ec92ff93d9fbcaeadce8dd67119a88565edd"


def digest_of(corpus) -> str:
    lines = [f"{split}\t{pair.german}\t{pair.english}\n" for split in SPLITS for pair in corpus[split]]
    return sha256("".join(lines).encode()).hexdigest()


@pytest.fixture(scope="module")
def corpus():
    return generate()


@pytest.fixture(scope="module")
def every_pair(corpus):
    return [pair for split in SPLITS for pair in corpus[split]]


def test_the_default_corpus_has_its_sizes_and_is_the_one_recorded_here(corpus):
    assert {split: len(corpus[split]) for split in SPLITS} == {"train": 24000, "dev": 500, "test": 1000}
    assert {pair.pattern for pair in corpus["train"]} == set(PATTERNS)
    assert len(PATTERNS) >= 30
    assert len(NOUNS) + len(ADJECTIVES) + len(VERBS) + sum(map(len, ADVERBIALS.values())) >= 400
    assert digest_of(corpus) == DEFAULT_DIGEST


def test_no_sentence_of_either_language_occurs_twice(every_pair):
    assert len({pair.german for pair in every_pair}) == len(every_pair)
    assert len({pair.english for pair in every_pair}) == len(every_pair)


def test_held_out_pairs_have_words_new_to_their_pattern(corpus):
    trained = {(pair.pattern, word) for pair in corpus["train"] for word in pair.words}
    words = {word for _, word in trained}
    for pair in corpus["test"]:
        new = [word for word in pair.words if (pair.pattern, word) not in trained]
        assert words.issuperset(pair.words)
        assert new or not pair.held_out
    held_out = [pair for pair in corpus["test"] if pair.held_out]
    assert len(held_out) == 333
    assert len({pair.pattern for pair in held_out}) >= 15
    assert not any(pair.held_out for split in ("train", "dev") for pair in corpus[split])


def test_the_seed_alone_decides_the_text():
    sizes = {"train_pairs": 300, "dev_pairs": 20, "test_pairs": 30}
    code = (
        "from tests.data.test_quickstart_corpus import digest_of, generate;"
        f"print(digest_of(generate(seed=1, **{sizes})))"
    )
    folder = Path(quickstart_corpus.__file__).parent.parent
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    other_process = subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=folder, text=True)
    assert digest_of(generate(seed=1, **sizes)) == other_process.strip()
    assert digest_of(generate(seed=2, **sizes)) != other_process.strip()


@pytest.mark.parametrize("sizes", [(50, 5, 9), (0, 0, 0), (10, 0, 3), (300, 20, 30)])
def test_small_corpora_have_the_sizes_asked_for(sizes):
    corpus = generate(train_pairs=sizes[0], dev_pairs=sizes[1], test_pairs=sizes[2])
    assert tuple(len(corpus[split]) for split in SPLITS) == sizes


def test_impossible_sizes_are_refused(monkeypatch):
    with pytest.raises(InputError, match="dev_pairs must be at least 0, got -1"):
        generate(dev_pairs=-1)
    monkeypatch.setattr(quickstart_corpus, "PATTERNS", {"request": PATTERNS["request"]})
    with pytest.raises(InputError, match="cannot generate 20000 different pairs"):
        generate(train_pairs=20000, dev_pairs=0, test_pairs=0)


def test_sentences_are_well_formed(every_pair):
    shape = re.compile(r"[A-ZÄÖÜ][^.?]*(\? [A-Z][^.?]*)?[.?]")
    broken = re.compile(r"  | [.,?]|,,|None|[{}]")
    # A relative pronoun after a comma looks like an article but does not contract: ", in dem …".
    uncontracted = re.compile(r"(?<!,) (in dem|in das|an dem|zu dem|zu der|von dem|bei dem) ")
    faults = []
    for pair in every_pair:
        for sentence in (pair.german, pair.english):
            is_long_enough = 4 <= len(sentence.split()) <= 20
            if not (is_long_enough and shape.fullmatch(re.sub(r"Mrs?\. ", "", sentence))) or broken.search(sentence):
                faults.append(sentence)
        if pair.german[-1] != pair.english[-1] or uncontracted.search(pair.german):
            faults.append(pair)
        for article, word in re.findall(r"\b([Aa]n?) ([\w'-]+)", pair.english):
            if (article.lower() == "an") != (word[0] in "aeiouAEIOU" or word in ("hour", "honest")):
                faults.append(pair)
    assert faults == []


def test_every_pattern_still_says_its_golden_pairs():
    """The pairs of the table have been read one by one: correct German, correct English, the same meaning."""
    table = (Path(__file__).parent / "quickstart" / "golden.tsv").read_text("utf-8").splitlines()
    golden = [tuple(line.split("\t")) for line in table]
    said = [
        (pattern, *say(Draw(Random(f"golden {pattern} {number}"))))
        for pattern, say in PATTERNS.items()
        for number in range(2)
    ]
    assert [pair for pair in said if pair not in golden] == []
    assert [pair for pair in golden if pair not in said] == []


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


def test_text_of_the_user_is_not_replaced(tmp_path):
    sizes = {"train_pairs": 30, "dev_pairs": 3, "test_pairs": 3}
    for _ in range(2):
        write(tmp_path, **sizes)
    (tmp_path / "dev.en").write_text("mine\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"dev\.en exists with other content; move it, or name another folder"):
        write(tmp_path, **sizes)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "dev.en").unlink()
    (tmp_path / "dev.en").mkdir()
    with pytest.raises(InputError, match=r"dev\.en exists with other content"):
        write(tmp_path, **sizes)


def test_an_interrupted_write_leaves_the_old_files_and_nothing_else(tmp_path, monkeypatch):
    write(tmp_path, train_pairs=30, dev_pairs=3, test_pairs=3)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(source, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk is full"):
        write(tmp_path, train_pairs=30, dev_pairs=3, test_pairs=3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_gold_links_are_of_its_first_test_sentences(corpus):
    folder = Path(__file__).parents[1] / "quickstart_links"
    sides = [(folder / f"test.{language}").read_text(encoding="utf-8").splitlines() for language in ("de", "en")]
    assert list(zip(*sides, strict=True)) == [(pair.german, pair.english) for pair in corpus["test"][:40]]
    for source, target, gold in zip(*sides, read_gold(folder / "gold"), strict=True):
        for side, line in enumerate((source, target)):  # each word has a link
            assert {link[side] for link in gold.possible} == set(range(len(line.split(" "))))
