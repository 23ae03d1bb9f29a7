import asyncio
import json
import re

import pytest
from starlette.testclient import TestClient

from data.errors import InputError
from interacting_head.search.options import SearchOptions
from interacting_head.serve import limits
from interacting_head.serve.application import FILES, PAGE, Guard, application
from interacting_head.serve.requests import AttentionRequest, RequestError, TranslationRequest
from interacting_head.serve.service import ADVICE, Service
from interacting_head.serve.worker import Worker
from interacting_head.translation.translator import Translator

SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(("path", "file"), FILES.items())
def test_the_page_is_served_with_its_types_and_a_strict_policy(serving, path, file):
    response = serving.client.get(path)
    assert response.status_code == 200
    assert response.content == (PAGE / file[0]).read_bytes()
    assert response.headers["content-type"].startswith(file[1])
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert set(policy.values()) == {"'self'", "'none'"}


def test_the_page_names_only_served_files_and_obeys_its_policy():
    sources = {path: (PAGE / name).read_text(encoding="utf-8") for path, (name, _) in FILES.items()}
    named = re.findall(r'(?:src|href|from)[= ]"([^"]*)"', "".join(sources.values()))
    assert set(named) == FILES.keys() - {"/"}
    assert sorted(name for name, _ in FILES.values()) == sorted(path.name for path in PAGE.iterdir())
    assert not re.search(r"<style|style=|\son\w+=|<script(?! type=\"module\" src=)", sources["/"])
    scripts = sources["/script.js"] + sources["/heat_map.js"] + sources["/server.js"]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", scripts)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", "".join(sources.values()))


@pytest.mark.parametrize(
    "path", ["/nothing", "/page/index.html", "/..%2fservice.py", "/%2e%2e/service.py", "/style.css/"]
)
def test_other_paths_are_not_found(serving, path):
    response = serving.client.get(path, follow_redirects=False)
    assert (response.status_code, response.json()) == (404, {"error": "Not Found"})
    assert "content-security-policy" in response.headers


