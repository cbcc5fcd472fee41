"""Reading Jaeger's own JSON: what its user interface downloads, what its query API answers, what it stores.

A whole trace has ``spans`` and ``processes``; a span by itself carries its ``process``. What Jaeger made into tags
becomes again what it was: scope, status, kind, trace state and counts of what was dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.otel_tags import TAGS, counts_of, scope_of, status_code_of
from otel_footprint.files.otlp_values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    any_value,
    event_time,
    hex_of,
    kind_number,
    mapping,
    objects,
    present,
    span_times,
    text,
)
from otel_footprint.files.translation import Shape, Translation, first_object, records

_TYPES: Final[Mapping[str, str]] = {
    "bool": "boolValue",
    "int64": "intValue",
    "float64": "doubleValue",
    "binary": "bytesValue",
}
"""What a value that is given as text is, by the type of its tag."""
_FLOAT: Final = "float64"
_EXACT: Final = 2**53
"""A whole number below this is the same as a floating-point number."""
_CHILD_OF: Final = "CHILD_OF"
_STATUS_MESSAGE: Final = "otel.status_description"
_ERROR: Final = "error"
_KIND: Final = "span.kind"
_TRACE_STATE: Final = "w3c.tracestate"
_WARNINGS: Final = "@jaeger@warnings"
_REFERENCE_TYPE: Final = "opentracing.ref_type"
"""What OpenTelemetry calls the kind of a reference on the link that it becomes."""
_FLAGS: Final = range(1, 256)
"""Trace flags are one byte, and none of them set is the same as none recorded."""
_FORMAT: Final = "internal.span.format"
"""Which protocol Jaeger received the span by; nothing that the span's maker said."""
_NO_ATTRIBUTES: Final = frozenset({*TAGS, _STATUS_MESSAGE, _ERROR, _KIND, _TRACE_STATE, _FORMAT})
_ERROR_VALUES: Final[Mapping[Any, bool]] = {True: True, "true": True, False: False, "false": False}


def _matches(value: Any) -> bool:
    trace = first_object(records(value))
    return "traceID" in trace and ("spans" in trace or "spanID" in trace)


def _translate(value: Any) -> Translation:
    made = Translation()
    for span, process in _spans(value, made):
        tags = objects(span.get("tags"))
        values = {key: tag.get("value") for tag in tags if isinstance(key := tag.get("key"), str)}
        made.add(_span(span, tags, values), resource=_resource(process), scope=scope_of(values))
    return made


def _spans(value: Any, made: Translation) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The spans of all traces, each with its process."""
    for record in records(value):
        spans = record.get("spans", [record]) if isinstance(record, dict) else None
        if not isinstance(spans, list):
            made.passed_over += 1
            continue
        processes = mapping(mapping(record).get("processes"))
        found = objects(spans)
        made.passed_over += len(spans) - len(found)
        for span in found:
            process_id = span.get("processID")
            own = span.get("process")
            shared = processes.get(process_id) if isinstance(process_id, str) else None
            yield span, mapping(own if isinstance(own, dict) else shared)


def _span(span: Mapping[str, Any], tags: list[dict[str, Any]], values: Mapping[str, Any]) -> dict[str, Any]:
    parent, links = _references(span)
    not_kept = _NO_ATTRIBUTES if _failed(values) is not None else _NO_ATTRIBUTES - {_ERROR}
    return present(
        [
            ("traceId", hex_of(span.get("traceID"), TRACE_ID_BYTES)),
            ("spanId", hex_of(span.get("spanID"), SPAN_ID_BYTES)),
            ("parentSpanId", parent),
            ("traceState", text(values.get(_TRACE_STATE))),
            ("name", text(span.get("operationName"))),
            ("kind", kind_number(values.get(_KIND))),
            *span_times(span.get("startTime"), span.get("duration")),
            ("flags", _flags(span.get("flags"))),
            ("attributes", [pair for pair in _attributes(tags) if pair["key"] not in not_kept] + _warnings(span)),
            ("events", [_event(log) for log in objects(span.get("logs"))]),
            ("links", links),
            ("status", _status(values)),
            *counts_of(values),
        ]
    )


def _flags(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _FLAGS else None


def _warnings(span: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What Jaeger warns of, as the attribute that it reads warnings from."""
    warnings = span.get("warnings")
    texts = [one for one in warnings if isinstance(one, str)] if isinstance(warnings, list) else []
    return [{"key": _WARNINGS, "value": any_value(texts)}] if texts else []


def _references(span: Mapping[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """The id of the parent, the first span of the same trace that this is a child of, and links to the rest."""
    parent = span.get("parentSpanID")
    links = []
    for reference in objects(span.get("references")):
        is_child = reference.get("refType") == _CHILD_OF and reference.get("traceID") == span.get("traceID")
        if is_child and not parent:
            parent = reference.get("spanID")
        elif reference.get("spanID") != parent:
            trace_id = hex_of(reference.get("traceID"), TRACE_ID_BYTES)
            kind = text(reference.get("refType"))
            pairs = [{"key": _REFERENCE_TYPE, "value": {"stringValue": kind.lower()}}] if kind else []
            span_id = hex_of(reference.get("spanID"), SPAN_ID_BYTES)
            links.append(present([("traceId", trace_id), ("spanId", span_id), ("attributes", pairs)]))
    return hex_of(parent, SPAN_ID_BYTES), links


def _status(values: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded status; without one, the older tag ``error`` says that the span failed."""
    code = status_code_of(values) or (2 if _failed(values) else None)
    return present([("code", code), ("message", text(values.get(_STATUS_MESSAGE)))])


def _failed(values: Mapping[str, Any]) -> bool | None:
    """What the tag ``error`` says; ``None`` when it is not there, or holds something else than yes or no."""
    error = values.get(_ERROR)
    return _ERROR_VALUES.get(error) if isinstance(error, bool | str) else None


def _event(log: Mapping[str, Any]) -> dict[str, Any]:
    fields = objects(log.get("fields"))
    name = next((text(field.get("value")) for field in fields if field.get("key") == "event"), None)
    others = [field for field in fields if field.get("key") != "event"]
    return present([event_time(log.get("timestamp")), ("name", name), ("attributes", _attributes(others))])


def _resource(process: Mapping[str, Any]) -> list[dict[str, Any]]:
    service = process.get("serviceName")
    named = [{"key": "service.name", "value": any_value(service)}] if service is not None else []
    return [*named, *_attributes(objects(process.get("tags")))]


def _attributes(tags: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"key": tag["key"], "value": _value(tag)} for tag in tags if isinstance(tag.get("key"), str)]


def _value(tag: Mapping[str, Any]) -> dict[str, Any]:
    """The typed value of a tag. Text stays text, whatever is in it; Jaeger stores lists as JSON text."""
    value = tag.get("value")
    form = tag.get("type")
    if isinstance(value, str) and isinstance(form, str):
        return {_TYPES.get(form, "stringValue"): value}
    if isinstance(value, int) and form == _FLOAT and abs(value) < _EXACT:
        return any_value(float(value))
    return any_value(value)


SHAPE: Final = Shape(name="Jaeger's JSON", matches=_matches, translate=_translate)
