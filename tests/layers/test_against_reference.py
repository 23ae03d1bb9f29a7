"""Every scheme against its NumPy loop, and both against the cases computed elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

from layers import ATTENTION_SCHEMES, reference
from tests.layers.backend import array
from tests.layers.schemes import ALL, IDS, make, normal, randomize

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "attention"
D = 16


@pytest.mark.parametrize(("name", "options"), ALL, ids=IDS)
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("masked", [False, True])
def test_the_layer_equals_the_printed_loop(name, options, heads, masked):
    if options.get("use_bias"):
        pytest.skip("the papers print no bias")
    layer = make(name, options, num_heads=heads)
    layer.build((2, 3, D), (2, 5, D))
    randomize(layer)
    query, memory = normal(2, 3, D), normal(2, 5, D, seed=1)
    mask = (np.random.default_rng(2).random((2, 3, 5)) < 0.6) if masked else None
    weights = {weight.name: array(weight.value).astype("float64") for weight in layer.weights}
    expected = getattr(reference, name)(weights, query, memory, mask)
    found = layer(query, memory, attention_mask=mask, return_attention_scores=True)
    for left, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(array(left), right, rtol=1e-5, atol=1e-5)


def oracle_cases():
    if not ORACLE.is_dir():
        return []
    return [path for path in sorted(ORACLE.glob("*__*.npz")) if path.name.split("__")[0] in ATTENTION_SCHEMES]


@pytest.mark.skipif(not ORACLE.is_dir(), reason="needs the oracle's cases")
@pytest.mark.parametrize("path", oracle_cases(), ids=lambda path: path.stem)
def test_reference_and_layer_meet_the_oracle(path):
    name = path.name.split("__")[0]
    with np.load(path) as file:
        case = dict(file)
    meta = json.loads(str(case["meta"]))
    weights = {key.removeprefix("weight/"): value for key, value in case.items() if key.startswith("weight/")}
    query, memory, mask = case["in/query"], case["in/value"], case.get("in/attention_mask")
    output, scores = getattr(reference, name)(weights, query, memory, mask)
    np.testing.assert_allclose(output, case["out/output"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scores, case["out/scores"], rtol=1e-9, atol=1e-12)
    for options in [options for scheme, options in ALL if scheme == name and not options.get("use_bias")]:
        layer = make(name, options, meta["num_heads"], meta["key_dim"], meta["value_dim"])
        layer.build(query.shape, memory.shape)
        for weight in layer.weights:
            weight.assign(weights[weight.name])
        output, scores = layer(
            query.astype("float32"), memory.astype("float32"), attention_mask=mask, return_attention_scores=True
        )
        np.testing.assert_allclose(array(output), case["out/output"], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(array(scores), case["out/scores"], rtol=1e-5, atol=1e-5)
