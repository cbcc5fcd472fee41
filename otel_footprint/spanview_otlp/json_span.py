"""A view over a span object of OTLP JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from otel_footprint.spanview import EventView, LinkView, StatusName
from otel_footprint.spanview_otlp.shared import (
    REMOTE_PARENT_FLAGS,
    SPAN_ID_BYTES,
    STATUS_BY_CODE,
    TRACE_ID_BYTES,
    Attributes,
    OtlpSpan,
    base64_bytes,
    check_depth,
    hex_id,
)

_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1
_UINT64_MAX: Final = 2**64 - 1
_MAX_INT_TEXT: Final = 20
"""Longest text of a 64-bit integer, sign included; longer texts are not handed to ``int``."""
_DECIMAL: Final = re.compile(r"-?[0-9]+")


def json_attributes(owner: Any) -> Mapping[str, Any]:
    """The decoded attributes of an OTLP JSON object that has them (a resource, an event).

    Args:
        owner: The parsed JSON object; anything else has no attributes.
    """
    return Attributes(lambda: _json_pairs(json_field(owner, "attributes")), json_value)


def json_field(owner: Any, camel: str, snake: str | None = None) -> Any:
    """A field of an OTLP JSON object by its camelCase name, else by its snake_case one.

    Returns:
        ``None`` when ``owner`` is no object or has neither.
    """
    if not isinstance(owner, dict):
        return None
    value = owner.get(camel)
    return owner.get(snake) if value is None and snake is not None else value


class OtlpJsonSpan(OtlpSpan):
    """A view over one parsed span object of OTLP JSON."""

    __slots__ = ("_scope", "_span")

    def __init__(self, span: Mapping[str, Any], resource: Any = None, scope: Any = None) -> None:
        """Look at a span; nothing is read yet.

        Args:
            span: The span object.
            resource: Its resource object, or what :func:`json_attributes` made of it, which lets
                the spans of one resource share one index.
            scope: Its instrumentation scope object.
        """
        self._span = span
        self._scope = scope
        self._attributes = json_attributes(span)
        self._resource = resource if isinstance(resource, Attributes) else json_attributes(resource)
        self._events = None
        self._links = None

    def _field(self, camel: str, snake: str | None = None) -> Any:
        return json_field(self._span, camel, snake)

    @property
    def trace_id(self) -> str:
        """32 lower-case hex digits, or ``""`` when the span has no valid one."""
        return hex_id(self._field("traceId", "trace_id"), TRACE_ID_BYTES)

    @property
    def span_id(self) -> str:
        """16 lower-case hex digits, or ``""`` when the span has no valid one."""
        return hex_id(self._field("spanId", "span_id"), SPAN_ID_BYTES)

    @property
    def parent_id(self) -> str | None:
        """``None`` for a root span: no parent id, an empty one, only zeros, or one that is no id."""
        return hex_id(self._field("parentSpanId", "parent_span_id"), SPAN_ID_BYTES) or None

    @property
    def parent_is_remote(self) -> bool:
        """The span's flags say that its parent is in another process."""
        return json_unsigned(self._field("flags")) & REMOTE_PARENT_FLAGS == REMOTE_PARENT_FLAGS

    @property
    def name(self) -> str:
        """The span's name; ``""`` when it has none."""
        return json_text(self._field("name"))

    @property
    def start_ns(self) -> int:
        """Unix nanoseconds; 0 when not recorded."""
        return json_unsigned(self._field("startTimeUnixNano", "start_time_unix_nano"))

    @property
    def end_ns(self) -> int:
        """Unix nanoseconds; 0 when the span has not ended."""
        return json_unsigned(self._field("endTimeUnixNano", "end_time_unix_nano"))

    @property
    def status(self) -> StatusName:
        """The status; a code that is not known is ``unset``."""
        code = json_field(self._field("status"), "code")
        return STATUS_BY_CODE.get(str(code).upper(), "unset")

    @property
    def status_message(self) -> str:
        """The status description; ``""`` when there is none."""
        return json_text(json_field(self._field("status"), "message"))

    @property
    def scope_name(self) -> str:
        """The instrumentation scope's name; ``""`` when there is none."""
        return json_text(json_field(self._scope, "name"))

    @property
    def dropped(self) -> int:
        """Attributes, events and links that the emitter's limits dropped, added up."""
        return (
            json_unsigned(self._field("droppedAttributesCount", "dropped_attributes_count"))
            + json_unsigned(self._field("droppedEventsCount", "dropped_events_count"))
            + json_unsigned(self._field("droppedLinksCount", "dropped_links_count"))
        )

    def _read_events(self) -> Iterator[EventView]:
        for event in _objects(self._field("events")):
            time_ns = json_unsigned(json_field(event, "timeUnixNano", "time_unix_nano"))
            yield EventView(json_text(event.get("name")), time_ns, json_attributes(event))

    def _read_links(self) -> Iterator[LinkView]:
        for link in _objects(self._field("links")):
            yield LinkView(
                hex_id(json_field(link, "traceId", "trace_id"), TRACE_ID_BYTES),
                hex_id(json_field(link, "spanId", "span_id"), SPAN_ID_BYTES),
            )


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list; what is no object in it, or no list, is passed over."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def json_text(value: Any) -> str:
    """The value when it is a text, else ``""``."""
    return value if isinstance(value, str) else ""


