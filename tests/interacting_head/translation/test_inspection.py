import numpy as np
import pytest
from keras import ops

from data.errors import InputError
from data.text.subwords import BEGIN, END
from interacting_head.translation.inspection import Inspector
from layers import ATTENTION_SCHEMES
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.parameters import mostly_slow

H = 2
EXTRA_AXES = {"interacting_head_pairwise": (H,), "multi_layer": (2,), "interleaved_heads": (2,)}
"""Scheme → sizes of the query heads; of the encoder layers; of the pseudo-heads."""
WEIGHING = {
    "dynamic_head_importance": [("encoder", 2), ("decoder", 2), ("cross", 2)],
    "multi_hop": [("encoder", 2)],
}

SCHEMES = [
    ("talking_heads", {}),
    ("interacting_head_pairwise", {}),
    ("interacting_head_pairwise", {"implementation": "listing"}),
    ("interacting_head", {"implementation": "listing"}),
    ("interacting_head", {"implementation": "head_pairs"}),
    ("interacting_head", {}),
    ("multi_layer", {"joint_attention": False}),
    ("multi_layer", {}),
    ("dynamic_head_importance", {}),
    ("multi_hop", {}),
    ("knocking_heads", {"value_mixing": "mlp"}),
    ("collaborative_heads", {}),
    ("interleaved_heads", {}),
    ("gated_heads", {}),
]

every_scheme = pytest.mark.parametrize("scheme", mostly_slow(ATTENTION_SCHEMES, "interacting_head", "multi_layer"))


def pair(source_length, target_length):
    """Ids of a sentence pair without `BEGIN` and `END`."""
    draw = np.random.default_rng((source_length, target_length))
    return draw.integers(4, tiny.V, source_length).tolist(), draw.integers(4, tiny.V, target_length).tolist()


def by_hand(model, source, target):
    """{place: (weights, importance)} of each attention layer, for one sentence, layer by layer."""
    source_ids, target_ids = np.array([[*source, END]]), np.array([[BEGIN, *target]])
    memories, mask = model.encode(source_ids)
    x = model.get_layer("target_positions")(model.target_embedding(target_ids))
    seen = {}
    states = model.get_layer("source_positions")(model.target_embedding(source_ids))
    for number in (1, 2):
        block = model.get_layer(f"encoder_block_{number}")
        query, layer = block.before("self_attention", states), block.self_attention
        found = layer(query, query, return_attention_scores=True, return_head_importance=layer.has_head_importance)
        seen["encoder", number] = [array(part)[0] for part in found[1:]]
        states = block(states)
    for number, memory in enumerate(memories, start=1):
        block = model.get_layer(f"decoder_block_{number}")
        for site, name in (("decoder", "self_attention"), ("cross", "cross_attention")):
            query, layer = block.before(name, x), getattr(block, name)
            asked = {"return_attention_scores": True, "return_head_importance": layer.has_head_importance}
            if site == "decoder":
                found = layer(query, query, use_causal_mask=True, **asked)
            else:
                found = layer(query, memory, attention_mask=ops.expand_dims(mask, 1), **asked)
            seen[site, number] = [array(part)[0] for part in found[1:]]
            x = block.after(name, x, found[0], False)
        x = block.apply_feed_forward(x, False)
    return seen


@every_scheme
def test_inspected_attention_equals_the_layers_for_every_sentence(scheme):
    model = tiny.transformer(scheme=scheme)
    pairs = [pair(5, 3), pair(2, 20), pair(30, 1), pair(1, 0)]
    found = Inspector(model, attention=["encoder", "decoder", "cross"]).inspect(pairs)
    for (source, target), inspection in zip(pairs, found, strict=True):
        expected = by_hand(model, source, target)
        assert inspection.head_importance is None
        assert inspection.attention.keys() == expected.keys()
        assert inspection.attention["cross", 2].shape[:-3] == EXTRA_AXES.get(scheme, ())
        sizes = {
            "encoder": (len(source), len(source)),
            "decoder": (len(target),) * 2,
            "cross": (len(target), len(source)),
        }
        for (site, number), weights in inspection.attention.items():
            assert weights.shape[-3:] == (H, *(size + 1 for size in sizes[site]))
            assert weights.dtype == np.float32
            assert weights.shape == expected[site, number][0].shape
            np.testing.assert_allclose(weights, expected[site, number][0], atol=1e-5)


def softmax(logits, site):
    hidden = np.tri(*logits.shape[-2:]) == 0 if site == "decoder" else np.zeros(logits.shape[-2:])
    exponentials = np.where(hidden, 0, np.exp(logits - logits.max(axis=-1, keepdims=True)))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("variant", mostly_slow(SCHEMES, SCHEMES[0], SCHEMES[1]), ids=str)
