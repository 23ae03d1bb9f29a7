"""Batches of sentence pairs of similar length under a token budget, planned in NumPy."""

from dataclasses import dataclass

import numpy as np

from data.errors import MisfitError

STATIC_SHAPES = 8  # the most shapes if each new shape costs a compilation
STATIC_STEP = 4  # static lengths are multiples of this; 8 costs 10 % more padding on short sentences


@dataclass(frozen=True)
class BatchPlan:
    """The batches of one epoch in order of use; `plan[i]` holds the pair indices of batch i, in the order of its rows.

    Args:
        order: (N,) pair indices, batch after batch.
        starts, counts: (batches,) the index in `order` of each batch, and its number of pairs.
        shapes: (batches, 3) rows, source length and target length of each batch, padding included.
        tokens: number of tokens without padding, both sides together.
    """

    order: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    shapes: np.ndarray
    tokens: int

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> np.ndarray:
        start = self.starts[index]
        return self.order[start : start + self.counts[index]]

    def shape(self, index: int) -> tuple[int, int, int]:
        """Return (B, S, T) of a batch."""
        rows, source_length, target_length = self.shapes[index].tolist()
        return rows, source_length, target_length

    def padded_ratio(self) -> float:
        """Return tokens with padding divided by tokens without, over both sides."""
        rows, source_lengths, target_lengths = self.shapes.T
        return float((rows * (source_lengths + target_lengths)).sum() / self.tokens)


def plan_batches(
    source_lengths: np.ndarray,
    target_lengths: np.ndarray,
    batch_tokens: int,
    *,
    seed: int | None,
    epoch: int,
    multiple: int = 1,
    parts: int = 1,
    static_shapes: bool = False,
) -> BatchPlan:
    """Put every pair into exactly one batch with rows × longest side ≤ `parts` × `batch_tokens`.

    Batches hold pairs of similar lengths. Each epoch shuffles the pairs of equal lengths (with static shapes: all pairs
    of a shape) and the order of the batches; their number and shapes stay the same.

    Args:
        source_lengths, target_lengths: (N,) tokens of each pair as the model sees them, special symbols included.
        batch_tokens: the budget of a part of a batch, padding included, for the longer side.
        seed: seed of all draws together with `epoch`, which counts from 0. None: batches ordered by length.
        multiple: the rows of a part are a multiple of this (the number of replicas that share it).
        parts: number of parts of equal size in a batch.
        static_shapes: at most eight shapes, for compilers that work per shape (XLA). Lengths are padded to a few
            boundaries, chosen for the least padding, and every batch is full, the last one with rows of padding.

    Raises `MisfitError` if there are no pairs, or if `multiple` rows of the longest pair exceed the budget of a part.
    """
    source_lengths, target_lengths = (np.asarray(side, np.int64) for side in (source_lengths, target_lengths))
    longest = np.maximum(source_lengths, target_lengths)
    if len(longest) == 0:
        raise MisfitError("no batches: there are no sentence pairs")
    needed = int(longest.max()) * multiple
    if needed > batch_tokens:
        raise MisfitError(
            f"train.batch_tokens is {batch_tokens}, but the smallest batch of the longest pair has {needed} tokens "
            f"({multiple} × its longer side); set train.batch_tokens to at least {needed} or lower data.max_length"
        )
    batch_tokens, multiple = parts * batch_tokens, parts * multiple
    draw = None if seed is None else np.random.default_rng((seed, epoch))
    mixed = np.arange(len(longest)) if draw is None else draw.permutation(len(longest))
    if static_shapes:
        boundaries = _static_boundaries(longest, batch_tokens, multiple)
        bucket = np.searchsorted(boundaries, longest)
        order = mixed[np.argsort(bucket[mixed], kind="stable")]
        starts, shapes = _cut_by_bucket(
            bucket[order], source_lengths[order], target_lengths[order], boundaries, batch_tokens, multiple
        )
    else:
        order = mixed[np.argsort(_snake(source_lengths, target_lengths)[mixed], kind="stable")]
        starts, shapes = _cut_greedily(source_lengths[order], target_lengths[order], batch_tokens, multiple)
    counts = np.diff(starts, append=len(order))
    if draw is not None:
        batches = draw.permutation(len(starts))
        starts, counts, shapes = starts[batches], counts[batches], shapes[batches]
    tokens = int(source_lengths.sum() + target_lengths.sum())
    return BatchPlan(order, starts, counts, shapes, tokens)


