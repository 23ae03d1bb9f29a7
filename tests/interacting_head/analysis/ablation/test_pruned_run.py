"""Heads really removed, against heads masked."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from data.errors import InputError
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head
from interacting_head.analysis.ablation.pruned_run import check_removable, kept_heads, pruned
from interacting_head.config import AttentionConfig, ExperimentConfig
from interacting_head.model.placement import attention_of, resolved
from interacting_head.model.transformer import Transformer
from layers import ATTENTION_SCHEMES
from layers.interacting_head_attention import COMBINATIONS, shared_query
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.layers.schemes import randomize
from tests.parameters import mostly_slow

MIXED = {
    "talking_heads": "each mixes the logits and weights of all others",
    "collaborative_heads": "each weighs the queries and keys that all heads share",
    "interleaved_heads": "each mixes the queries, keys and values of all others",
}
"""Scheme whose heads cannot be removed → the reason."""
OPTIONS = {
    "interacting_head": [{"query_combination": "mean", "use_bias": True}, {"cumulative": True, "use_bias": True}],
    "interacting_head_pairwise": [{"implementation": "listing", "use_bias": True}],
    "dynamic_head_importance": [{"importance_score": "mlp"}],
    "multi_hop": [{"hop_dim": 1}],
    "multi_layer": [{"joint_attention": False}, {"concat_contexts": False, "use_bias": True}],
}
CASES = {
    "-".join([scheme, *map(str, options.values())]): (scheme, options)
    for scheme in ATTENTION_SCHEMES
    if scheme not in MIXED
    for options in [{}, *OPTIONS.get(scheme, [])]
}
SUBWORDS = [SimpleNamespace(vocabulary_size=tiny.V)] * 2


def transformer(scheme, options=None, **settings):
    """A `Transformer` of four heads a layer, which stand where the scheme's paper has them, and its configuration."""
    config = tiny.config(scheme, 4, **settings)
    attention = AttentionConfig(scheme, 4, config.attention.key_dim, options=options or {})
    config = dataclasses.replace(config, attention=attention)
    return randomize(Transformer(config, tiny.V, tiny.V)), ExperimentConfig(model=config)


@pytest.mark.parametrize("case", mostly_slow(CASES, "interacting_head-mean-True", "multi_hop", "multi_layer-False"))
def test_a_pruned_model_gives_the_logits_of_the_masked_one(case):
    model, config = transformer(*CASES[case])
    removed = [
        *(Head("encoder", 2, number) for number in (1, 3)),
        *(Head("decoder", 2, number) for number in (1, 2, 3, 4)),  # the whole layer
        *(Head("cross", 1, number) for number in (2, 3, 4)),
        Head("cross", 2, 4),
    ]
    gated_model = GatedTransformer(model)
    gated_model.close(removed)
    expected = tiny.logits(gated_model.model)
    smaller, new_config = pruned(model, config, SUBWORDS, removed)
    np.testing.assert_allclose(tiny.logits(smaller), expected, atol=1e-5, rtol=1e-5)
    assert np.abs(expected - tiny.logits(model)).max() > 1e-3
    assert smaller.count_params() < model.count_params()
    heads = {place: layer.num_heads for place, layer in smaller.attention_layers.items()}
    changed = {("encoder", 2): 2, ("decoder", 2): 1, ("cross", 1): 1, ("cross", 2): 3}
    assert heads == {**dict.fromkeys(heads, 4), **changed}
    for (site, number), count in changed.items():
        before, after = (attention_of(resolved(one.model), site, number) for one in (config, new_config))
        assert (after.scheme, after.num_heads, after.options) == (before.scheme, count, before.options)


@pytest.mark.parametrize("case", mostly_slow(CASES, "multi_layer", "multi_hop"))
def test_a_model_without_heads_equals_a_model_with_closed_gates(case):
    model, config = transformer(*CASES[case])
    gated_model = GatedTransformer(model)
    heads = gated_model.heads
    gated_model.close(heads)
    expected = tiny.logits(gated_model.model)
    smaller, _ = pruned(model, config, SUBWORDS, heads)
    np.testing.assert_allclose(tiny.logits(smaller), expected, atol=1e-5, rtol=1e-5)


def test_removing_no_heads_gives_the_same_model():
    model, config = transformer("interacting_head")
    same, new_config = pruned(model, config, SUBWORDS, [])
    for ours, theirs in zip(same.weights, model.weights, strict=True):
        np.testing.assert_array_equal(array(ours), array(theirs))
    assert resolved(new_config.model) == resolved(config.model)


@pytest.mark.parametrize("combination", ["sum", "mean"])
def test_the_shared_query_still_includes_removed_heads(combination):
    kernel = np.random.default_rng(1).normal(size=(6, 5, 3)).astype("float32")
    kept = [0, 2, 3]
    new = shared_query(kernel, kept, COMBINATIONS[combination])[:, kept]
    reduced = {"sum": np.sum, "mean": np.mean}[combination]
    np.testing.assert_allclose(reduced(new, axis=1), reduced(kernel, axis=1), atol=1e-5)


def test_heads_that_cannot_be_removed_are_named():
    model, _ = transformer("talking_heads", encoder_layers=1, decoder_layers=1)
    with pytest.raises(InputError, match="heads of talking_heads cannot be removed: each mixes"):
        kept_heads(model, [Head("cross", 1, 2)])
    model, _ = transformer("multi_head", encoder_layers=1, decoder_layers=1)
    for head in (Head("cross", 1, 5), Head("cross", 1, 0), Head("cross", 2, 1)):
        with pytest.raises(InputError, match=f"this model has no head {head}"):
            kept_heads(model, [Head("cross", 1, 2), head])


@pytest.mark.parametrize("scheme", MIXED)
def test_a_model_whose_heads_cannot_be_removed_is_refused_with_the_reason(scheme):
    model, _ = transformer(scheme, encoder_layers=1, decoder_layers=1)
    with pytest.raises(InputError) as raised:
        check_removable(model)
    assert str(raised.value) == f"heads of {scheme} cannot be removed: {MIXED[scheme]}"
    check_removable(transformer("multi_hop", encoder_layers=1, decoder_layers=1)[0])
