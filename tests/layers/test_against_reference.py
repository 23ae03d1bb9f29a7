"""Every scheme against its NumPy loop, and both against the cases computed elsewhere."""

import functools
import inspect
import json

import keras
import numpy as np
import pytest

from layers import (
    ATTENTION_SCHEMES,
    IterativeCombination,
    LinearCombination,
    MultiLayerMultiHeadAttention,
    TransparentAttention,
    reference,
)
from tests.layers.backend import array, compiled
from tests.layers.oracle import ORACLE, needs_oracle
from tests.layers.schemes import ALL, IDS, make, normal, randomize, with_ones

D = 16


def call(layer, query, memory, mask=None, query_mask=None):
    """Everything that a layer can return, and its added loss if there is one."""
    arguments = {"attention_mask": mask, "return_attention_scores": True}
    if layer.has_head_importance:
        arguments["return_head_importance"] = True
    found = layer(query, memory, query_mask=query_mask, **arguments)
    return [*found, *layer.losses]


def assert_equal(found, expected):
    for left, right in zip(found, expected, strict=True):
        assert tuple(left.shape) == np.shape(right)
        np.testing.assert_allclose(array(left), right, rtol=1e-5, atol=1e-5)


READ_INPUTS = "importance_query_kernel", "gate_kernel"
"""Kernels without a bias that read the input."""


def with_biases_in_kernels(weights):
    """Weights for inputs `with_ones`, because the papers print their equations without biases."""
    weights = dict(weights)
    for kind in ("query", "key", "value"):
        kernel, bias = weights[f"{kind}_kernel"], weights.pop(f"{kind}_bias")
        weights[f"{kind}_kernel"] = np.concatenate([kernel, np.expand_dims(bias, -3)], axis=-3)
    for name in READ_INPUTS:
        if name in weights:
            kernel = weights[name]
            weights[name] = np.concatenate([kernel, np.zeros_like(kernel[:1])])
    return weights


@pytest.mark.parametrize(("name", "options"), ALL, ids=IDS)
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("masked", [False, True])
def test_the_layer_equals_the_printed_loop(name, options, heads, masked):
    layer = make(name, options, num_heads=heads)
    query, memory = normal(2, 3, D), normal(2, 5, D, seed=1)
    if isinstance(layer, MultiLayerMultiHeadAttention):
        memory = [normal(2, 5, D, seed=seed) for seed in range(1, 1 + layer.num_sources)]
    layer(query, memory)  # builds
    randomize(layer)
    mask = (np.random.default_rng(2).random((2, 3, 5)) < 0.6) if masked else None
    weights = {weight.name: array(weight.value).astype("float64") for weight in layer.weights}
    loop = getattr(reference, name)
    # The loop takes the options on which its equations depend; others show in the weights, or in the speed.
    arguments = {key: value for key, value in layer.get_config().items() if key in inspect.signature(loop).parameters}
    found = call(layer, query, memory, mask)
    if layer.use_bias:
        query, memory = with_ones(query), keras.tree.map_structure(with_ones, memory)
        weights = with_biases_in_kernels(weights)
    assert_equal(found, loop(weights, query, memory, mask, **arguments))


# Cases computed elsewhere, in float64, by loops of their own.


def oracle_case(path):
    """Inputs, weights, outputs and description of a case."""
    with np.load(path) as file:
        case = dict(file)
    parts = {part: {} for part in ("in", "weight", "out")}
    for key, value in case.items():
        if key != "meta":
            part, name = key.split("/")
            parts[part][name] = value
    return parts["in"], parts["weight"], parts["out"], json.loads(str(case["meta"]))


def load(layer, weights):
    """Set the weights of a built layer by their names."""
    assert {weight.name for weight in layer.weights} == set(weights)
    for weight in layer.weights:
        weight.assign(weights[weight.name].astype("float32"))


