"""Lines of text as batches of ids, some lines at a time, several batches side by side."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from data.errors import InputError
from data.text.subwords import PAD
from interacting_head.model.compilation import calls_at_a_time


def side_by_side(function, arguments):
    """Yields the results of a function in order, several calls at a time where that is faster."""
    arguments = list(arguments)
    if min(len(arguments), calls_at_a_time()) < 2:
        yield from itertools.starmap(function, arguments)
        return
    pool = ThreadPoolExecutor(calls_at_a_time())
    try:
        yield from pool.map(lambda given: function(*given), arguments)
    finally:
        pool.shutdown(cancel_futures=True)


def windows(items, size):
    """Yields lists of `size` items and the number of the first, from 0."""
    items, number = iter(items), 0
    while chunk := list(itertools.islice(items, size)):
        yield number, chunk
        number += len(chunk)


def aligned(lines, others, name):
    """Yields pairs of two iterables that must be equally long."""
    missing = object()
    for number, (line, other) in enumerate(itertools.zip_longest(lines, others, fillvalue=missing), start=1):
        if line is missing or other is missing:
            longer, shorter = ("lines", name) if other is missing else (name, "line")
            raise InputError(f"there is a {longer} {number} but no {shorter}; each line needs one")
        yield line, other


def padded(sentences, rows, width):
    """Ids `(rows, width)` of lists of ids."""
    ids = np.full((rows, width), PAD, "int32")
    for row, sentence in zip(ids, sentences, strict=False):
        row[: len(sentence)] = sentence
    return ids
