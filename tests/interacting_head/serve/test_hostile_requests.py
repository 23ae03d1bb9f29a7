"""Requests as strangers may send them, through a socket; slow clients, and those that leave."""

import contextlib
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.command_line import one_line
from interacting_head.config import SITES
from interacting_head.serve import limits
from tests.hostile import attempts, changed, changes, few_and_many, many, seconds_at_most
from tests.interacting_head.serve.listening import REQUEST, Listening

ANSWER = re.compile(rb"HTTP/1\.1 (\d\d\d) ")


@pytest.fixture(scope="module")
def listening():
    with contextlib.ExitStack() as stack:
        yield Listening(stack)


names = st.sampled_from([b"Host", b"Content-Type", b"Content-Length", b"Transfer-Encoding", b"Expect", b"Upgrade"])
field_values = st.sampled_from(
    [b"localhost", b"application/json", b"chunked", b"100-continue", b"websocket", b"-1", b"99999999999999999999", b"0"]
)
fields = st.lists(
    st.tuples(names | st.binary(max_size=8), field_values | st.binary(max_size=12)).map(b": ".join), max_size=6
)
lines = st.tuples(
    st.sampled_from([b"GET", b"POST", b"HEAD", b"OPTIONS", b"CONNECT"]) | st.binary(max_size=6),
    st.sampled_from([b"/", b"/translate", b"/attention", b"/model", b"*", b"//", b"/%ff", b"http://evil.example/"])
    | st.binary(max_size=20),
    st.sampled_from([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2", b"HTTP/9.9"]) | st.binary(max_size=6),
).map(b" ".join)
heads = st.tuples(lines, fields).map(lambda both: b"\r\n".join([both[0], b"Host: localhost", *both[1], b"", b""]))
bodies = (
    st.binary(max_size=60) | st.just(b'{"text": "a"}') | st.just(b"3\r\n{}x\r\n0\r\n\r\n") | st.just(b"x" * 200_000)
)
valid = REQUEST % (b"close", 13, b'{"text": "a"}')
chunked = (
    valid.replace(b"Content-Length: 13", b"Transfer-Encoding: chunked").replace(b"{", b"d\r\n{") + b"\r\n0\r\n\r\n"
)
requests = (
    st.tuples(heads, bodies).map(b"".join)
    | st.builds(
        changed, st.sampled_from([valid, chunked, valid * 3, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"]), changes
    )
    | st.binary(max_size=200)
)


@few_and_many
def test_any_bytes_get_an_answer_or_end_the_connection(listening, examples):
    @attempts(examples)
    @given(requests, st.booleans())
    def attempt(content, leaves):
        with seconds_at_most():
            if leaves:
                with listening.connect() as connection, contextlib.suppress(OSError):
                    connection.sendall(content)
                return
            said = listening.said(content, ends=True)
        assert not said or ANSWER.match(said)
        assert b"Traceback" not in said
        assert all(int(status) < 500 for status in ANSWER.findall(said))

    attempt()
    listening.assert_alive()
    listening.assert_no_tracebacks()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from([10**30, "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
keys = st.sampled_from(["text", "beam_size", "n_best"]) | st.text(max_size=50)
translations = st.fixed_dictionaries(
    {"text": st.text(max_size=50)}, optional={"n_best": json_values}
) | st.dictionaries(keys, json_values, max_size=4)


@few_and_many
def test_any_json_is_translated_or_refused_in_one_line(listening, examples):
    @attempts(examples)
    @given(translations | json_values)
    def attempt(value):
        body = json.dumps(value).encode()
        with seconds_at_most():
            said = listening.said(REQUEST % (b"close", len(body), body))
        status, answer = int(ANSWER.match(said)[1]), json.loads(said.partition(b"\r\n\r\n")[2])
        assert status in (200, 400, 422)
        if status != 200:
            assert one_line(answer["error"]) == answer["error"]

    attempt()
    listening.assert_no_tracebacks()


attentions = st.fixed_dictionaries(
    {
        "source": st.text(max_size=20),
        "token_ids": st.lists(st.integers(0, 300), max_size=5) | json_values,
        "site": st.sampled_from(SITES) | st.text(max_size=5),
        "layer": st.integers(0, 3) | json_values,
    },
    optional={"model": st.integers(0, 2) | json_values},
)


@many
def test_the_attention_of_anything_is_shown_or_refused(serving, examples):
    @attempts(examples)
    @given(attentions)
    def attempt(value):
        content = json.dumps(value)
        with seconds_at_most():
            response = serving.client.post("/attention", content=content, headers={"content-type": "application/json"})
        assert response.status_code in (200, 422), (value, response.text)

    attempt()


def test_slow_clients_do_not_delay_others_and_are_disconnected(listening, monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.3)
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(listening.connect()) for _ in range(60)]
        halves = [b"", b"P", valid[:40], valid[:-3]]  # without an end: in no request, in its head, in its body
        for number, connection in enumerate(slow):
            with contextlib.suppress(ConnectionError):  # on a busy machine the server has ended it already
                connection.sendall(halves[number % len(halves)])
            listening.assert_alive() if number % 10 == 0 else None
        for connection in slow:
            with contextlib.suppress(ConnectionError):
                assert connection.recv(1) == b""  # the server has ended it
    listening.assert_alive()
    listening.assert_no_tracebacks()


def test_a_client_that_does_not_read_its_answer_is_disconnected(listening, monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.3)
    text = "\\n" * 99 + "\U0001f600" * 4800
    body = json.dumps({"text": text}).encode()

    def send_for_ever(connection):
        while True:
            connection.sendall(REQUEST % (b"keep-alive", len(body), body))

    with listening.connect() as connection, pytest.raises(ConnectionError):  # a timeout is none
        send_for_ever(connection)
    while listening.server.server_state.connections:
        time.sleep(0.01)
    listening.assert_alive()
    listening.assert_no_tracebacks()
