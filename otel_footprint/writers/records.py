"""What a writer gives back: plain values that every host turns into its own form of a span."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from otel_footprint import semconv as names
from otel_footprint.config import MAX_EVENTS
from otel_footprint.explanation import Explanation
from otel_footprint.writers.attributes import summary_attributes
from otel_footprint.writers.clock import place
from otel_footprint.writers.events import Attributes, drafts
from otel_footprint.writers.options import WriteOptions

CLOCK: Final = "clock"
"""Said among the reasons for ``incomplete`` when a span ends before it starts."""


class EventRecord(NamedTuple):
    """A span event to add."""

    name: str
    time_ns: int
    """Unix nanoseconds."""
    attributes: Attributes


class LogRecord(NamedTuple):
    """A log record to send beside the spans, with the turn's trace and span."""

    name: str
    """The event's name; of any length, for no backend cuts that of a log record."""
    time_ns: int
    """Unix nanoseconds."""
    severity: int
    """OTLP's number: 9 for information, 13 for a warning, 17 for an error."""
    body: str
    """The sentence, for a backend that shows nothing else of a record."""
    attributes: Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRecord:
    """A span to add. Its kind is internal, its status is not set."""

    name: str
    trace_id: str
    """32 lower-case hex digits."""
    span_id: str
    """16 lower-case hex digits, the same for the same turn and revision in every process."""
    parent_id: str
    """The turn's span, to which it is also to be linked."""
    start_ns: int
    """Unix nanoseconds, as the turn's."""
    end_ns: int
    """Unix nanoseconds, never before the start."""
    attributes: Attributes
    events: tuple[EventRecord, ...]
    links: tuple[str, ...]
    """Ids of spans of the same trace; the turn's span first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What is to be added to a span, and beside it."""

    events: tuple[EventRecord, ...] = ()
    """In the order of importance, which is also the order of their times."""
    attributes: Attributes = field(default_factory=dict)
    omitted: int = 0
    """Events that did not fit."""
    links: tuple[str, ...] = ()
    """Ids of spans of the same trace to link to; empty unless asked for."""
    spans: tuple[SpanRecord, ...] = ()
    """Spans of our own."""
    logs: tuple[LogRecord, ...] = ()
    """Log records of our own, in the order of importance."""


NOTHING: Final = Written()
"""Added to a span that is explained already."""


def write(  # noqa: PLR0913 - one value each, by keyword
    explanation: Explanation,
    *,
    start_ns: int,
    end_ns: int,
    present: Container[str],
    options: WriteOptions,
    seen: Iterable[str] = (),
) -> Written:
    """What an explanation adds to the span that carries it.

    ``start_ns`` and ``end_ns`` are the span's own times in Unix nanoseconds; ``present`` holds the
    keys of its attributes; ``seen`` the ids of spans of its trace that links may go to.
    """
    if names.FOOTPRINT_SCHEMA in present:
        return NOTHING
    start_ns = max(start_ns, 0)
    incomplete = incomplete_of(explanation, start_ns, end_ns)
    room = min(options.max_events, MAX_EVENTS) if options.events else 0
    drafted, omitted = drafts(explanation, room=room, programs=options.programs, incomplete=incomplete)
    times = place([draft.wish_ns for draft in drafted], start_ns, end_ns)
    return Written(
        events=tuple(EventRecord(d.name, time, d.attributes) for d, time in zip(drafted, times, strict=True)),
        attributes=summary_attributes(explanation, present=present, options=options, incomplete=incomplete),
        omitted=omitted if options.events else 0,
        links=_links(explanation, seen) if options.evidence_links else (),
    )


def incomplete_of(explanation: Explanation, start_ns: int, end_ns: int) -> tuple[str, ...]:
    """Why an explanation is incomplete, its span's clock among it."""
    incomplete = explanation.incomplete
    return (*incomplete, CLOCK) if end_ns < start_ns and CLOCK not in incomplete else incomplete


def _links(explanation: Explanation, seen: Iterable[str]) -> tuple[str, ...]:
    evidence = (
        pointer
        for part in (explanation.signals, explanation.reasons, explanation.scripts)
        for item in part
        for pointer in item.evidence
    )
    known = set(seen) - {explanation.span_id}
    return tuple(dict.fromkeys(span_id for p in evidence if (span_id := p.partition("#")[0]) in known))
