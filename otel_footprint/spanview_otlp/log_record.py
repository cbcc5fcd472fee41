"""Views over the log records of OTLP JSON and OTLP protobuf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_footprint.logview import LogView
from otel_footprint.spanview_otlp.json_span import json_attributes, json_field, json_text, json_unsigned, json_value
from otel_footprint.spanview_otlp.proto_span import proto_attributes, proto_value
from otel_footprint.spanview_otlp.shared import SPAN_ID_BYTES, TRACE_ID_BYTES, Attributes, hex_id


def json_log(record: Mapping[str, Any], resource: Mapping[str, Any], scope: Any = None) -> LogView:
    """The view of a ``LogRecord`` object of OTLP JSON.

    Args:
        record: The object.
        resource: The decoded attributes of its resource.
        scope: Its scope object.
    """
    time_ns = json_unsigned(json_field(record, "timeUnixNano", "time_unix_nano"))
    return LogView(
        trace_id=hex_id(json_field(record, "traceId", "trace_id"), TRACE_ID_BYTES),
        span_id=hex_id(json_field(record, "spanId", "span_id"), SPAN_ID_BYTES),
        time_ns=time_ns or json_unsigned(json_field(record, "observedTimeUnixNano", "observed_time_unix_nano")),
        event_name=json_text(json_field(record, "eventName", "event_name")),
        scope_name=json_text(json_field(scope, "name")),
        body_of=Attributes(lambda: iter([("body", record.get("body"))]), json_value),
        attributes=json_attributes(record),
        resource_attributes=resource,
    )


def proto_log(record: Any, resource: Mapping[str, Any], scope: Any = None) -> LogView:
    """The view of a protobuf ``opentelemetry.proto.logs.v1.LogRecord``.

    Args:
        record: The message.
        resource: The decoded attributes of its resource.
        scope: Its ``InstrumentationScope`` message.
    """
    return LogView(
        trace_id=hex_id(record.trace_id, TRACE_ID_BYTES),
        span_id=hex_id(record.span_id, SPAN_ID_BYTES),
        time_ns=int(record.time_unix_nano or record.observed_time_unix_nano),
        # The field is newer than the oldest supported definition of the message.
        event_name=str(getattr(record, "event_name", "")),
        scope_name="" if scope is None else str(scope.name),
        body_of=Attributes(lambda: iter([("body", record.body)]), proto_value),
        attributes=proto_attributes(record),
        resource_attributes=resource,
    )