def test_the_wrong_method_is_refused(serving):
    assert serving.client.get("/translate").status_code == 405
    assert serving.client.post("/model").status_code == 405


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000", "[::1]", "192.168.1.5", "localhost."),
        "translations.example:8000",
    ],
)
def test_addresses_and_own_names_are_hosts(serving, host):
    assert serving.client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "", "localhost:x"),
        *("[evil.example]", "localhost@evil.example", "1:2:evil.example", "localhost:80:80"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/health"])
def test_requests_for_other_hosts_are_refused(serving, path, host):
    response = serving.client.get(path, headers={"host": host})
    assert response.status_code == 421
    assert "--allow-host" in response.json()["error"]


@pytest.mark.parametrize("option", ["example.org", "Example.org.", "example.org:8000"])
def test_an_allowed_name_is_one_with_any_port(option):
    guard = Guard(None, [option])
    assert all(map(guard.is_allowed, ("example.org", "example.org:80", "EXAMPLE.org.:8000")))
    assert not guard.is_allowed("example.com")


def test_an_allowed_name_may_have_letters_beyond_ascii():
    assert Guard(None, ["Bücher.de"]).is_allowed("xn--bcher-kva.de:8000")
    with pytest.raises(InputError, match=r"'a\.\.b' is no host name \("):
        Guard(None, ["a..b"])


def test_a_url_is_no_allowed_name_but_an_address_is():
    for name in ("https://example.org/", "http://example.org:80", "example.org/", "*", ""):
        with pytest.raises(InputError, match="is no host name; give the name alone"):
            Guard(None, [name])
    assert Guard(None, ["fe80::abcd", "::1", "0.0.0.0"]).is_allowed("[fe80::abcd]:8000")


def test_a_host_must_be_given_once():
    answered = []

    async def send(message):
        answered.append(message)

    for headers in ([], [(b"host", b"localhost")] * 2):
        coroutine = Guard(None)({"type": "http", "method": "GET", "headers": headers}, None, send)
        with pytest.raises(StopIteration):
            coroutine.send(None)
    assert [message["status"] for message in answered if "status" in message] == [421, 421]


def test_the_model_is_described(serving):
    described = serving.client.get("/model").json()
    assert described["limits"] == {
        **{"characters": 5000, "subwords": 5000, "lines": 100, "beam_size": 16, "tokens": 256}
    }
    assert (described["source_language"], described["target_language"]) == ("de", "en")
    assert (described["engine"], described["beam_size"]) == ("keras", 3)
    [model] = described["models"]
    assert model["name"] == "run-interacting_head"
    assert [(one["site"], one["layer"]) for one in model["attention"]] == list(serving.models[0].attention_layers)
    assert all(one["heads"] == ["head 1", "head 2"] and not one["head_importance"] for one in model["attention"])


def test_health_tells_how_much_waits(serving):
    assert serving.client.get("/health").json() == {"status": "ok", "waiting": 0}


def test_translations_equal_the_engine_line_by_line(serving):
    lines = ["ein hund", "", "die katze und der hund", SCRIPT, "\x00\t\u2028"]
    answer = serving.post("/translate", text="\n".join(lines), n_best=2)["lines"]
    assert [line["source"] for line in answer] == lines
    expected = serving.translator.with_options(SearchOptions(beam_size=3, n_best=3, max_length=6)).translate(lines)
    for line, translations in zip(answer, expected, strict=True):
        assert [one["translation"] for one in line["translations"]] == [one.text for one in translations[:2]]
        for one, translation in zip(line["translations"], translations, strict=False):
            assert one["score"] == pytest.approx(translation.score, abs=1e-4)
            assert one["token_scores"] == pytest.approx(translation.token_scores, abs=1e-4)
            assert one["token_ids"][:-1] == translation.tokens[: len(one["token_ids"]) - 1]


def test_a_request_of_too_many_sub_words_does_not_affect_the_others(serving):
    service = Service(serving.translator, ["a"])
    requests = [TranslationRequest(text, 3) for text in ("haus", "\U0001f600" * 1300, "hund")]
    first, refused, second = service.translate(requests)
    assert ([line["source"] for line in first], [line["source"] for line in second]) == (["haus"], ["hund"])
    assert refused.status == 422
    assert str(refused).startswith("text may have at most 5,000 sub-words, got ")


def test_a_long_line_is_translated_in_pieces_and_shows_no_attention(serving):
    both = serving.translator.source_subwords, serving.translator.target_subwords
    options = {"options": serving.translator.options, "max_source_length": 6}
    service = Service(Translator(serving.translator.engine, *both, **options), ["a"])
    [[short, long]] = service.translate([TranslationRequest("hund\nein haus. ein hund. eine katze.", 3)])
    assert "pieces" not in short["translations"][0]
    assert long["translations"][0]["pieces"] > 2
    message = "attention is not available for lines translated in pieces"
    with pytest.raises(RequestError, match=message):
        service.attention(AttentionRequest(long["source"], long["translations"][0]["token_ids"], "cross", 1))


def test_a_lack_of_memory_is_answered_and_logged_with_advice(serving, monkeypatch, caplog):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(serving.translator.engine, "search", fail)
    monkeypatch.setattr(serving.translator, "advice", ADVICE)
    service = Service(serving.translator, ["a"])
    worker = Worker(1)
    client = TestClient(application(service, worker), base_url="http://localhost")
    response = client.post("/translate", json={"text": "hund"})
    assert worker.stop(30)
    assert response.status_code == 503
    assert "ran out of memory" in response.json()["error"]
    [message] = caplog.messages
    assert message.startswith("not enough memory for a batch of 1 × ")
    assert message.endswith(f"; {ADVICE}")


def test_line_ends_of_every_system_end_a_line(serving):
    answer = serving.post("/translate", text="haus\r\nhund\rhaus\n")
    assert [line["source"] for line in answer["lines"]] == ["haus", "hund", "haus"]


@pytest.mark.slow
def test_each_beam_size_is_set_up_once(serving):
    for beam_size in (1, 2, 1, 2):
        [line] = serving.post("/translate", text="haus", beam_size=beam_size, n_best=beam_size)["lines"]
        assert len(line["translations"]) <= beam_size


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "the key text is missing"),
        ({"text": 1}, "text must be a string"),
        ({"text": None}, "text must be a string"),
        ({"text": "a" * 5001}, "text may have at most 5,000 characters, got 5,001"),
        ({"text": "\U0001f600" * 1300}, "text may have at most 5,000 sub-words, got 5,201; shorten it"),
        ({"text": "\n" * 101}, "text may have at most 100 lines, got 101"),
        ({"text": "\ud800"}, "text is not valid Unicode"),
        ({"text": "a", "beam_size": 0}, "beam_size must be a whole number of at least 1 and at most 16"),
        ({"text": "a", "beam_size": 17}, "beam_size must be a whole number of at least 1 and at most 16"),
        ({"text": "a", "beam_size": True}, "beam_size must be a whole number"),
        ({"text": "a", "beam_size": 2.0}, "beam_size must be a whole number"),
        ({"text": "a", "beam_size": None}, "beam_size must be a whole number"),
        ({"text": "a", "beam_size": 2, "n_best": 3}, "n_best must be a whole number of at least 1 and at most 2"),
        ({"text": "a", "beam": 3}, "unknown key 'beam'; known keys: text, beam_size, n_best"),
        ([], "the body must be an object with the keys text, beam_size, n_best"),
    ],
)
def test_wrong_requests_are_answered_with_the_reason(serving, body, message):
    content = json.dumps(body)
    response = serving.client.post("/translate", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert message in response.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"text": "a"} x', b"[" * 100000, b"1" * 5000])
