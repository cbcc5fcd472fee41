"""An explanation as a small span of its own, below the turn's span and linked to it.

Written where the turn's span cannot carry it: the span has been sent already (one span id is never
sent twice), it does not exist or has not ended, or the backend drops span events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.explanation import Explanation
from otel_footprint.writers.options import WriteOptions
from otel_footprint.writers.records import SpanRecord, write

NAME: Final = "footprint"
ADDENDUM: Final = "footprint.addendum"


def child_span(
    explanation: Explanation, *, start_ns: int, end_ns: int, options: WriteOptions, seen: Iterable[str] = ()
) -> SpanRecord:
    """The span that carries ``explanation`` in the place of the turn's own, whose times are given."""
    written = write(explanation, start_ns=start_ns, end_ns=end_ns, present=(), options=options, seen=seen)
    attributes = dict(written.attributes)
    # an addendum without events still says what it is about
    attributes.setdefault(names.FOOTPRINT_ACCOUNT_REVISION, explanation.revision)
    if options.openinference_kind:
        attributes[names.OPENINFERENCE_SPAN_KIND] = "EVALUATOR"
    start_ns = max(start_ns, 0)
    last = written.events[-1].time_ns if written.events else start_ns
    return SpanRecord(
        name=ADDENDUM if explanation.revision > 1 else NAME,
        trace_id=explanation.trace_id,
        span_id=own_span_id(explanation.trace_id, explanation.span_id, explanation.revision),
        parent_id=explanation.span_id,
        start_ns=start_ns,
        end_ns=max(end_ns, last),
        attributes=attributes,
        events=written.events,
        links=(explanation.span_id, *written.links),
    )


def own_span_id(trace_id: str, span_id: str, revision: int) -> str:
    """The id of the span that says what a revision of a turn's explanation is, 16 lower-case hex digits.

    It is the same wherever that is written, so that a backend keeps one of several.
    """
    key = f"{trace_id}/{span_id}/{revision}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]
