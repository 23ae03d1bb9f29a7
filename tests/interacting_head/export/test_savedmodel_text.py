"""SavedModels on text, compared with the translator, and behind TensorFlow Serving's JSON."""

import http.server
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from data.text.profiles import Preprocessor
from interacting_head import export
from interacting_head.config import DataConfig
from interacting_head.search.options import SearchOptions
from interacting_head.translation.translator import Translator
from tests import skip_reasons
from tests.interacting_head.export import exports

pytest.importorskip("tensorflow_text", reason=skip_reasons.EXPORT)

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "serving.md"
LINES = [
    "ein hund",
    "",
    "   ",
    "die  katze \t und <s> der\u00a0Hund </s> <pad>",
    " Ünknöwn: 你好 😀 \x00 \u2028 Z\u0308e\u0301",
    "ein haus und ein hund und eine katze " * 6,
]
BEAM = 3

RUN = """
import importlib.util, json, sys
assert importlib.util.find_spec("interacting_head") is None
import tensorflow as tf
import tensorflow_text
request = json.load(sys.stdin)
signatures = tf.saved_model.load(request["folder"]).signatures
text = tf.constant(request["lines"])
parameters = {name: tf.constant(value) for name, value in request["parameters"].items()}
found = [signatures["serving_default"](text=text), signatures["translate"](text=text, **parameters)]
found.append(signatures["translate"](text=text[:0], **parameters))
print(json.dumps([
    {"translations": [[each.decode() for each in row] for row in part["translations"].numpy()],
     "scores": part["scores"].numpy().tolist()}
    for part in found
]))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return exports.trained(exports.subwords(tmp_path_factory.mktemp("subwords"), shared=False))


@pytest.fixture(scope="module")
def folder(trained, tmp_path_factory):
    return export.convert(trained, "savedmodel", tmp_path_factory.mktemp("savedmodel") / "en", beam_size=BEAM)


def translator(trained, **options):
    subwords = trained.source_subwords, trained.target_subwords
    return Translator(trained.model, *subwords, options=SearchOptions(beam_size=BEAM, **options))


@pytest.mark.slow
def test_text_is_translated_as_the_translator_does(trained, folder, tmp_path):
    parameters = {"length_penalty": 1.1, "min_length": 2, "max_length": 30, "n_best": 2}
    request = {"folder": str(folder), "lines": LINES, "parameters": parameters}
    default, other, none = exports.elsewhere(RUN, request, tmp_path)
    assert none == {"translations": [], "scores": []}
    for answer, options in ((default, {}), (other, parameters)):
        for found, texts, scores in zip(
            translator(trained, **options).translate(LINES), answer["translations"], answer["scores"], strict=True
        ):
            missing = options.get("n_best", 1) - len(found)
            assert texts == [one.text for one in found] + [""] * missing
            assert scores[: len(found)] == pytest.approx([one.score for one in found], abs=1e-4)
            assert all(score < -1e9 for score in scores[len(found) :])


@pytest.mark.slow
def test_the_profile_paper_gets_text_in_the_form_of_its_subwords(trained, tmp_path):
    tokenized = trained.config.__class__(model=trained.config.model, data=DataConfig(profile="truecased"))
    paper = trained.__class__(trained.model, trained.source_subwords, trained.target_subwords, tokenized)
    folder = export.convert(paper, "savedmodel", tmp_path / "out", beam_size=BEAM)
    assert "`translate_tokenized`" in (folder / "README.md").read_text()
    signatures = tf.saved_model.load(str(folder)).signatures
    assert set(signatures) == {"translate_ids", "translate_tokenized", "serving_default"}
    assert Preprocessor("truecased", "de").is_tokenized
    found = signatures["serving_default"](text=tf.constant(LINES[:1]))["translations"].numpy()[0, 0].decode()
    [[best]] = translator(trained).translate(LINES[:1])
    assert found == best.text


class Server(http.server.BaseHTTPRequestHandler):
    """Answer `POST …:predict` as TensorFlow Serving describes it, with the signatures `self.server.signatures`."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        signature = self.server.signatures[request.get("signature_name", "serving_default")]
        specifications = signature.structured_input_signature[1]
        try:
            if "instances" in request:
                [name] = specifications  # a plain list is for one input
                inputs = {name: request["instances"]}
            else:
                inputs = request["inputs"]
                inputs = inputs if isinstance(inputs, dict) else {next(iter(specifications)): inputs}
            assert inputs.keys() == specifications.keys(), "Missing named input"
            given = {name: tf.constant(inputs[name], spec.dtype) for name, spec in specifications.items()}
            outputs = {name: self.plain(value.numpy()) for name, value in signature(**given).items()}
            rows = [dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)]
            code, answer = 200, {"predictions": rows} if "instances" in request else {"outputs": outputs}
        except (tf.errors.InvalidArgumentError, AssertionError) as error:
            code, answer = 400, {"error": " ".join(str(error).split())}
        body = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @staticmethod
    def plain(array):
        return np.char.decode(array.astype("S"), "utf-8").tolist() if array.dtype == object else array.tolist()

    def log_message(self, *_):
        pass


@pytest.fixture
def url(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.signatures = tf.saved_model.load(str(folder)).signatures
    threading.Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_the_documented_client_reads_the_signatures(trained, url, tmp_path):
    """Against a stand-in for the server: what is checked is that requests and answers fit the signatures."""
    [client] = re.findall(r"```python\n(import json.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    assert client.count("\n") <= 20
    client = client.replace("http://localhost:8501", url)

    def run(code, lines):
        command = [sys.executable, "-c", code]
        return subprocess.run(command, input="\n".join(lines), cwd=tmp_path, capture_output=True, text=True)

    lines = [LINES[0], "", LINES[-1]]
    done = run(client, lines)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [best.text for best, *_ in translator(trained).translate(lines)]
    done = run(client.replace("n_best=1,", f"n_best={BEAM + 1},"), lines)
    assert done.returncode == 1
    assert "n_best must be from 1 to 3, the beam size" in done.stderr


def test_the_plain_request_of_the_documentation_has_rows(trained, url):
    import urllib.request

    body = json.dumps({"instances": LINES[:2]}).encode()
    with urllib.request.urlopen(f"{url}/v1/models/translator:predict", body) as response:
        rows = json.load(response)["predictions"]
    expected = list(translator(trained).translate(LINES[:2]))
    assert [row["translations"] for row in rows] == [[one.text for one in found] for found in expected]
    assert [row["scores"] for row in rows] == [
        pytest.approx([one.score for one in found], abs=1e-4) for found in expected
    ]
