"""The error rate of the Python package pyter, which papers print as WER, and a variant that one paper printed.

pyter calls it translation error rate: the Levenshtein distance of words after greedy shifts at the cost of one
edit each, over the length of the reference. The search here gives the same results in a fraction of the time.
"""

import collections
import functools

import numpy as np
from rapidfuzz.distance import Levenshtein

from interacting_head.metrics.metric import MeanMetric


class ErrorRate(MeanMetric):
    """Base of both rates. `tokenized` has no effect: words are split at white space."""

    higher_is_better = False

    def edits_and_lengths(self, sentences: list) -> np.ndarray:
        """Return edits and words of the first reference, float64 `(2, N)`; pyter supports only one."""
        counts = [edits_and_length(hypothesis, reference) for hypothesis, (reference, *_) in sentences]
        return np.array(counts, dtype=np.float64).T

    def signature(self, number_of_references: int) -> str:
        return super().signature(1)


class WordErrorRate(ErrorRate):
    """`wer`: pyter's rate in per cent, the mean over sentences."""

    settings = "tok:none|mean:sentences"
    definition = (
        "as pyter: 100 · (shifts + Levenshtein distance of the shifted words) / words of the reference; "
        "words split at white space; {case}; first reference only; mean over sentences"
    )

    def values(self, sentences: list) -> np.ndarray:
        """Return the rate in per cent, edits, and words of the reference, (N, 3)."""
        edits, lengths = self.edits_and_lengths(sentences)
        return np.stack([100 * edits / lengths, edits, lengths], axis=1)

    def details(self, sums: np.ndarray) -> dict[str, float]:
        """Return the sum of edits over the sum of lengths, which weights words, not sentences, equally."""
        return {"length_weighted": float(100 * sums[1] / sums[2])}


class FlooredWordErrorRate(ErrorRate):
    """`wer_paper`: the mean of pyter's rate rounded down to a whole number in each sentence, in per cent.

    In effect the share of sentences with at least as many edits as words. Most WERs of the paper on interacting heads
    for WMT17 are whole numbers of sentences, and of this size.
    """

    settings = "tok:none|mean:sentences|floor:yes"
    definition = (
        "100 · mean over sentences of pyter's rate rounded down to a whole number (probably what the paper on "
        "interacting heads prints as WER; not a word error rate); words split at white space; {case}; first reference "
        "only"
    )

    def values(self, sentences: list) -> np.ndarray:
        """Return 0 for a sentence with fewer edits than words, 100 for one with as many, and so on."""
        edits, lengths = self.edits_and_lengths(sentences)
        return 100 * (edits // lengths)


@functools.lru_cache(maxsize=2**16)  # two metrics ask for the same
def edits_and_length(hypothesis: str, reference: str) -> tuple[int, int]:
    """Return pyter's number of edits and the number of words of the reference, split at white space."""
    hypothesis, reference = hypothesis.split(), reference.split()
    # Words become characters: strings are sliced and measured much faster than lists. The characters keep the words'
    # order, on which pyter's choice between shifts depends.
    codes = {word: chr(code) for code, word in enumerate(sorted({*hypothesis, *reference}))}
    edits = count_edits(*("".join([codes[word] for word in words]) for words in (hypothesis, reference)))
    return edits, len(reference)


def count_edits(hypothesis: str, reference: str) -> int:
    """Return pyter's number of edits, shifts included, between two strings whose characters are words."""
    distance = Levenshtein.distance(hypothesis, reference)
    # No shift leads to a distance below this.
    common = (collections.Counter(hypothesis) & collections.Counter(reference)).total()
    floor = max(len(hypothesis), len(reference)) - common
    shifts = 0
    while distance > floor:  # at the floor no shift gains anything
        after, shifted = _best_shift(hypothesis, reference, distance)
        if after == distance:
            break
        hypothesis, distance = shifted, after
        shifts += 1
    return shifts + distance


def _best_shift(hypothesis, reference, distance):
    """Return the least distance after one shift, and the shifted hypothesis; `distance` and itself without any gain.

    A shift takes the longest run that begins at i in the hypothesis and at j ≠ i in the reference, and inserts it at j
    into the rest of the hypothesis. Among several best ones, pyter takes the last in alphabetic order.
    """
    best, best_shifted = distance, None
    for most, i, j, length in _runs(hypothesis, reference):
        if not best or distance - most > best:
            break  # no later one can be better
        rest = hypothesis[:i] + hypothesis[i + length :]
        shifted = rest[:j] + hypothesis[i : i + length] + rest[j:]
        # To be better, it must be nearer, or as near and later in the alphabet.
        cutoff = best if best_shifted is not None and shifted > best_shifted else best - 1
        after = Levenshtein.distance(shifted, reference, score_cutoff=cutoff)
        if after <= cutoff:
            best, best_shifted = after, shifted
    return (distance, hypothesis) if best_shifted is None else (best, best_shifted)


def _runs(hypothesis, reference):
    """Return (most, i, j, length) for all positions i ≠ j of the same word, in descending order.

    `length` is the longest common run from there. `most` bounds the gain of its shift: removing and inserting m words
    is 2m edits, and moving a run over n words equals moving those over the run.
    """
    runs, positions = [], {}
    for j, word in enumerate(reference):
        positions.setdefault(word, []).append(j)
    following = {}  # length of the common run by position in the reference, for the word after the current one
    for i in range(len(hypothesis) - 1, -1, -1):
        current = {}
        for j in positions.get(hypothesis[i], ()):
            length = current[j] = following.get(j + 1, 0) + 1
            if i != j:
                runs.append((2 * min(length, abs(i - j)), i, j, length))
        following = current
    runs.sort(reverse=True)
    return runs
