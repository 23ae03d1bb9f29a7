"""Several corpora joined into one training set: `tatoeba_en-de+multi30k*2+newstest:newstest2008,newstest2009`.

Each part is the split `train` or the splits after the colon, repeated as often as the number after the star says; a
number below 1 selects a fixed random subset.
"""

import contextlib
import gzip
import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tqdm import tqdm

from data.cache import build_for_content
from data.errors import InputError
from data.text.parallel_text import SIDES, ParallelText

FORMAT = 1  # version of the cached files: increase it when they change
SYNTAX = (
    "NAME[:SPLIT[,SPLIT…]][*WEIGHT] joined by +, such as tatoeba_en-de+multi30k*2+newstest:newstest2008; "
    "dev=NAME:SPLIT names development text"
)
PART = re.compile(r"((?P<use>\w+)=)?(?P<corpus>[^:*=]+)(:(?P<splits>[^:*=]+))?(\*(?P<weight>.*))?")
LARGEST_WEIGHT = 1000


class Part(NamedTuple):
    """A corpus of a mix: the splits taken from it, how often each pair occurs, and the split of the mix (`use`)."""

    corpus: str
    splits: tuple[str, ...]
    weight: float
    use: str


def is_mix(name: str) -> bool:
    """Return whether the name of a corpus contains a split, a weight or several corpora."""
    return any(sign in name for sign in "+:*=")


def repeats_pairs(name: str) -> bool:
    """Return whether a weight in the name of a corpus repeats training pairs."""
    return is_mix(name) and any(part.weight > 1 and part.use == "train" for part in parse_mix(name))


def parse_mix(name: str) -> list[Part]:
    """Return the parts of a mix; raise `InputError` if the name does not follow the syntax."""
    parts = []
    for piece in name.split("+"):
        match = PART.fullmatch(piece.strip())
        if match is None:
            raise InputError(f"{name!r} is not a mix of corpora: cannot parse {piece!r}; write {SYNTAX}")
        use = match["use"] or "train"
        splits = tuple(split.strip() for split in (match["splits"] or use).split(","))
        if not all(splits):
            raise InputError(f"{name!r} is not a mix of corpora: {piece!r} has an empty split name; write {SYNTAX}")
        parts.append(Part(match["corpus"].strip(), splits, _weight(match["weight"], piece), use))
    if not any(part.use == "train" for part in parts):
        raise InputError(f"{name!r} names no training text; write {SYNTAX}")
    return parts


def _weight(text, piece):
    if text is None:
        return 1.0
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text.strip()) or not 0 < float(text) <= LARGEST_WEIGHT:
        raise InputError(
            f"the weight of {piece!r} must be a number above 0 and at most {LARGEST_WEIGHT}, such as 2 or 0.5"
        )
    return float(text)


def join(texts: Sequence[tuple[ParallelText, float]], languages: tuple[str, str]) -> ParallelText:
    """Concatenate weighted texts (see `weighted_pairs`) in the cache; files are named after the languages."""
    if len(texts) == 1 and texts[0][1] == 1:
        return texts[0][0]
    contents = [[*text.digests(), weight] for text, weight in texts]
    names = [f"{side}.{language}.gz" for side, language in zip(SIDES, languages, strict=True)]

    def build(folder):
        written = 0
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(gzip.GzipFile(folder / name, "wb", 3, mtime=0)) for name in names]
            bar = stack.enter_context(tqdm(desc="joining corpora", unit=" pairs", disable=None, leave=False))
            for (text, weight), (source_digest, _, _) in zip(texts, contents, strict=True):
                for pair in weighted_pairs(text, weight, seed=source_digest):
                    for file, line in zip(files, pair, strict=True):
                        file.write(f"{line}\n".encode())
                    bar.update()
                    written += 1
            if not written:
                raise InputError("the weights of a mix select no pair; raise them")

    folder = build_for_content("mixes", [FORMAT, languages, contents], build)
    return ParallelText(*(folder / name for name in names))


def weighted_pairs(text: ParallelText, weight: float, seed: int | str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a text `weight` times: for 2.5 every pair twice, then a random half, in order."""
    for _ in range(int(weight)):
        yield from text.pairs()
    share = weight - int(weight)
    if share == 0:
        return
    left = text.check()
    needed = round(share * left)
    draw = random.Random(seed)
    for pair in text.pairs():
        # Selection sampling: each pair with the probability needed / left makes every subset equally likely.
        if draw.random() * left < needed:
            needed -= 1
            yield pair
        left -= 1
