"""HTTP/1.1 as uvicorn reads it, with the bounds that it lacks: how long and how large a request's head may be."""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS: Final = 20.0
"""How long the head of a request may take to come, from when the connection is made or its first byte is there."""
MAX_HEAD_BYTES: Final = 64 * 1024
"""How much may come that is neither a whole head nor a body: lines that do not end, and what follows a body."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. Whoever sends a head too slowly or without an end is sent away before anything else is asked."""

    _head_timer: asyncio.TimerHandle | None = None
    _unparsed_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for a head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on. The parser joins what belongs to one line, so that a line without an end costs more and more."""
        self._unparsed_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unparsed_bytes > MAX_HEAD_BYTES:
            self.send_400_response("The head of the request is too large.")
        elif self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            # the first bytes of a next request; uvicorn's own timer ended with them
            self._expect_head()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._unparsed_bytes = 0
        self._head_came()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._unparsed_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._unparsed_bytes = 0
        super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing: Java's HTTP client offers HTTP/2 with each request, and is answered in HTTP/1.1 as it expects."""

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
