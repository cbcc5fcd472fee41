"""Reading what OpenTelemetry's SDK for Go prints of spans: ``stdouttrace``, one object a span."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.files.otlp_values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    any_value,
    hex_of,
    mapping,
    objects,
    present,
    text,
    time_ns,
)
from otel_footprint.files.translation import Shape, Translation, first_object, records

_FLOATS: Final = ("FLOAT64", "FLOAT64SLICE")
"""Types whose whole numbers are printed without a point."""
_CODES: Final[Mapping[str, int]] = {"Ok": 1, "Error": 2}
_KINDS: Final = range(1, 6)
"""The numbers of OTLP; 0 is none."""
_LONGEST_FLAGS: Final = 2
_HAS_REMOTE: Final = 0x100
_IS_REMOTE: Final = 0x200
_NO_PARENT: Final = "0" * 2 * SPAN_ID_BYTES


def _matches(value: Any) -> bool:
    span = first_object(records(value))
    return "TraceID" in mapping(span.get("SpanContext")) and "StartTime" in span


def _translate(value: Any) -> Translation:
    made = Translation()
    items = records(value)
    spans = objects(items)
    made.passed_over = len(items) - len(spans)
    for span in spans:
        scope = mapping(span.get("InstrumentationScope") or span.get("InstrumentationLibrary"))
        made.add(
            _span(span),
            resource=_attributes(span.get("Resource")),
            scope=present(
                [
                    ("name", text(scope.get("Name"))),
                    ("version", text(scope.get("Version"))),
                    ("attributes", _attributes(scope.get("Attributes"))),
                ]
            ),
            schema_urls=(None, text(scope.get("SchemaURL"))),
        )
    return made


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    context, parent = mapping(span.get("SpanContext")), mapping(span.get("Parent"))
    status, kind = mapping(span.get("Status")), span.get("SpanKind")
    parent_id = hex_of(parent.get("SpanID"), SPAN_ID_BYTES)
    code = text(status.get("Code"))
    return present(
        [
            ("traceId", hex_of(context.get("TraceID"), TRACE_ID_BYTES)),
            ("spanId", hex_of(context.get("SpanID"), SPAN_ID_BYTES)),
            ("parentSpanId", None if parent_id == _NO_PARENT else parent_id),
            ("traceState", text(context.get("TraceState"))),
            ("flags", _flags(context, remote=parent.get("Remote"))),
            ("name", text(span.get("Name"))),
            ("kind", kind if type(kind) is int and kind in _KINDS else None),
            ("startTimeUnixNano", time_ns(span.get("StartTime"))),
            ("endTimeUnixNano", time_ns(span.get("EndTime"))),
            ("attributes", _attributes(span.get("Attributes"))),
            ("events", [_event(event) for event in objects(span.get("Events"))]),
            ("links", [_link(link) for link in objects(span.get("Links"))]),
            ("status", present([("code", _CODES.get(code or "")), ("message", text(status.get("Description")))])),
            ("droppedAttributesCount", _count(span.get("DroppedAttributes"))),
            ("droppedEventsCount", _count(span.get("DroppedEvents"))),
            ("droppedLinksCount", _count(span.get("DroppedLinks"))),
        ]
    )


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return present(
        [
            ("timeUnixNano", time_ns(event.get("Time"))),
            ("name", text(event.get("Name"))),
            ("attributes", _attributes(event.get("Attributes"))),
            ("droppedAttributesCount", _count(event.get("DroppedAttributeCount"))),
        ]
    )


def _link(link: Mapping[str, Any]) -> dict[str, Any]:
    context = mapping(link.get("SpanContext"))
    return present(
        [
            ("traceId", hex_of(context.get("TraceID"), TRACE_ID_BYTES)),
            ("spanId", hex_of(context.get("SpanID"), SPAN_ID_BYTES)),
            ("traceState", text(context.get("TraceState"))),
            ("flags", _flags(context, remote=context.get("Remote"))),
            ("attributes", _attributes(link.get("Attributes"))),
            ("droppedAttributesCount", _count(link.get("DroppedAttributeCount"))),
        ]
    )


def _flags(context: Mapping[str, Any], *, remote: Any) -> int | None:
    """The flags of OTLP: those of the trace, and whether the parent, or the linked span, is in another process."""
    printed = text(context.get("TraceFlags")) or ""
    try:
        flags = int(printed, 16) if len(printed) <= _LONGEST_FLAGS else 0
    except ValueError:
        flags = 0
    if isinstance(remote, bool):
        flags |= _HAS_REMOTE | (_IS_REMOTE if remote else 0)
    return flags if flags > 0 else None


def _attributes(pairs: Any) -> list[dict[str, Any]]:
    return [{"key": pair["Key"], "value": _value(pair)} for pair in objects(pairs) if isinstance(pair.get("Key"), str)]


def _value(pair: Mapping[str, Any]) -> dict[str, Any]:
    typed = mapping(pair.get("Value"))
    value = typed.get("Value")
    if typed.get("Type") in _FLOATS:
        value = [_float(item) for item in value] if isinstance(value, list) else _float(value)
    return any_value(value)


def _float(value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:
        return value


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


SHAPE: Final = Shape(name="what the SDK for Go prints", matches=_matches, translate=_translate)
