"""Connections that wait for a limited time, so that slow clients do not take the places of others."""

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from interacting_head.serve import limits


class Connection(H11Protocol):
    """A connection that ends where a whole request, or a client that takes its answer, is waited for too long.

    uvicorn itself ends connections without a request only after the first answer, and waits for ever for the rest of a
    request that has begun.
    """

    _deadline = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc):
        self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self):
        self._wait()  # for the next request
        super().on_response_complete()

    def pause_writing(self):
        super().pause_writing()
        self._wait()  # for the client to read

    def send_400_response(self, msg):
        if self.cycle is not None:  # the rest of a request is wrong: what its beginning has set going answers nobody
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:  # the request was answered before its end turned out to be wrong
            self.transport.close()

    def shutdown(self):
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()  # half a request, which may never end, is not being answered
        else:
            super().shutdown()

    def _wait(self):
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(limits.SECONDS, self._give_up)

    def _give_up(self):
        if self.flow.write_paused or self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()
