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
    """Words of a sentence, the end symbol as the last.

    Attributes:
        texts: of each word.
        word_of: `(T,)`, the word of each sub-word, counted from 0.
    """

    texts: list
    word_of: np.ndarray


def words_of(ids, subwords):
    """Return the `Words` of ids without special ones; a word begins at a sub-word that begins with a blank.

    Args:
        ids: list of ids.
        subwords: their `data.Subwords`.
    """
    groups = []
    for i in ids:
        if subwords.piece(i).startswith(BLANK) or not groups:
            groups.append([])
        groups[-1].append(i)
    texts = [text.strip() for text in subwords.decode(groups)]
    word_of = [word for word, group in enumerate(groups) for _ in group]
    return Words([*texts, END_WORD], np.array([*word_of, len(groups)]))


def merged(weights, target, source):
    """Return attention between words: of a source word the sum over its sub-words, of a target word the mean.

    So rows that add up to 1 still do (Clark et al. 2019, section 4.1).

    Args:
        weights: `(…, T, S)`.
        target, source: `Words` with T and S sub-words.

    Returns:
        `(…, J, I)`.
    """
    rows = np.equal.outer(np.arange(len(target.texts)), target.word_of).astype("float64")  # (J, T)
    rows /= rows.sum(-1, keepdims=True)
    columns = np.equal.outer(source.word_of, np.arange(len(source.texts))).astype("float64")  # (S, I)
    return rows @ np.asarray(weights, "float64") @ columns


def links(weights):
    """Return {(i, j)}: for each target word j the source word i with the largest weight, end symbols left out.

    Args:
        weights: `(J, I)`, end symbols as the last row and column.
    """
    words = weights[:-1, :-1]
    if not words.size:
        return set()
    return {(int(i), j) for j, i in enumerate(words.argmax(-1))}


def pharaoh(found):
    """Return links in the Pharaoh format, `i-j` with blanks between, words counted from 0, in order of the source."""
    return " ".join(f"{i}-{j}" for i, j in sorted(found))


class Gold(NamedTuple):
    """Links that people have drawn: sure ones, and possible ones, which include them; each a set of (i, j)."""

    sure: set
    possible: set


def read_gold(path):
    """Return the `Gold` of each line of a file: `i-j` for a sure link, `i?j` or `ipj` for one that is possible only.

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

    def add(self, found, gold):
        """Add the links {(i, j)} of a sentence and its `Gold`."""
        self.found += len(found)
        self.sure += len(gold.sure)
        self.found_sure += len(found & gold.sure)
        self.found_possible += len(found & gold.possible)

    def scores(self):
        """Return `{"aer", "precision", "recall"}`, shares of 1; None where there is nothing to divide by."""

        def ratio(part, whole):
            return part / whole if whole else None

        agreement = ratio(self.found_sure + self.found_possible, self.found + self.sure)
        return {
            "aer": None if agreement is None else 1 - agreement,
            "precision": ratio(self.found_possible, self.found),
            "recall": ratio(self.found_sure, self.sure),
        }
