"""What the writers made of an explanation, as protobuf: additions to a span's bytes, and requests of own spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Span

from otel_footprint._version import __version__
from otel_footprint.explanation import Explanation
from otel_footprint.sidecar.requests import Envelope
from otel_footprint.sidecar.wire import field
from otel_footprint.writers import EventRecord, LogRecord, SpanRecord, Written

_SCOPE: Final = ScopeSpans(scope=InstrumentationScope(name="otel_footprint", version=__version__)).SerializeToString()
_EVENT_NAME: Final = 12
"""The field of a log record; written by hand, since the oldest messages of OTLP that we run with have none."""
_SAMPLED: Final = b"\x85\x01\x01\x00\x00\x00"
"""The field ``flags`` of a span that is sampled, as bytes: the oldest messages of OTLP that we run with have none."""


def additions(trace_id: str, written: Written) -> bytes:
    """What makes of a span's bytes, put behind them, the span with what was written.

    Protobuf reads two messages behind each other as one: repeated fields go on where they ended.
    """
    span = Span(links=_links(trace_id, written.links))
    _events(span, written.events)
    _attributes(span.attributes, written.attributes)
    return span.SerializeToString()


def own_span(record: SpanRecord, resource: bytes) -> bytes:
    """A request of a span of our own.

    Args:
        record: the span.
        resource: the fields of the resource's group that it joins, but for scopes.
    """
    span = Span(
        trace_id=bytes.fromhex(record.trace_id),
        span_id=bytes.fromhex(record.span_id),
        parent_span_id=bytes.fromhex(record.parent_id),
        name=record.name,
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=record.start_ns,
        end_time_unix_nano=record.end_ns,
        links=_links(record.trace_id, record.links),
    )
    _events(span, record.events)
    _attributes(span.attributes, record.attributes)
    return Envelope(resource, _SCOPE).around(_SAMPLED + span.SerializeToString())


def own_logs(explanation: Explanation, records: Iterable[LogRecord], resource: bytes) -> bytes:
    """A request of log records of our own.

    Args:
        explanation: of the turn that they are about.
        records: the records.
        resource: as for :func:`own_span`; the groups of both signals have the same fields.
    """
    return Envelope(resource, _SCOPE).around(*(_log(explanation, record) for record in records))


def _log(explanation: Explanation, record: LogRecord) -> bytes:
    made = logs_pb2.LogRecord(
        time_unix_nano=record.time_ns,
        observed_time_unix_nano=record.time_ns,
        trace_id=bytes.fromhex(explanation.trace_id),
        span_id=bytes.fromhex(explanation.span_id),
    )
    made.severity_number = cast(Any, record.severity)  # an enumeration, which protobuf takes as its number
    made.body.string_value = record.body
    _attributes(made.attributes, record.attributes)
    return field(_EVENT_NAME, record.name.encode()) + made.SerializeToString()


def _events(span: Span, events: Iterable[EventRecord]) -> None:
    for event in events:
        added = span.events.add(name=event.name, time_unix_nano=event.time_ns)
        _attributes(added.attributes, event.attributes)


def _attributes(target: Any, attributes: Mapping[str, Any]) -> None:
    for key, value in attributes.items():
        pair: KeyValue = target.add(key=key)
        if isinstance(value, tuple):
            pair.value.array_value.SetInParent()
            for item in value:
                pair.value.array_value.values.add(string_value=item)
        else:
            _scalar(pair.value, value)


def _scalar(target: Any, value: Any) -> None:
    # A truth value is an integer to Python, so it is asked for first.
    if isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int):
        target.int_value = value
    else:
        target.string_value = value


def _links(trace_id: str, span_ids: Iterable[str]) -> list[Span.Link]:
    return [Span.Link(trace_id=bytes.fromhex(trace_id), span_id=bytes.fromhex(span_id)) for span_id in span_ids]