def scheme_and_options(path, meta):
    """The registry name of a case, and the constructor options of all layers that must meet it."""
    name = path.stem.split("__")[0]
    if name.startswith("multi_layer"):
        flags = {"joint_attention": meta["u0"] == 0, "concat_contexts": meta["u1"] == 0}
        return "multi_layer", [{"num_sources": meta["num_sources"], **flags}]
    options = {
        "interacting_head": [{"implementation": name} for name in ("folded", "head_pairs", "listing")],
        "interacting_head_pairwise": [{}, {"implementation": "listing"}],
        "dynamic_head_importance": [{"importance_dim": meta.get("importance_dim")}],
        "multi_hop": [{"hop_dim": meta.get("hop_dim")}],
    }
    return name, options.get(name, [{}])


@pytest.fixture
def zeros_at_first(monkeypatch):
    """Weights that are loaded need no random numbers, for which JAX compiles a generator of each shape."""

    def zeros(initializer, shape, dtype=None):
        return np.zeros(shape, dtype)

    monkeypatch.setattr(keras.initializers.RandomUniform, "__call__", zeros)


@needs_oracle
@pytest.mark.usefixtures("zeros_at_first")
@pytest.mark.parametrize("path", sorted(ORACLE.glob("*__*.npz")), ids=lambda path: path.stem)
def test_reference_and_layer_meet_the_oracle(path):
    inputs, weights, outputs, meta = oracle_case(path)
    name, all_options = scheme_and_options(path, meta)
    assert name in ATTENTION_SCHEMES
    query, mask, query_mask = inputs["query"], inputs.get("attention_mask"), inputs.get("query_mask")
    sources = [inputs[key] for key in sorted(inputs) if key.startswith("value")]
    memory = sources if name == "multi_layer" else sources[0]
    expected = [outputs[key] for key in ("output", "scores", "importance", "gate", "loss") if key in outputs]
    arguments = {"query_mask": query_mask} if query_mask is not None else {}
    if name == "multi_layer":
        arguments = {key: all_options[0][key] for key in ("joint_attention", "concat_contexts")}
    for found, right in zip(getattr(reference, name)(weights, query, memory, mask, **arguments), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-12)
    for options in all_options:
        layer = make(name, options, meta["num_heads"], meta["key_dim"], meta["value_dim"])
        query32, *sources32 = (x.astype("float32") for x in (query, *sources))
        memory32 = sources32 if name == "multi_layer" else sources32[0]
        layer.build(query.shape, [x.shape for x in sources] if name == "multi_layer" else memory.shape)
        load(layer, weights)
        call_layer = functools.partial(call, layer, query32, memory32, mask, query_mask)
        assert_equal(compiled(call_layer)(), expected)


AGGREGATIONS = {
    "linear_combination": lambda meta: LinearCombination(2),
    "transparent_attention": lambda meta: TransparentAttention(meta["num_decoder_layers"]),
    "iterative_combination": lambda meta: IterativeCombination(2, meta["hidden_dim"]),
}


@needs_oracle
@pytest.mark.usefixtures("zeros_at_first")
@pytest.mark.parametrize("name", AGGREGATIONS)
def test_aggregations_meet_the_oracle(name):
    inputs, weights, outputs, meta = oracle_case(ORACLE / f"{name}.npz")
    encoder_outputs = [inputs[f"layer_{number}"] for number in range(meta["num_layers"])]
    embedding = {"embedding_output": inputs["embedding"]} if "embedding" in inputs else {}
    expected = [outputs[key] for key in sorted(outputs)]
    found = getattr(reference, name)(weights, encoder_outputs, **embedding)
    for left, right in zip(found if isinstance(found, list) else [found], expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)
    layer = AGGREGATIONS[name](meta)
    arguments = [x.astype("float32") for x in encoder_outputs]
    keywords = {key: value.astype("float32") for key, value in embedding.items()}
    layer.build([x.shape for x in arguments])
    load(layer, weights)
    memories = compiled(functools.partial(layer, arguments, **keywords))()
    assert len(memories) == 2
    assert_equal(memories, expected if len(expected) == 2 else expected * 2)
