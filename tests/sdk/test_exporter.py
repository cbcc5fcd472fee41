from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from otel_footprint.config import Config
from otel_footprint.sdk import FootprintSpanExporter

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def event_names(span: ReadableSpan) -> list[str]:
    return [event.name for event in span.events]


def test_a_batch_without_agent_spans_passes_as_the_very_same_object(recorder: Any, spans: Any) -> None:
    batch = [spans.run(f"GET /{n}", {"http.request.method": "GET"}) for n in range(5)]
    given: list[Any] = []

    def export(batch: Any) -> SpanExportResult:
        given.append(batch)
        return SpanExportResult.SUCCESS

    recorder.export = export
    FootprintSpanExporter(recorder).export(batch)
    assert given[0] is batch


def test_the_turn_span_carries_the_explanation_and_the_rest_of_the_batch_is_untouched(
    recorder: Any, spans: Any
) -> None:
    batch = spans.turn()
    assert FootprintSpanExporter(recorder).export(batch) is SpanExportResult.SUCCESS
    (out,) = recorder.batches
    assert [span.name for span in out] == [span.name for span in batch]
    assert all(new is old for new, old in zip(out[:-1], batch[:-1], strict=True))
    assert out[-1] is not batch[-1]
    assert event_names(out[-1])[0] == "footprint.account"
    assert out[-1].attributes["footprint.tone"] == "unknown"


def test_a_turn_span_keeps_its_place_in_the_batch(recorder: Any, spans: Any) -> None:
    turn = spans.turn()
    other = [spans.run("GET /", {}), spans.run("GET /after", {})]
    FootprintSpanExporter(recorder).export([other[0], *turn, other[1]])
    assert recorder.names == ["GET /", *(span.name for span in turn), "GET /after"]


def test_the_copy_keeps_everything_that_the_span_had(recorder: Any, spans: Any) -> None:
    link = Link(SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1)), {"why": "because"})
    remote = trace.NonRecordingSpan(
        SpanContext(99, 98, is_remote=True, trace_flags=TraceFlags(1), trace_state=TraceState([("vendor", "x")]))
    )
    agent = spans.agent(parent=remote, kind=SpanKind.SERVER, links=[link])
    agent.add_event("mine", {"k": "v"}, START + 5)
    agent.set_status(Status(StatusCode.ERROR, "it broke"))
    agent.end(START + SECOND)
    (original,) = spans.ended
    FootprintSpanExporter(recorder).export([original])
    (copy,) = recorder.spans
    assert copy.context == original.context
    assert copy.context.trace_state == TraceState([("vendor", "x")])
    assert copy.parent == original.parent
    assert copy.parent.is_remote
    for field in ("name", "kind", "start_time", "end_time", "resource", "instrumentation_scope"):
        assert getattr(copy, field) == getattr(original, field)
    assert (copy.status.status_code, copy.status.description) == (StatusCode.ERROR, "it broke")
    assert copy.links == original.links
    assert copy.events[: len(original.events)] == original.events
    ours = {key: value for key, value in copy.attributes.items() if not key.startswith("footprint.")}
    assert ours == dict(original.attributes)
    for dropped in ("dropped_attributes", "dropped_events", "dropped_links"):
        assert getattr(copy, dropped) == getattr(original, dropped)


def test_the_original_span_is_not_changed(recorder: Any, spans: Any) -> None:
    turn = spans.turn()
    before = turn[-1].to_json()
    FootprintSpanExporter(recorder).export(turn)
    assert turn[-1].to_json() == before


def test_our_events_lie_inside_the_span_in_increasing_order(recorder: Any, spans: Any) -> None:
    FootprintSpanExporter(recorder).export(spans.turn(tools=5))
    (turn,) = recorder.explained
    times = [event.timestamp for event in turn.events]
    assert times == sorted(set(times))
    assert turn.start_time <= times[0]
    assert times[-1] <= turn.end_time


