"""Cleaning of training text: the rules of Moses' clean-corpus-n.perl, and duplicates."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from data.errors import InputError

REASONS = ("duplicate", "empty", "long", "ratio")


@dataclass(frozen=True)
class CleaningRules:
    """Limits beyond which a training pair is dropped; None: no limit. Pairs with an empty side are always dropped.

    `max_words` are the most blank-separated words of a side, `max_ratio` the most words on one side for each word on
    the other. Raises `InputError` if a number is below 1.
    """

    max_words: int | None = None
    max_ratio: float | None = None
    drop_duplicates: bool = False

    def __post_init__(self):
        for name in ("max_words", "max_ratio"):
            value = getattr(self, name)
            if value is not None and not value >= 1:
                raise InputError(f"{name} must be at least 1, got {value}")

    def reason_to_drop(self, source: str, target: str) -> str | None:
        """Return one of `REASONS` except duplicates, or None to keep the pair."""
        source_words, target_words = len(source.split()), len(target.split())
        shorter, longer = sorted((source_words, target_words))
        if shorter == 0:
            return "empty"
        if self.max_words is not None and longer > self.max_words:
            return "long"
        if self.max_ratio is not None and longer > self.max_ratio * shorter:
            return "ratio"
        return None


def first_occurrences(pairs: Iterable[tuple[str, str]]) -> np.ndarray:
    """Return (N,) bool: whether a pair is the first of its kind, ignoring white space at the ends.

    RAM: 8 bytes a pair, a few times that while sorting. The probability that any two different pairs collide is
    N² / 2⁶⁵, one in a million for five million pairs.
    """
    hashes = pair_hashes(pairs)
    is_first = np.zeros(len(hashes), bool)
    is_first[np.unique(hashes, return_index=True)[1]] = True
    return is_first


def pair_hashes(pairs: Iterable[tuple[str, str]]) -> np.ndarray:
    """Return a hash (N,) of each pair, ignoring white space at the ends."""
    return np.fromiter((_hash(*pair) for pair in pairs), np.uint64)


def _hash(source, target):
    # Lines contain no line feed, so different pairs give different strings.
    pair = f"{source.strip()}\n{target.strip()}".encode()
    return int.from_bytes(hashlib.blake2b(pair, digest_size=8).digest(), "little")
