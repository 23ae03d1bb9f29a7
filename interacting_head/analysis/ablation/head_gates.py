"""Gates on the heads of a Transformer, and on the sources of its encoder-decoder attention.

A gate is a number: at 1 the model is as it was, at 0 the head or source is gone. All gates are one variable, which
compiled functions read, so that one compiled search serves every choice of heads.

A head that is gone adds nothing to its layer's output. In schemes that weigh their heads it is left out of the
softmax over the heads, which the others then share: with gates g and scores s of the heads,

    G_h = g_h exp(s_h) / Σ_k g_k exp(s_k)

Of interacting heads its key and value are gone, and its query still counts in the sum that all heads share; in the
pairwise form its query is gone too. Of talking heads it is the head after both mixings. A source that is gone is zero
(Ampomah et al. 2020, Table 7).
"""

import contextlib
import itertools
from typing import NamedTuple

import keras
import numpy as np
from keras import ops

from data.errors import InputError
from interacting_head.translation.inspection import attention_layers
from layers import PairwiseInteractingHeadAttention

GONE = -1e9  # logit of a head that is gone: its share is 0 in float32


class Head(NamedTuple):
    """A head of an attention layer, both counted from 1; sites are `encoder`, `decoder` and `cross`."""

    site: str
    layer: int
    head: int

    def __str__(self):
        return f"{self.site}:{self.layer}:{self.head}"


class Source(NamedTuple):
    """A source of encoder-decoder attention, from the lowest encoder layer up, in a decoder layer; both from 1."""

    layer: int
    source: int


class GatedTransformer:
    """A `Transformer` in a block of `gated`: used as that, in searches, scorers and compiled functions.

    Attributes:
        heads: all `Head`s.
        sources: all `Source`s of decoder layers that read several; an empty list where none does.
        gates: the variable, float32, with a gate for each of `heads` and then of `sources`.
    """

    def __init__(self, model):
        self.model = model
        layers = attention_layers(model)
        self.heads = [Head(*place, h) for place, layer in layers.items() for h in range(1, layer.num_heads + 1)]
        self.sources = [
            Source(number, source)
            for (site, number), layer in layers.items()
            if site == "cross" and layer.source_axis and layer.num_sources > 1
            for source in range(1, layer.num_sources + 1)
        ]
        self.gates = keras.Variable(np.ones(len(self.heads) + len(self.sources)), trainable=False, dtype="float32")

    def __getattr__(self, name):
        return getattr(self.model, name)

    def __call__(self, *args, **kwargs):
        return self.model(*args, **kwargs)

    @property
    def variables(self):
        """Those of the model and the gates, for `compilation.Compiled`."""
        return [*self.model.variables, self.gates]

    def close(self, closed):
        """Set the gates of some `Head`s and `Source`s to 0, and all others to 1.

        Raises:
            InputError: for one that does not exist.
        """
        places = {gate: index for index, gate in enumerate([*self.heads, *self.sources])}
        values = np.ones(len(places), "float32")
        for gate in closed:
            if gate not in places:
                raise InputError(f"this model has no {type(gate).__name__.lower()} {':'.join(map(str, gate))}")
            values[places[gate]] = 0
        self.gates.assign(values)

    def gates_of(self, site, number):
        """The gates of a layer's heads, a tensor `(H,)`."""
        return self._slice([(head.site, head.layer) == (site, number) for head in self.heads])

    def gates_of_sources(self, number):
        """The gates of the sources of a decoder layer, a tensor `(n,)`."""
        return self._slice([False] * len(self.heads) + [source.layer == number for source in self.sources])

    def _slice(self, wanted):
        start = wanted.index(True)
        return ops.convert_to_tensor(self.gates.value)[start : start + sum(wanted)]