def test_a_span_that_may_carry_a_turn_waits_for_its_missing_parent_and_nothing_else_does(
    recorder: Any, spans: Any
) -> None:
    outer = spans.agent("invoke_agent outer")
    inner = spans.agent("invoke_agent inner", outer)
    spans.tool(inner)
    inner.end(START + SECOND)
    outer.end(START + SECOND)
    tool, inner_span, outer_span = spans.ended
    exporter = FootprintSpanExporter(recorder)
    exporter.export([tool, inner_span])
    assert recorder.names == ["execute_tool run"]
    assert exporter.statistics().held == 1
    exporter.export([outer_span])
    assert recorder.names == ["execute_tool run", "invoke_agent inner", "invoke_agent outer"]
    assert [span.name for span in recorder.explained] == ["invoke_agent outer"]
    assert recorder.spans[1] is inner_span
    assert exporter.statistics().held == 0


def test_with_a_hold_a_late_child_is_part_of_the_one_explanation(recorder: Any, spans: Any) -> None:
    clock = Clock()
    exporter = FootprintSpanExporter(recorder, Config(hold_seconds=2), clock=clock)
    chat, first, second, agent = spans.turn()
    exporter.export([chat, first, agent])
    assert recorder.names == [chat.name, first.name]
    clock.now = 1.0
    exporter.export([second])
    clock.now = 3.5
    exporter.export([spans.run("GET /", {})])
    assert recorder.one(agent.name).events[0].attributes["footprint.account.calls"] == 2
    assert len(recorder.spans) == 5


