"""Attention weights and head importance of a model as it produces given translations.

Shapes: `B` batch, `S` source length, `T` target length, `H` heads.
"""

from typing import NamedTuple

import numpy as np
from keras import KerasTensor, ops

from data.errors import InputError
from data.text.subwords import BEGIN, END
from interacting_head.model.compilation import Compiled
from interacting_head.model.transformer import Transformer
from interacting_head.translation.batches import padded
from layers import ATTENTION_SCHEMES

POSITIONS = 2**17  # most rows × source length × target length of a batch, because of its attention weights
MULTIPLE = 16  # widths of batches are multiples of it, because JAX compiles for each

INTERMEDIATES = {"attention": "weights", "head_importance": "importance", "logits": "logits", "heads": "heads"}
"""Attribute of `Inspection` → name among the intermediates of an attention layer."""


class Inspection(NamedTuple):
    """Values of one translation by (site, layer number), in float32; None if not requested.

    S and T count end symbols.

    Attributes:
        attention: weights, `(H, T, S)` at the site `cross`, `(H, T, T)` at `decoder` and `(H, S, S)` at `encoder`, with
            leading axes in some schemes, see `layers`. Row t of the decoder is the step that produced sub-word t of the
            translation; column t of `decoder` is the sub-word before.
        head_importance: `(T, H)`; `(S, H)` in the encoder.
        logits: unmasked input of the softmax, as `attention`; leading axes along which it is constant have size 1.
        heads: outputs `(H, T, V)` of the heads.
    """

    attention: dict | None
    head_importance: dict | None
    logits: dict | None = None
    heads: dict | None = None


class Inspector:
    """Inspect a `Transformer` by one pass over source and translation, as in training.

    `attention`, `logits` and `heads` are the wanted sites, `encoder`, `decoder`, `cross` (encoder-decoder), or
    the wanted layers `(site, number)`. Raises `InputError` if head importance is requested and no layer computes it.

    Example:
        >>> [seen] = Inspector(model, attention=["cross"]).inspect([(source_ids, target_ids)])
        >>> seen.attention["cross", 1].shape
    """

    def __init__(self, model, attention=(), head_importance=False, logits=(), heads=()):
        layers = model.attention_layers
        sites = {"attention": attention, "logits": logits, "heads": heads}
        self.wanted = {name: [place for place in layers if place[0] in of or place in of] for name, of in sites.items()}
        weighing = [place for place, layer in layers.items() if layer.has_head_importance]
        self.wanted["head_importance"] = weighing if head_importance else []
        if head_importance and not weighing:
            schemes = [scheme for scheme, layer in ATTENTION_SCHEMES.items() if layer.has_head_importance]
            raise InputError(
                "this model has no head importance: only attention layers of the schemes "
                f"{', '.join(schemes[:-1])} and {schemes[-1]} compute it"
            )
        self.only_cross = all(site == "cross" for name in sites for site, _ in self.wanted[name])
        self.model = model
        ids = dict.fromkeys(("source_ids", "target_ids"), KerasTensor((None, None), "int32"))
        self._compiled = Compiled(self.forced_pass, [model], arguments=lambda: ids)

    def inspect(self, pairs: list[tuple]) -> list[Inspection]:
        """Return the `Inspection` of each pair of source and target ids; it is empty for an empty source."""
        results = [Inspection(**{name: {} if places else None for name, places in self.wanted.items()})] * len(pairs)
        order = [index for index, (source, _) in enumerate(pairs) if source]
        order.sort(key=lambda index: tuple(map(len, pairs[index])), reverse=True)
        while order:
            S = width(len(pairs[order[0]][0]))
            T = width(max(len(pairs[index][1]) for index in order))
            rows = max(1, POSITIONS // (S * T if self.only_cross else max(S, T) ** 2))
            batch, order = order[:rows], order[rows:]
            seen = self._inspect_batch([pairs[index] for index in batch], S, T)
            for index, inspection in zip(batch, seen, strict=True):
                results[index] = inspection
        return results

    def forced_pass(self, source_ids: KerasTensor, target_ids: KerasTensor) -> dict:
        """Return `{"NAME SITE NUMBER": tensor}` for source ids `(B, S)` and target ids `(B, T)`, shifted right."""
        seen = {}
        sees_encoder = any(site == "encoder" for places in self.wanted.values() for site, _ in places)
        memories, padding_mask = self.model.encode(source_ids, False, seen if sees_encoder else None)
        self.model.decode(target_ids, memories, padding_mask, False, seen)
        return {
            f"{name} {site} {number}": ops.cast(seen[site, number][INTERMEDIATES[name]], "float32")
            for name, places in self.wanted.items()
            for site, number in places
        }

    def _inspect_batch(self, pairs, S, T):
        source_ids = padded([[*source, END] for source, _ in pairs], len(pairs), S)
        target_ids = padded([[BEGIN, *target] for _, target in pairs], len(pairs), T)
        found = {
            name: ops.convert_to_numpy(value)
            for name, value in self._compiled(source_ids=source_ids, target_ids=target_ids).items()
        }
        for row, (source, target) in enumerate(pairs):
            s, t = len(source) + 1, len(target) + 1
            sizes = {"encoder": (s, s), "decoder": (t, t), "cross": (t, s)}
            values = {name: {} for name in self.wanted}
            for name, (site, number) in ((name, place) for name, places in self.wanted.items() for place in places):
                rows, columns = sizes[site]
                cut = {"heads": np.s_[..., :rows, :], "head_importance": np.s_[:rows]}
                value = found[f"{name} {site} {number}"][row]
                values[name][site, number] = value[cut.get(name, np.s_[..., :rows, :columns])]
            yield Inspection(**{name: of_places or None for name, of_places in values.items()})


def weighs_heads(model: Transformer) -> bool:
    """Return whether a layer of a `Transformer` computes head importance."""
    return any(layer.has_head_importance for layer in model.attention_layers.values())


def width(tokens: int) -> int:
    """Return the width of a batch for this number of sub-words and the end symbol."""
    return -(-(tokens + 1) // MULTIPLE) * MULTIPLE
