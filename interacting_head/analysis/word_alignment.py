"""Words of sub-words, links from attention, and the alignment error rate.

Letters for shapes: `T` and `S` sub-words of target and source, end symbols included; `J` and `I` their words, likewise.
"""

import re
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from data.text.parallel_text import read_lines

BLANK = "▁"  # how SentencePiece writes one
END_WORD = "</s>"


class Words(NamedTuple):
    """Words of a sentence, the end symbol as the last, and the word `(T,)` of each sub-word, counted from 0."""

    texts: list[str]
    word_of: np.ndarray


def words_of(ids: list[int], subwords) -> Words:
    """Return the words of ids without special ones; a word begins at a sub-word that begins with a blank."""
    groups = []
    for i in ids:
        if subwords.piece(i).startswith(BLANK) or not groups:
            groups.append([])
        groups[-1].append(i)
    texts = [text.strip() for text in subwords.decode(groups)]
    return Words([*texts, END_WORD], np.repeat(range(len(groups) + 1), [*map(len, groups), 1]))


def merged(weights: np.ndarray, target: Words, source: Words) -> np.ndarray:
    """Return attention between words `(…, J, I)`, from weights `(…, T, S)` between their sub-words.

    It is the sum over the sub-words of a source word, and the mean over the sub-words of a target word, so that rows
    that add up to 1 still do (Clark et al. 2019, section 4.1).
    """
    rows = np.equal.outer(np.arange(len(target.texts)), target.word_of).astype("float64")  # (J, T)
    rows /= rows.sum(-1, keepdims=True)
    columns = np.equal.outer(source.word_of, np.arange(len(source.texts))).astype("float64")  # (S, I)
    return rows @ np.asarray(weights, "float64") @ columns


def links(weights: np.ndarray) -> set[tuple[int, int]]:
    """Return {(i, j)}: for each target word j the source word i with the largest weight, from weights `(J, I)`.

    The end symbols, in the last row and column, are left out.
    """
    words = weights[:-1, :-1]
    return {(int(i), j) for j, i in enumerate(words.argmax(-1))} if words.size else set()


def pharaoh(found: set[tuple[int, int]]) -> str:
    """Return links in the Pharaoh format, `i-j` with blanks between, words counted from 0, in order of the source."""
    return " ".join(f"{i}-{j}" for i, j in sorted(found))


class Gold(NamedTuple):
    """Links {(i, j)} that people have drawn: sure ones, and possible ones, which include them."""

    sure: set[tuple[int, int]]
    possible: set[tuple[int, int]]


def read_gold(path) -> list[Gold]:
    """Return the links of each line of a file: `i-j` for a sure link, `i?j` or `ipj` for one that is only possible.

    Raises:
        InputError: where the file cannot be read, or a line is not of this form; it names the line.
    """
    gold = []
    for number, line in enumerate(read_lines(path), start=1):
        sure, possible = set(), set()
        for link in line.split():
            match = re.fullmatch(r"(\d{1,9})([-?p])(\d{1,9})", link)
            if not match:
                raise InputError(
                    f"{path}, line {number}: {link!r} is no link; sure ones are i-j, possible ones i?j, words of "
                    "source and target counted from 0"
                )
            possible.add((int(match[1]), int(match[3])))
            if match[2] == "-":
                sure.add((int(match[1]), int(match[3])))
        gold.append(Gold(sure, possible))
    return gold


class AlignmentErrors:
    """Counts of links over a test set, and the scores of Och & Ney 2003, section 5.1.

    With the links A, the sure ones S and the possible ones P ⊇ S:

        precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
    """

    def __init__(self):
        self.found = self.sure = self.found_sure = self.found_possible = 0

    def add(self, found: set[tuple[int, int]], gold: Gold):
        """Add the links of a sentence."""
        self.found += len(found)
        self.sure += len(gold.sure)
        self.found_sure += len(found & gold.sure)
        self.found_possible += len(found & gold.possible)

    def scores(self) -> dict[str, float | None]:
        """Return the scores as shares of 1; None where there is nothing to divide by."""
        links = self.found + self.sure
        return {
            "aer": 1 - (self.found_sure + self.found_possible) / links if links else None,
            "precision": self.found_possible / self.found if self.found else None,
            "recall": self.found_sure / self.sure if self.sure else None,
        }
