"""Reading Zipkin's JSON of version 2: a list of spans, a list of such lists, or a span a line.

OpenTelemetry's exporters for Zipkin put everything into tags, and Zipkin's tags are all text: what was a number or a
list there stays text here. What they made of scope, status, counts and events becomes again what it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.otel_tags import TAGS, counts_of, scope_of, status_code_of
from otel_footprint.files.otlp_values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    attributes,
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

_SIGNS: Final = ("timestamp", "localEndpoint", "duration", "annotations", "tags")
"""Beside its ids, a span of Zipkin has at least one of these."""
OLD_TAGS: Final = "binaryAnnotations"
"""Where version 1 keeps what version 2 has in tags."""
_ERROR: Final = "error"
"""A tag that is there when the span failed, with the reason or nothing in it."""
_NO_ATTRIBUTES: Final = frozenset({*TAGS, _ERROR})
_ENDPOINTS: Final[Mapping[str, Mapping[str, str]]] = {
    "remoteEndpoint": {
        "serviceName": "peer.service",
        "ipv4": "network.peer.address",
        "ipv6": "network.peer.address",
        "port": "network.peer.port",
    },
    "localEndpoint": {
        "ipv4": "network.local.address",
        "ipv6": "network.local.address",
        "port": "network.local.port",
    },
}


def _matches(value: Any) -> bool:
    span = first_object(_flat(value))
    return "traceId" in span and "id" in span and any(sign in span for sign in _SIGNS) and OLD_TAGS not in span


def _flat(value: Any) -> list[Any]:
    """The spans of an answer, which is a list of them or a list of traces."""
    flat: list[Any] = []
    for record in records(value):
        flat.extend(record if isinstance(record, list) else [record])
    return flat


def _translate(value: Any) -> Translation:
    made = Translation()
    items = _flat(value)
    spans = objects(items)
    made.passed_over = len(items) - len(spans)
    for span in spans:
        tags = mapping(span.get("tags"))
        service = mapping(span.get("localEndpoint")).get("serviceName")
        resource = attributes(present([("service.name", service)]))
        made.add(_span(span, tags), resource=resource, scope=scope_of(tags))
    return made


def _span(span: Mapping[str, Any], tags: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in tags.items() if key not in _NO_ATTRIBUTES}
    return present(
        [
            ("traceId", hex_of(span.get("traceId"), TRACE_ID_BYTES)),
            ("spanId", hex_of(span.get("id"), SPAN_ID_BYTES)),
            ("parentSpanId", hex_of(span.get("parentId"), SPAN_ID_BYTES)),
            ("name", text(span.get("name"))),
            ("kind", kind_number(span.get("kind"))),
            *span_times(span.get("timestamp"), span.get("duration")),
            ("attributes", attributes({**_endpoints(span), **kept})),
            ("events", list(_events(span))),
            ("status", _status(tags)),
            *counts_of(tags),
        ]
    )


def _endpoints(span: Mapping[str, Any]) -> dict[str, Any]:
    """Both sides of a call, under the names that OpenTelemetry has; the service of this side is the resource's."""
    return {
        name: value
        for side, names in _ENDPOINTS.items()
        for field, name in names.items()
        if (value := mapping(span.get(side)).get(field)) is not None
    }


def _status(tags: Mapping[str, Any]) -> dict[str, Any]:
    code = 2 if _ERROR in tags else status_code_of(tags)
    return present([("code", code), ("message", text(tags.get(_ERROR)))])


def _events(span: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for annotation in objects(span.get("annotations")):
        name, values = _event(text(annotation.get("value")))
        yield present([event_time(annotation.get("timestamp")), ("name", name), ("attributes", attributes(values))])


def _event(written: str | None) -> tuple[str | None, Mapping[str, Any]]:
    """The name and attributes in an annotation.

    OpenTelemetry writes an event that has attributes as JSON, ``{"name": {attributes}}`` or the same without the outer
    braces; every other annotation is a name.
    """
    if written is None or '"' not in written:
        return written, {}
    try:
        parsed = json.loads(written if written.startswith("{") else f"{{{written}}}")
    except (ValueError, RecursionError):
        return written, {}
    if isinstance(parsed, dict) and len(parsed) == 1:
        ((name, values),) = parsed.items()
        if isinstance(values, dict):
            return name, values
    return written, {}


SHAPE: Final = Shape(name="Zipkin's JSON", matches=_matches, translate=_translate)
