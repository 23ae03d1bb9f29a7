import dataclasses
import re

import numpy as np
import pytest

from data.errors import InputError
from interacting_head.config import (
    AttentionConfig,
    ExperimentConfig,
    ModelConfig,
    PlacedAttentionConfig,
    PlacementConfig,
    override,
)
from interacting_head.model.placement import (
    attention_layer,
    attention_of,
    check_model,
    resolved,
    same_experiment,
)
from interacting_head.model.transformer import AGGREGATIONS
from interacting_head.runs.run_directory import RunDirectory
from layers import ATTENTION_SCHEMES
from tests.interacting_head import tiny
from tests.layers.backend import array

PLACED = {"multi_hop", "dynamic_head_importance", "multi_layer"}
"""Schemes that do not stand everywhere by default."""
SITES = {"encoder": "encoder_layers", "decoder": "decoder_layers", "cross": "decoder_layers"}


def changed(*assignments):
    """The `ModelConfig` that `--set` gives."""
    return override(ExperimentConfig(), assignments).model


def places(model):
    """{scheme: {(site, layer)}} of a configuration."""
    model = resolved(model)
    found = {}
    for site, layers in SITES.items():
        for number in range(1, getattr(model, layers) + 1):
            found.setdefault(attention_of(model, site, number).scheme, set()).add((site, number))
    return found


def everywhere(model):
    return {(site, number) for site, layers in SITES.items() for number in range(1, getattr(model, layers) + 1)}


@pytest.mark.parametrize(
    ("scheme", "expected", "memory"),
    [
        ("multi_hop", {("encoder", 4)}, "top"),
        ("dynamic_head_importance", {("encoder", 6), ("decoder", 6), ("cross", 6)}, "top"),
        ("multi_layer", {("cross", number) for number in range(1, 7)}, "all"),
    ],
)
def test_a_scheme_stands_where_its_paper_has_it_and_the_base_elsewhere(scheme, expected, memory):
    model = changed(f"model.attention.scheme={scheme}")
    assert places(model) == {scheme: expected, "multi_head": everywhere(model) - expected}
    assert resolved(model).memory == memory
    check_model(model)


@pytest.mark.parametrize("scheme", sorted(ATTENTION_SCHEMES.keys() - PLACED))
def test_every_other_scheme_is_used_in_all_places(scheme):
    model = changed(f"model.attention.scheme={scheme}")
    assert places(model) == {scheme: everywhere(model)}
    assert resolved(model).memory == "top"


@pytest.mark.parametrize(("layers", "expected"), [(1, 1), (3, 3), (4, 4), (7, 4)])
def test_multi_hop_attention_is_in_the_fourth_or_the_last_encoder_layer(layers, expected):
    model = changed("model.attention.scheme=multi_hop", f"model.encoder_layers={layers}")
    assert places(model)["multi_hop"] == {("encoder", expected)}


@pytest.mark.parametrize("scheme", sorted(PLACED))
def test_an_empty_list_of_placements_puts_a_scheme_everywhere(scheme):
    model = changed(f"model.attention.scheme={scheme}", "model.placements=[]")
    assert places(model) == {scheme: everywhere(model)}


def test_placements_win_over_the_defaults():
    placements = "[{site: encoder, layers: [2, 3], attention: {scheme: multi_hop}}]"
    model = changed("model.attention.scheme=multi_head", f"model.placements={placements}")
    assert places(model)["multi_hop"] == {("encoder", 2), ("encoder", 3)}
    placements = "[{site: cross, layers: [1], attention: {scheme: talking_heads}}]"
    model = changed("model.attention.scheme=dynamic_head_importance", f"model.placements={placements}")
    assert places(model) == {
        "talking_heads": {("cross", 1)},
        "dynamic_head_importance": everywhere(model) - {("cross", 1)},
    }


def test_the_last_of_several_placements_counts():
    placements = (
        PlacementConfig("encoder", (1, 2), PlacedAttentionConfig("talking_heads")),
        PlacementConfig("encoder", (2,), PlacedAttentionConfig("multi_hop")),
    )
    found = places(ModelConfig(placements=placements))
    assert (found["talking_heads"], found["multi_hop"]) == ({("encoder", 1)}, {("encoder", 2)})