def _snake(source_lengths, target_lengths):
    """Return a sort key: the longer side, then the difference of the sides, alternately ascending and descending.

    Alternating keeps neighbours similar where the longer side changes.
    """
    longest = np.maximum(source_lengths, target_lengths)
    difference = source_lengths - target_lengths
    return longest * (2 * longest.max() + 1) + np.where(longest % 2, difference, -difference)


def _cut_greedily(source_lengths, target_lengths, batch_tokens, multiple):
    """Return starts and shapes of batches of the sorted pairs, each as large as the budget allows."""
    longest = np.maximum(source_lengths, target_lengths)
    starts = []
    start = 0
    while start < len(longest):
        starts.append(start)
        window = np.maximum.accumulate(longest[start : start + batch_tokens // longest[start]])
        pairs = np.arange(1, len(window) + 1)
        rows = _round_up(pairs, multiple)
        fitting = int(np.searchsorted(rows * window, batch_tokens, side="right"))
        # Only the last batch of all may have rows of padding.
        start += fitting if start + fitting == len(longest) else fitting // multiple * multiple
    starts = np.array(starts)
    counts = np.diff(starts, append=len(longest))
    shapes = (
        _round_up(counts, multiple),
        np.maximum.reduceat(source_lengths, starts),
        np.maximum.reduceat(target_lengths, starts),
    )
    return starts, np.stack(shapes, axis=1)


def _cut_by_bucket(bucket, source_lengths, target_lengths, boundaries, batch_tokens, multiple):
    """Return starts and shapes of full batches of the pairs sorted by bucket, one shape a bucket.

    Pairs that do not fill a batch go to the next longer shape, so only the last batch has padded rows.
    """
    firsts = np.searchsorted(bucket, np.arange(len(boundaries)))
    bounds = [
        np.minimum(_round_up(np.maximum.accumulate(np.maximum.reduceat(lengths, firsts)), STATIC_STEP), boundaries)
        for lengths in (source_lengths, target_lengths)
    ]
    rows = batch_tokens // boundaries // multiple * multiple
    ends = np.append(firsts[1:], len(bucket))
    starts, batches, start = [], [], 0
    for index, end in enumerate(ends):
        full, rest = divmod(end - start, rows[index])
        batches.append(full + (rest > 0 and index == len(ends) - 1))
        starts.append(start + np.arange(batches[-1]) * rows[index])
        start += full * rows[index]
    return np.concatenate(starts), np.repeat(np.stack([rows, *bounds], axis=1), batches, axis=0)


def _static_boundaries(longest, batch_tokens, multiple):
    """Return at most `STATIC_SHAPES` ascending lengths with the least padding, by dynamic programming; none is unused.

    Each pair is padded to the next boundary above; boundaries are multiples of `STATIC_STEP`.
    """
    # Rounding the longest length up must not lift it over the budget.
    lengths = np.minimum(np.arange(1, (longest.max() - 1) // STATIC_STEP + 2) * STATIC_STEP, batch_tokens // multiple)
    pairs_up_to = np.cumsum(np.bincount(longest, minlength=lengths[-1] + 1))[lengths]
    pairs_below = np.append(0, pairs_up_to[:-1])
    # cost[i, j]: tokens of one side when the pairs of lengths i to j are padded to length j
    cost = (pairs_up_to - pairs_below[:, None]) * lengths.astype(np.float64)
    cost[np.tril_indices(len(lengths), -1)] = np.inf
    least = np.append(0.0, np.full(len(lengths), np.inf))  # least[i]: of all pairs below length i
    choices = []
    for _ in range(STATIC_SHAPES):
        total = least[:-1, None] + cost
        choices.append(total.argmin(axis=0))
        least = np.append(0.0, total.min(axis=0))
    boundaries = []
    end = len(lengths) - 1
    while end >= 0:
        boundaries.append(lengths[end])
        end = choices.pop()[end] - 1
    boundaries = np.array(boundaries[::-1])
    occupied = np.diff(pairs_up_to[np.searchsorted(lengths, boundaries)], prepend=0) > 0
    return boundaries[occupied]


def _round_up(values, step):
    return -(-values // step) * step
