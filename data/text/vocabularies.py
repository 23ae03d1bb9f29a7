"""The sub-word models of a parallel text, learnt once."""

from importlib.metadata import version
from itertools import chain
from pathlib import Path

from data.cache import build_for_content
from data.errors import InputError
from data.text.parallel_text import SIDES, ParallelText
from data.text.progress import text_bar
from data.text.subwords import train_subwords

FORMAT = 1  # of the cache: raise it when `data.text.subwords.train_subwords` learns in another way


def learn_vocabularies(
    text: ParallelText,
    vocabulary_size: int | tuple[int, int],
    shared: bool = True,
    joint_merges: bool = False,
    progress: bool = True,
) -> tuple[Path, Path]:
    """Return the model files of source and target, learnt on the text or found in the cache by its content.

    Args:
        text: the training text in the form of its profile.
        vocabulary_size: pieces of each model; two numbers for source and target if these are separate.
        shared: one model for both sides, or one for each.
        joint_merges: separate models with common merges: one is learnt on both sides, and each side keeps the pieces
            that its text has, as fairseq's scripts do by default.

    Raises:
        InputError: for contradictory settings; what reading `text` and `data.text.subwords.train_subwords` raise.
    """
    check_vocabulary_settings(vocabulary_size, shared, joint_merges)
    content = [FORMAT, version("sentencepiece"), text.digests(), vocabulary_size, shared]
    if joint_merges:
        content.append("joint merges")

    def lines_of(side, task):
        lines = chain.from_iterable(text.pairs()) if side is None else (pair[side] for pair in text.pairs())
        return text_bar(text, task, progress, lines, "lines", sides=2 if side is None else 1)

    def build(temporary):
        both, models = temporary / "both.model", [temporary / f"{side}.model" for side in SIDES]
        if shared or joint_merges:
            train_subwords(lines_of(None, "learning sub-words"), vocabulary_size, both)
        if joint_merges:
            from data.text.side_dictionaries import write_side_dictionary  # imports protobuf

            for side, path in enumerate(models):
                write_side_dictionary(both, lines_of(side, "looking for sub-words"), path)
        elif not shared:
            sizes = vocabulary_size if isinstance(vocabulary_size, tuple) else (vocabulary_size, vocabulary_size)
            for side, (size, path) in enumerate(zip(sizes, models, strict=True)):
                train_subwords(lines_of(side, "learning sub-words"), size, path)

    folder = build_for_content("subwords", content, build)
    return tuple(folder / f"{'both' if shared else side}.model" for side in SIDES)


def check_vocabulary_settings(vocabulary_size: int | tuple[int, int], shared: bool, joint_merges: bool) -> None:
    """Raise `InputError` for contradictory settings of `learn_vocabularies`."""
    if joint_merges and shared:
        raise InputError("data.joint_merges gives each side a dictionary of its own: set data.shared_vocabulary=false")
    if isinstance(vocabulary_size, tuple):
        if len(vocabulary_size) != 2:
            raise InputError(f"data.vocabulary_size is one number or two, source and target, got {vocabulary_size}")
        if shared or joint_merges:
            raise InputError(
                f"data.vocabulary_size is {vocabulary_size}, but there is one sub-word model for both sides: give one "
                "number, or set data.shared_vocabulary=false"
            )
