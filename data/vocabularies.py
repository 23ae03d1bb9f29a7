"""The sub-word models of a parallel text, learnt once."""

import hashlib
import json
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from tqdm import tqdm

from data.cache import build_once, cache_folder
from data.parallel_text import ParallelText
from data.subwords import train_subwords

FORMAT = 1  # part of the cache key: raise it when `data.subwords.train_subwords` learns in another way


def learn_vocabularies(
    text: ParallelText,
    vocabulary_size: int,
    shared: bool,
    cache_dir: str | Path | None = None,
    progress: bool = True,
) -> tuple[Path, Path]:
    """The model files of source and target, learnt on the text or found in the cache by its content.

    Args:
        text: the training text in the form of its profile.
        vocabulary_size: number of pieces of each model.
        shared: one model, learnt on both sides, or one for each.
        cache_dir: the results go to its folder `subwords`; default: `data.cache.cache_folder()`.
        progress: whether to show a progress bar of the lines read on a terminal.

    Raises:
        InputError: what reading `text` and `data.subwords.train_subwords` raise.
    """
    key = [FORMAT, version("sentencepiece"), text.digests(), vocabulary_size, shared]
    name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]

    def learn(side, path):
        lines = chain.from_iterable(text.pairs()) if side is None else (pair[side] for pair in text.pairs())
        disable = None if progress else True
        train_subwords(tqdm(lines, "learning sub-words", unit=" lines", disable=disable), vocabulary_size, path)

    def build(temporary):
        if shared:
            learn(None, temporary / "both.model")
        else:
            learn(0, temporary / "source.model")
            learn(1, temporary / "target.model")

    folder = build_once(Path(cache_dir or cache_folder()) / "subwords" / name, build)
    return tuple(folder / f"{'both' if shared else side}.model" for side in ("source", "target"))
