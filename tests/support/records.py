"""Log records from keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_footprint.logview import LogView

_SECOND = 1_000_000_000


def record(
    name: str,
    attributes: Mapping[str, Any] | None = None,
    *,
    body: Any = None,
    span: int | None = None,
    trace: int | None = 1,
    at: float = 0,
) -> LogView:
    """A log record.

    Args:
        name: its ``event.name``.
        attributes: its other attributes.
        body: its body.
        span: the id of the span that it was emitted in, as a number.
        trace: the trace's, likewise; only with ``span``.
        at: its time in seconds.
    """
    return LogView(
        trace_id=format(trace, "032x") if span is not None and trace is not None else "",
        span_id=format(span, "016x") if span is not None else "",
        time_ns=round(at * _SECOND),
        body_of={"body": body},
        attributes={"event.name": name, **(attributes or {})},
    )
