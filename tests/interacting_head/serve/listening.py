"""A server on its own port that returns each line."""

import contextlib
import logging
import socket
import threading
import time

import uvicorn

from interacting_head.serve import server
from interacting_head.serve.application import application
from interacting_head.serve.connection import Connection
from interacting_head.serve.requests import RequestError
from interacting_head.serve.worker import Worker

REQUEST = (
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: %b\r\n"
    b"Content-Length: %d\r\n\r\n%b"
)


class Repeat:
    """A service that returns each line."""

    beam_size = 4

    def description(self):
        return {}

    def translate(self, requests):
        return [[{"source": line, "translations": []} for line in request.lines] for request in requests]

    def attention(self, request):
        raise RequestError(422, "no attention here")


class Listening:
    """A server in a thread.

    Attributes:
        address: host and port.
        log: what it has logged.
    """

    def __init__(self, stack):
        listener = stack.enter_context(server.listening("127.0.0.1", 0))
        self.address, self.log = listener.getsockname(), []
        handler = logging.Handler()
        handler.emit = lambda record: self.log.append((record.levelname, record.getMessage(), record.exc_info))
        for name in ("uvicorn.error", "asyncio"):
            logging.getLogger(name).addHandler(handler)
            stack.callback(logging.getLogger(name).removeHandler, handler)
        self.worker = Worker(4)
        stack.callback(self.worker.stop, 5)
        config = uvicorn.Config(
            application(Repeat(), self.worker), http=Connection, log_config=None, access_log=False, log_level="warning"
        )
        self.server = uvicorn.Server(config)
        thread = threading.Thread(target=self.server.run, args=([listener],), daemon=True)
        thread.start()
        stack.callback(thread.join, 30)
        stack.callback(setattr, self.server, "should_exit", True)
        while not self.server.started:
            time.sleep(0.01)

    def connect(self):
        return socket.create_connection(self.address, timeout=60)

    def said(self, content, ends=False):
        """The server's answer to these bytes until it ends the connection, or after the client has."""
        with self.connect() as connection, contextlib.suppress(OSError):
            connection.sendall(content)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(2**16), b""))
        return b""

    def assert_alive(self):
        assert self.said(REQUEST % (b"close", 13, b'{"text": "a"}')).startswith(b"HTTP/1.1 200 ")

    def assert_no_tracebacks(self):
        assert [entry for entry in self.log if entry[2] or entry[0] in ("ERROR", "CRITICAL")] == []
