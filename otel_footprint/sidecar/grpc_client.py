"""Sending over OTLP/gRPC, as the bytes that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import grpc

from otel_footprint.sidecar.grpc_server import SERVICES
from otel_footprint.sidecar.outcomes import Outcome, cut, retry_info, taken
from otel_footprint.sidecar.queue import Signal

_DETAILS: Final = "grpc-status-details-bin"
_RETRYABLE: Final = frozenset({"CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE", "DATA_LOSS"})
_PRESSED: Final = "RESOURCE_EXHAUSTED"
_TOO_LARGE: Final = {
    _PRESSED: ("larger than max", "exceeds maximum size", "exceeds the maximum configured"),
    "OUT_OF_RANGE": ("message length too large",),
}
"""How servers say that a message is more than they take: gRPC's core and Go, Java, .NET; tonic by a code of its own."""


class GrpcTransport:
    """Sends to one OTLP/gRPC endpoint over a channel that it keeps.

    Args:
        target: ``host:port`` or another target of gRPC.
        credentials: gRPC's channel credentials; ``None`` for no TLS.
        headers: sent with every request.
        gzip: whether requests are compressed. gRPC does that itself, at some ten times the cost of HTTP's way.
        timeout_seconds: how long a call may take.
        server_name: the name to expect in the server's certificate; by default the target's.
        reconnect_seconds: the longest wait before it is tried again to connect; gRPC's own can be two minutes.
    """

    def __init__(  # noqa: PLR0913 - one value each, by keyword
        self,
        target: str,
        *,
        credentials: Any = None,
        headers: Mapping[str, str] | None = None,
        gzip: bool = False,
        timeout_seconds: float = 10.0,
        server_name: str | None = None,
        reconnect_seconds: float = 30.0,
    ) -> None:
        self._reconnect_ms = max(int(reconnect_seconds * 1000), 1)
        self._server_name = server_name
        self._target = target
        self._credentials = credentials
        self._metadata = tuple((name.lower(), value) for name, value in (headers or {}).items())
        self._compression = grpc.Compression.Gzip if gzip else None
        self._timeout_seconds = timeout_seconds
        self._channel: Any = None
        self._calls: dict[Signal, Any] = {}

    async def send(self, signal: Signal, body: bytes) -> Outcome:
        """See :meth:`Transport.send`."""
        try:
            answer = await self._call(signal)(
                body, timeout=self._timeout_seconds, metadata=self._metadata, compression=self._compression
            )
        except grpc.aio.AioRpcError as error:
            return _outcome(error)
        return taken(answer)

    async def close(self) -> None:
        """See :meth:`Transport.close`."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
            self._calls.clear()

    def _call(self, signal: Signal) -> Any:
        # made here, since a channel belongs to the event loop that runs
        if self._channel is None:
            options: list[tuple[str, Any]] = [
                ("grpc.max_send_message_length", -1),
                ("grpc.enable_retries", 0),
                ("grpc.initial_reconnect_backoff_ms", min(self._reconnect_ms, 1000)),
                ("grpc.max_reconnect_backoff_ms", self._reconnect_ms),
            ]
            if self._server_name is not None:
                options.append(("grpc.ssl_target_name_override", self._server_name))
            if self._credentials is None:
                self._channel = grpc.aio.insecure_channel(self._target, options=options)
            else:
                self._channel = grpc.aio.secure_channel(self._target, self._credentials, options=options)
        if signal not in self._calls:
            self._calls[signal] = self._channel.unary_unary(f"/{SERVICES[signal]}/Export")
        return self._calls[signal]


def _outcome(error: Any) -> Outcome:
    code = error.code().name
    said = error.details() or ""
    message = cut(f"gRPC {code} {said}")
    if any(words in said for words in _TOO_LARGE.get(code, ())):
        return Outcome(kind="too-large", message=message)
    wait = retry_info(dict(error.trailing_metadata() or ()).get(_DETAILS))
    # Without a hint it may be a quota that comes back never, so OTLP has it sent again only with one.
    if code in _RETRYABLE or (code == _PRESSED and wait is not None):
        return Outcome(kind="again", message=message, wait_seconds=wait)
    return Outcome(kind="refused", message=message)