def test_a_placement_takes_what_it_leaves_out_from_model_attention():
    attention = AttentionConfig("multi_head", 4, 16, 32, 0.2, {"use_bias": True})
    placed = PlacedAttentionConfig("multi_hop", key_dim=20, options={"hop_dim": 1})
    model = resolved(ModelConfig(attention, (PlacementConfig("encoder", (1,), placed),)))
    assert attention_of(model, "encoder", 1) == AttentionConfig("multi_hop", 4, 20, 32, 0.2, {"hop_dim": 1})
    assert attention_of(model, "encoder", 2) == attention


def test_options_are_inherited_where_the_scheme_has_them():
    attention = AttentionConfig("talking_heads", 4, options={"use_bias": True, "mixing_initializer": "identity"})
    placements = (
        PlacementConfig("encoder", (1,), PlacedAttentionConfig("multi_hop")),
        PlacementConfig("encoder", (2,), PlacedAttentionConfig(num_heads=8)),
    )
    model = ModelConfig(attention, placements)
    options = [attention_of(resolved(model), "encoder", number).options for number in (1, 2)]
    assert options == [{"use_bias": True}, attention.options]
    check_model(model)


def test_multi_head_attention_around_a_scheme_has_its_sizes():
    settings = ["num_heads=4", "key_dim=20", "dropout=0.3", "options={hop_dim: 1, use_bias: true}"]
    model = changed("model.attention.scheme=multi_hop", *(f"model.attention.{setting}" for setting in settings))
    assert attention_of(resolved(model), "cross", 1) == AttentionConfig(
        "multi_head", 4, 20, dropout=0.3, options={"use_bias": True}
    )
    assert attention_of(resolved(model), "encoder", 4) == model.attention


def test_a_resolved_configuration_is_resolved_to_itself():
    for scheme in ATTENTION_SCHEMES:
        model = resolved(changed(f"model.attention.scheme={scheme}"))
        assert resolved(model) == model


def test_schemes_choose_the_memory_that_they_read():
    cross = "[{site: cross, layers: [%s], attention: {scheme: multi_layer}}]"
    assert resolved(changed(f"model.placements={cross % '1, 2, 3, 4, 5, 6'}")).memory == "all"
    assert resolved(changed(f"model.placements={cross % '1, 2'}")).memory == "top"
    scheme = "model.attention.scheme=multi_layer"
    assert resolved(changed(scheme, "model.memory=top")).memory == "top"
    assert resolved(changed(scheme, "model.memory=linear")).memory == "linear"
    check_model(changed(scheme, "model.memory_layers=3"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["model.memory=all"], "needs the scheme multi_layer, not interacting_head"),
        (["model.memory_layers=2"], "model.memory_layers needs model.memory=all or transparent"),
        (["model.memory=transparent", "model.memory_layers=2"], "model.memory_layers gives several memories to"),
        (
            ["model.attention.scheme=multi_layer", "model.memory_layers=7"],
            "model.memory_layers is 7, but the encoder has only 6 layers; set it to at most 6",
        ),
        (
            ["model.attention.scheme=multi_hop", "model.attention.options={hop: 1}"],
            "model.attention.options {'hop': 1} are not valid for the scheme multi_hop: unknown option 'hop'; did you "
            "mean hop_dim?",
        ),
        (
            ["model.attention.scheme=multi_layer", "model.attention.options={num_sources: 3}"],
            "'num_sources'; known: use_bias, joint_attention, concat_contexts",
        ),
        (
            ["model.attention.scheme=multi_layer", "model.attention.options={masked_sources: 1}"],
            "'masked_sources'; known: use_bias, joint_attention, concat_contexts",
        ),
        (
            ["model.attention.scheme=multi_head", "model.attention.options={trainable: false}"],
            "'trainable'; known: use_bias",
        ),
        (
            ["model.attention.scheme=multi_hop", "model.attention.options={hop_dim: -1}"],
            "model.attention.options.hop_dim must be at least 1, got -1",
        ),
        (
            ["model.attention.scheme=dynamic_head_importance", "model.attention.options={importance_dim: abc}"],
            "model.attention.options.importance_dim must be a whole number, got 'abc'",
        ),
        (
            ["model.attention.scheme=differential", "model.attention.options={lambda_init: abc}"],
            "model.attention.options.lambda_init must be a number, got 'abc'",
        ),
        (
            ["model.attention.scheme=folded", "model.attention.options={start: multi_hop}"],
            "standard attention cannot start as multi_hop",
        ),
        (
            ["model.attention.options={use_bias: 'no'}"],
            "model.attention.options.use_bias must be true or false, got 'no'",
        ),
        (
            ["model.attention.scheme=folded", "model.attention.options={start: knocking_heads, mix_query: 'no'}"],
            "model.attention.options.mix_query must be true or false, got 'no'",
        ),
        (
            ["model.attention.scheme=folded", "model.attention.options={scaled: 'no'}"],
            "model.attention.options.scaled must be true or false, got 'no'",
        ),
        (
            ["model.attention.scheme=differential", "model.model_dim=24"],
            "num_heads 8, key_dim 3 and options {} of model.attention are not valid for the scheme differential",
        ),
        (["model.attention.scheme=fixed_head_size"], "fixed_head_size needs model.attention.key_dim"),
        (
            ["model.placements=[{site: cross, layers: [], attention: {scheme: multi_hop}}]"],
            "model.placements has one at the site cross without layers; name some, from 1, or remove it",
        ),
        (
            ["model.attention.options={query_combinaton: mean}"],
            "unknown option 'query_combinaton'; did you mean query_combination?",
        ),
        (
            ["model.attention.scheme=multi_hop", "model.attention.options={dtype: float16}"],
            "are not valid for the scheme multi_hop: unknown option 'dtype'; known: use_bias, hop_dim",
        ),
    ],
)
def test_settings_that_do_not_fit_are_an_error_of_one_line(settings, message):
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        check_model(changed(*settings))
    assert "\n" not in str(raised.value)


