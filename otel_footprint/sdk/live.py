"""What only the application's own threads can tell: which spans are open, and which the queue lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

from opentelemetry.sdk.trace import ReadableSpan

from otel_footprint.spanview import SdkSpan, SpanView

_MIN_CAPACITY: Final = 10_000

# A span context is a tuple.
SPAN_ID: Final = 1
FLAGS: Final = 3


class LiveSpans:
    """Spans from their start until the exporter has them.

    :class:`FootprintSpanProcessor` writes to the two dictionaries by itself, without a lock and without a
    call, because it does so for every span of the application.
    """

    def __init__(self, queue_size: int) -> None:
        self.capacity = max(_MIN_CAPACITY, 4 * queue_size)
        """Room for a full queue and as many open spans again; a span that never ends is forgotten at last."""
        self.spans: dict[int, ReadableSpan] = {}
        """By span id: a live span until its end, then the read-only one that is in the queue."""
        self.ended: dict[int, int] = {}
        """By span id, in the order of the queue: the number of a span that ended and was queued."""
        self.number = itertools.count().__next__
        """Numbers the spans that end."""
        self._inherited: dict[int, ReadableSpan] = {}
        self._lost: dict[str, int] = {}
        self._lost_total = 0

    def reset(self) -> frozenset[str]:
        """Start anew, as in a forked child; the ids of the spans that were open or queued.

        Those that were open can still be looked at: what the child does may be below them.
        """
        inherited = frozenset(format(span_id, "016x") for span_id in self.spans)
        self._inherited.update((key, span) for key, span in self.spans.items() if key not in self.ended)
        self.spans.clear()
        self.ended.clear()
        self._lost.clear()
        self._lost_total = 0
        return inherited

    def evict(self) -> None:
        """Forget the span that started first."""
        oldest = next(iter(list(self.spans)), None)
        if oldest is not None:
            self.spans.pop(oldest, None)
            self.ended.pop(oldest, None)

    def received(self, spans: Iterable[ReadableSpan]) -> None:
        """The exporter has these spans, so what ended before the last of them and has not come is lost."""
        kept, ended, newest = self.spans, self.ended, -1
        for span in spans:
            # the field, not the property: see the processor's hooks
            span_id = span._context[SPAN_ID]  # type: ignore[index]  # noqa: SLF001
            kept.pop(span_id, None)
            newest = ended.pop(span_id, newest)
        # the queue keeps the order and drops the oldest
        for span_id in list(ended):
            if ended.get(span_id, newest) >= newest:
                break
            self._lose(span_id)

    def _lose(self, span_id: int) -> None:
        self.ended.pop(span_id, None)
        span = self.spans.pop(span_id, None)
        self._lost_total += 1
        if span is not None:
            trace_id = format(span.context.trace_id, "032x")
            self._lost[trace_id] = self._lost.pop(trace_id, 0) + 1
            if len(self._lost) > self.capacity:
                del self._lost[next(iter(self._lost))]

    def open_span(self, trace_id: str, span_id: str) -> SpanView | None:
        """A span that has started and that the exporter does not have yet."""
        key = int(span_id, 16) if span_id else 0
        span = self.spans.get(key) or self._inherited.get(key)
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
        return len(self.spans)
