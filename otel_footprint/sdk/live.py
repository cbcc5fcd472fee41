"""What only the application's own threads can tell: which spans are open, and which the queue lost.

The hooks run on the application's threads, so each is a dictionary access or two and takes no lock.
A span context is a tuple (trace id, span id, remote, flags, ...): its places are read by number, and
the span's own field instead of its property, which saves a call each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import TraceFlags

from otel_footprint.spanview import SdkSpan, SpanView

_MIN_CAPACITY: Final = 10_000
_SPAN_ID: Final = 1
_FLAGS: Final = 3
_SAMPLED: Final = int(TraceFlags.SAMPLED)


class LiveSpans:
    """Spans from their start until the exporter has them."""

    def __init__(self, queue_size: int) -> None:
        # room for a full queue and as many open spans again; a span that never ends is forgotten at last
        self._capacity = max(_MIN_CAPACITY, 4 * queue_size)
        self._forget()

    def _forget(self) -> None:
        self._spans: dict[int, ReadableSpan] = {}
        self._ended: dict[int, int] = {}
        self._lost: dict[str, int] = {}
        self._lost_total = 0
        self._number = itertools.count().__next__

    def reset(self) -> frozenset[str]:
        """Forget everything, as in a forked child; the ids of the spans that were open or queued."""
        inherited = frozenset(format(span_id, "016x") for span_id in self._spans)
        self._forget()
        return inherited

    # -- on the application's threads

    def started(self, span: ReadableSpan) -> None:
        """A span started."""
        spans = self._spans
        spans[span._context[_SPAN_ID]] = span  # type: ignore[index]  # noqa: SLF001 - as above
        if len(spans) > self._capacity:
            self._evict()

    def ended(self, span: ReadableSpan) -> None:
        """A span ended and, if it is sampled, goes into the queue now."""
        context = span._context  # noqa: SLF001 - as above
        span_id = context[_SPAN_ID]  # type: ignore[index]
        if context[_FLAGS] & _SAMPLED:  # type: ignore[index]
            # the queue keeps this one too, and the live one is free to go
            self._spans[span_id] = span
            self._ended[span_id] = self._number()
        else:
            self._spans.pop(span_id, None)

    def _evict(self) -> None:
        oldest = next(iter(list(self._spans)), None)
        if oldest is not None:
            self._spans.pop(oldest, None)
            self._ended.pop(oldest, None)

    # -- on the exporter's thread

    def received(self, spans: Iterable[ReadableSpan]) -> None:
        """The exporter has these spans, so what ended before the last of them and has not come is lost."""
        kept, ended, newest = self._spans, self._ended, -1
        for span in spans:
            span_id = span.context[_SPAN_ID]
            kept.pop(span_id, None)
            newest = ended.pop(span_id, newest)
        # the queue keeps the order and drops the oldest
        for span_id, number in list(self._ended.items()):
            if number >= newest:
                break
            self._lose(span_id)

    def _lose(self, span_id: int) -> None:
        self._ended.pop(span_id, None)
        span = self._spans.pop(span_id, None)
        self._lost_total += 1
        if span is not None:
            trace_id = format(span.context.trace_id, "032x")
            self._lost[trace_id] = self._lost.pop(trace_id, 0) + 1
            if len(self._lost) > self._capacity:
                del self._lost[next(iter(self._lost))]

    def open_span(self, trace_id: str, span_id: str) -> SpanView | None:
        """A span that has started and that the exporter does not have yet."""
        span = self._spans.get(int(span_id, 16)) if span_id else None
        if span is None or format(span.context.trace_id, "032x") != trace_id:
            return None
        return SdkSpan(span)

    def lost_in(self, trace_id: str) -> int:
        """How many spans of a trace the queue lost."""
        return self._lost.get(trace_id, 0)

    @property
    def lost(self) -> int:
        """How many spans the queue lost."""
        return self._lost_total

    @property
    def open(self) -> int:
        """How many spans have started and have not come to the exporter."""
        return len(self._spans)
