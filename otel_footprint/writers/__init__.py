"""Writers: an explanation in, plain event, attribute and span records out.

Nothing here knows an SDK, protobuf or JSON; the hosts turn the records into their own form.
"""

from __future__ import annotations

from otel_footprint.config import MAX_EVENTS
from otel_footprint.writers.child_span import child_span, own_span_id
from otel_footprint.writers.events import Attributes
from otel_footprint.writers.interface import WRITERS, Subject, Writer
from otel_footprint.writers.logs import log_records
from otel_footprint.writers.options import PRESETS, WriteOptions
from otel_footprint.writers.records import EventRecord, LogRecord, SpanRecord, Written, write
from otel_footprint.writers.redact import redact

__all__ = [
    "MAX_EVENTS",
    "PRESETS",
    "WRITERS",
    "Attributes",
    "EventRecord",
    "LogRecord",
    "SpanRecord",
    "Subject",
    "WriteOptions",
    "Writer",
    "Written",
    "child_span",
    "log_records",
    "own_span_id",
    "redact",
    "write",
]
