from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.sdk import live as live_module
from otel_footprint.sdk.live import LiveSpans


def start(live: LiveSpans, *spans: Any) -> None:
    """What the processor does at a span's start."""
    for span in spans:
        live.spans[span.context.span_id] = span
        if len(live.spans) > live.capacity:
            live.evict()


def end(live: LiveSpans, *spans: Any) -> None:
    """What the processor does at a span's end."""
    for span in spans:
        live.spans[span.context.span_id] = span
        live.ended[span.context.span_id] = live.number()


def trace_id(span: Any) -> str:
    return format(span.context.trace_id, "032x")


def span_id(span: Any) -> str:
    return format(span.context.span_id, "016x")


def test_a_span_can_be_looked_at_from_its_start_until_the_exporter_has_it(spans: Any) -> None:
    live = LiveSpans(10)
    agent = spans.agent()
    start(live, agent)
    assert live.open_span(trace_id(agent), span_id(agent)).name == "invoke_agent helper"  # type: ignore[union-attr]
    end(live, agent)
    assert live.open_span(trace_id(agent), span_id(agent)) is not None
    live.received([agent])
    assert live.open_span(trace_id(agent), span_id(agent)) is None
    assert live.open == 0


def test_an_id_of_another_trace_is_another_span(spans: Any) -> None:
    live = LiveSpans(10)
    agent = spans.agent()
    start(live, agent)
    assert live.open_span("f" * 32, span_id(agent)) is None
    assert live.open_span(trace_id(agent), "") is None


def test_what_ended_before_a_span_that_came_and_did_not_come_is_lost(spans: Any) -> None:
    live = LiveSpans(10)
    first, second, third = (spans.start(str(n), {}) for n in range(3))
    for span in (first, second, third):
        start(live, span)
        end(live, span)
    live.received([second])
    assert live.lost == 1
    assert live.lost_in(trace_id(first)) == 1
    assert live.lost_in(trace_id(third)) == 0
    live.received([third])
    assert live.lost == 1


def test_a_span_that_is_still_open_is_never_lost(spans: Any) -> None:
    live = LiveSpans(10)
    waits, ends = spans.start("open", {}), spans.start("ended", {})
    start(live, waits)
    start(live, ends)
    end(live, ends)
    live.received([ends])
    assert (live.lost, live.open) == (0, 1)


def test_a_span_that_nobody_announced_changes_nothing(spans: Any) -> None:
    live = LiveSpans(10)
    known = spans.start("known", {})
    start(live, known)
    end(live, known)
    live.received([spans.start("unknown", {})])
    assert (live.lost, live.open) == (0, 1)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, spans: Any) -> None:
    monkeypatch.setattr(live_module, "_MIN_CAPACITY", 5)
    live = LiveSpans(1)
    started = [spans.start(str(n), {}) for n in range(50)]
    for span in started:
        start(live, span)
        end(live, span)
    assert live.open == 5
    live.received([started[-1]])
    assert len(live._lost) <= 5


def test_a_reset_starts_anew_and_tells_what_there_was(spans: Any) -> None:
    live = LiveSpans(10)
    agent, queued = spans.agent(), spans.agent()
    start(live, agent)
    start(live, queued)
    end(live, queued)
    assert live.reset() == {span_id(agent), span_id(queued)}
    assert (live.open, live.lost) == (0, 0)
    assert live.open_span(trace_id(agent), span_id(agent)) is not None
    assert live.open_span(trace_id(queued), span_id(queued)) is None
