"""Where plain spans stand, found only when a span of an agent has one of them as its parent.

Between an agent and its tools, or above both, there may be spans of an HTTP server. Requests without a mark are not
decoded when they come. The last of them are kept for a while as the bytes that came, and are looked through when a
parent is missing.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError

from otel_footprint.sidecar import schema
from otel_footprint.spanview_otlp import MapAttributes, OtlpMapSpan

MAX_KEPT_BYTES: Final = 16 * 1024 * 1024
MAX_AWAITED: Final = 10_000
_OWN_BYTES: Final = 256
"""What a kept request takes beside its bytes; there may be none."""

_NO_RESOURCE: Final = MapAttributes(schema.Resource())
_NO_SCOPE: Final = schema.Scope()


class Found(NamedTuple):
    """A span of which only ids, parent and times are known."""

    view: OtlpMapSpan
    raw: bytes


class _Kept:
    """A request, and the ids of its spans once somebody asked for one."""

    __slots__ = ("_ids", "body")

    def __init__(self, body: bytes) -> None:
        self.body = body
        self._ids: frozenset[bytes] | None = None

    @property
    def ids(self) -> frozenset[bytes]:
        if self._ids is None:
            self._ids = frozenset(place.span_id for place in _places(self.body))
        return self._ids


class Places:
    """Finds missing parents in the requests of the last moments and in those that come."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: deque[_Kept] = deque()
        self._bytes = 0
        self._awaited: OrderedDict[bytes, bytes] = OrderedDict()
        """Span id to trace id."""

    @property
    def awaited(self) -> int:
        """Parents that are missing."""
        return len(self._awaited)

    def keep(self, body: bytes) -> None:
        """Keep a request for later searches, in the place of the oldest ones."""
        self._kept.append(_Kept(body))
        self._bytes += room_of(body)
        while self._bytes > self._max_bytes:
            self._bytes -= room_of(self._kept.popleft().body)

    def expect(self, trace_id: str, span_id: str) -> None:
        """Look for a span from now on; what has been looked for longest is given up when it is too many."""
        self._awaited[bytes.fromhex(span_id)] = bytes.fromhex(trace_id)
        if len(self._awaited) > MAX_AWAITED:
            self._awaited.popitem(last=False)

    def forget(self, span_id: str) -> None:
        """Look for a span no longer."""
        if self._awaited:
            self._awaited.pop(bytes.fromhex(span_id), None)

    def found(self) -> list[Found]:
        """The spans that were looked for and are there; they are looked for no longer."""
        if not self._awaited:
            return []
        found: list[Found] = []
        for kept in self._kept:
            hits = self._awaited.keys() & kept.ids
            if hits:
                found.extend(self._take(kept.body, hits))
        return found

    def _take(self, body: bytes, hits: set[bytes]) -> Iterator[Found]:
        for place in _places(body):
            if place.span_id in hits and self._awaited.get(place.span_id) == place.trace_id:
                del self._awaited[place.span_id]
                raw = place.SerializeToString()
                yield Found(OtlpMapSpan(raw, schema.span_of, _NO_RESOURCE, _NO_SCOPE), raw)


def room_of(body: bytes) -> int:
    """The bytes that a kept request takes."""
    return len(body) + _OWN_BYTES


def _places(body: bytes) -> Iterator[Any]:
    try:
        request = schema.RequestPlaces.FromString(body)
    except DecodeError:
        return
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            yield from scope.spans