def test_whole_numbers_may_be_written_with_a_point():
    settings = ["model.attention.scheme=multi_hop", "model.attention.options={hop_dim: 6.0}"]
    layer = attention_layer(resolved(changed(*settings)), "encoder", 4)
    assert layer.hop_dim == 6
    assert isinstance(layer.hop_dim, int)


def test_models_are_built_as_the_configuration_says():
    block = tiny.transformer(scheme="dynamic_head_importance").get_layer
    for name, sites in {"encoder": ("self",), "decoder": ("self", "cross")}.items():
        for number, scheme in ((1, "multi_head"), (2, "dynamic_head_importance")):
            for site in sites:
                attention = getattr(block(f"{name}_block_{number}"), f"{site}_attention")
                assert type(attention) is ATTENTION_SCHEMES[scheme]


def test_multi_layer_attention_reads_every_encoder_layer():
    model = tiny.transformer(scheme="multi_layer", encoder_layers=3)
    cross = model.get_layer("decoder_block_2").cross_attention
    assert cross.num_sources == 3
    batch = {"source_ids": tiny.sources([3, 5]), "target_ids": tiny.targets([4, 2])[0]}
    before = array(model(batch))
    cross.masked_sources = (1,)
    assert np.abs(array(model(batch)) - before).max() > 1e-3


def test_each_decoder_layer_reads_its_own_mixtures_of_encoder_layers():
    sizes = {"encoder_layers": 3, "memory": "transparent", "memory_layers": 2, "memory_normalization": "top"}
    model = tiny.transformer(scheme="multi_layer", **sizes)
    [kernel] = model.get_layer("transparent_attention").trainable_variables
    chosen = np.full(kernel.shape, -1e9)  # of embeddings and three layers, by two decoder layers and two mixtures
    for mixture, source in enumerate((1, 3, 3, 0)):
        chosen[source, mixture] = 0
    kernel.assign(chosen)
    memories, _ = model.encode(tiny.sources([3, 5]))
    (first, top), (same, embedded) = (map(array, mixtures) for mixtures in memories)
    assert np.array_equal(top, same)
    assert all(np.abs(one - top).max() > 0.1 for one in (first, embedded))
    assert model.get_layer("decoder_block_1").cross_attention.num_sources == 2


def test_a_run_resumes_with_defaults_written_out_and_without(tmp_path):
    config = override(ExperimentConfig(), ["model.attention.scheme=multi_hop"])
    run = RunDirectory(tmp_path / "run")
    assert run.create_or_check(config, same_experiment)
    assert not run.create_or_check(config, same_experiment)
    assert not run.create_or_check(dataclasses.replace(config, model=resolved(config.model)), same_experiment)
    with pytest.raises(InputError, match=r"model.placements \(None there, \[\] now\)"):
        run.create_or_check(override(config, ["model.placements=[]"]), same_experiment)


def test_every_aggregation_can_be_configured():
    [memory] = [field for field in dataclasses.fields(ModelConfig) if field.name == "memory"]
    assert set(memory.metadata["limits"]["choices"]) == {"top", "all", *AGGREGATIONS}
