"""Finished SDK spans made of recorded ones, for what writes spans in forms of its own."""

from __future__ import annotations

from collections.abc import Iterable

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, Status, StatusCode

from otel_footprint.spanview import SpanView

_CODES = {"unset": StatusCode.UNSET, "ok": StatusCode.OK, "error": StatusCode.ERROR}


def readable_spans(views: Iterable[SpanView]) -> list[ReadableSpan]:
    """The spans as the SDK would have handed them to an exporter."""
    return [readable_span(view) for view in views]


def readable_span(view: SpanView) -> ReadableSpan:
    """One span. The descriptions of its status are kept where the SDK keeps them, on errors."""
    code = _CODES[view.status]
    return ReadableSpan(
        name=view.name,
        context=_context(view.trace_id, view.span_id),
        parent=_context(view.trace_id, view.parent_id) if view.parent_id else None,
        resource=Resource({"service.name": view.resource("service.name") or "unknown_service"}),
        attributes={key: view.get(key) for key in view.keys()},  # noqa: SIM118 - a view is no mapping
        events=[Event(event.name, dict(event.attributes), event.time_ns) for event in view.events],
        links=[Link(_context(link.trace_id, link.span_id)) for link in view.links],
        status=Status(code, view.status_message or None) if code is StatusCode.ERROR else Status(code),
        start_time=view.start_ns,
        end_time=view.end_ns,
        instrumentation_scope=InstrumentationScope(view.scope_name),
    )


def _context(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(trace_id=int(trace_id, 16), span_id=int(span_id, 16), is_remote=False)
