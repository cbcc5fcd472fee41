"""Reading spans that lie flat, one object each: what an SDK prints of a span, and the like of other tools.

The fields have a few names each, which the tables here list; a field is the first of its names that has a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_footprint.files.otlp_values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    attributes,
    hex_of,
    kind_number,
    mapping,
    objects,
    present,
    pruned,
    text,
    time_ns,
)
from otel_footprint.files.translation import Shape, Translation, first_object, records

_TRACE_ID: Final = ("trace_id", "traceId")
_SPAN_ID: Final = ("span_id", "spanId")
_PARENT_ID: Final = ("parent_id", "parent_span_id", "parentSpanId", "parentId")
_START: Final = ("start_time", "startTime", "start_time_unix_nano", "startTimeUnixNano")
_END: Final = ("end_time", "endTime", "end_time_unix_nano", "endTimeUnixNano")
_EVENTS: Final = ("events", "span_events")
_EVENT_TIME: Final = ("timestamp", "time", "time_unix_nano", "timeUnixNano")
_SCOPE: Final = ("scope", "instrumentation_scope", "instrumentationScope", "instrumentation_info")
_SCHEMA_URL: Final = ("schema_url", "schemaUrl")
_TRACE_STATE: Final = ("trace_state", "traceState")
_PRINTED_ENTRY: Final = re.compile(r"\{key=([^{},]{1,256}), value=([^{},]{1,256})\}")
_FLAGS: Final = ("flags", "trace_flags", "traceFlags")
_DROPPED: Final[Mapping[str, tuple[str, ...]]] = {
    "droppedAttributesCount": ("dropped_attributes_count", "droppedAttributesCount", "dropped_attributes"),
    "droppedEventsCount": ("dropped_events_count", "droppedEventsCount", "dropped_events"),
    "droppedLinksCount": ("dropped_links_count", "droppedLinksCount", "dropped_links"),
}
_LONGEST_COUNT: Final = 10
_PAST_32_BITS: Final = 2**32
_CODE: Final = ("status_code", "code")
_MESSAGE: Final = ("description", "message", "status_message")
_CODES: Final[Mapping[str, int]] = {"OK": 1, "1": 1, "ERROR": 2, "2": 2}
_SIGNS: Final = ("name", *_START)
"""What a span has and a log record of the same trace has not."""


def _matches(value: Any) -> bool:
    span = first_object(records(value))
    context = _context(span)
    has_ids = _first(context, _TRACE_ID) is not None and _first(context, _SPAN_ID) is not None
    return has_ids and any(name in span for name in _SIGNS)


def _translate(value: Any) -> Translation:
    made = Translation()
    items = records(value)
    spans = objects(items)
    made.passed_over = len(items) - len(spans)
    for span in spans:
        add_flat_span(made, span, attribute_list(span.get("attributes")))
    return made


def add_flat_span(made: Translation, span: Mapping[str, Any], attribute_pairs: Sequence[Mapping[str, Any]]) -> None:
    """Add a flat span to a translation.

    Args:
        made: What the span is added to.
        span: The span object.
        attribute_pairs: Its attributes as OTLP has them.
    """
    context = _context(span)
    translated = present(
        [
            ("traceId", hex_of(_first(context, _TRACE_ID), TRACE_ID_BYTES)),
            ("spanId", hex_of(_first(context, _SPAN_ID), SPAN_ID_BYTES)),
            ("parentSpanId", hex_of(_first(span, _PARENT_ID), SPAN_ID_BYTES)),
            ("traceState", _trace_state(_first(context, _TRACE_STATE) or _first(span, _TRACE_STATE))),
            ("flags", _count(_first(span, _FLAGS))),
            ("name", text(span.get("name"))),
            ("kind", kind_number(span.get("kind"))),
            ("startTimeUnixNano", time_ns(_first(span, _START))),
            ("endTimeUnixNano", time_ns(_first(span, _END))),
            ("attributes", attribute_pairs),
            ("events", [_event(event) for event in objects(_first(span, _EVENTS))]),
            ("links", [_link(link) for link in objects(span.get("links"))]),
            ("status", _status(span)),
            *((field, _count(_first(span, names))) for field, names in _DROPPED.items()),
        ]
    )
    resource, scope = mapping(span.get("resource")), mapping(_first(span, _SCOPE))
    made.add(
        translated,
        resource=attribute_list(resource.get("attributes", resource)),
        scope=_scope(scope),
        schema_urls=(text(_first(resource, _SCHEMA_URL)), text(_first(scope, _SCHEMA_URL))),
    )


def attribute_list(values: Any) -> list[dict[str, Any]]:
    """Attributes as OTLP has them, of an object; a list is taken to be in that form already."""
    return pruned(objects(values)) if isinstance(values, list) else attributes(mapping(values))


def _context(span: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object that the ids of a span are in: its ``context``, else the span itself."""
    context = span.get("context")
    return context if isinstance(context, dict) else span


def _first(owner: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((owner[name] for name in names if owner.get(name) is not None), None)


def _status(span: Mapping[str, Any]) -> dict[str, Any]:
    status = span.get("status")
    owner = status if isinstance(status, dict) else span
    code = _first(owner, _CODE) if owner is status or status is None else status
    name = str(code).upper() if isinstance(code, str | int) else ""
    number = _CODES.get(name.removeprefix("STATUSCODE.").removeprefix("STATUS_CODE_"))
    message = text(_first(owner, _MESSAGE if owner is status else ("status_message",)))
    return present([("code", number), ("message", message)])


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return present(
        [
            ("timeUnixNano", time_ns(_first(event, _EVENT_TIME))),
            ("name", text(event.get("name"))),
            ("attributes", attribute_list(event.get("attributes"))),
            ("droppedAttributesCount", _count(_first(event, _DROPPED["droppedAttributesCount"]))),
        ]
    )


def _link(link: Mapping[str, Any]) -> dict[str, Any]:
    context = _context(link)
    return present(
        [
            ("traceId", hex_of(_first(context, _TRACE_ID), TRACE_ID_BYTES)),
            ("spanId", hex_of(_first(context, _SPAN_ID), SPAN_ID_BYTES)),
            ("traceState", _trace_state(_first(context, _TRACE_STATE) or _first(link, _TRACE_STATE))),
            ("flags", _count(_first(link, _FLAGS))),
            ("attributes", attribute_list(link.get("attributes"))),
            ("droppedAttributesCount", _count(_first(link, _DROPPED["droppedAttributesCount"]))),
        ]
    )


def _scope(scope: Mapping[str, Any]) -> dict[str, Any]:
    return present(
        [
            ("name", text(scope.get("name"))),
            ("version", text(scope.get("version"))),
            ("attributes", attribute_list(scope.get("attributes"))),
        ]
    )


def _trace_state(value: Any) -> str | None:
    """The trace state as its header has it; the SDK for Python prints the text of a list of ``{key=a, value=b}``."""
    entries = _PRINTED_ENTRY.findall(value) if isinstance(value, str) and value.startswith("[") else None
    return text(value) if entries is None else ",".join(f"{key}={entry}" for key, entry in entries) or None


def _count(value: Any) -> int | None:
    """A count or flags of 32 bits, as number or text; 0 says the same as none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_COUNT:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _PAST_32_BITS else None


SHAPE: Final = Shape(name="flat spans", matches=_matches, translate=_translate)
