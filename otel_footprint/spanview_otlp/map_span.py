"""A view over a protobuf span whose attributes are declared as a map, so that a key is found inside the decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from sys import intern
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP, EventView
from otel_footprint.spanview_otlp.proto_span import OtlpProtoSpan, proto_value
from otel_footprint.spanview_otlp.shared import SPAN_ID_BYTES, TRACE_ID_BYTES, TooDeepError, hex_id


class MapAttributes(Mapping[str, Any]):
    """The decoded attributes of a protobuf message that has them as a map; a value is decoded when it is read."""

    __slots__ = ("_map",)

    def __init__(self, owner: Any) -> None:
        self._map = owner.attributes

    def __getitem__(self, key: str) -> Any:
        # The map itself makes an entry of every key that it is asked for.
        if key not in self._map:
            raise KeyError(key)
        return _value(self._map[key])

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or ``default`` when there is none."""
        return _value(self._map[key]) if key in self._map else default

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __iter__(self) -> Iterator[str]:
        # A map has no order of its own, and what is read must not depend on chance.
        return iter(sorted(self._map))

    def __len__(self) -> int:
        return len(self._map)


_UNREAD: Final = object()
"""Stands for a value that nobody has asked for yet."""


def _value(value: Any) -> Any:
    # nearly all are texts
    text = value.string_value
    if text:
        return text
    try:
        return proto_value(value, MAX_DEPTH)
    except TooDeepError:
        return TOO_DEEP


class OtlpMapSpan(OtlpProtoSpan):
    """A view over the bytes of a ``Span``, its attributes and those of its events and resource decoded as maps.

    A decoded span takes several times the room of its bytes. So a view that waits is put to rest, and decodes its bytes
    again when it is asked for something.
    """

    __slots__ = ("_decode", "_message", "_parent_id", "_raw", "_scope_name", "_span_id", "_trace_id", "_values")

    def __init__(self, raw: bytes, decode: Callable[[bytes], Any], resource: MapAttributes, scope: Any) -> None:
        """Look at a span.

        Args:
            raw: The span's bytes.
            decode: Makes a message of them that has the shape of ``Span``; it may raise now, and not later on.
            resource: The attributes of its resource.
            scope: Its scope message.
        """
        self._raw = raw
        self._decode = decode
        span = self._message = decode(raw)
        self._scope = scope
        self._resource = resource
        # Of what the spans of a trace have in common, a view that waits keeps no copy of its own.
        self._scope_name = "" if scope is None else intern(scope.name)
        self._values: dict[str, Any] | None = None
        self._events = None
        self._links = None
        self._trace_id = intern(hex_id(span.trace_id, TRACE_ID_BYTES))
        self._span_id = hex_id(span.span_id, SPAN_ID_BYTES)
        self._parent_id = intern(hex_id(span.parent_span_id, SPAN_ID_BYTES)) or None

    def rest(self) -> None:
        """Keep nothing but the bytes until the next question."""
        self._message = self._values = self._events = self._links = None

    @property
    def wire_bytes(self) -> int:
        """How many bytes it was decoded from, which is about what it keeps alive."""
        return len(self._raw)

    @property
    def _span(self) -> Any:
        # what the other view keeps, this one makes when it is asked for
        if self._message is None:
            self._message = self._decode(self._raw)
        return self._message

    @property
    def _attributes(self) -> dict[str, Any]:  # type: ignore[override] # the same
        # A map has no order of its own, and what is read must not depend on chance.
        if self._values is None:
            self._values = dict.fromkeys(sorted(self._span.attributes), _UNREAD)
        return self._values

    def get(self, key: str) -> Any:
        """The decoded attribute; ``None`` when there is none, or when it is recorded as null."""
        # Some thirty keys are asked for of every span, so each value is taken out of the decoder once, and none that
        # nobody asks for.
        values = self._values
        if values is None:
            values = self._attributes
        value = values.get(key)
        if value is _UNREAD:
            value = values[key] = _value(self._span.attributes[key])
        return value

    def has(self, key: str) -> bool:
        """Whether there is an attribute of this key, a null included."""
        values = self._values
        return key in (self._attributes if values is None else values)

    def keys(self) -> Iterable[str]:
        """The attribute keys in the order of the alphabet."""
        return self._attributes.keys()

    @property
    def scope_name(self) -> str:
        """The instrumentation scope's name; ``""`` when there is none."""
        return self._scope_name

    @property
    def trace_id(self) -> str:
        """32 lower-case hex digits, or ``""`` when the span has no valid one."""
        return self._trace_id

    @property
    def span_id(self) -> str:
        """16 lower-case hex digits, or ``""`` when the span has no valid one."""
        return self._span_id

    @property
    def parent_id(self) -> str | None:
        """``None`` for a root span: no parent id, an empty one, only zeros, or one of another length."""
        return self._parent_id

    def _read_events(self) -> Iterator[EventView]:
        for event in self._span.events:
            yield EventView(event.name, event.time_unix_nano, MapAttributes(event))
