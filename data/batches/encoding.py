"""Parallel text as ids: encoded once, memory-mapped, cached by content."""

import contextlib
import io
import json
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from data.cache import build_for_content
from data.errors import InputError, MisfitError
from data.files import write_json
from data.text.parallel_text import SIDES, ParallelText, text_bar
from data.text.subwords import Subwords

FORMAT = 1  # version of the cached files: increase it when they change
CHUNK = 10_000  # pairs encoded at a time


@dataclass(frozen=True)
class EncodedSide:
    """The ids of one side of a corpus: N sentences in one flat array.

    Args:
        tokens: ids without `BEGIN` and `END`, uint16 or uint32, usually memory-mapped.
        starts: (N,) int64, the index in `tokens` of each sentence.
        lengths: (N,) int32, the number of ids of each sentence.
    """

    tokens: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> np.ndarray:
        """Return the ids of one sentence, (length,)."""
        start = self.starts[index]
        return self.tokens[start : start + self.lengths[index]]

    def select(self, indices: np.ndarray) -> "EncodedSide":
        """Return these sentences in this order, sharing the ids."""
        return EncodedSide(self.tokens, self.starts[indices], self.lengths[indices])


@dataclass(frozen=True)
class EncodedPairs:
    """Encoded source and target sentences, pair n at index n of both.

    `dropped_empty` counts the pairs that were dropped because a side has no sub-words, `dropped_long` the ones with too
    many. `folder` has the files; None for a selection.
    """

    source: EncodedSide
    target: EncodedSide
    dropped_empty: int = 0
    dropped_long: int = 0
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.source)

    def select(self, indices: np.ndarray) -> "EncodedPairs":
        """Return these pairs in this order, sharing the ids; the counts of dropped pairs stay."""
        return EncodedPairs(
            self.source.select(indices), self.target.select(indices), self.dropped_empty, self.dropped_long
        )

    def sample(self, size: int, seed: int) -> "EncodedPairs":
        """Return a random subset in line order, part of larger ones of this seed, or raise `MisfitError`."""
        if not 1 <= size <= len(self):
            raise MisfitError(
                f"data.train_pairs must be from 1 to {len(self):,}, the number of training pairs kept, got {size:,} "
                f"(dropped: {self.dropped_empty:,} pairs with an empty side and {self.dropped_long:,} with more than "
                "data.max_length sub-words)"
            )
        return self.select(np.sort(np.random.default_rng(seed).permutation(len(self))[:size]))


def encode_parallel(
    text: ParallelText, source_subwords: Subwords, target_subwords: Subwords, max_length: int, progress: bool = True
) -> EncodedPairs:
    """Encode a parallel text in line order, or take it from the cache.

    Pairs with more than `max_length` sub-words on a side, not counting `END`, are dropped. RAM: a few bytes a pair.
    Raises `InputError` if no pair is left.
    """
    content = [FORMAT, *text.digests(), source_subwords.digest, target_subwords.digest, max_length]
    build = partial(_encode, text, (source_subwords, target_subwords), max_length, progress)
    return load_encoded(build_for_content("encoded", content, build))


def load_encoded(folder: str | Path) -> EncodedPairs:
    """Return the encoded pairs in a folder; raise OSError, KeyError or ValueError if its files are damaged."""
    folder = Path(folder)
    description = json.loads((folder / "description.json").read_text(encoding="utf-8"))
    sides = {}
    for side, dtype in description["dtypes"].items():
        lengths = np.load(folder / f"{side}.lengths.npy")
        ends = np.cumsum(lengths, dtype=np.int64)
        tokens = np.memmap(folder / f"{side}.tokens", dtype, mode="r")
        if len(tokens) != ends[-1]:
            raise ValueError(f"{folder}: {len(tokens)} ids, {ends[-1]} expected")
        sides[side] = EncodedSide(tokens, ends - lengths, lengths)
    dropped = description["dropped_empty"], description["dropped_long"]
    return EncodedPairs(sides["source"], sides["target"], *dropped, folder)


def _encode(text, models, max_length, progress, folder):
    dtypes = [np.uint16 if model.vocabulary_size <= 2**16 else np.uint32 for model in models]
    lengths = [], []
    dropped_empty = dropped_long = 0
    pairs = text.pairs()
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(folder / f"{side}.tokens", "wb")) for side in SIDES]
        bar = stack.enter_context(text_bar(text, f"encoding {text.source.name}", progress))
        while chunk := list(islice(pairs, CHUNK)):
            ids = [model.encode(lines) for model, lines in zip(models, zip(*chunk, strict=True), strict=True)]
            sizes = np.array([list(map(len, side)) for side in ids], np.int32)  # (2, pairs)
            empty = (sizes == 0).any(axis=0)
            long = ~empty & (sizes > max_length).any(axis=0)
            dropped_empty += int(empty.sum())
            dropped_long += int(long.sum())
            kept = np.flatnonzero(~empty & ~long)
            for side, file in enumerate(files):
                # Not `tofile`, which does not report why writing fails; `np.save` to a file calls it too.
                file.write(np.fromiter(chain.from_iterable(ids[side][i] for i in kept), dtypes[side]))
                lengths[side].append(sizes[side, kept])
            bar.update(len(chunk))
    total = sum(map(len, lengths[0]))
    if total == 0:
        raise InputError(
            f"no pair is left: of {dropped_empty + dropped_long:,} pairs in {text.source} and {text.target}, "
            f"{dropped_empty:,} have an empty side and {dropped_long:,} have more than {max_length} sub-words; "
            "use other text or raise data.max_length (--max-length)"
        )
    for side, counts in zip(SIDES, lengths, strict=True):
        content = io.BytesIO()
        np.save(content, np.concatenate(counts))
        (folder / f"{side}.lengths.npy").write_bytes(content.getbuffer())
    description = {
        "dropped_empty": dropped_empty,
        "dropped_long": dropped_long,
        "dtypes": {side: np.dtype(dtype).name for side, dtype in zip(SIDES, dtypes, strict=True)},
    }
    write_json(folder / "description.json", description)
