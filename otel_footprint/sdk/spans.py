"""Spans made by hand, so that every exporter of every supported SDK can send them.

The SDK applies no limit to such a span and older encoders need its own containers in it, so both are
done here: ``BoundedList`` and ``BoundedAttributes`` throughout, limits by hand, earlier counts of what
was dropped carried over. An event or attribute of the application is never dropped for one of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanLimits
from opentelemetry.sdk.util import BoundedList
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, TraceFlags

from otel_footprint import semconv as names
from otel_footprint._version import __version__
from otel_footprint.explanation import Explanation
from otel_footprint.writers import EventRecord, SpanRecord, Written

SCOPE: Final = InstrumentationScope("otel_footprint", __version__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a span may hold; ``None`` is no limit."""

    events: int | None
    attributes: int | None
    event_attributes: int | None
    value_length: int | None
    """Characters of a text value."""

    @classmethod
    def of(cls, span: ReadableSpan, limits: SpanLimits) -> Limits:
        """The limits that ``span`` was recorded under, as far as it shows them, else ``limits``."""
        attributes = getattr(span, "_attributes", None)
        events = getattr(getattr(span, "_events", None), "_dq", None)
        count, length = limits.max_span_attributes, limits.max_span_attribute_length
        if isinstance(attributes, BoundedAttributes):
            count, length = attributes.maxlen, _least(length, attributes.max_value_len)
        return cls(
            events=limits.max_events if events is None else events.maxlen,
            attributes=count,
            event_attributes=limits.max_event_attributes,
            value_length=length,
        )

    def event_room(self, span: ReadableSpan) -> int | None:
        """How many more events fit; ``None`` is any number."""
        return None if self.events is None else max(self.events - len(span.events), 0)


def annotated(span: ReadableSpan, written: Written, limits: Limits, *, dropped_events: int = 0) -> ReadableSpan:
    """A copy of ``span`` that also carries what was written; everything else is as it was.

    ``dropped_events`` of ours did not fit the span's limit; they join its own count.
    """
    room = None if limits.attributes is None else max(limits.attributes - len(span.attributes or ()), 0)
    kept = _first(written.attributes, room)
    before = getattr(span, "_attributes", span.attributes)
    attributes = _attributes(_shortened(kept, limits.value_length), before)
    attributes.dropped = _dropped(span, "attributes") + len(written.attributes) - len(kept)
    links = tuple(span.links)
    context = span.context
    if context is not None:
        links += tuple(Link(_sibling(context, span_id), _nothing()) for span_id in written.links)
    return rebuilt(
        span,
        attributes=attributes,
        events=_bounded(
            [*span.events, *(_event(e, limits) for e in written.events)], _dropped(span, "events") + dropped_events
        ),
        links=_bounded(links, _dropped(span, "links")),
    )


def rebuilt(span: ReadableSpan, **changes: Any) -> ReadableSpan:
    """A copy of ``span`` with some of its constructor's arguments changed."""
    values = {
        "name": span.name,
        "context": span.context,
        "parent": span.parent,
        "resource": span.resource,
        "attributes": getattr(span, "_attributes", None) or span.attributes,
        "events": getattr(span, "_events", None) or span.events,
        "links": getattr(span, "_links", None) or span.links,
        "kind": span.kind,
        # its public name warns that it is deprecated
        "instrumentation_info": getattr(span, "_instrumentation_info", None),
        "status": span.status,
        "start_time": span.start_time,
        "end_time": span.end_time,
        "instrumentation_scope": span.instrumentation_scope,
    }
    return ReadableSpan(**{**values, **changes})


def from_record(record: SpanRecord, resource: Resource, limits: SpanLimits) -> ReadableSpan:
    """A span of our own; it is sampled, as the turn it explains was."""
    bounds = Limits(
        events=limits.max_events,
        attributes=limits.max_span_attributes,
        event_attributes=limits.max_event_attributes,
        value_length=limits.max_span_attribute_length,
    )
    context = _context(int(record.trace_id, 16), int(record.span_id, 16))
    events = record.events if bounds.events is None else record.events[: bounds.events]
    attributes = _attributes(_shortened(_first(record.attributes, bounds.attributes), bounds.value_length))
    return ReadableSpan(
        name=record.name,
        context=context,
        parent=_sibling(context, record.parent_id),
        resource=resource,
        attributes=attributes,
        events=_bounded([_event(event, bounds) for event in events], len(record.events) - len(events)),
        links=_bounded([Link(_sibling(context, span_id), _nothing()) for span_id in record.links], 0),
        start_time=record.start_ns,
        end_time=record.end_ns,
        instrumentation_scope=SCOPE,
    )


def context_of(explanation: Explanation) -> SpanContext:
    """The context of the turn's span, whether it was sampled, exported or only named."""
    return _context(int(explanation.trace_id, 16), int(explanation.span_id, 16))


def _event(record: EventRecord, limits: Limits) -> Event:
    kept = _first(record.attributes, limits.event_attributes)
    attributes = _attributes(_shortened(kept, limits.value_length))
    attributes.dropped = len(record.attributes) - len(kept)
    return Event(record.name, attributes, record.time_ns)


def _attributes(ours: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> BoundedAttributes:
    """What we write, after what a span had before, as the SDK keeps it.

    Its constructor looks at each value again. Ours are of the types that it leaves alone, and so are those that have
    been through it, so they go where it would put them.
    """
    known = {} if before is None else getattr(before, "_dict", None)
    made = BoundedAttributes(immutable=True)
    kept = getattr(made, "_dict", None)
    if not isinstance(known, dict) or not isinstance(kept, dict):
        return BoundedAttributes(attributes={**(before or {}), **ours}, immutable=True)
    kept.update(known)
    kept.update(ours)
    return made


def _first(attributes: Mapping[str, Any], room: int | None) -> dict[str, Any]:
    """As many as fit, from the front; what keeps a second pass from writing again goes in first."""
    if room is None or room >= len(attributes):
        return dict(attributes)
    order = sorted(attributes, key=lambda key: key != names.FOOTPRINT_SCHEMA)
    return {key: attributes[key] for key in order[:room]}


def _shortened(attributes: Mapping[str, Any], length: int | None) -> dict[str, Any]:
    # before the SDK does it: it logs a line for every value
    if length is None:
        return dict(attributes)
    return {key: _short(value, length) for key, value in attributes.items()}


def _short(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value[:length]
    if isinstance(value, tuple):
        return tuple(_short(item, length) for item in value)
    return value


def _bounded(items: Sequence[Any], dropped: int) -> Any:
    # no bound of its own: what fits was decided before, and the list would push out the oldest
    bounded = BoundedList.from_seq(None, items)
    bounded.dropped = dropped
    return bounded


def _dropped(span: ReadableSpan, what: str) -> int:
    # in SDK 1.20 the property raises AttributeError for a span that was made with plain containers
    return int(getattr(span, f"dropped_{what}", 0))


def _sibling(context: SpanContext, span_id: str) -> SpanContext:
    return _context(context.trace_id, int(span_id, 16))


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _nothing() -> BoundedAttributes:
    return BoundedAttributes(immutable=True)


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
