"""Generate the quickstart corpus: German-English sentence pairs from a small grammar written for this project.

It is a demonstration, not a grammar of German: some thirty sentence patterns over a few hundred words, enough to train
a model with readable output in minutes. The patterns cover what makes the two languages hard to translate: gender and
case, adjective endings, verb-second and verb-final order, separable verbs, modals, tenses, relative clauses, negation,
questions, numbers. The words are tables in `data/quickstart`.

Two thirds of the test set recombine what training has shown. One third, the `held_out` pairs, contain a word that
training has in other patterns, but never in the pair's pattern.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from data.command_line import ArgumentParser, folder_name, run
from data.errors import InputError
from data.files import atomic_write, make_folder
from data.quickstart import patterns
from data.quickstart.draw import Draw

SPLITS = ("train", "dev", "test")
PATTERNS = {
    name: function
    for name, function in sorted(vars(patterns).items())
    if getattr(function, "__module__", "") == patterns.__name__ and not name.startswith("_")
}

_DEFAULT_SEED = 20240229
_HELD_OUT_SHARE = 3  # one test pair in three
_PATTERNS_KEPT = 4  # a word is withheld from one pattern only if it lives in this many
_RARE_SHARE = 25  # and if at most one in this many of the pattern's pairs has it
_ATTEMPTS = 12  # turns without anything new after which a pattern is exhausted
_SHORTEST, _LONGEST = 4, 20  # words


class SentencePair(NamedTuple):
    """A sentence in both languages, its pattern and its content words; `held_out` as in the module docstring."""

    german: str
    english: str
    pattern: str
    words: tuple[str, ...] = ()
    held_out: bool = False

    def combinations(self) -> list[tuple[str, str]]:
        return [(self.pattern, word) for word in self.words]


def _distinct_pairs(random: Random) -> Iterator[SentencePair]:
    """Yield pairs whose German and English are new; the patterns take turns."""
    seen: set[str] = set()
    failures = dict.fromkeys(PATTERNS, 0)
    while failures:
        for pattern in list(failures):
            draw = Draw(random)
            german, english = PATTERNS[pattern](draw)
            is_good_length = all(_SHORTEST <= side.count(" ") + 1 <= _LONGEST for side in (german, english))
            if is_good_length and seen.isdisjoint((german, english)):
                failures[pattern] = 0
                seen.update((german, english))
                yield SentencePair(german, english, pattern, tuple(dict.fromkeys(draw.words)))
            else:
                failures[pattern] += 1
                if failures[pattern] == _ATTEMPTS:
                    del failures[pattern]


def _withheld_combinations(pairs: list[SentencePair], seed: int, wanted: int) -> set[tuple[str, str]]:
    """Return combinations of pattern and word, at most one per word, that keep about `wanted` pairs out of training."""
    by_combination = defaultdict(list)
    for index, pair in enumerate(pairs):
        for combination in pair.combinations():
            by_combination[combination].append(index)
    pattern_sizes = Counter(pair.pattern for pair in pairs)
    patterns_of_word = Counter(word for _, word in by_combination)

    def rank(combination):
        return sha256(f"{seed}/{'/'.join(combination)}".encode()).digest()

    withheld: dict[str, tuple[str, str]] = {}
    kept_out: set[int] = set()
    for combination in sorted(by_combination, key=rank):
        if len(kept_out) >= wanted:
            break
        pattern, word = combination
        is_rare = len(by_combination[combination]) <= max(2, pattern_sizes[pattern] // _RARE_SHARE)
        if is_rare and patterns_of_word[word] >= _PATTERNS_KEPT and word not in withheld:
            withheld[word] = combination
            kept_out.update(by_combination[combination])
    return set(withheld.values())


def _shuffled(pairs: list[SentencePair], random: Random) -> list[SentencePair]:
    """Return a shuffled copy, by the one method of `Random` that is the same in every version of Python."""
    pairs = list(pairs)
    for last in range(len(pairs) - 1, 0, -1):
        other = int(random.random() * (last + 1))
        pairs[last], pairs[other] = pairs[other], pairs[last]
    return pairs


def generate(
    seed: int = _DEFAULT_SEED, train_pairs: int = 24000, dev_pairs: int = 500, test_pairs: int = 1000
) -> dict[str, list[SentencePair]]:
    """Return the corpus by split, reproducible across processes and versions of Python.

    No German or English sentence occurs twice. A third of the test pairs is `held_out`.
    """
    for split, size in zip(SPLITS, (train_pairs, dev_pairs, test_pairs), strict=True):
        if size < 0:
            raise InputError(f"{split}_pairs must be at least 0, got {size}")
    total = train_pairs + dev_pairs + test_pairs
    held_out_pairs = test_pairs // _HELD_OUT_SHARE
    # The number of pairs withheld from training is not known exactly, hence some to spare.
    pairs = list(islice(_distinct_pairs(Random(seed)), total + total // 50 + 100))
    withheld = _withheld_combinations(pairs, seed, held_out_pairs)
    random = Random(f"order of {seed}")
    pairs = [pair._replace(held_out=not withheld.isdisjoint(pair.combinations())) for pair in _shuffled(pairs, random)]
    held_out = [pair for pair in pairs if pair.held_out]
    ordinary = [pair for pair in pairs if not pair.held_out]
    seen_in_test = test_pairs - min(held_out_pairs, len(held_out))
    if len(ordinary) < train_pairs + dev_pairs + seen_in_test:
        raise InputError(f"the quickstart grammar cannot generate {total} different pairs; ask for fewer")
    test, ordinary = ordinary[:seen_in_test], ordinary[seen_in_test:]
    dev, train = ordinary[:dev_pairs], ordinary[dev_pairs : dev_pairs + train_pairs]
    known = {word for pair in train for word in pair.words}
    held_out.sort(key=lambda pair: not known.issuperset(pair.words))  # stable: the known ones first
    test += held_out[: test_pairs - seen_in_test]
    return {"train": train, "dev": dev, "test": _shuffled(test, random)}


def write(directory: str | os.PathLike, **options: object) -> dict[str, list[SentencePair]]:
    """Generate the corpus, write it to train.de, train.en, dev.de, …, and return it.

    Raises `InputError` if one of these files exists with other content.
    """
    corpus = generate(**options)
    folder = Path(directory)
    make_folder(folder)
    texts = {}
    for split in SPLITS:
        for side, language in enumerate(("de", "en")):
            texts[folder / f"{split}.{language}"] = "".join(f"{pair[side]}\n" for pair in corpus[split])
    for path, text in texts.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == text.encode()):
            raise InputError(f"{path} exists with other content; move it, or name another folder")
    for path, text in texts.items():
        with atomic_write(path, newline="\n") as file:
            file.write(text)
    return corpus


def main() -> None:
    parser = ArgumentParser(prog="python -m data.quickstart_corpus", description=__doc__)
    folder_help = "output folder for train.de, train.en, dev.de, …"
    parser.add_argument("folder", type=folder_name, metavar="FOLDER", help=folder_help)
    folder = parser.parse_args().folder
    corpus = write(folder)
    print(", ".join(f"{len(corpus[split]):,} {split} pairs" for split in SPLITS), f"written to {folder}")


if __name__ == "__main__":
    run(main)
