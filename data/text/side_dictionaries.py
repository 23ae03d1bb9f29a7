"""Joint merges with a dictionary for each side: one byte-pair encoding, of which a side keeps what it needs."""

from collections.abc import Iterable
from pathlib import Path

from sentencepiece import SentencePieceProcessor
from sentencepiece.sentencepiece_model_pb2 import ModelProto

PIECE = ModelProto.SentencePiece
NORMAL, UNUSED = PIECE.Type.NORMAL, PIECE.Type.UNUSED


def write_side_dictionary(joint_model: Path, lines: Iterable[str], path: Path) -> None:
    """Write a copy of a joint sub-word model with the pieces that one side's training text has.

    These come first, in order: the special ones, the bytes, and whatever `lines` are encoded in, with its characters.
    Other merges, which may lead to these, follow as unused: SentencePiece spells them in smaller pieces, and
    `Subwords.vocabulary_size` does not count them. Other characters are spelled in bytes.
    """
    model = ModelProto.FromString(joint_model.read_bytes())
    processor = SentencePieceProcessor(model_file=str(joint_model))
    found = set()
    for line in lines:
        found.update(processor.encode(line))
    characters = set().union(*(model.pieces[number].piece for number in found))
    needed, merges = [], []
    for number, piece in enumerate(model.pieces):
        if piece.type != NORMAL or number in found or piece.piece in characters:
            needed.append(PIECE(piece=piece.piece, score=piece.score, type=piece.type))
        elif len(piece.piece) > 1:
            merges.append(PIECE(piece=piece.piece, score=piece.score, type=UNUSED))
    del model.pieces[:]
    model.pieces.extend([*needed, *merges])
    path.write_bytes(model.SerializeToString(deterministic=True))
