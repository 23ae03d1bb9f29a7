"""Configurations and search spaces as strangers may write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interacting_head import recipes
from interacting_head.config import ExperimentConfig, flattened, load_config, to_dict, to_yaml
from interacting_head.recipes import resolve
from interacting_head.training.setup import check
from tests.hostile import attempts, changed_or_any, few_and_many, refusal

KEYS = list(flattened(to_dict(ExperimentConfig())))
VALID = [to_yaml(recipes.get(name)) for name in ("quickstart", "multi30k_de_en")] + [
    "model: {placements: [{site: cross, layers: [1, 2], attention: {scheme: multi_hop, options: {hop_dim: 3}}}]}\n",
    "data: &a {seed: 3}\ntrain: {<<: *a, max_steps: 1e5}\n",
]
NUMBERS = [0, -1, 2**31, 2**63, -(2**64), 10**30, 1e308, -1e-320, 5000, 1000]
LINES = 9


def bomb(first, repeated):
    """Nine lines of aliases that stand for 9⁹ of the first."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {repeated.format(', '.join([f'*a{n - 1}'] * LINES))}" for n in range(1, LINES + 1)]
    return "\n".join(lines) + "\n"


WRONG = {
    "a list of lists of lists": bomb("[x, x]", "[{}]"),
    "merged dictionaries": bomb("{x: 1}", "{{<<: [{}]}}"),
    "options that aliases repeat": bomb("[x]", "[{}]")
    + f"model: {{attention: {{options: {{use_bias: *a{LINES}}}}}}}\n",
    "a list that holds itself": "model: &a [*a]\n",
    "a dictionary that holds itself": "model: &a {attention: {options: *a}}\n",
    "nesting": "model: " + "[" * 20_000,
    "closed nesting": "model: " + "{a: " * 9_000 + "}" * 9_000,
    "many digits": f"train: {{max_steps: {'9' * 5000}}}\n",
    "many hexadecimal digits": f"train: {{max_steps: 0x{'f' * 5000}, learning_rate: 0x{'f' * 5000}}}\n",
    "a large number": f"train: {{max_steps: {10**400}}}\n",
    "a large number for a fraction": f"train: {{learning_rate: {10**400}}}\n",
    "a seed that generators do not take": "train: {seed: 4294967296}\n",
    "layers for ever": "model: {encoder_layers: 1000000000}\n",
    "a day that does not exist": "data: {corpus: !!timestamp 2001-99-99}\n",
    "tags": "train: {max_steps: !!int x, learning_rate: !!float '', keep_last: !!timestamp x, seed: !!bool x}\n",
    "an object": "data: !!python/object/apply:os.system ['touch hostile']\n",
    "a class": "data: {corpus: !!python/name:os.system ''}\n",
    "a key of several lines": '"train.\\n\\u2028\\e[31m": 1\n',
    "a long key": f"{'k' * 50_000}: 1\n",
    "keys of any type": "model: {1: 2, null: 3, [a]: 4}\n",
    "a long file": "# " + "x" * 2**20,
    "options that are no words": "model: {attention: {options: {1: 2}}}\n",
    "options with objects": "model: {attention: {options: {kernel_initializer: {class_name: Lambda}}}}\n",
    "a version of the past": "model: null\nplacements: 1\n",
}


def use(path, assignments=()):
    """Everything that is done with a configuration before text or a model is made."""
    config, _ = resolve(str(path), list(assignments), {})
    check(config)
    load_config_again(path, config)


def load_config_again(path, config):
    """A run keeps the configuration as YAML, which has to mean the same."""
    path.with_name("again.yaml").write_text(to_yaml(config), encoding="utf-8")
    assert load_config(path.with_name("again.yaml")) == config


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG.keys())
def test_content_that_strains_a_parser_is_refused_in_one_line(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config.yaml"
    path.write_text(content)
    assert refusal(use, path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@few_and_many
def test_any_bytes_are_a_configuration_or_are_refused(tmp_path, examples):
    path = tmp_path / "config.yaml"

    @attempts(examples)
    @given(changed_or_any(*VALID))
    def attempt(content):
        path.write_bytes(content)
        refusal(use, path)

    attempt()


values = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.floats() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
assignments = st.lists(
    st.builds(
        "{}={}".format,
        st.sampled_from([*KEYS, "model.attention", "model.attention.options.use_bias", "model.placements", "model"])
        | st.text(max_size=10),
        values.map(json.dumps) | st.text(max_size=20),
    )
    | st.text(max_size=10),
    min_size=1,
    max_size=3,
)


@few_and_many
def test_any_assignments_are_a_configuration_or_are_refused(tmp_path, examples):
    path = tmp_path / "config.yaml"

    @attempts(examples)
    @given(assignments)
    def attempt(given):
        path.write_text("model: {model_dim: 16}\n")
        refusal(use, path, given)

    attempt()


@few_and_many
def test_any_bytes_are_a_search_space_or_are_refused(tmp_path, examples):
    from interacting_head.tune.search import DEFAULT_SPACE, load_space

    path = tmp_path / "space.yaml"

    @attempts(examples)
    @given(changed_or_any(DEFAULT_SPACE.read_bytes()))
    def attempt(content):
        path.write_bytes(content)
        refusal(load_space, path)

    attempt()


@pytest.mark.parametrize(
    "content", [{}, {"model": None}, {"model": {"attention": 3, "placements": [1, {"attention": 2}]}}]
)
def test_a_damaged_configuration_of_a_former_version_is_refused(tmp_path, content):
    from interacting_head.runs.migrations import UPGRADES

    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(content))
    line = refusal(load_config, path, UPGRADES["1"])
    assert bool(line) == bool(content)