def test_inspected_logits_are_the_input_of_the_softmax(variant):
    scheme, options = variant
    model = tiny.transformer(scheme=scheme, options=options)
    sites = ["encoder", "decoder", "cross"]
    pairs = [pair(5, 3), pair(9, 20)]
    inspector = Inspector(model, attention=sites, logits=sites, heads=sites)
    layers = model.attention_layers
    for inspection in inspector.inspect(pairs):
        for place, weights in inspection.attention.items():
            logits, heads = inspection.logits[place], inspection.heads[place]
            after = softmax(logits.astype("float64"), place[0])
            if hasattr(layers[place], "post_softmax_kernel"):
                mixing = layers[place].post_softmax_kernel
                after = np.einsum("ij,jts->its", array(mixing), after)
            assert logits.shape[-3:] == weights.shape[-3:]
            np.testing.assert_allclose(np.broadcast_to(after, weights.shape), weights, atol=1e-5)
            assert heads.shape == (*weights.shape[:-1], layers[place].value_dim)


def test_inspected_heads_are_the_weighted_values():
    model = tiny.transformer(scheme="multi_layer")
    [seen] = Inspector(model, attention=["cross"], heads=["cross"]).inspect([pair(4, 3)])
    layer = model.attention_layers["cross", 1]
    memories, _ = model.encode(np.array([[*pair(4, 3)[0], END]]))
    _, v = layer.project_memory(memories[0])
    np.testing.assert_allclose(seen.heads["cross", 1], seen.attention["cross", 1] @ array(v)[0], atol=1e-5)


@pytest.mark.parametrize("scheme", mostly_slow(WEIGHING, "multi_hop"))
def test_head_importance_is_given_for_layers_that_weigh_their_heads(scheme):
    model = tiny.transformer(scheme=scheme)
    pairs = [pair(5, 3), pair(2, 20)]
    for (source, target), inspection in zip(pairs, Inspector(model, head_importance=True).inspect(pairs), strict=True):
        assert inspection.attention is None
        assert list(inspection.head_importance) == WEIGHING[scheme]
        for (site, number), importance in inspection.head_importance.items():
            assert importance.shape == (len(source if site == "encoder" else target) + 1, H)
            np.testing.assert_allclose(importance.sum(-1), 1, atol=1e-5)
            expected = by_hand(model, source, target)[site, number][1]
            np.testing.assert_allclose(importance, expected, atol=1e-5)


def test_attention_and_importance_are_inspected_together():
    model = tiny.transformer(scheme="dynamic_head_importance")
    inspector = Inspector(model, attention=["cross"], head_importance=True)
    first, second, third = inspector.inspect([([], [5, 6]), pair(3, 4), ([], [])])
    assert first == third == ({}, {}, None, None)
    assert second.attention["cross", 1].shape == (H, 5, 4)
    assert second.head_importance["encoder", 2].shape == (4, H)
    assert inspector.inspect([]) == []


def test_large_windows_are_divided(monkeypatch):
    model = tiny.transformer()
    pairs = [pair(3 + i, 5) for i in range(7)]
    whole = Inspector(model, attention=["cross"]).inspect(pairs)
    monkeypatch.setattr("interacting_head.translation.inspection.POSITIONS", 2 * 16 * 16)
    for left, right in zip(whole, Inspector(model, attention=["cross"]).inspect(pairs), strict=True):
        np.testing.assert_allclose(left.attention["cross", 2], right.attention["cross", 2], atol=1e-5)


@pytest.mark.parametrize("scheme", mostly_slow(sorted(ATTENTION_SCHEMES.keys() - WEIGHING.keys()), "multi_head"))
def test_a_model_that_does_not_weigh_its_heads_has_no_importance(scheme):
    with pytest.raises(InputError, match="this model has no head importance: only attention layers of"):
        Inspector(tiny.transformer(scheme=scheme), head_importance=True)


def test_inspecting_one_site_equals_inspecting_all():
    model = tiny.transformer()
    pairs = [pair(5, 3), pair(2, 20)]
    for one, every in zip(
        Inspector(model, attention=["decoder"]).inspect(pairs),
        Inspector(model, attention=["encoder", "decoder", "cross"]).inspect(pairs),
        strict=True,
    ):
        assert list(one.attention) == [("decoder", 1), ("decoder", 2)]
        np.testing.assert_allclose(one.attention["decoder", 2], every.attention["decoder", 2], atol=1e-5)
