"""The process that listens and answers, from its socket to its end."""

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
from interacting_head.serve.forms import TranslationRequest
from interacting_head.serve.limits import WAITING
from interacting_head.serve.worker import Worker

SECONDS_TO_ANSWER = 30  # those whose requests have come, when the server is to end
SECONDS_TO_END = 3  # for what is computed still, after that
LOGGERS = ("uvicorn.error", "asyncio")
ALIKE = 10  # records a period
PERIOD = 60  # seconds


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens at an address; `InputError` if that is not possible."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host} is no address of this machine ({error}); give one, or leave it out") from error
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
    """Return the address of the page on a listening socket."""
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_private(listener: socket.socket) -> bool:
    """Return whether no other machine can reach a listening socket."""
    host = listener.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def serve(service: Callable, listener: socket.socket, hosts: Iterable[str] = ()) -> None:
    """Answer requests until Ctrl-C or SIGTERM, then finish the requests in progress; print the address when ready.

    A second Ctrl-C ends at once. For hosts see `application`.
    """
    service.translate([TranslationRequest("a", service.beam_size)])  # compiles before the first request comes
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
    print(f"{url_of(listener)}  (Ctrl-C ends)", flush=True)
    # When all is done, uvicorn sends itself the signal that it was ended by.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
    if not worker.stop(SECONDS_TO_END):
        os._exit(0)  # a thread within TensorFlow cannot be ended, and Python's end would crash with it


class FewAlike(logging.Filter):
    """Let through the first `ALIKE` records of a period whose first lines are alike, so that nobody floods the log."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self._clock, self._begun, self._counts = clock, clock(), {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is kept; the last one of its kind says that more are not."""
        if self._clock() - self._begun >= PERIOD:
            self._begun, self._counts = self._clock(), {}
        kind = (record.name, str(record.msg).partition("\n")[0])
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count == ALIKE:
            record.msg = f"{record.msg} (more of these are left out for up to {PERIOD} seconds)"
        return count <= ALIKE
