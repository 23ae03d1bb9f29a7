"""The heat maps of the page."""

import base64

import numpy as np
import pytest
from starlette.testclient import TestClient

from data.text.subwords import END
from interacting_head.analysis.attention import attention_distance, attention_entropy
from interacting_head.serve.application import application
from interacting_head.serve.service import Service
from interacting_head.serve.worker import Worker
from interacting_head.translation.inspection import Inspector
from interacting_head.translation.translator import Translator
from tests.echo_engine import Echo
from tests.interacting_head.serve.serving import Serving

H = 2
AT_CROSS = {"multi_hop": ("multi_head", H)}  # a scheme that stands elsewhere → scheme and heads there
SOURCE = "die katze und der hund"


def unpacked(packed):
    return np.frombuffer(base64.b64decode(packed["float16"]), "<f2").reshape(packed["shape"])


def test_the_answer_holds_the_attention_of_the_translation(serving):
    [line] = serving.post("/translate", text=SOURCE)["lines"]
    [best] = line["translations"]
    [source] = serving.translator.source_subwords.encode([SOURCE])
    ids = best["token_ids"]
    target = ids[:-1] if ids[-1] == END else ids
    [expected] = Inspector(serving.models[0], attention=["encoder", "decoder", "cross"]).inspect([(source, target)])
    pieces = [*serving.translator.source_subwords.encode_as_pieces([SOURCE])[0], "</s>"]
    produced = [*best["tokens"][: len(target)], "</s>"]
    labels = {"encoder": (pieces, pieces), "decoder": (produced, ["<s>", *produced[:-1]]), "cross": (produced, pieces)}
    for (site, layer), weights in expected.attention.items():
        answer = serving.post("/attention", source=SOURCE, token_ids=ids, site=site, layer=layer)
        assert answer["head_importance"] is None
        assert (answer["rows"], answer["columns"]) == labels[site]
        np.testing.assert_allclose(unpacked(answer["weights"]), weights, atol=1e-3)
        np.testing.assert_allclose(unpacked(answer["weights"]).sum(-1), 1, atol=5e-3)
        np.testing.assert_allclose(answer["distance"], attention_distance(weights), atol=1e-5)
        np.testing.assert_allclose(answer["entropy"], attention_entropy(weights).mean(-1), atol=1e-5)


@pytest.mark.parametrize(
    ("scheme", "heads", "weighing"),
    [
        ("interacting_head_pairwise", H * H, []),
        ("multi_layer", 2 * H, []),
        ("interleaved_heads", 2 * H, []),
        ("differential", H, []),
        ("dynamic_head_importance", H, [("encoder", 2), ("decoder", 2), ("cross", 2)]),
        ("multi_hop", H, [("encoder", 2)]),
    ],
)
def test_every_scheme_can_be_looked_at(tmp_path, scheme, heads, weighing):
    serving = Serving(tmp_path, scheme)
    [model] = serving.client.get("/model").json()["models"]
    for one in model["attention"]:
        place = one["site"], one["layer"]
        answer = serving.post("/attention", source=SOURCE, token_ids=[5, 6, 7], site=place[0], layer=place[1])
        shape = [len(one["heads"]), len(answer["rows"]), len(answer["columns"])]
        assert answer["weights"]["shape"] == shape
        assert len(answer["distance"]) == len(answer["entropy"]) == len(one["heads"])
        if place == ("cross", 2):
            assert (one["scheme"], len(one["heads"])) == AT_CROSS.get(scheme, (scheme, heads))
        assert one["head_importance"] == (place in weighing)
        if place in weighing:
            importance = unpacked(answer["head_importance"])
            assert importance.shape == (len(answer["rows"]), H)
            np.testing.assert_allclose(importance.sum(-1), 1, atol=5e-3)
        else:
            assert answer["head_importance"] is None
    assert serving.worker.stop(30)


@pytest.mark.slow
def test_each_model_of_an_ensemble_can_be_looked_at(tmp_path):
    serving = Serving(tmp_path, "multi_head", "talking_heads")
    assert [model["name"] for model in serving.client.get("/model").json()["models"]] == [
        "run-multi_head",
        "run-talking_heads",
    ]
    assert len(serving.post("/translate", text=SOURCE)["lines"]) == 1
    body = {"source": SOURCE, "token_ids": [5, 6], "site": "cross", "layer": 1}
    first, second = (unpacked(serving.post("/attention", model=model, **body)["weights"]) for model in (0, 1))
    assert abs(first - second).max() > 1e-3
    assert "model must be below 2" in serving.post("/attention", 422, model=2, **body)["error"]
    assert serving.worker.stop(30)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": ""}, "an empty line has no attention"),
        ({"source": "   "}, "an empty line has no attention"),
        ({"source": "hund " * 300}, "attention is shown for up to 256 sub-words, but this line has"),
        ({"source": 1}, "source must be a string"),
        ({"token_ids": [5] * 256}, "attention is shown for up to 256 sub-words, but this translation has 257"),
        ({"token_ids": "5"}, "token_ids must be a list of whole numbers"),
        ({"token_ids": [5.0]}, "token_ids must be a list of whole numbers"),
        ({"token_ids": [280]}, "token_ids must be ids of sub-words"),
        ({"token_ids": [-1]}, "token_ids must be ids of sub-words"),
        ({"token_ids": [0]}, "token_ids must be ids of sub-words"),
        ({"token_ids": [END, 5]}, "token_ids must be ids of sub-words"),
        ({"site": "somewhere"}, "site must be one of encoder, decoder, cross"),
        ({"site": []}, "site must be one of encoder, decoder, cross"),
        ({"layer": 3}, "this model has no attention layer 3 at the site cross"),
        ({"layer": 0}, "layer must be a whole number of at least 1"),
        ({"layer": 10**30}, "this model has no attention layer"),
        ({"model": 1}, "model must be below 1, got 1"),
        ({"model": -1}, "model must be a whole number of at least 0"),
    ],
)
def test_wrong_requests_for_attention_are_answered_with_the_reason(serving, changes, message):
    body = {"source": SOURCE, "token_ids": [5, 6], "site": "cross", "layer": 1, **changes}
    assert message in serving.post("/attention", 422, **body)["error"]


def test_an_engine_without_models_of_keras_has_no_attention(serving):
    translator = Translator(Echo(), serving.translator.source_subwords, serving.translator.target_subwords)
    worker = Worker(capacity=1)
    client = TestClient(application(Service(translator, ["converted"]), worker), base_url="http://[::1]")
    assert client.get("/model").json()["models"] == [{"name": "converted", "attention": []}]
    response = client.post("/attention", json={"source": "a", "token_ids": [], "site": "cross", "layer": 1})
    assert response.status_code == 422
    assert response.json() == {"error": "the engine echo does not expose attention"}
    assert worker.stop(30)