def json_unsigned(value: Any) -> int:
    """A count, a time or flags, as number or text; 0 when it is neither or does not fit 64 bits."""
    number = _json_int(value)
    return number if isinstance(number, int) and 0 <= number <= _UINT64_MAX else 0


def _json_int(value: Any) -> Any:
    """An integer given as number or text; anything that is none comes back as it stands."""
    if isinstance(value, str) and len(value) <= _MAX_INT_TEXT and _DECIMAL.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _json_pairs(attributes: Any) -> Iterator[tuple[str, Any]]:
    for pair in _objects(attributes):
        key = pair.get("key")
        if isinstance(key, str):
            yield key, pair.get("value")


def json_value(value: Any, depth: int) -> Any:
    """Decode one AnyValue object.

    An object without a value is a recorded null. An integer past 64 bits is kept as text. A value
    that is not wrapped in an object at all is taken as it stands.

    Raises:
        TooDeepError: It is nested more than ``depth`` levels.
    """
    if not isinstance(value, dict):
        return value
    for name, content in value.items():
        decode = _JSON_DECODERS.get(name)
        if decode is not None and content is not None:
            return decode(content, depth)
    return None


def _json_int_value(content: Any, _depth: int) -> Any:
    number = _json_int(content)
    if not isinstance(number, int) or isinstance(number, bool):
        return content
    return number if _INT64_MIN <= number <= _INT64_MAX else str(content)


def _json_double(content: Any, _depth: int) -> Any:
    """Numbers, and the texts that JSON has instead of NaN and the infinities."""
    try:
        return float(content) if isinstance(content, str | int | float) else content
    except (ValueError, OverflowError):
        return content


def _json_bool(content: Any, _depth: int) -> Any:
    return {"true": True, "false": False}.get(content, content) if isinstance(content, str) else content


def _json_bytes(content: Any, _depth: int) -> Any:
    decoded = base64_bytes(content) if isinstance(content, str) else b""
    return decoded if decoded or content == "" else content


def _json_array(content: Any, depth: int) -> list[Any]:
    check_depth(depth)
    values = json_field(content, "values")
    return [json_value(item, depth - 1) for item in values] if isinstance(values, list) else []


def _json_map(content: Any, depth: int) -> dict[str, Any]:
    check_depth(depth)
    return {key: json_value(value, depth - 1) for key, value in _json_pairs(json_field(content, "values"))}


def _as_is(content: Any, _depth: int) -> Any:
    return content


_JSON_DECODERS: Final[Mapping[str, Callable[[Any, int], Any]]] = {
    "stringValue": _as_is,
    "string_value": _as_is,
    "boolValue": _json_bool,
    "bool_value": _json_bool,
    "intValue": _json_int_value,
    "int_value": _json_int_value,
    "doubleValue": _json_double,
    "double_value": _json_double,
    "bytesValue": _json_bytes,
    "bytes_value": _json_bytes,
    "arrayValue": _json_array,
    "array_value": _json_array,
    "kvlistValue": _json_map,
    "kvlist_value": _json_map,
}
