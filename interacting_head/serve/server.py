"""The server process, from its socket to its shutdown."""

import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable, Iterator

import uvicorn

from data.errors import InputError
from interacting_head.serve.application import application
from interacting_head.serve.connection import Connection, most_at_once
from interacting_head.serve.limits import WAITING
from interacting_head.serve.requests import TranslationRequest
from interacting_head.serve.worker import Worker

SECONDS_TO_ANSWER = 30  # for requests in progress, at shutdown
SECONDS_TO_END = 3  # for computations, after that
LOGGERS = ("uvicorn.error", "asyncio")
ALIKE = 10  # similar log records per period
PERIOD = 60  # seconds


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens on an address; raise `InputError` if that fails."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host} is not a local address ({error}); give one, or leave out --host") from error
    with listener:
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
        except OSError as error:
            raise InputError(
                f"cannot listen on {host} port {port}: {error.strerror}; choose another --port or --host"
            ) from error
        yield listener


def url_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_private(listener: socket.socket) -> bool:
    """Return whether only this machine can reach a listening socket."""
    host = listener.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def serve(service: Callable, listener: socket.socket, hosts: Iterable[str] = ()) -> None:
    """Print the URL and answer requests until Ctrl-C or SIGTERM, then finish the requests in progress.

    A second Ctrl-C ends at once. For hosts see `application`.
    """
    service.translate([TranslationRequest("a", service.beam_size)])  # compiles before the first request
    worker = Worker(WAITING)
    config = uvicorn.Config(
        application(service, worker, hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=Connection,
        backlog=most_at_once(),
        timeout_graceful_shutdown=SECONDS_TO_ANSWER,
    )
    few = FewAlike()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(few)
    print(f"{url_of(listener)}  (Ctrl-C to stop)", flush=True)
    # After the shutdown, uvicorn sends itself the signal that stopped it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
    if not worker.stop(SECONDS_TO_END):
        os._exit(0)  # a thread inside TensorFlow cannot be stopped, and would crash Python's shutdown


class FewAlike(logging.Filter):
    """Pass only the first `ALIKE` records per period with the same first line, so that nobody can flood the log."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self._clock, self._begun, self._counts = clock, clock(), {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to keep a record; the last one of its kind announces the suppression."""
        if self._clock() - self._begun >= PERIOD:
            self._begun, self._counts = self._clock(), {}
        kind = (record.name, str(record.msg).partition("\n")[0])
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count == ALIKE:
            record.msg = f"{record.msg} (similar messages are suppressed for up to {PERIOD} seconds)"
        return count <= ALIKE
