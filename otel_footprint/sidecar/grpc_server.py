"""OTLP over gRPC: generic handlers that get the bytes of a request and decode nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import grpc

from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.access import Access
from otel_footprint.sidecar.answers import taken
from otel_footprint.sidecar.intake import Intake
from otel_footprint.sidecar.json_in import Losses
from otel_footprint.sidecar.listening import is_listened_on
from otel_footprint.sidecar.queue import Signal
from otel_footprint.sidecar.refusals import RefusedError
from otel_footprint.sidecar.settings import Endpoint

SERVICES: Final[Mapping[Signal, str]] = {
    "traces": "opentelemetry.proto.collector.trace.v1.TraceService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
}

_DETAILS: Final = "grpc-status-details-bin"
_TAKEN: Final = b""
"""An answer without a partial success: an empty message."""


class GrpcReceiver:
    """The server; it is bound with :meth:`bind` and runs from :meth:`start` to :meth:`stop`.

    Args:
        intake: where requests go.
        access: who may send.
        max_bytes: how large a request may be, after it is uncompressed.
    """

    def __init__(self, intake: Intake, *, access: Access, max_bytes: int) -> None:
        self._intake = intake
        self.access = access
        """Who may send; it can be changed while it runs."""
        self.errors = InternalErrors("sidecar")
        """Errors of our own while a request was answered; the sender was asked to come again."""
        self.ports: list[int] = []
        """Of the endpoints that were bound, in their order; a socket's is 1."""
        self._server: Any = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", max_bytes),
                ("grpc.so_reuseport", 0),
            ]
        )
        self._server.add_generic_rpc_handlers([self._handler(signal) for signal in SERVICES])

    def bind(self, endpoint: Endpoint, credentials: Any = None) -> None:
        """Listen on an endpoint.

        Args:
            endpoint: where.
            credentials: gRPC's server credentials; ``None`` for no TLS.

        Raises:
            OSError: nobody can listen there.
        """
        # gRPC takes a socket file away from whoever listens on it
        if endpoint.kind == "unix" and is_listened_on(Path(endpoint.path)):
            raise OSError(errno.EADDRINUSE, f"cannot listen on {endpoint} for gRPC: {os.strerror(errno.EADDRINUSE)}")
        try:
            if credentials is None:
                self.ports.append(self._server.add_insecure_port(str(endpoint)))
            else:
                self.ports.append(self._server.add_secure_port(str(endpoint), credentials))
        except RuntimeError as error:
            raise OSError(f"cannot listen on {endpoint} for gRPC: {error}") from None

    async def start(self) -> None:
        """Answer requests."""
        await self._server.start()

    async def stop(self, grace_seconds: float) -> None:
        """Take no new requests, and give those that run some time."""
        await self._server.stop(grace_seconds)

    def _handler(self, signal: Signal) -> Any:
        async def export(_requests: object, context: Any) -> bytes:
            try:
                metadata = {str(key).lower(): value for key, value in context.invocation_metadata() or ()}
                given = metadata.get("authorization")
                self.access.check(given if isinstance(given, str) else None)
                unsent = await self._intake.take(signal, await _message(context))
            except RefusedError as error:
                refusal = error
                self._intake.refused(refusal)
            except Exception as error:  # noqa: BLE001 - whatever it is, the sender keeps its request and comes again
                self.errors.report("grpc", error)
                refusal = self._intake.pressed("an error inside of the sidecar")
            else:
                return _answer(signal, unsent)
            details = ((_DETAILS, refusal.status().SerializeToString()),)
            await context.abort(grpc.StatusCode[refusal.code], refusal.message, details)
            return _TAKEN

        # As a stream, whose messages are read when they are asked for: that of a sender who is not let in never is.
        # Without a deserializer the request stays the bytes that came.
        return grpc.method_handlers_generic_handler(
            SERVICES[signal], {"Export": grpc.stream_unary_rpc_method_handler(export)}
        )


def _answer(signal: Signal, unsent: int) -> bytes:
    if not unsent:
        return _TAKEN
    answer: bytes = taken(signal, Losses(), unsent).SerializeToString()
    return answer


async def _message(context: Any) -> bytes:
    message = await context.read()
    if message is grpc.aio.EOF:
        # one that is too large ends so too, and gRPC itself has told its sender
        raise RefusedError("INVALID_ARGUMENT", 413, "the call has no message, or one that is too large")
    request: bytes = message
    return request
