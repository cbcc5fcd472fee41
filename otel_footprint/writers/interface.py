"""The one shape of a writer, and those that there are, by the name that ``writers`` gives them.

A writer is a function from a :class:`Subject` to what is :class:`Written`. What each of them has to keep is what
:func:`otel_footprint.testing.check_writer` looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.explanation import Explanation
from otel_footprint.writers.child_span import child_span
from otel_footprint.writers.logs import log_records
from otel_footprint.writers.options import WriteOptions
from otel_footprint.writers.records import NOTHING, Written, write


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a writer is given."""

    explanation: Explanation
    start_ns: int
    """When the span that carries the turn started, Unix nanoseconds."""
    end_ns: int
    """When it ended, Unix nanoseconds; before its start if its clock went wrong."""
    present: frozenset[str] = frozenset()
    """The keys of the attributes that the span has."""
    seen: frozenset[str] = frozenset()
    """Ids of spans of its trace, 16 lower-case hex digits each; a link goes to no other."""
    options: WriteOptions = field(default_factory=WriteOptions)
    """Bounds, and what of a backend's own is asked for. Which writers are asked for is not the writer's to look at."""


Writer = Callable[[Subject], Written]
"""Adds an explanation to a span, or beside it; nothing to a span that has ``footprint.schema``. It never raises."""


def _events(subject: Subject) -> Written:
    return _on_span(subject, events=True)


def _attributes(subject: Subject) -> Written:
    return _on_span(subject, attributes=True)


def _links(subject: Subject) -> Written:
    return _on_span(subject, links=True)


def _on_span(subject: Subject, *, events: bool = False, attributes: bool = False, links: bool = False) -> Written:
    options = replace(subject.options, events=events, attributes=attributes, evidence_links=links)
    return write(
        subject.explanation,
        start_ns=subject.start_ns,
        end_ns=subject.end_ns,
        present=subject.present,
        options=options,
        seen=subject.seen,
    )


def _child_span(subject: Subject) -> Written:
    if names.FOOTPRINT_SCHEMA in subject.present:
        return NOTHING
    record = child_span(
        subject.explanation,
        start_ns=subject.start_ns,
        end_ns=subject.end_ns,
        options=subject.options,
        seen=subject.seen,
    )
    return Written(spans=(record,))


def _logs(subject: Subject) -> Written:
    return _as_logs(subject, logs=True)


def _evaluation(subject: Subject) -> Written:
    return _as_logs(subject, evaluation=True)


def _as_logs(subject: Subject, *, logs: bool = False, evaluation: bool = False) -> Written:
    if names.FOOTPRINT_SCHEMA in subject.present:
        return NOTHING
    records, omitted = log_records(
        subject.explanation,
        start_ns=subject.start_ns,
        end_ns=subject.end_ns,
        options=replace(subject.options, logs=logs, evaluation=evaluation),
    )
    return Written(logs=records, omitted=omitted)


WRITERS: Final[Mapping[str, Writer]] = {
    "events": _events,
    "attributes": _attributes,
    "links": _links,
    "child_span": _child_span,
    "logs": _logs,
    "evaluation": _evaluation,
}
"""By the name in ``writers``."""
