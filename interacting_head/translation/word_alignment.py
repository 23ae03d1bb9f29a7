"""Links between the words of a sentence and of its translation, from attention between their sub-words.

Letters for shapes: `T` and `S` sub-words of target and source, end symbols included; `J` and `I` their words, likewise.
"""

from typing import NamedTuple

import numpy as np

from data.text.subwords import Subwords

BLANK = "▁"  # how SentencePiece writes one
END_WORD = "</s>"


class Words(NamedTuple):
    """Words of a sentence, the end symbol as the last, and the word `(T,)` of each sub-word, counted from 0."""

    texts: list[str]
    word_of: np.ndarray


def words_of(ids: list[int], subwords: Subwords) -> Words:
    """Return the words of ids without special ones; a word begins at a sub-word that begins with a blank.

    Sub-words of nothing but blanks belong to the next word, at the end to the last one: blanks collapse in text.
    """
    groups = []
    for i in ids:
        if subwords.piece(i).startswith(BLANK) or not groups:
            groups.append([])
        groups[-1].append(i)
    texts, sizes, blanks = [], [], 0
    for text, group in zip(subwords.decode(groups), groups, strict=True):
        if text.strip(" "):
            texts.append(text.strip(" "))
            sizes.append(blanks + len(group))
            blanks = 0
        else:
            blanks += len(group)
    if sizes:
        sizes[-1] += blanks
    elif blanks:
        texts, sizes = [""], [blanks]
    return Words([*texts, END_WORD], np.repeat(range(len(texts) + 1), [*sizes, 1]))


def count_words(text: str) -> int:
    """Return the number of words between blanks."""
    return sum(1 for word in text.split(" ") if word)


def distributions(weights: np.ndarray) -> np.ndarray:
    """Return attention weights `(…, T, S)` in float64 as distributions: each row is non-negative and sums to 1.

    Softmax weights change only by rounding. Talking heads mix weights after the softmax by matrices of any sign: then
    absolute values are normalised.
    """
    weights = np.abs(np.asarray(weights, "float64"))
    sums = weights.sum(-1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def merged(weights: np.ndarray, target: Words, source: Words) -> np.ndarray:
    """Return attention between words `(…, J, I)`, from weights `(…, T, S)` between their sub-words.

    It is the sum over the sub-words of a source word and the mean over the sub-words of a target word: rows still add
    up to 1 (Clark et al. 2019, section 4.1).
    """
    rows = np.equal.outer(np.arange(len(target.texts)), target.word_of).astype("float64")  # (J, T)
    rows /= rows.sum(-1, keepdims=True)
    columns = np.equal.outer(source.word_of, np.arange(len(source.texts))).astype("float64")  # (S, I)
    return rows @ np.asarray(weights, "float64") @ columns


def links(weights: np.ndarray) -> set[tuple[int, int]]:
    """Return {(i, j)}: for each target word j the source word i of largest weight in `(J, I)`, end symbols left out."""
    words = weights[:-1, :-1]
    return {(int(i), j) for j, i in enumerate(words.argmax(-1))} if words.size else set()


def column_links(weights: np.ndarray) -> set[tuple[int, int]]:
    """Return {(i, j)}: for each source word i the target word j of largest weight on it, end symbols left out."""
    words = weights[:-1, :-1]
    return {(i, int(j)) for i, j in enumerate(words.argmax(0))} if words.size else set()


def pharaoh(found: set[tuple[int, int]]) -> str:
    """Return links in the Pharaoh format, `i-j` with blanks between, words counted from 0, in order of the source."""
    return " ".join(f"{i}-{j}" for i, j in sorted(found))
