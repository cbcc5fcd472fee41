"""One value that cannot be encoded must not cost a whole batch.

A lone surrogate in a span's name, an event's name or a status text, a negative time or one that is no
whole number make the encoder refuse every span it was given. Only after it did so, such spans are
copied with that one value made encodable; the rest of the batch is sent as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util import BoundedList
from opentelemetry.trace import Status

from otel_footprint.sdk.spans import rebuilt
from otel_footprint.writers.text import valid

REFUSALS: Final = (ValueError, TypeError)
"""What an encoder raises for such a value (``UnicodeEncodeError`` is a ``ValueError``)."""

_MAX_TIME: Final = 2**64 - 1


def repaired(spans: Sequence[ReadableSpan]) -> list[ReadableSpan] | None:
    """The batch with every span encodable; ``None`` when no span of it needed that."""
    mended = [_mended(span) for span in spans]
    return mended if any(new is not old for new, old in zip(mended, spans, strict=True)) else None


def _mended(span: ReadableSpan) -> ReadableSpan:
    changes: dict[str, Any] = {}
    if valid(span.name) != span.name:
        changes["name"] = valid(span.name)
    description = span.status.description
    if description is not None and valid(description) != description:
        changes["status"] = Status(span.status.status_code, valid(description))
    for key in ("start_time", "end_time"):
        value = getattr(span, key)
        if value is not None and _time(value) is not value:
            changes[key] = _time(value)
    events = [_mended_event(event) for event in span.events]
    if any(new is not old for new, old in zip(events, span.events, strict=True)):
        bounded = BoundedList.from_seq(None, events)
        bounded.dropped = int(getattr(span, "dropped_events", 0))
        changes["events"] = bounded
    return rebuilt(span, **changes) if changes else span


def _mended_event(event: Event) -> Event:
    name, time = valid(event.name), _time(event.timestamp)
    if name == event.name and time is event.timestamp:
        return event
    return Event(name, event.attributes, time)


def _time(value: Any) -> int:
    if type(value) is int and 0 <= value <= _MAX_TIME:
        return value
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return min(max(int(value), 0), _MAX_TIME)
