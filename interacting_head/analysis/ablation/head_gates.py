"""Gates on the heads of a Transformer, and on the sources of its encoder-decoder attention.

A gate of 1 changes nothing, a gate of 0 removes the head or source. Gates are weights of the attention layers, so that
one compiled search serves every choice of heads.

A removed head adds nothing to its layer's output. Schemes that weigh their heads leave it out of the softmax over
heads, with gates g and scores s: G_h = g_h exp(s_h) / Σ_k g_k exp(s_k). An interacting head loses its key and value,
but its query still counts in the shared sum; in the pairwise form it loses the query too. A talking head is removed
after both mixings. A removed source is zero (Ampomah et al. 2020, Table 7).
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from data.errors import InputError

if TYPE_CHECKING:
    from interacting_head.model.transformer import Transformer

GATES = ("head_gates", "source_gates")


class Head(NamedTuple):
    """A head of an attention layer, both counted from 1; sites are `encoder`, `decoder` and `cross`."""

    site: str
    layer: int
    head: int

    def __str__(self):
        return f"{self.site}:{self.layer}:{self.head}"


class Source(NamedTuple):
    """A source of encoder-decoder attention in a decoder layer; both count from 1, sources from the lowest layer."""

    layer: int
    source: int


class GatedTransformer:
    """A copy of a `Transformer`, in `model`, with gates on its heads, all open at first."""

    def __init__(self, model):
        self.model = type(model).from_config({**model.get_config(), "head_gates": True})
        layers = self.model.attention_layers
        self.heads = all_heads(self.model)
        self.gates = [layer.head_gates for layer in layers.values()]  # weights, heads and then sources
        self.sources = []  # of decoder layers that read several
        for (site, number), layer in layers.items():
            if site == "cross" and layer.source_axis and layer.num_sources > 1:
                self.sources += [Source(number, source) for source in range(1, layer.num_sources + 1)]
                self.gates.append(layer.source_gates)
        gates = {id(weight) for layer in layers.values() for weight in layer.weights if weight.name in GATES}
        weights = [weight for weight in self.model.weights if id(weight) not in gates]
        for weight, original in zip(weights, model.weights, strict=True):
            weight.assign(original)

    def close(self, closed: Iterable[Head | Source]) -> None:
        """Set these gates to 0 and all others to 1; raise `InputError` for unknown heads and sources."""
        places = {gate: index for index, gate in enumerate([*self.heads, *self.sources])}
        values = np.ones(len(places), "float32")
        for gate in closed:
            if gate not in places:
                raise InputError(f"this model has no {type(gate).__name__.lower()} {':'.join(map(str, gate))}")
            values[places[gate]] = 0
        for gates, own in zip(self.gates, self.of_layers(values), strict=True):
            gates.assign(own)

    def of_layers(self, values: Sequence) -> list:
        """Split `values`, one for each head and then each source, by layers in the order of `gates`."""
        ends = list(itertools.accumulate(gates.shape[0] for gates in self.gates))
        return [values[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def all_heads(model: "Transformer") -> list[Head]:
    """Return all `Head`s of a `Transformer`."""
    return [Head(*place, h) for place, layer in model.attention_layers.items() for h in range(1, layer.num_heads + 1)]


def chosen_heads(heads: list[Head], patterns: list[str]) -> list[Head]:
    """Return the heads that match any `SITE[:LAYER[:HEAD]]`, or all; raise `InputError` if a pattern matches none."""
    chosen = set()
    for pattern in patterns:
        parts = tuple(pattern.split(":"))
        found = [head for head in heads if tuple(map(str, head))[: len(parts)] == parts]
        if not found:
            layers = itertools.groupby(heads, key=lambda head: head[:2])
            listed = [f"{site}:{layer}:1-{max(head.head for head in own)}" for (site, layer), own in layers]
            raise InputError(f"no head matches {pattern!r}; heads (SITE:LAYER:HEAD, from 1): {', '.join(listed)}")
        chosen |= set(found)
    return [head for head in heads if head in chosen] if patterns else list(heads)
