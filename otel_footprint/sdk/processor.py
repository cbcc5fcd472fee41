"""``FootprintSpanProcessor``: the span processor to add to a tracer provider."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanLimits, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import TraceFlags

from otel_footprint.config import Config
from otel_footprint.sdk.background import Flusher, Helper, after_fork_in_child
from otel_footprint.sdk.exporter import DEFAULT_TIMEOUT_MILLIS, FootprintSpanExporter
from otel_footprint.sdk.live import FLAGS, SPAN_ID, LiveSpans
from otel_footprint.sdk.nudge import Nudge
from otel_footprint.sdk.own_logs import SendsLogs
from otel_footprint.sdk.statistics import Statistics

# A hint when to flush, nothing else: what is a turn is decided from the whole trace.
_OPERATION: Final = "gen_ai.operation.name"
_TURN_OPERATIONS: Final = ("invoke_agent", "invoke_workflow")
_KIND: Final = "openinference.span.kind"
_TURN_KIND: Final = "AGENT"
_SAMPLED: Final = int(TraceFlags.SAMPLED)
_NO_ATTRIBUTES: Final[Mapping[str, Any]] = {}


class FootprintSpanProcessor(SpanProcessor):
    """A batch processor around a :class:`FootprintSpanExporter`, with what only live hooks can know.

    Args:
        exporter: what really exports, e.g. an ``OTLPSpanExporter``.
        config: settings; by default all defaults, not those of the environment.
        span_limits: as for :class:`FootprintSpanExporter`.
        log_exporter: as for :class:`FootprintSpanExporter`.
        batch_options: those of ``BatchSpanProcessor``.
    """

    def __init__(
        self,
        exporter: SpanExporter,
        config: Config | None = None,
        *,
        span_limits: SpanLimits | None = None,
        log_exporter: SendsLogs | None = None,
        **batch_options: Any,
    ) -> None:
        queue_size = batch_options.get("max_queue_size")
        if queue_size is None:
            queue_size = BatchSpanProcessor._default_max_queue_size()  # type: ignore[no-untyped-call]  # noqa: SLF001
        self._live = LiveSpans(queue_size)
        self._spans, self._ended = self._live.spans, self._live.ended
        self._exporter = FootprintSpanExporter(
            exporter, config, span_limits=span_limits, log_exporter=log_exporter, live=self._live
        )
        self._errors = self._exporter.errors
        self._inner = BatchSpanProcessor(self._exporter, **batch_options)
        self._queue = self._inner.on_end
        if hasattr(self._inner, "_on_ending"):
            # private, and in newer SDKs only; set on the object, it costs the application no call of ours
            self._on_ending = self._inner._on_ending  # type: ignore[method-assign]  # noqa: SLF001
        self._closed = False
        self._helper = Helper()
        self._flusher = Flusher(self._flush, self._look)
        self._helper.start()
        self._flusher.start()
        after_fork_in_child(self._restart_in_child)

    def _restart_in_child(self) -> None:
        self._helper.reset()
        self._flusher.reset()
        if not self._closed:
            self._flusher.start()

    # -- on the application's threads. Both hooks run for every span there is, and a call costs more than all
    #    that is done here: so they read the fields of a span, not its properties, and call nothing of ours.

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002 - the interface
        """Remember the span until the exporter has it."""
        try:
            spans = self._spans
            spans[span._context[SPAN_ID]] = span  # type: ignore[index]  # noqa: SLF001 - see the comment above
            if len(spans) > self._live.capacity:
                self._live.evict()
        except Exception as error:  # noqa: BLE001 - nothing of ours is raised into the application
            self._errors.report("on_start", error)
        # a batch processor has nothing to do here

    def on_end(self, span: ReadableSpan) -> None:
        """Queue the span for export; flush soon if a turn ended with it."""
        ends_turn = False
        try:
            context = span._context  # noqa: SLF001 - see the comment above
            span_id = context[SPAN_ID]  # type: ignore[index]
            if context[FLAGS] & _SAMPLED:  # type: ignore[index]
                # the queue keeps this one too, and the live one is free to go
                self._spans[span_id] = span
                self._ended[span_id] = self._live.number()
            else:
                self._spans.pop(span_id, None)
            # without this field there is no hint, and spans go out with the next batch
            attributes = getattr(span._attributes, "_dict", _NO_ATTRIBUTES)  # noqa: SLF001 - see the comment above
            ends_turn = attributes.get(_OPERATION) in _TURN_OPERATIONS or attributes.get(_KIND) == _TURN_KIND
        except Exception as error:  # noqa: BLE001 - as above
            self._errors.report("on_end", error)
        self._queue(span)
        if ends_turn:
            with self._errors.handle_internal_errors("flush"):
                self._flusher.ask()

    def force_flush(self, timeout_millis: int | None = None) -> bool:
        """Export all that ended. ``False`` when that failed or took longer than ``timeout_millis``."""
        if self._closed:
            return True
        timeout = DEFAULT_TIMEOUT_MILLIS if timeout_millis is None else timeout_millis

        def flush() -> bool:
            # what is queued may itself be held, so the nudge comes after it
            flushed = self._inner.force_flush(timeout)
            if flushed and self._exporter.waits:
                self._inner.on_end(Nudge(ends_holds=True))
                flushed = self._inner.force_flush(timeout)
            return flushed

        return self._helper.run(flush, timeout / 1e3)

    def shutdown(self, timeout_millis: int = DEFAULT_TIMEOUT_MILLIS) -> None:
        """Export all that ended, explain open turns as incomplete, and shut the exporter down.

        Returns after ``timeout_millis`` at the latest. A second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        # from now on the hooks do what a batch processor does, and remember nothing
        self.on_start, self.on_end = self._inner.on_start, self._inner.on_end  # type: ignore[method-assign]
        end = time.monotonic() + timeout_millis / 1e3
        self._flusher.stop()
        self._helper.run(self._shut_down, end - time.monotonic())
        self._live.reset()
        self._helper.stop()

    def _shut_down(self) -> bool:
        shutdown: Callable[[], None] = self._inner.shutdown
        shutdown()
        return True

    def add_log(self, record: object) -> None:
        """As for :class:`FootprintSpanExporter`."""
        self._exporter.add_log(record)

    def statistics(self) -> Statistics:
        """A snapshot."""
        return self._exporter.statistics()

    # -- on the flusher's thread

    def _flush(self) -> None:
        self._inner.force_flush()

    def _look(self) -> None:
        """Let time pass for the exporter, if something waits for that."""
        if self._exporter.waits:
            # the queue is emptied first, for a full one would lose a span to the nudge
            self._inner.force_flush()
            self._inner.on_end(Nudge())
            self._inner.force_flush()
