"""Log records of our own: sent by a log exporter, right after the spans of the turns that they explain.

Not through a ``LoggerProvider``: that of the application is shut down before its tracer provider, and what is
explained at the end would be lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from opentelemetry import trace
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk import _logs as sdk
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from otel_footprint import semconv as names
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sdk.spans import SCOPE
from otel_footprint.writers import LogRecord

_NEWEST: Final = hasattr(sdk, "ReadableLogRecord")
_SUCCESS: Final = "SUCCESS"


class SendsLogs(Protocol):
    """A log exporter of the SDK; its class has another name in older versions."""

    def export(self, batch: Sequence[Any]) -> Any:
        """Send log records; the result has a ``name``, which is ``SUCCESS`` when all were taken."""

    def shutdown(self) -> None:
        """Nothing is sent any more."""


class NotSentError(Exception):
    """The log exporter did not take a turn's records."""


class OwnLogs:
    """What is to be sent, until the spans were.

    Args:
        exporter: what sends; ``None`` when no log records are written.
        errors: where a failure is counted.
    """

    def __init__(self, exporter: SendsLogs | None, errors: InternalErrors) -> None:
        self._exporter = exporter
        self._errors = errors
        self._waiting: deque[Any] = deque()

    @property
    def waits(self) -> bool:
        """Whether something is to be sent."""
        return bool(self._waiting)

    def add(self, records: Iterable[LogRecord], context: SpanContext, resource: Resource) -> None:
        """Keep the records of a turn, whose span is given by its context."""
        self._waiting += [_sdk_record(record, context, resource) for record in records]

    def forget(self) -> None:
        """As if nothing had been added: in a forked child."""
        self._waiting = deque()

    def send(self) -> None:
        """Send what waits. What is not taken is not kept, and counted as an error of ours."""
        if self._exporter is None or not self._waiting:
            return
        with self._errors.handle_internal_errors("logs"):
            waiting, self._waiting = self._waiting, deque()
            result = self._exporter.export(list(waiting))
            if getattr(result, "name", _SUCCESS) != _SUCCESS:
                raise NotSentError(f"{len(waiting)} log records: the exporter answered {result.name}")

    def shutdown(self) -> None:
        """Shut the exporter down."""
        if self._exporter is not None:
            with self._errors.handle_internal_errors("logs"):
                self._exporter.shutdown()


def _sdk_record(record: LogRecord, context: SpanContext, resource: Resource) -> Any:
    severity = SeverityNumber(record.severity)
    common: dict[str, Any] = {
        "timestamp": record.time_ns,
        # when we saw it is of no interest, and would make two equal explanations differ
        "observed_timestamp": record.time_ns,
        "severity_number": severity,
        "severity_text": severity.name,
        "body": record.body,
    }
    if _NEWEST:
        from opentelemetry._logs import LogRecord as Record  # noqa: PLC0415 - older versions make theirs otherwise

        within = trace.set_span_in_context(NonRecordingSpan(context))
        made = Record(**common, context=within, attributes=record.attributes, event_name=record.name)
        return sdk.ReadableLogRecord(made, resource, SCOPE)
    # the name's field of its own is newer than some of these versions
    old: Any = sdk
    made = old.LogRecord(
        **common,
        trace_id=context.trace_id,
        span_id=context.span_id,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
        resource=resource,
        attributes={**record.attributes, names.EVENT_NAME: record.name},
    )
    return old.LogData(made, SCOPE)
