import numpy as np
import pytest

from data.errors import InputError
from interacting_head.config import SITES, PlacedAttentionConfig, PlacementConfig
from interacting_head.export.folding import fold, fold_transformer
from layers import reference
from tests.interacting_head import tiny
from tests.layers import schemes
from tests.layers.backend import array

B, T, S, D = 2, 3, 4, schemes.MODEL_DIM
FOLDED = [case for case in schemes.ALL if schemes.make(*case).why_not_standard is None]
REFUSED = [case for case in schemes.ALL if case not in FOLDED]


def standard(folded, query, value, mask):
    """Multi-head attention, by the loop of `layers.reference`, with the weights of a `StandardAttention`."""
    weights = {f"{name}_kernel": getattr(folded, name) for name in ("query", "key", "value")}
    weights |= {"output_kernel": folded.output_kernel, "output_bias": folded.output_bias}
    output, _ = reference.multi_head(weights, schemes.with_ones(query), schemes.with_ones(value), mask)
    return output


@pytest.mark.parametrize("sizes", [{}, {"key_dim": 3, "value_dim": 5}, {"num_heads": 1}], ids=str)
@pytest.mark.parametrize("case", FOLDED, ids=str)
def test_folded_weights_compute_what_the_scheme_does(case, sizes):
    layer = schemes.built(*case, **sizes)
    query, value = schemes.normal(B, T, D), schemes.normal(B, S, D, seed=1)
    mask = np.ones((B, T, S))
    mask[0, :, 2:] = 0
    expected = array(layer(query, value, attention_mask=mask))
    folded = fold(layer)
    np.testing.assert_allclose(standard(folded, query, value, mask), expected, rtol=1e-5, atol=1e-5)
    larger = folded.resized(folded.num_heads + 2, folded.head_dim + 3)
    assert larger.key.shape == (D + 1, folded.num_heads + 2, folded.head_dim + 3)
    np.testing.assert_allclose(standard(larger, query, value, mask), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("scheme", "heads", "size"),
    [
        ("multi_head", 4, 6),
        ("interacting_head", 4, 6),
        ("interacting_head_pairwise", 16, 6),
        ("talking_heads", 4, 24),
        ("knocking_heads", 4, 6),
        ("collaborative_heads", 4, 24),
    ],
)
def test_folded_layers_have_the_expected_sizes(scheme, heads, size):
    folded = fold(schemes.built(scheme, {}))
    assert (folded.num_heads, folded.head_dim) == (heads, size)
    assert folded.query.shape == folded.key.shape == folded.value.shape == (D + 1, heads, size)
    assert folded.output_kernel.shape == (heads, size, D)


@pytest.mark.parametrize("gates", ["head_gates", "source_gates"])
def test_a_layer_with_a_closed_gate_is_not_folded(gates):
    scheme, options = ("multi_layer", {"num_sources": 1}) if gates == "source_gates" else ("interacting_head", {})
    layer = schemes.built(scheme, options, head_gates=True)
    for name in {"head_gates", gates}:
        getattr(layer, name).assign(np.ones(getattr(layer, name).shape))
    assert fold(layer).num_heads == 4
    getattr(layer, gates).assign(np.zeros(getattr(layer, gates).shape))
    with pytest.raises(InputError, match="the layer has heads that are switched off by gates; remove them first"):
        fold(layer)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_layers_that_cannot_be_folded_say_why(case):
    with pytest.raises(InputError, match=f"that layer is {case[0]}, which cannot be converted: .*--format savedmodel"):
        fold(schemes.built(*case), "that layer")


def test_schemes_that_weigh_heads_or_read_several_memories_are_refused():
    layers = [(case, schemes.make(*case)) for case in schemes.ALL]
    found = [case for case, one in layers if one.has_head_importance or getattr(one, "num_sources", 1) > 1]
    assert found
    assert all(case in REFUSED for case in found)


def test_all_other_schemes_of_the_four_papers_are_folded():
    papers = {"multi_head", "fixed_head_size", "talking_heads", "interacting_head", "interacting_head_pairwise"}
    assert papers | {"collaborative_heads"} <= {name for name, _ in FOLDED} - {name for name, _ in REFUSED}
    assert {name for name, options in REFUSED if not options} >= {"dynamic_head_importance", "multi_hop"}
    for case in schemes.ALL:
        if case[0] == "multi_layer":
            assert (case in FOLDED) == (case[1].get("num_sources", 1) == 1)
    assert ("knocking_heads", {}) in FOLDED
    assert ("interleaved_heads", {"num_pseudo_heads": 1}) in FOLDED


def test_a_model_is_folded_at_every_place():
    placements = (PlacementConfig("cross", (2,), PlacedAttentionConfig("interacting_head_pairwise")),)
    folded = fold_transformer(tiny.transformer(scheme="talking_heads", placements=placements))
    assert set(folded) == {(site, number) for site in SITES for number in (1, 2)}
    assert (folded["cross", 2].num_heads, folded["cross", 2].head_dim) == (4, 4)
    assert {(found.num_heads, found.head_dim) for place, found in folded.items() if place != ("cross", 2)} == {(2, 8)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scheme": "multi_hop"}, "self-attention of encoder layer 2 is multi_hop"),
        ({"scheme": "dynamic_head_importance"}, "self-attention of encoder layer 2 is dynamic_head_importance"),
        ({"scheme": "multi_layer"}, "encoder-decoder attention of decoder layer 1 is multi_layer"),
        ({"memory": "transparent"}, "model.memory=transparent cannot be converted"),
        ({"memory": "linear"}, "model.memory=linear cannot be converted"),
    ],
)
def test_an_error_names_the_place_that_cannot_be_folded(settings, message):
    with pytest.raises(InputError, match=message):
        fold_transformer(tiny.transformer(**settings))