@contextlib.contextmanager
def gated(model):
    """Put gates into the attention layers of a `Transformer` in the block.

    Yields:
        The `GatedTransformer`, all gates at 1.

    Example:
        >>> with gated(model) as gated_model:
        ...     gated_model.close([Head("cross", 1, 3)])
        ...     logits = gated_model(inputs)
    """
    gated_model, changed = GatedTransformer(model), []

    def replace(layer, name, make):
        setattr(layer, name, make(getattr(layer, name)))
        changed.append((layer, name))

    try:
        for place, layer in attention_layers(model).items():

            def gates(place=place):
                return gated_model.gates_of(*place)

            if layer.has_head_importance:
                replace(layer, "head_logits", lambda function, gates=gates: _gated_logits(function, gates))
                replace(layer, "output_projection", lambda function, gates=gates: _none_or_all(function, gates))
            else:
                of_kernel = KERNEL_GATES.get(type(layer), lambda gates: gates)
                replace(
                    layer,
                    "output_projection",
                    lambda function, gates=gates, of_kernel=of_kernel: _gated_kernel(function, gates, of_kernel),
                )
        for number in sorted({source.layer for source in gated_model.sources}):
            layer = attention_layers(model)["cross", number]
            replace(layer, "sources", lambda function, number=number: _gated_sources(gated_model, function, number))
        yield gated_model
    finally:
        for layer, name in changed:
            delattr(layer, name)  # the class has it


KERNEL_GATES = {PairwiseInteractingHeadAttention: lambda gates: ops.expand_dims(gates, 1) * gates}
"""Layer class → function of gates `(H,)` that gives those of the heads of its output kernel, if these are others."""


def _gated_kernel(output_projection, gates, of_kernel):
    """The output projection with gates: a head that meets a kernel of zeros adds nothing."""

    def projection():
        kernel, bias = output_projection()
        of_heads = ops.cast(of_kernel(gates()), kernel.dtype)  # (H,) or (H, H)
        return kernel * ops.expand_dims(of_heads, (-2, -1)), bias

    return projection


def _gated_logits(head_logits, gates):
    """The logits of the softmax over heads with log g added: their shares are then those of the module's equation."""

    def logits(scores, axis):
        found, own = head_logits(scores, axis), gates()
        shape = [1] * len(found.shape)
        shape[axis] = -1
        logarithms = ops.where(own > 0, ops.log(ops.where(own > 0, own, 1.0)), GONE)
        return found + ops.reshape(logarithms, shape)

    return logits


def _none_or_all(output_projection, gates):
    """The output projection, zero where no head of the layer is left to share the weight."""

    def projection():
        kernel, bias = output_projection()
        some = ops.cast(ops.any(gates() > 0), kernel.dtype)
        return kernel * some, bias

    return projection


def _gated_sources(gated_model, sources, number):
    """The sources of a layer, each times its gate."""

    def of_layer(value):
        gates = gated_model.gates_of_sources(number)
        return [source * ops.cast(gates[index], source.dtype) for index, source in enumerate(sources(value))]

    return of_layer


def chosen_heads(heads, patterns):
    """The `Head`s that patterns name, in the order of `heads`.

    Args:
        heads: those there are.
        patterns: `SITE`, `SITE:LAYER` or `SITE:LAYER:HEAD`, numbers from 1; none: all.

    Raises:
        InputError: for a pattern that is wrong or names no head there is.
    """
    chosen = set()
    for pattern in patterns:
        parts = tuple(pattern.split(":"))
        found = [head for head in heads if tuple(map(str, head))[: len(parts)] == parts]
        if not found:
            raise InputError(f"there is no head {pattern!r}; there are {_listed(heads)} (SITE:LAYER:HEAD, from 1)")
        chosen |= set(found)
    return [head for head in heads if head in chosen] if patterns else list(heads)


def _listed(heads):
    """Heads in one line: `encoder:1:1-8, encoder:2:1-8`."""
    layers = itertools.groupby(heads, key=lambda head: head[:2])
    return ", ".join(f"{site}:{layer}:1-{max(head.head for head in group)}" for (site, layer), group in layers)
