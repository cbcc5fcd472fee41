"""A view over a protobuf span, by its shape; no generated code is imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_footprint.spanview import EventView, LinkView, StatusName
from otel_footprint.spanview_otlp.shared import (
    REMOTE_PARENT_FLAGS,
    SPAN_ID_BYTES,
    STATUS_BY_CODE,
    TRACE_ID_BYTES,
    Attributes,
    OtlpSpan,
    check_depth,
    hex_id,
)


class OtlpProtoSpan(OtlpSpan):
    """A view over one protobuf ``opentelemetry.proto.trace.v1.Span``."""

    __slots__ = ("_scope", "_span")

    def __init__(self, span: Any, resource: Any = None, scope: Any = None) -> None:
        """Look at a span; nothing is read yet.

        Args:
            span: The ``Span`` message.
            resource: Its ``Resource`` message, or what :func:`proto_attributes` made of it, which
                lets the spans of one resource share one index.
            scope: Its ``InstrumentationScope`` message.
        """
        self._span = span
        self._scope = scope
        self._attributes = proto_attributes(span)
        self._resource = resource if isinstance(resource, Attributes) else proto_attributes(resource)
        self._events = None
        self._links = None

    @property
    def trace_id(self) -> str:
        """32 lower-case hex digits, or ``""`` when the span has no valid one."""
        return hex_id(self._span.trace_id, TRACE_ID_BYTES)

    @property
    def span_id(self) -> str:
        """16 lower-case hex digits, or ``""`` when the span has no valid one."""
        return hex_id(self._span.span_id, SPAN_ID_BYTES)

    @property
    def parent_id(self) -> str | None:
        """``None`` for a root span: no parent id, an empty one, only zeros, or one of another length."""
        return hex_id(self._span.parent_span_id, SPAN_ID_BYTES) or None

    @property
    def parent_is_remote(self) -> bool:
        """The span's flags say that its parent is in another process."""
        return bool(getattr(self._span, "flags", 0) & REMOTE_PARENT_FLAGS == REMOTE_PARENT_FLAGS)

    @property
    def name(self) -> str:
        """The span's name; ``""`` when it has none."""
        return str(self._span.name)

    @property
    def start_ns(self) -> int:
        """Unix nanoseconds; 0 when not recorded."""
        return int(self._span.start_time_unix_nano)

    @property
    def end_ns(self) -> int:
        """Unix nanoseconds; 0 when the span has not ended."""
        return int(self._span.end_time_unix_nano)

    @property
    def status(self) -> StatusName:
        """The status; a code that is not known is ``unset``."""
        return STATUS_BY_CODE.get(str(self._span.status.code), "unset")

    @property
    def status_message(self) -> str:
        """The status description; ``""`` when there is none."""
        return str(self._span.status.message)

    @property
    def scope_name(self) -> str:
        """The instrumentation scope's name; ``""`` when there is none."""
        return "" if self._scope is None else str(self._scope.name)

    @property
    def dropped(self) -> int:
        """Attributes, events and links that the emitter's limits dropped, added up."""
        span = self._span
        return int(span.dropped_attributes_count + span.dropped_events_count + span.dropped_links_count)

    def _read_events(self) -> Iterator[EventView]:
        for event in self._span.events:
            yield EventView(event.name, event.time_unix_nano, proto_attributes(event))

    def _read_links(self) -> Iterator[LinkView]:
        for link in self._span.links:
            yield LinkView(hex_id(link.trace_id, TRACE_ID_BYTES), hex_id(link.span_id, SPAN_ID_BYTES))


def proto_attributes(owner: Any) -> Mapping[str, Any]:
    """The decoded attributes of a protobuf message that has them (a resource, an event).

    Args:
        owner: The message; ``None`` has no attributes.
    """
    return Attributes(lambda: iter(()) if owner is None else _proto_pairs(owner.attributes), proto_value)


def _proto_pairs(attributes: Any) -> Iterator[tuple[str, Any]]:
    return ((pair.key, pair.value) for pair in attributes)


def proto_value(value: Any, depth: int) -> Any:
    """Decode one ``AnyValue`` message; one without a value is a recorded null.

    Raises:
        TooDeepError: It is nested more than ``depth`` levels.
    """
    kind = value.WhichOneof("value")
    if kind == "array_value":
        check_depth(depth)
        return [proto_value(item, depth - 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        check_depth(depth)
        return {key: proto_value(item, depth - 1) for key, item in _proto_pairs(value.kvlist_value.values)}
    return None if kind is None else getattr(value, kind)
