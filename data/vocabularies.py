"""The sub-word models of a parallel text, learnt once."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from data.cache import build_once, cache_folder
from data.parallel_text import ParallelText
from data.subwords import train_subwords

FORMAT = 1  # part of the cache key: raise it when `data.subwords.train_subwords` learns in another way


def learn_vocabularies(
    text: ParallelText, vocabulary_size: int, shared: bool, cache_dir: str | Path | None = None
) -> tuple[Path, Path]:
    """The model files of source and target, learnt on the text or found in the cache by its content.

    Args:
        text: the training text in the form of its profile.
        vocabulary_size: number of pieces of each model.
        shared: one model, learnt on both sides, or one for each.
        cache_dir: the results go to its folder `subwords`; default: `data.cache.cache_folder()`.

    Raises:
        InputError: what reading `text` and `data.subwords.train_subwords` raise.
    """
    key = [FORMAT, version("sentencepiece"), text.digests(), vocabulary_size, shared]
    name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]

    def build(temporary):
        if shared:
            train_subwords((line for pair in text.pairs() for line in pair), vocabulary_size, temporary / "both.model")
        else:
            for index, side in enumerate(("source", "target")):
                train_subwords((pair[index] for pair in text.pairs()), vocabulary_size, temporary / f"{side}.model")

    folder = build_once(Path(cache_dir or cache_folder()) / "subwords" / name, build)
    return tuple(folder / f"{'both' if shared else side}.model" for side in ("source", "target"))
