"""The encoder-decoder attention that gives word alignments: a decoder layer, and one of its heads or their mean."""

from collections.abc import Sequence
from typing import NamedTuple

from data.errors import InputError

MEAN = "mean"
ALIGNMENT = "alignment.json"
"""The file of `analyze alignment --store` in a run directory, and of a converted model."""
WRONG = "choose again with analyze alignment --store, or remove it"


class AlignmentChoice(NamedTuple):
    """A decoder layer, counted from 1, and the name of a head or `mean`; `is_default` if nobody has chosen it."""

    layer: int
    head: str
    is_default: bool = False

    @classmethod
    def default(cls, decoder_layers: int) -> "AlignmentChoice":
        """Return the choice for a model without alignment scores: the last layer but one, or the last of one or two.

        Garg et al. 2019 find the last but one the best of 6; of 2 it is the last: docs/results/alignment_quickstart.md.
        """
        return cls(decoder_layers - 1 if decoder_layers > 2 else decoder_layers, MEAN, is_default=True)

    @classmethod
    def read(cls, record: object, decoder_layers: int, path: object) -> "AlignmentChoice":
        """Return the choice in the value of a JSON file; raise `InputError`, which names `path`, if it has none."""
        record = record if isinstance(record, dict) else {}
        layer, head, is_default = record.get("layer"), record.get("head"), record.get("is_default", False)
        if type(layer) is not int or not 1 <= layer <= decoder_layers or not isinstance(head, str):
            raise InputError(f"{path} names no decoder layer from 1 to {decoder_layers} with a head; {WRONG}")
        return cls(layer, head, is_default is True)

    def heads(self, head_names: Sequence[str]) -> list[int]:
        """Return the indices of the heads of the layer, whose names are given, that count."""
        if self.head == MEAN:
            return list(range(len(head_names)))
        if self.head not in head_names:
            raise InputError(
                f"{ALIGNMENT} names {self.head!r}, but decoder layer {self.layer} has {', '.join(head_names)}; {WRONG}"
            )
        return [head_names.index(self.head)]

    def __str__(self):
        return f"decoder layer {self.layer}, {'mean of its heads' if self.head == MEAN else self.head}"
