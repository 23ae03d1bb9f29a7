"""Cutting a development and a test set from corpora that are published without."""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from data.errors import InputError

Pairs = Callable[[], Iterable[tuple[str, str]]]  # starts anew at each call
SplitPairs = Iterator[tuple[str, tuple[str, str]]]


def cut_at_random(pairs: Pairs, held_out: int) -> SplitPairs:
    """Yield (split, pair) with `dev` and `test` drawn the same way everywhere and in whatever order.

    Repeated pairs are dropped. `dev` and `test` hold `held_out` pairs each, at most a tenth of all, both of whose sides
    occur once: a sentence that training has too would make the test too easy. They are drawn by a hash of the pair, so
    they depend on the content alone. `pairs` is called twice. RAM: about 130 bytes a pair.

    Raises:
        InputError: when there are too few pairs that may be held out.
    """
    hashes = [array("Q"), array("Q"), array("Q")]  # of pair, source, target
    for source, target in pairs():
        for values, text in zip(hashes, (f"{source}\t{target}", source, target), strict=True):
            values.append(_hash(text))
    pair_hash, source_hash, target_hash = (np.frombuffer(values, np.uint64) for values in hashes)
    first = np.zeros(len(pair_hash), bool)
    first[np.unique(pair_hash, return_index=True)[1]] = True
    once = np.flatnonzero(first)
    for side in (source_hash, target_hash):
        _, index, counts = np.unique(side[first], return_inverse=True, return_counts=True)
        once = np.intersect1d(once, np.flatnonzero(first)[counts[index] == 1], assume_unique=True)
    size = min(held_out, int(first.sum()) // 10, len(once) // 2)
    if size == 0:
        raise InputError(f"{first.sum()} pairs are too few to hold out a development and a test set")
    drawn = once[np.argsort(pair_hash[once], kind="stable")]
    place = np.full(len(pair_hash), -1)  # in `drawn`, of the pairs that are held out
    place[drawn[: 2 * size]] = np.arange(2 * size)
    held: dict[int, tuple[str, str]] = {}
    for number, pair in enumerate(pairs()):
        if place[number] >= 0:
            held[int(place[number])] = pair
        elif first[number]:
            yield "train", pair
    for number in sorted(held):
        yield ("dev" if number < size else "test"), held[number]


def cut_regularly(pairs: Pairs, interval: int) -> SplitPairs:
    """Yield (split, pair), every `interval`-th pair for `dev` and the rest for `train`."""
    for number, pair in enumerate(pairs(), start=1):
        yield ("dev" if number % interval == 0 else "train"), pair


def _hash(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
