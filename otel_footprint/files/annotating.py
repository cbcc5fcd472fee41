"""Putting explanations on the spans of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from otel_footprint import semconv as names
from otel_footprint._version import __version__
from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.files.documents import Annotation, Document, Place
from otel_footprint.files.otlp_values import attributes
from otel_footprint.files.proto_json import document_text
from otel_footprint.spanview import SpanView
from otel_footprint.writers import EventRecord, LogRecord, SpanRecord, WriteOptions, child_span, log_records, write

_SCOPE: Final = {"name": "otel_footprint", "version": __version__}
_KIND_INTERNAL: Final = 1
_RESOURCE: Final = ("service.name", "service.namespace", "service.instance.id")
_MANY_TRACES: Final = frozenset({"parent-inferred", "joined-by-conversation"})


class Annotator:
    """Knows the explanations of a record and adds each to the span that carries it."""

    def __init__(self, explanations: Iterable[Explanation], config: Config) -> None:
        self._by_span = {(e.trace_id, e.span_id): e for e in explanations}
        self._options = WriteOptions.from_config(config)
        self._own_spans: set[tuple[str, str]] = set()
        self._logged: set[tuple[str, str]] = set()

    def annotate(self, document: Document) -> Iterator[str]:
        """The document as OTLP JSON text, the spans that carry a turn annotated; then its log records, if any."""
        logs: list[dict[str, Any]] = []
        annotations: dict[Place, Annotation] = {}
        for place, view in document.spans():
            explanation = self._by_span.get((view.trace_id, view.span_id))
            if explanation is not None and not view.has(names.FOOTPRINT_SCHEMA):
                annotations[place] = self._annotation(explanation, view)
                logs += self._logs(explanation, view)
        yield document.annotated(annotations)
        if logs:
            yield document_text({"resourceLogs": logs})

    def _logs(self, explanation: Explanation, view: SpanView) -> list[dict[str, Any]]:
        """The ``ResourceLogs`` of a turn; none for the second copy of a span."""
        key = (view.trace_id, view.span_id)
        records, _ = log_records(explanation, start_ns=view.start_ns, end_ns=view.end_ns, options=self._options)
        if not records or key in self._logged:
            return []
        self._logged.add(key)
        # a view knows its resource by key: these are what logs are told apart by
        resource = {name: value for name in _RESOURCE if isinstance(value := view.resource(name), str)}
        group = {"scope": _SCOPE, "logRecords": [_log(record, explanation) for record in records]}
        return [{"resource": {"attributes": attributes(resource)}, "scopeLogs": [group]}]

    def _annotation(self, explanation: Explanation, view: SpanView) -> Annotation:
        start_ns, end_ns = view.start_ns, view.end_ns
        written = write(
            explanation,
            start_ns=start_ns,
            end_ns=end_ns,
            present=frozenset(view.keys()),
            options=self._options,
            seen=_evidence_spans(explanation),
        )
        scope_groups = []
        key = (view.trace_id, view.span_id)
        # The input may hold a span twice; a span of our own is still added once.
        if self._options.child_span and key not in self._own_spans:
            self._own_spans.add(key)
            record = child_span(
                explanation,
                start_ns=start_ns,
                end_ns=end_ns,
                options=self._options,
                seen=_evidence_spans(explanation),
            )
            scope_groups.append({"scope": _SCOPE, "spans": [_span(record)]})
        return Annotation(
            events=_events(written.events),
            attributes=attributes(written.attributes),
            links=_links(view.trace_id, written.links),
            scope_groups=scope_groups,
        )


def _evidence_spans(explanation: Explanation) -> set[str]:
    """The spans of its trace that the evidence points to. Each was read, because nothing else can be evidence here."""
    if _MANY_TRACES & set(explanation.notes):
        return set()  # a link would need the other trace's id
    parts = (explanation.signals, explanation.reasons, explanation.scripts)
    return {pointer.partition("#")[0] for part in parts for item in part for pointer in item.evidence}


def _span(record: SpanRecord) -> dict[str, Any]:
    return {
        "traceId": record.trace_id,
        "spanId": record.span_id,
        "parentSpanId": record.parent_id,
        "name": record.name,
        "kind": _KIND_INTERNAL,
        "startTimeUnixNano": str(record.start_ns),
        "endTimeUnixNano": str(record.end_ns),
        "attributes": attributes(record.attributes),
        "events": _events(record.events),
        "links": _links(record.trace_id, record.links),
    }


def _log(record: LogRecord, explanation: Explanation) -> dict[str, Any]:
    return {
        "timeUnixNano": str(record.time_ns),
        "observedTimeUnixNano": str(record.time_ns),
        "severityNumber": record.severity,
        "eventName": record.name,
        "body": {"stringValue": record.body},
        "attributes": attributes(record.attributes),
        "traceId": explanation.trace_id,
        "spanId": explanation.span_id,
    }


def _events(events: Iterable[EventRecord]) -> list[dict[str, Any]]:
    return [
        {"timeUnixNano": str(event.time_ns), "name": event.name, "attributes": attributes(event.attributes)}
        for event in events
    ]


def _links(trace_id: str, span_ids: Iterable[str]) -> list[dict[str, Any]]:
    return [{"traceId": trace_id, "spanId": span_id} for span_id in span_ids]
