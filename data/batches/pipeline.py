"""Batches of ids for the model: assembled in NumPy, resumable at any step, wrapped in tf.data on demand."""

from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np

from data.batches.encoding import EncodedPairs, EncodedSide
from data.batches.plan import BatchPlan, plan_batches
from data.text.subwords import BEGIN, END, PAD

AHEAD = 8  # batches prepared while a step is computed

Batch = tuple[dict[str, np.ndarray], np.ndarray]


class TrainingBatches:
    """Batches of encoded pairs, epoch after epoch, each epoch in its own order.

    Iterators yield `(inputs, labels)` with `inputs = {"source_ids": (B, S), "target_ids": (B, T)}` and labels (B, T),
    all int32 and padded with `PAD`: source ids end in `END`, target ids begin with `BEGIN`, labels are the target ids
    one step ahead and end in `END`. Rows beyond the pairs of a batch are all `PAD`.

    To resume exactly, set `start` to the number of batches that training has *used*: prefetching draws batches ahead.

    Args:
        batch_tokens: most rows × longest side of a part of a batch, special symbols and padding included.
        seed: determines, with the epoch, the order of the batches.
        static_shapes, multiple, parts: see `data.batches.plan.plan_batches`, also for what is raised.
        max_epochs: number of epochs after which iteration ends; None: never.

    Attributes:
        batches_in_epoch: the number of batches, the same in all epochs.
        start: the number of batches that iterators skip, counted over all epochs.
    """

    def __init__(
        self,
        pairs: EncodedPairs,
        batch_tokens: int,
        seed: int,
        static_shapes: bool = False,
        multiple: int = 1,
        parts: int = 1,
        max_epochs: int | None = None,
    ):
        self._pairs = pairs
        self._options = {"seed": seed, "static_shapes": static_shapes, "multiple": multiple, "parts": parts}
        self._batch_tokens = batch_tokens
        self._max_epochs = max_epochs
        self._plan_of_epoch = None
        self.batches_in_epoch = len(self.plan(0))
        self.start = 0

    def plan(self, epoch: int) -> BatchPlan:
        """Return the plan of an epoch, the latest one from memory."""
        of_epoch = self._plan_of_epoch
        if of_epoch is None or of_epoch[0] != epoch:
            plan = _plan(self._pairs, self._batch_tokens, epoch=epoch, **self._options)
            # Another thread may draw batches of another epoch meanwhile.
            self._plan_of_epoch = of_epoch = epoch, plan
        return of_epoch[1]

    def position(self, step: int) -> tuple[int, int]:
        """Return the epoch of a batch and its number in the epoch, all counted from 0."""
        return divmod(step, self.batches_in_epoch)

    def __iter__(self) -> Iterator[Batch]:
        # A generator, because Keras' `fit` accepts no other endless source of batches.
        end = None if self._max_epochs is None else self._max_epochs * self.batches_in_epoch
        for step in count(self.start) if end is None else range(self.start, end):
            yield self.batch(*self.position(step))

    def batch(self, epoch: int, index: int) -> Batch:
        """Return a batch by its number in an epoch, counted from 0."""
        plan = self.plan(epoch)
        return _assemble(self._pairs, plan[index], *plan.shape(index))


def evaluation_batches(pairs: EncodedPairs, batch_tokens: int, static_shapes: bool = False) -> Iterator[Batch]:
    """Yield `(inputs, labels)`, as in `TrainingBatches`, ordered by length; every pair comes once.

    Raises what `plan_batches` raises.
    """
    plan = _plan(pairs, batch_tokens, seed=None, epoch=0, static_shapes=static_shapes)
    for index in range(len(plan)):
        yield _assemble(pairs, plan[index], *plan.shape(index))


def as_tf_dataset(training_batches: TrainingBatches) -> Iterable[tuple]:
    """Return the batches as a prefetching `tf.data.Dataset`.

    TensorFlow keeps the source of a dataset until the process ends: create one, and set `training_batches.start` to
    begin elsewhere.
    """
    import tensorflow as tf  # here, so that everything else works without TensorFlow

    ids = tf.TensorSpec((None, None), tf.int32)
    dataset = tf.data.Dataset.from_generator(
        lambda: iter(training_batches), output_signature=({"source_ids": ids, "target_ids": ids}, ids)
    )
    # Its tuner wakes after 10, 20, 40, … ms, and TensorFlow 2.21 often ends a dataset only when it wakes: training then
    # takes up to twice as long.
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.prefetch(AHEAD).with_options(options)


def _plan(pairs, batch_tokens, **options):
    # The model reads source ids + END, and BEGIN + target ids or target ids + END: one more each.
    return plan_batches(pairs.source.lengths + 1, pairs.target.lengths + 1, batch_tokens, **options)


def _assemble(pairs, indices, B, S, T):
    """Return inputs and labels of pairs in the given shapes."""
    n = len(indices)
    source_ids, source_lengths = _padded(pairs.source, indices, B, S)
    source_ids[np.arange(n), source_lengths] = END
    labels, target_lengths = _padded(pairs.target, indices, B, T)
    target_ids = np.full((B, T), PAD, np.int32)
    target_ids[:n, 0] = BEGIN
    target_ids[:, 1:] = labels[:, :-1]
    labels[np.arange(n), target_lengths] = END
    return {"source_ids": source_ids, "target_ids": target_ids}, labels


def _padded(side: EncodedSide, indices, rows, width):
    """Return the ids of sentences as (rows, width) int32, and their lengths."""
    lengths = side.lengths[indices]
    columns = np.arange(width)
    inside = columns < lengths[:, None]
    ids = np.full((rows, width), PAD, np.int32)
    ids[: len(indices)][inside] = side.tokens[(side.starts[indices][:, None] + columns)[inside]]
    return ids, lengths
