import dataclasses
import re

import pytest

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import (
    ExperimentConfig,
    ModelConfig,
    PlacedAttentionConfig,
    PlacementConfig,
    differences,
    from_dict,
    load_config,
    override,
    to_dict,
    to_yaml,
)

DEFAULT = ExperimentConfig()
ATTENTION = PlacedAttentionConfig("multi_head", num_heads=2, options={"use_bias": True})
PLACEMENT = PlacementConfig("cross", (1, 3), ATTENTION)
EVERYTHING = override(
    dataclasses.replace(DEFAULT, model=ModelConfig(placements=(PLACEMENT,))),
    ["data.source='täxt no: 1.de'", "data.source_language=no", "data.corpus='1e5'", "train.gradient_clip=0.5"],
)


def changed(assignment):
    return override(DEFAULT, [assignment])


def error(assignment):
    with pytest.raises(InputError) as raised:
        changed(assignment)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_yaml_and_dictionaries_give_the_same_configuration_again(tmp_path):
    path = tmp_path / "config.yaml"
    of_recipes = {name: entry.make() for name, entry in recipes.RECIPES.items()}
    for name, config in {"default": DEFAULT, "everything": EVERYTHING, **of_recipes}.items():
        path.write_text(to_yaml(config), encoding="utf-8")
        assert load_config(path) == config, name
        assert from_dict(to_dict(config)) == config, name


def test_yaml_holds_every_key_and_keys_left_out_keep_their_defaults(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("model: {dropout: 0.3}\n")
    assert load_config(path) == changed("model.dropout=0.3")
    for section in dataclasses.fields(ExperimentConfig):
        for field in dataclasses.fields(section.type if dataclasses.is_dataclass(section.type) else section.default):
            assert f"\n  {field.name}:" in to_yaml(DEFAULT)


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("train.max_steps=7", 7),
        ("train.max_steps=1e5", 100_000),
        ("train.adam_epsilon=1e-9", 1e-9),
        ("train.learning_rate=2", 2.0),
        ("train.learning_rate=.5", 0.5),
        ("train.warmup_steps=0400", 400),
        ("train.warmup_steps=0x10", 16),
        ("train.max_steps=100_000", 100_000),
        ("data.source_language=1:30", "1:30"),
        ("train.patience=null", None),
        ("train.patience=", None),
        ("train.patience=3", 3),
        ("data.shared_vocabulary=false", False),
        ("data.vocabulary_size=400", 400),
        ("data.vocabulary_size=[400,500]", (400, 500)),
        ("train.validation_epochs=2", 2),
        ("data.source_language=no", "no"),
        ("data.source_language=on", "on"),
        ("data.corpus='1e5'", "1e5"),
        ("data.source=a=b", "a=b"),
        ("data.seed=0", 0),
        ("train.average_last=0", 0),
        ("decode.length_penalty=0", 0.0),
        ("decode.max_length=50", 50),
        ("model.normalization=pre", "pre"),
        ("model.attention.scheme=multi_head", "multi_head"),
        ("model.attention.num_heads=4", 4),
        ("model.attention.options={implementation: head_pairs}", {"implementation": "head_pairs"}),
        ("model.attention.options.use_bias=true", {"use_bias": True}),
        ("model.placements=[]", ()),
        ("model.placements=null", None),
        ("model.memory=all", "all"),
    ],
)
def test_an_assignment_sets_one_key(assignment, value):
    config = changed(assignment)
    keys = assignment.partition("=")[0].removesuffix(".use_bias").split(".")
    found = config
    for key in keys:
        found = getattr(found, key)
    assert found == value
    assert type(found) is type(value)
    assert {".".join(key.split(".")[: len(keys)]) for key in differences(DEFAULT, config)} <= {".".join(keys)}


def test_placements_are_set_as_a_list():
    text = "[{site: cross, layers: [1, 3], attention: {scheme: multi_head, num_heads: 2, options: {use_bias: true}}}]"
    assert changed(f"model.placements={text}").model.placements == (PLACEMENT,)


def test_a_scheme_replaces_the_placements_of_a_recipe():
    placed = recipes.get("mhop_iwslt17_de_en_layer_4")
    assert placed.model.placements
    assert override(placed, ["model.attention.scheme=multi_head"]).model.placements is None
    one = "{site: cross, layers: [1], attention: {scheme: multi_hop}}"
    kept = override(placed, [f"model.placements=[{one}]", "model.attention.scheme=multi_hop"])
    assert [placement.site for placement in kept.model.placements] == ["cross"]


def test_assignments_are_applied_in_their_order():
    config = override(DEFAULT, ["data.seed=2", "data.seed=3", "train.seed=4"])
    assert (config.data.seed, config.train.seed) == (3, 4)


def test_options_may_come_before_their_scheme():
    config = override(DEFAULT, ["model.attention.options.gate=headwise", "model.attention.scheme=gated_heads"])
    assert config.model.attention.options == {"gate": "headwise"}


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("model.num_head", "model.attention.num_heads"),
        ("model.attention.num_head", "model.attention.num_heads"),
        ("model.dropuot", "model.dropout"),
        ("model.attention.dropuot", "model.attention.dropout"),
        ("learning_rate", "train.learning_rate"),
        ("train.sed", "train.seed"),
        ("data.sed", "data.seed"),
        ("train.max_step", "train.max_steps"),
        ("decode.beam", "decode.beam_size"),
        ("data.max_len", "data.max_length"),
    ],
)
def test_an_unknown_key_names_the_nearest(key, nearest):
    assert error(f"{key}=4") == f"unknown configuration key {key}; did you mean {nearest}?"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"trane": {}}, " trane; did you mean train?"),
        ({"model": {"placements": [{"layer": [1]}]}}, " model.placements.layer; did you mean model.placements.layers?"),
        ({"model": {"placements": [{"xyz": 1}]}}, "; the keys are model.placements.site, model.placements.layers, "),
    ],
)
def test_a_mapping_with_an_unknown_key_names_its_own_keys(mapping, message):
    with pytest.raises(InputError, match=re.escape(message)):
        from_dict(mapping)


