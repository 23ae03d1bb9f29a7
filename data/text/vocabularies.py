"""The sub-word models of a parallel text, learnt once."""

from collections.abc import Iterable
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from data.cache import build_for_content
from data.errors import InputError
from data.text.parallel_text import SIDES, ParallelText, text_bar
from data.text.subwords import train_subwords

FORMAT = 3  # version of the cached files: increase it when `train_subwords` learns differently


def learn_vocabularies(
    text: ParallelText, vocabulary_size: int | tuple[int, int], shared: bool = True, joint_merges: bool = False
) -> tuple[Path, Path]:
    """Return the model files of source and target, learnt on the text or taken from the cache.

    Args:
        vocabulary_size: pieces of each model, or (source, target) for separate models.
        shared: one model for both sides, or one for each.
        joint_merges: separate models with common merges: one is learnt on both sides, and each side keeps the pieces
            that its text has, as fairseq's scripts do by default.

    Raises `InputError` for contradictory settings, and what `train_subwords` raises.
    """
    check_vocabulary_settings(vocabulary_size, shared, joint_merges)
    content = [FORMAT, version("sentencepiece"), text.digests(), vocabulary_size, shared]
    if joint_merges:
        content.append("joint merges")

    def lines_of(side, task="learning sub-words"):
        return text_bar(text, task, items=(pair[side] for pair in text.pairs()), unit="lines")

    def build(temporary):
        both, models = temporary / "both.model", [temporary / f"{side}.model" for side in SIDES]
        if shared or joint_merges:
            lines = chain.from_iterable(text.pairs())
            lines = text_bar(text, "learning sub-words", items=lines, unit="lines", sides=2)
            train_subwords(lines, vocabulary_size, both)
        if joint_merges:
            for side, path in enumerate(models):
                _write_side_dictionary(both, lines_of(side, "selecting sub-words"), path)
        elif not shared:
            sizes = vocabulary_size if isinstance(vocabulary_size, tuple) else (vocabulary_size, vocabulary_size)
            for side, (size, path) in enumerate(zip(sizes, models, strict=True)):
                train_subwords(lines_of(side), size, path)

    folder = build_for_content("subwords", content, build)
    return tuple(folder / f"{'both' if shared else side}.model" for side in SIDES)


def check_vocabulary_settings(vocabulary_size: int | tuple[int, int], shared: bool, joint_merges: bool) -> None:
    """Raise `InputError` for contradictory settings of `learn_vocabularies`."""
    if joint_merges and shared:
        raise InputError(
            "data.joint_merges is for separate vocabularies: set data.shared_vocabulary=false, or leave it out"
        )
    if isinstance(vocabulary_size, tuple):
        if len(vocabulary_size) != 2:
            raise InputError(
                "data.vocabulary_size (--vocabulary-size) must be one number, or two for source and target, "
                f"got {vocabulary_size}"
            )
        if shared or joint_merges:
            raise InputError(
                f"data.vocabulary_size (--vocabulary-size) is {vocabulary_size}, but one sub-word model is learnt on "
                "both sides; give one number, or set data.shared_vocabulary=false (--separate-vocabularies)"
            )


def _write_side_dictionary(joint_model: Path, lines: Iterable[str], path: Path) -> None:
    """Write a copy of a joint sub-word model with the pieces that one side's training text has.

    First come, in order, the special pieces, the bytes, and the pieces that encode `lines`, with their characters.
    Other merges, which may lead to these, follow as unused: SentencePiece spells them in smaller pieces, and
    `Subwords.vocabulary_size` does not count them. Other characters are spelled in bytes.
    """
    from sentencepiece.sentencepiece_model_pb2 import ModelProto  # imports protobuf

    Piece = ModelProto.SentencePiece
    model = ModelProto.FromString(joint_model.read_bytes())
    processor = SentencePieceProcessor(model_file=str(joint_model))
    found = set()
    for line in lines:
        found.update(processor.encode(line))
    spelled = (model.pieces[number] for number in found)
    characters = set().union(*(piece.piece for piece in spelled if piece.type == Piece.Type.NORMAL))  # no bytes' names
    needed, merges = [], []
    for number, piece in enumerate(model.pieces):
        if piece.type != Piece.Type.NORMAL or number in found or piece.piece in characters:
            needed.append(Piece(piece=piece.piece, score=piece.score, type=piece.type))
        elif len(piece.piece) > 1:
            merges.append(Piece(piece=piece.piece, score=piece.score, type=Piece.Type.UNUSED))
    del model.pieces[:]
    model.pieces.extend([*needed, *merges])
    path.write_bytes(model.SerializeToString(deterministic=True))
