"""Connections: too many of them, and requests that a proxy in front may take for others than the server does."""

import contextlib
import logging
import queue
import socket
import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from interacting_head.serve import limits
from interacting_head.serve.server import ALIKE, PERIOD, FewAlike
from tests.command_line import ROOT
from tests.interacting_head.serve.listening import REQUEST, Listening

SECONDS = 30
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
LENGTH = b"Content-Length: 13\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b'{"text": "a"}'
CHUNKS = b"d\r\n" + BODY + b"\r\n0\r\n\r\n"
HEAD = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"


@pytest.fixture
def listening():
    with contextlib.ExitStack() as stack:
        yield Listening(stack)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (HEAD + LENGTH + b"\r\n" + BODY, 200),
        (HEAD + CHUNKED + b"\r\n" + CHUNKS, 200),
        (HEAD + LENGTH + CHUNKED + b"\r\n" + CHUNKS, 400),
        (HEAD + CHUNKED + LENGTH + b"\r\n" + BODY, 400),
        (HEAD + LENGTH + CHUNKED.lower() + b"\r\n" + CHUNKS, 400),
        ((HEAD + LENGTH).replace(b"\r\n", b"\n") + b"\n" + BODY, 400),
        (HEAD + b"A: b\nContent-Length: 13\r\n\r\n" + BODY, 400),
        (HEAD + LENGTH + b"\n" + BODY, 400),
        (HEAD.replace(b"HTTP/1.1\r\n", b"HTTP/1.1\n") + LENGTH + b"\r\n" + BODY, 400),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_requests_that_can_be_read_in_two_ways_are_refused(listening, request_bytes, status, at_once):
    with listening.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):  # a refusal may come before the end of the request
            for i in range(0, len(request_bytes), len(request_bytes) if at_once else 7):
                connection.sendall(request_bytes[i : i + (len(request_bytes) if at_once else 7)])
        said = connection.recv(2**16)  # what came before a reset is still there
        assert said.startswith(b"HTTP/1.1 %d " % status), said
    listening.assert_alive()
    listening.assert_no_tracebacks()


def test_line_feeds_in_a_body_do_not_count_in_the_next_head(listening):
    body = b'{"text":\n\n"a"}'
    with listening.connect() as connection:
        connection.sendall((REQUEST % (b"keep-alive", len(body), body)) * 2 + HEALTH)
        said = b"".join(iter(lambda: connection.recv(2**16), b""))
    assert said.count(b"HTTP/1.1 200 ") == 3


def test_a_request_whose_client_has_left_is_not_computed(listening, monkeypatch):
    opened, submitted, submit = threading.Event(), queue.Queue(), listening.worker.submit

    def remember(*arguments, **options):
        submitted.put(future := submit(*arguments, **options))
        return future

    submit(lambda payloads: [opened.wait(SECONDS)], "gate")
    monkeypatch.setattr(listening.worker, "submit", remember)
    with listening.connect() as connection:
        connection.sendall(REQUEST % (b"close", 13, BODY))
        future = submitted.get(timeout=SECONDS)
    with pytest.raises(CancelledError):
        future.result(SECONDS)
    opened.set()
    listening.assert_alive()
    listening.assert_no_tracebacks()


def test_too_many_connections_end_the_ones_that_waited_longest(listening, monkeypatch):
    monkeypatch.setattr(limits, "CONNECTIONS", 8)
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(listening.connect()) for _ in range(30)]
        listening.assert_alive()
        assert waiting[0].recv(1) == b""
        assert len(listening.server.server_state.connections) <= 8
        waiting[-1].sendall(HEALTH)
        assert waiting[-1].recv(12) == b"HTTP/1.1 200"
    listening.assert_no_tracebacks()


SERVER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from interacting_head.serve import server
from tests.interacting_head.serve.listening import Repeat
with server.listening("127.0.0.1", 0) as listener:
    server.serve(Repeat(), listener)
"""


@pytest.fixture
def many_files():
    """Let this process open more than 1,500 files."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2000:
        pytest.skip("this user may not open 2,000 files; raise ulimit -Hn")
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows does not limit open files in this way; run the test on Linux or macOS"
)
def test_more_connections_than_open_files_do_no_harm(tmp_path, many_files):
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen([sys.executable, "-c", SERVER], cwd=ROOT, stdout=subprocess.PIPE, stderr=log)
    try:
        host, port = process.stdout.readline().decode().split("/")[2].split(":")
        with contextlib.ExitStack() as stack:
            for number in range(1500):  # at once: nothing waits until one has been taken
                one = stack.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex((host, int(port)))
                if number % 500 == 499:
                    with socket.create_connection((host, int(port)), timeout=30) as connection:
                        connection.sendall(HEALTH)
                        assert connection.recv(12) == b"HTTP/1.1 200"
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log
    assert log.count("\n") <= ALIKE


def test_few_similar_log_records_are_kept():
    now = 0.0
    few = FewAlike(clock=lambda: now)

    def kept(message, count):
        records = [logging.LogRecord("a", logging.WARNING, "", 0, message, (), None) for _ in range(count)]
        return [record.getMessage() for record in records if few.filter(record)]

    assert kept("bad\nrequest", 3) == ["bad\nrequest"] * 3
    assert kept("bad\nother", 100)[-1] == "bad\nother (similar messages are suppressed for up to 60 seconds)"
    assert kept("bad\nrequest", 5) == []
    assert kept("worse", 2) == ["worse"] * 2
    now += PERIOD
    assert len(kept("bad\nrequest", 100)) == ALIKE
