"""Connections with limits on number and time, so that no client displaces others, and strict HTTP parsing."""

import asyncio
import re

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from interacting_head.serve import limits

RESERVED = 128  # open files for all but connections
HEAD_END = re.compile(rb"\n\r?\n")
BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")


class StrictRequests(h11.Connection):
    """The server's side of HTTP, strict enough that a proxy in front sees the same requests.

    h11 accepts a bare line feed in the head of a request, and both Content-Length and chunks for a body.
    """

    def __init__(self):
        super().__init__(h11.SERVER)

    def next_event(self) -> h11.Event | type:
        """Return the next event, see `h11.Connection.next_event`."""
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            end = HEAD_END.search(received)
            if BARE_LINE_FEED.search(received, 0, end.end() if end else len(received)):
                raise h11.RemoteProtocolError("a line feed without a carriage return in the head of a request")
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event


class Connection(H11Protocol):
    """A connection with timeouts for receiving a whole request and for the client to read the response.

    uvicorn itself closes idle connections only after the first response, and waits forever for the rest of a request.
    If there are too many connections, the one that has waited longest is closed; otherwise the process would run out of
    open files and answer nobody.
    """

    _deadline = _waited_since = None
    _is_aborted = False

    def __init__(self, *arguments: object, **options: object):
        super().__init__(*arguments, **options)
        self.conn = StrictRequests()

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > most_connections():
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._wait()  # for the next request
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait()  # for the client to read

    def send_400_response(self, msg: str) -> None:
        if self.cycle is not None:  # the rest of a request is malformed: cancel the response to its beginning
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:  # the response was sent before the end turned out to be malformed
            self.transport.close()

    def shutdown(self) -> None:
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()  # half a request, which may never end
        else:
            super().shutdown()

    def _wait(self):
        if self._deadline is not None:
            self._deadline.cancel()
        self._waited_since = self.loop.time()
        self._deadline = self.loop.call_later(limits.SECONDS, self._give_up)

    def _give_up(self):
        if self._is_waited_for():
            self._abort()

    def _abort(self):
        self._is_aborted = True
        self.transport.abort()

    def _is_waited_for(self):
        has_unread = self.flow.write_paused or self.transport.is_closing()
        return has_unread or self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _make_room(self):
        open_ones = [each for each in self.connections if not each._is_aborted]
        if len(open_ones) <= most_connections():
            return
        self.logger.warning("Too many connections: closing the ones that have waited longest.")
        waited_for = [each for each in open_ones if each is not self and each._is_waited_for()]
        min(waited_for, key=lambda each: each._waited_since, default=self)._abort()


def most_connections() -> int:
    """Return the most connections at a time."""
    return max(8, min(limits.CONNECTIONS, (_open_files() - RESERVED) // 2))


def most_at_once() -> int:
    """Return the most connections accepted in one go; a few times as many may be open too."""
    return max(4, min(128, _open_files() // 16))


def _open_files():
    """Return the limit of open files of this process."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return 2**16
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**16 if limit == resource.RLIM_INFINITY else limit
