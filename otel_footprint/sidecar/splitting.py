"""Requests too large for a backend: cut between their items, and our own events go before a user's span does."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_footprint.sidecar.requests import Envelope, single_items
from otel_footprint.sidecar.wire import Field, MalformedError, fields, without

_EVENTS: Final = 11
_OURS: Final = "footprint."
_OWN_KEYS: Final = b"footprint."


def split(body: bytes, limit: int) -> list[bytes]:
    """A request as several, none larger than ``limit`` unless it is one item alone.

    The bytes between items are repeated. A request that cannot be taken apart comes back as it is.
    """
    if len(body) <= limit:
        return [body]
    parts: list[bytes] = []
    part: list[bytes] = []
    size = 0
    try:
        for envelope, items in single_items(body):
            for piece in _pieces(envelope, items, limit):
                if part and size + len(piece) > limit:
                    parts.append(b"".join(part))
                    part, size = [], 0
                part.append(piece)
                size += len(piece)
    except MalformedError:
        return [body]
    return [*parts, b"".join(part)] if part else parts


def unexplained(body: bytes) -> bytes:
    """A request for traces without the events of ours; one that cannot be taken apart comes back as it is."""
    try:
        return b"".join(envelope.around(*map(_without_events, spans)) for envelope, spans in single_items(body))
    except MalformedError:
        return body


def _pieces(envelope: Envelope, items: list[bytes], limit: int) -> list[bytes]:
    """The items of one scope as requests."""
    pieces: list[bytes] = []
    waiting: list[bytes] = []
    around = len(envelope.around()) + 16
    size = around
    for item in items:
        if waiting and size + len(item) + 8 > limit:
            pieces.append(envelope.around(*waiting))
            waiting, size = [], around
        waiting.append(item)
        size += len(item) + 8
    pieces.append(envelope.around(*waiting))
    return pieces


def _without_events(span: bytes) -> bytes:
    gone = [one for one in fields(span) if one.number == _EVENTS and one.content >= 0 and _is_ours(span, one)]
    return without(span, 0, len(span), gone) if gone else span


def _is_ours(span: bytes, event: Field) -> bool:
    content = span[event.content : event.end]
    if _OWN_KEYS not in content:
        return False
    try:
        return Span.Event.FromString(content).name.startswith(_OURS)
    except DecodeError:
        return False