def test_a_body_that_is_not_json_is_refused(serving, body):
    response = serving.client.post("/translate", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()) == (400, {"error": "the body must be JSON in UTF-8"})


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"])
def test_content_types_of_html_forms_are_refused(serving, content_type):
    response = serving.client.post("/translate", content=b'{"text": "a"}', headers={"content-type": content_type})
    assert response.status_code == 415


def test_a_large_body_is_refused_before_it_is_read_to_its_end(serving):
    read = []

    def parts():
        for number in range(100):
            read.append(number)
            yield b" " * 2**16

    response = serving.client.post("/translate", content=parts(), headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert "at most 131,072 bytes" in response.json()["error"]


def test_the_longest_text_fits_into_a_body_however_it_is_escaped():
    assert len(json.dumps({"text": "\U0001f600" * limits.CHARACTERS})) < limits.BODY


def test_too_many_requests_are_asked_to_come_again(serving, monkeypatch):
    monkeypatch.setattr(serving.worker, "capacity", 0)
    response = serving.client.post("/translate", json={"text": "a"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")


def test_an_internal_error_is_answered_without_details(serving, monkeypatch):
    def fail(requests):
        raise RuntimeError("secret")

    client = TestClient(serving.client.app, base_url="http://localhost", raise_server_exceptions=False)
    monkeypatch.setattr(Translator, "translate", fail)
    response = client.post("/translate", json={"text": "a"})
    assert (response.status_code, response.json()) == (500, {"error": "internal error; see the log of the server"})


def test_a_request_that_the_engine_refuses_is_answered_with_the_reason(serving, monkeypatch):
    def refuse(translator, options):
        raise InputError("this engine has beam size 4")

    monkeypatch.setattr(Translator, "with_options", refuse)
    assert serving.post("/translate", 422, text="a", beam_size=11) == {"error": "this engine has beam size 4"}


def test_a_client_that_leaves_during_its_request_is_not_an_error(serving):
    messages, sent = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}], []

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/translate", "headers": headers, "query_string": b""}
    asyncio.run(serving.client.app(scope, receive, send))  # what it raises, a server logs with a traceback
    assert not messages