def test_a_late_child_is_forwarded_untouched_and_leads_to_one_addendum(recorder: Any, spans: Any) -> None:
    clock = Clock()
    exporter = FootprintSpanExporter(recorder, clock=clock)
    chat, first, second, agent = spans.turn()
    exporter.export([chat, first, agent])
    exporter.export([second])
    assert recorder.spans[-1] is second
    clock.now = 2.5
    exporter.export([spans.run("GET /", {})])
    clock.now = 10.0
    exporter.export([spans.run("GET /", {})])
    addendum = recorder.one("footprint.addendum")
    assert addendum.parent.span_id == agent.context.span_id
    assert addendum.context.trace_id == agent.context.trace_id
    assert [link.context.span_id for link in addendum.links] == [agent.context.span_id]
    assert addendum.events[0].attributes["footprint.account.revision"] == 2
    assert addendum.events[0].attributes["footprint.account.calls"] == 2
    assert addendum.resource == agent.resource
    assert addendum.context.trace_flags.sampled
    assert exporter.statistics().added == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_span_id_is_ever_sent_twice_and_none_is_lost(recorder: Any, spans: Any, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's choice of order
    everything = [span for _ in range(3) for span in spans.turn()]
    chance.shuffle(everything)
    exporter = FootprintSpanExporter(recorder)
    while everything:
        size = chance.randint(1, 4)
        exporter.export(everything[:size])
        del everything[:size]
    exporter.shutdown()
    sent = Counter(span.context.span_id for span in recorder.spans)
    assert set(sent.values()) == {1}
    assert {span.context.span_id for span in spans.ended} <= set(sent)
    turns = [span for span in recorder.spans if span.name == "invoke_agent helper"]
    assert len(turns) == 3
    assert all("footprint.schema" in span.attributes for span in turns)


def test_a_span_that_is_explained_already_is_left_as_it_is(recorder: Any, spans: Any) -> None:
    twice = FootprintSpanExporter(FootprintSpanExporter(recorder))
    twice.export(spans.turn())
    (turn,) = recorder.explained
    assert event_names(turn).count("footprint.account") == 1


def test_a_span_that_the_application_sends_twice_goes_out_twice(recorder: Any, spans: Any) -> None:
    turn = spans.turn()
    FootprintSpanExporter(recorder).export([*turn, turn[-1]])
    assert [span.name for span in recorder.spans].count("invoke_agent helper") == 2


def test_work_without_a_turn_span_is_explained_on_a_span_of_our_own(recorder: Any, spans: Any) -> None:
    tool = spans.tool(None)
    exporter = FootprintSpanExporter(recorder)
    exporter.export([tool])
    exporter.shutdown()
    assert recorder.spans[0] is tool
    added = recorder.one("footprint")
    assert added.parent.span_id == tool.context.span_id
    assert "no-turn-span" in added.events[0].attributes["footprint.account.incomplete"]


def test_the_langfuse_preset_writes_the_explanation_a_second_time_on_a_child(recorder: Any, spans: Any) -> None:
    FootprintSpanExporter(recorder, Config(preset="langfuse")).export(spans.turn())
    assert len(recorder.explained) == 2
    child = recorder.one("footprint")
    assert child.attributes["langfuse.observation.level"] == "DEFAULT"
    assert recorder.names[-1] == "footprint"


def test_evidence_links_point_to_spans_of_the_turn(recorder: Any, spans: Any) -> None:
    agent = spans.agent()
    tool = spans.tool(agent, **{"gen_ai.tool.call.result": "[]"})
    agent.end(START + SECOND)
    FootprintSpanExporter(recorder, Config(evidence_links=True)).export(spans.ended)
    (turn,) = recorder.explained
    assert tool.context.span_id in {link.context.span_id for link in turn.links}


def test_what_the_wrapped_exporter_says_is_passed_on(recorder: Any, spans: Any) -> None:
    recorder.export = lambda _: SpanExportResult.FAILURE
    assert FootprintSpanExporter(recorder).export(spans.turn()) is SpanExportResult.FAILURE


def test_what_the_wrapped_exporter_raises_is_passed_on(recorder: Any, spans: Any) -> None:
    def fail(_: object) -> SpanExportResult:
        raise ConnectionError("refused")

    recorder.export = fail
    with pytest.raises(ConnectionError):
        FootprintSpanExporter(recorder).export(spans.turn())


def test_a_batch_that_is_wholly_held_is_a_success_without_a_call(recorder: Any, spans: Any) -> None:
    turn = spans.turn()
    exporter = FootprintSpanExporter(recorder, Config(hold_seconds=5))
    assert exporter.export([turn[-1]]) is SpanExportResult.SUCCESS
    assert recorder.batches == []


def test_force_flush_ends_the_hold(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder, Config(hold_seconds=60))
    exporter.export(spans.turn())
    assert recorder.explained == []
    assert exporter.force_flush(5000)
    assert len(recorder.explained) == 1
    exporter.shutdown()


def test_shutdown_explains_open_turns_as_incomplete_and_exports_what_is_held(recorder: Any, spans: Any) -> None:
    outer = spans.agent("invoke_agent outer")
    inner = spans.agent("invoke_agent inner", outer)
    spans.tool(inner)
    inner.end(START + SECOND)
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.ended)
    exporter.shutdown()
    inner_span = recorder.one("invoke_agent inner")
    assert inner_span.attributes["footprint.incomplete"] is True
    assert "parent-missing" in inner_span.events[0].attributes["footprint.account.incomplete"]


def test_a_second_shutdown_does_nothing(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.turn())
    exporter.shutdown()
    exporter.shutdown()
    assert len(recorder.shutdowns) == 1
    assert len(recorder.explained) == 1
    assert exporter.force_flush()


def test_after_shutdown_spans_pass_untouched(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    exporter.shutdown()
    turn = spans.turn()
    exporter.export(turn)
    assert recorder.batches[-1] == turn


def test_the_wrapped_exporter_is_told_how_much_time_is_left(recorder: Any) -> None:
    FootprintSpanExporter(recorder).shutdown(timeout_millis=5000)
    (left,) = recorder.shutdowns
    assert 0 < left <= 5000


def test_a_wrapped_exporter_that_takes_no_timeout_is_shut_down_too(recorder: Any) -> None:
    calls: list[str] = []
    recorder.shutdown = lambda: calls.append("shutdown")
    FootprintSpanExporter(recorder).shutdown()
    assert calls == ["shutdown"]


def test_statistics_count_what_was_done(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    exporter.export([*spans.turn(), *spans.turn()])
    statistics = exporter.statistics()
    assert (statistics.explained, statistics.added, statistics.held, statistics.errors) == (2, 0, 0, {})
    assert statistics.assembler.turns == 2
