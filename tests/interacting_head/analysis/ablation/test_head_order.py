"""Orders of heads, against differences and means by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from data.errors import InputError
from data.text.subwords import BEGIN, END
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head
from interacting_head.analysis.ablation.head_order import gate_gradient, head_orders
from interacting_head.translation.inspection import Inspector
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.parameters import mostly_slow

PAIRS = [([5, 6, 7], [8, 9]), ([4], [5, 6, 7, 8]), ([9, 4, 9, 4], [11])]
SAMPLE = [None] * len(PAIRS)


class Run:
    """Stand-in for an `AnalysedRun` of a model with random weights."""

    name = "tiny"

    def __init__(self, scheme):
        self.model = tiny.transformer(scheme=scheme)

    def pairs(self, sample):
        return [SimpleNamespace(source_ids=source, target_ids=target) for source, target in PAIRS]

    def inspections(self, sample, head_importance):
        inspector = Inspector(self.model, head_importance=head_importance)
        return zip(self.pairs(sample), inspector.inspect(PAIRS), strict=True)


def loss(model, source, target):
    """The mean cross-entropy of a token, one after another."""
    inputs = {"source_ids": np.array([[*source, END]]), "target_ids": np.array([[BEGIN, *target]])}
    rows, labels = array(model(inputs))[0].astype("float64"), [*target, END]
    return np.mean([np.log(np.exp(row).sum()) - row[label] for row, label in zip(rows, labels, strict=True)])


def batch(source, target):
    """Ids of one sentence as `gate_gradient` takes them."""
    return [np.array([ids], "int32") for ids in ([*source, END], [BEGIN, *target], [*target, END])]


@pytest.mark.parametrize("scheme", mostly_slow(["multi_head", "multi_hop", "interacting_head_pairwise"], "multi_hop"))
def test_gradients_equal_finite_differences_of_the_gates(scheme):
    step, [pair, *_] = 2e-3, PAIRS  # a larger one meets kinks of ReLU
    model = GatedTransformer(Run(scheme).model)
    found = array(gate_gradient(model, *batch(*pair)))
    assert np.abs(found).max() > 0.01
    for index in range(len(model.heads)):
        losses = []
        for sign in (1, -1):
            values = np.ones(len(model.heads), "float32")
            values[index] += sign * step
            for gates, own in zip(model.gates, model.of_layers(values), strict=True):
                gates.assign(own)
            losses.append(loss(model.model, *pair))
        assert found[index] == pytest.approx((losses[0] - losses[1]) / (2 * step), rel=0.01, abs=5e-4)


def test_gradients_are_ordered_by_mean_size_as_a_share_of_the_layer():
    run = Run("multi_head")
    found = head_orders(run, SAMPLE, ["gradient"], 1)["gradient"]
    assert list(found.values()) == sorted(found.values())
    model = GatedTransformer(run.model)
    sizes = np.mean([np.abs(array(gate_gradient(model, *batch(*pair)))) for pair in PAIRS], axis=0)
    for layer in range(0, len(sizes), 2):  # of two heads
        own = model.heads[layer : layer + 2]
        expected = sizes[layer : layer + 2] / np.sqrt((sizes[layer : layer + 2] ** 2).sum())
        np.testing.assert_allclose([found[head] for head in own], expected, rtol=1e-2)


def test_importance_is_the_mean_over_all_positions_times_the_heads():
    run = Run("multi_hop")
    found = head_orders(run, SAMPLE, ["importance"], 1)["importance"]
    rows = [row for one in Inspector(run.model, head_importance=True).inspect(PAIRS)
            for row in one.head_importance["encoder", 2]]  # fmt: skip
    assert len(rows) == sum(len(source) + 1 for source, _ in PAIRS)
    assert found == pytest.approx({Head("encoder", 2, number): 2 * np.mean([row[number - 1] for row in rows])
                                   for number in (1, 2)})  # fmt: skip
    assert sum(found.values()) == pytest.approx(2)
    assert list(found.values()) == sorted(found.values())


def test_all_orders_hold_the_same_heads():
    orders = head_orders(Run("multi_hop"), SAMPLE, ["random", "importance"], 1)
    assert list(orders) == ["random", "importance"]
    for order in orders.values():
        assert set(order) == {Head("encoder", 2, 1), Head("encoder", 2, 2)}


def test_random_orders_depend_on_the_seed_and_may_be_of_some_heads_only():
    run = Run("multi_head")
    first, again, other = (list(head_orders(run, SAMPLE, ["random"], seed)["random"]) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 12
    assert set(head_orders(run, SAMPLE, ["random"], 1, ["cross:2", "encoder:1:2"])["random"]) == {
        Head("cross", 2, 1),
        Head("cross", 2, 2),
        Head("encoder", 1, 2),
    }


def test_a_model_without_head_importance_cannot_be_ordered_by_it():
    with pytest.raises(InputError, match="this model has no head importance"):
        head_orders(Run("multi_head"), SAMPLE, ["importance"], 1)
