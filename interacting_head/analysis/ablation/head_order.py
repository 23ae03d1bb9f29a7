"""Orders in which heads are switched off, by the worth of each head."""

import functools
import random

import numpy as np
from keras import KerasTensor, ops
from tqdm import tqdm

from data.text.subwords import BEGIN, END, PAD
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head, all_heads, chosen_heads
from interacting_head.analysis.base import AnalysedRun, Sample
from interacting_head.analysis.importance import measured
from interacting_head.model.compilation import Compiled, gradient, stateless
from interacting_head.model.losses import token_cross_entropy
from interacting_head.translation.batches import padded
from interacting_head.translation.inspection import width


def by_importance(run: AnalysedRun, sample: Sample, seed: int) -> dict[Head, float]:
    """Return each head's mean importance over positions, times the number of heads of its layer: 1 is average.

    Only layers that weigh their heads have it (Goindani & Shrivastava 2021, equation (1); Iida et al. 2019, equation
    (4)); without such a layer, raise `InputError`.
    """
    places, _ = measured(run, sample, parts=1, show=0)
    return {
        Head(*place, number): float(value)
        for place, one in places.items()
        for number, value in enumerate(one["mean"] * len(one["mean"]), start=1)
    }


def by_gradient(run: AnalysedRun, sample: Sample, seed: int) -> dict[Head, float]:
    """Return the mean over sentences of |∂L/∂g_h|, divided by the Euclidean norm over the heads of the layer.

    L is the cross-entropy per token of the reference, in nats, and g_h = 1 the gate of head h (Michel et al. 2019, Are
    sixteen heads really better than one?, equation (2) and section 4.1).
    """
    total, gated = 0.0, GatedTransformer(run.model)
    ids = dict.fromkeys(("source_ids", "target_ids", "labels"), KerasTensor((None, None), "int32"))
    compiled = Compiled(functools.partial(gate_gradient, gated), [gated.model], arguments=lambda: ids)
    with tqdm(desc=f"{run.name}, gradients", total=len(sample), unit=" sentences", disable=None, leave=False) as bar:
        for pair in run.pairs(sample):
            source, target = [*pair.source_ids, END], [*pair.target_ids, END]
            S, T = width(len(pair.source_ids)), width(len(pair.target_ids))
            shifted, labels = (padded([one], 1, T) for one in ([BEGIN, *pair.target_ids], target))
            found = compiled(source_ids=padded([source], 1, S), target_ids=shifted, labels=labels)
            total += np.abs(ops.convert_to_numpy(found).astype("float64"))
            bar.update(1)
    heads = gated.heads
    values = dict(zip(heads, total / max(1, len(sample)), strict=False))  # gates of sources come last
    for place in run.model.attention_layers:
        own = [head for head in heads if head[:2] == place]
        norm = np.sqrt(sum(values[head] ** 2 for head in own)) or 1.0
        values.update({head: float(values[head] / norm) for head in own})
    return values


def gate_gradient(
    gated: GatedTransformer, source_ids: KerasTensor, target_ids: KerasTensor, labels: KerasTensor
) -> KerasTensor:
    """Return the gradient of the cross-entropy per token, in nats, with respect to the gates.

    Source ids are `(B, S)`, end symbols included; target ids, shifted right, and labels are `(B, T)`.
    """
    model, gates = gated.model, {id(variable) for variable in gated.gates}
    weights = [(one, ops.convert_to_tensor(one.value)) for one in model.variables if id(one) not in gates]

    def loss(values):
        with stateless([*weights, *zip(gated.gates, gated.of_layers(values), strict=True)]):
            logits = model({"source_ids": source_ids, "target_ids": target_ids}, training=False)
        real = ops.cast(ops.not_equal(labels, PAD), "float32")
        return ops.sum(token_cross_entropy(labels, logits) * real) / ops.sum(real)

    return gradient(loss, ops.concatenate([ops.convert_to_tensor(one.value) for one in gated.gates]))


def at_random(run: AnalysedRun, sample: Sample, seed: int) -> dict[Head, float]:
    """Return a random number for each head."""
    draw = random.Random(seed)
    return {head: draw.random() for head in all_heads(run.model)}


ORDERS = {"importance": by_importance, "gradient": by_gradient, "random": at_random}
"""Name of an order → function of an `AnalysedRun`, a `Sample` and a seed that returns `{Head: worth}`."""


def head_orders(
    run: AnalysedRun, sample: Sample, names: list[str], seed: int, patterns: list[str] = ()
) -> dict[str, dict[Head, float]]:
    """Return `{name of an order: {Head: worth}}`, the least worth first.

    All orders have the same heads: those that every order rates and that match the patterns, see `chosen_heads`.
    """
    worth = {name: ORDERS[name](run, sample, seed) for name in names}
    known = [head for head in worth[names[0]] if all(head in values for values in worth.values())]
    heads = chosen_heads(known, patterns)
    return {name: {head: values[head] for head in sorted(heads, key=values.get)} for name, values in worth.items()}