def test_an_unknown_key_without_a_near_match_lists_its_section():
    message = error("train.xyz=4")
    assert "train.learning_rate" in message
    assert "model." not in message
    assert "decode.beam_size" in error("xyz=4")


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("model.dropout", "--set takes KEY=VALUE, such as model.dropout=0.2, got 'model.dropout'"),
        ("=4", "unknown configuration key"),
        ("train.max_steps=many", "train.max_steps must be a whole number, got 'many'"),
        ("train.max_steps=1.5", "train.max_steps must be a whole number, got 1.5"),
        ("train.max_steps=null", "train.max_steps must be a whole number, got None"),
        ("train.max_steps=true", "train.max_steps must be a whole number, got True"),
        ("train.max_steps=0", "train.max_steps must be at least 1, got 0"),
        ("train.seed=-1", "train.seed must be at least 0, got -1"),
        ("train.learning_rate=fast", "train.learning_rate must be a number, got 'fast'"),
        ("train.learning_rate=0", "train.learning_rate must be above 0"),
        ("train.learning_rate=-1", "train.learning_rate must be at least 0, got -1.0"),
        ("train.learning_rate=.nan", "train.learning_rate must be a finite number, got nan"),
        ("train.gradient_clip=.inf", "train.gradient_clip must be a finite number, got inf"),
        ("model.dropout=1", "model.dropout must be below 1, got 1.0"),
        ("model.model_dim=1000000000", "model.model_dim must be at most 131072, got 1000000000"),
        ("model.feed_forward_dim=1000000000", "model.feed_forward_dim must be at most 131072, got 1000000000"),
        ("model.attention.num_heads=1000000", "model.attention.num_heads must be at most 16384, got 1000000"),
        ("model.attention.key_dim=1000000", "model.attention.key_dim must be at most 131072, got 1000000"),
        ("model.decoder_layers=1001", "model.decoder_layers must be at most 1000, got 1001"),
        ("decode.beam_size=1000000000", "decode.beam_size must be at most 100, got 1000000000"),
        ("train.label_smoothing=1.0", "train.label_smoothing must be below 1"),
        ("data.shared_vocabulary=2", "data.shared_vocabulary must be true or false, got 2"),
        ("data.corpus=3", "data.corpus must be a string, got 3"),
        ("train.precision=float16", "train.precision must be one of float32, mixed_bfloat16, mixed_float16, auto"),
        ("model.normalization=middle", "model.normalization must be one of post, pre, got 'middle'"),
        ("decode.length_penalty_type=wu", "must be one of gnmt, average, none"),
        ("model=4", "model must be a mapping with the keys attention, "),
        ("model.attention.options=4", "model.attention.options must be a mapping, got 4"),
        ("model.attention.options.a.b=4", "unknown configuration key model.attention.options.a.b"),
        ("model.placements=4", "model.placements must be a list, got 4"),
        ("model.placements=[{site: cross}]", "model.placements lacks the key layers"),
        ("model.placements=[{site: x, layers: [1], attention: {}}]", "model.placements.site must be one of encoder"),
        ("model.placements=[{site: cross, layers: [0], attention: {}}]", "model.placements.layers must be at least 1"),
        ("model.placements=[{site: cross, layers: [1], attention: {heads: 2}}]", "model.placements.attention.heads"),
        ("data.corpus=: :", "': :' is not a valid YAML value"),
    ],
)
def test_a_wrong_value_is_a_one_line_error(assignment, message):
    assert message in error(assignment)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"model: {dropout: 0.1", "is not valid YAML"),
        (b"model:\n\tdropout: 1", "is not valid YAML"),
        (b"train: {max_steps: 5}\ntrain: {seed: 2}", "the key train is given more than once"),
        (b"\xff\xfe\x00", "is not valid YAML"),
        (b"", "must contain the keys model, data, train, decode at its top level"),
        (b"- model", "must contain the keys model"),
        (b"modle: {}", "unknown configuration key modle"),
        (b"model: [1]", "model must be a mapping with the keys"),
    ],
)
def test_a_wrong_file_is_a_one_line_error(tmp_path, content, message):
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as raised:
        load_config(path)
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"cannot read the configuration .*none\.yaml: No such file"):
        load_config(tmp_path / "none.yaml")


def test_differences_name_keys_with_both_values():
    other = override(DEFAULT, ["model.dropout=0.3", "model.attention.options.use_bias=true"])
    assert differences(DEFAULT, DEFAULT) == {}
    assert differences(DEFAULT, other)["model.dropout"] == (0.1, 0.3)
    assert differences(DEFAULT, other)["model.attention.options.use_bias"] == (None, True)


def test_an_unknown_recipe_names_the_nearest():
    with pytest.raises(InputError, match="unknown recipe 'quickstrat'; did you mean quickstart"):
        recipes.get("quickstrat")
